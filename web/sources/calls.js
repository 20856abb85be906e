// Questions to a worker, each with its answer. The worker gets {id, ...question} and sends {id, ...answer}, or {id, error}.
// Every question ends: with the answer, or with an error where the worker did not start, failed or has not answered for a
// while. The next question then gets a new worker; after several failures in a row there is none, and questions fail at once.
import { trustedScript } from "../start/trusted.js";

const silence = 30_000; // milliseconds without an answer after which a worker counts as dead
const failuresAllowed = 3; // in a row

/**
 * @template {object} Question
 * @template {object} Answer
 */
export class Calls {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Map<number, {done: (answer: Answer) => void, failed: (why: Error) => void}>} */
  #waiting = new Map(); // by id
  #last = 0;
  #failures = 0;
  #timer = 0;
  #left = 0; // seconds

  /**
   * `make(url)` starts a worker.
   * @param {URL} url
   * @param {(url: URL) => Worker} make
   */
  constructor(url, make = (address) => new Worker(trustedScript(address))) {
    this.url = url;
    this.make = make;
    this.#start(); // now, so that it is ready for the first question
  }

  #start() {
    try {
      const worker = this.make(this.url);
      /** @template Event @param {(event: Event) => void} act */
      const mine = (act) => (/** @type {Event} */ event) => { if (worker === this.#worker) act(event); }; // ignores messages of a replaced worker
      this.#worker = worker;
      worker.onmessage = mine((/** @type {MessageEvent<CallAnswer<Answer>>} */ { data }) => this.#hear(data));
      worker.onmessageerror = mine(() => this.#fail("its answer could not be read"));
      worker.onerror = mine((/** @type {ErrorEvent} */ event) => {
        event.preventDefault();
        this.#fail(event.message ? `it failed (${event.message})` : "it did not start");
      });
    } catch (error) {
      this.#fail(`it was refused (${error.message})`);
    }
  }

  #hear(/** @type {CallAnswer<Answer>} */ { id, error, ...answer }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#failures = 0;
    this.#watch();
    if (error) waiting?.failed(Object.assign(new Error(error.message), { name: error.name }));
    else waiting?.done(/** @type {Answer} */ (/** @type {unknown} */ (answer)));
  }

  #fail(/** @type {string} */ why) {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = null;
    ++this.#failures;
    for (const { failed } of this.#waiting.values()) failed(new Error(`A worker of the page ended: ${why}.`));
    this.#waiting.clear();
  }

  /** Counts seconds one by one: a page that was suspended first handles the answers that have arrived meanwhile. */
  #watch() {
    clearTimeout(this.#timer);
    this.#left = silence / 1000;
    const count = () => {
      this.#timer = setTimeout(() => (--this.#left > 0 ? count() : this.#fail(`it has not answered for ${silence / 1000} seconds`)), 1000);
    };
    if (this.#waiting.size) count();
  }

  /**
   * `transfer`: buffers that are transferred to the worker, and are empty here from then on.
   * @param {Question} question
   * @param {Transferable[]} transfer
   * @returns {Promise<Answer>}
   */
  ask(question, transfer = []) {
    if (!this.#worker && this.#failures < failuresAllowed) this.#start();
    const worker = this.#worker;
    if (!worker) return Promise.reject(new Error("The browser starts no worker for this page."));
    return new Promise((done, failed) => {
      const id = ++this.#last;
      worker.postMessage({ id, ...question }, transfer); // throws where the question cannot be sent
      this.#waiting.set(id, { done, failed });
      if (this.#waiting.size === 1) this.#watch();
    });
  }
}
