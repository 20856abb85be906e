// Owns the worker: passes messages, and replaces a worker that has died, ran out of memory or no longer answers. A worker
// on all cores that does not start, or dies again and again, is replaced by one on a single core.
import { addressOf } from "../start/files.js";
import { trustedScript } from "../start/trusted.js";
import { programWords } from "../words/program.js";
import { fetchModule } from "./wasm.js";
import { Watchdog } from "./watchdog.js";

const fromDisk = globalThis.location?.protocol === "file:"; // the page in one file: a worker there imports only what it has itself put together
const startPatience = 30_000; // milliseconds after which a worker that has sent no message counts as failed to start
const deathsWithin = 60_000; // milliseconds for which a worker's death counts
const deathsAllowed = 3; // the page restarts the worker by itself until more than this many deaths count

export class Engine {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Promise<WebAssembly.Module> | null} */
  #module = null;
  #ready = Promise.resolve();
  #startTimer = 0;
  /** @type {number[]} */
  #deaths = []; // when workers died, newest last
  #started = false; // this worker has sent its first message
  #watchdog = new Watchdog(() => this.#worker?.postMessage({ ping: true }), () => this.#died(`did not answer for ${this.#watchdog.allowed} seconds`));
  flavour = "";
  threads = 1;
  restarts = 0;
  memory = 0;

  /**
   * `onMessage(text, data)`; `onRestart(why)`: there is a new worker, without any state; `onFailure(sentence)`: there is no
   * worker until the next send(); `onKind()`: `flavour` and `threads` have changed, or are known for certain.
   * @param {EngineKind} kind
   * @param {{onMessage: (text: string, data: Float64Array | null) => void, onRestart: (why: string) => void,
   *   onFailure: (sentence: string) => void, onKind: () => void}} handlers
   */
  constructor(kind, handlers) {
    this.handlers = handlers;
    this.#become(kind);
    this.#start();
  }

  #become(/** @type {EngineKind} */ { flavour, threads }) {
    this.flavour = flavour;
    this.threads = threads;
    this.#module = null;
  }

  /** Replaces the worker by one of another kind, which has no state yet. */
  change(/** @type {EngineKind} */ kind) {
    if (kind.flavour === this.flavour) return;
    if (this.#worker) this.#end();
    this.#deaths = [];
    this.#become(kind);
    this.#start();
    this.handlers.onRestart("");
  }

  #start() {
    const worker = new Worker(trustedScript(addressOf("engine/worker.js")), { type: fromDisk ? "classic" : "module", name: this.flavour });
    this.#worker = worker;
    this.#started = false;
    /** @template Event @param {(event: Event) => void} act */
    const mine = (act) => (/** @type {Event} */ event) => { if (worker === this.#worker) act(event); }; // ignores messages of a replaced worker
    worker.onmessage = mine((/** @type {MessageEvent<WorkerMessage>} */ { data }) => this.#hear(data));
    worker.onerror = mine((event) => {
      event.preventDefault();
      if (this.#started) this.#died(`failed (${event.message})`);
      else this.#giveUp("did not start: its script could not be loaded");
    });
    const patience = () => {
      clearTimeout(this.#startTimer);
      this.#startTimer = setTimeout(mine(() => this.#giveUp(`did not start within ${startPatience / 1000} seconds`)), startPatience);
    };
    patience();
    // The engine's script loads while its module is being compiled.
    const script = addressOf(`engine-${this.flavour}.mjs`);
    const named = fromDisk ? fetch(script).then((answer) => answer.blob()) : null;
    if (!named) worker.postMessage({ script: script.href });
    this.#module ??= fetchModule(addressOf(`engine-${this.flavour}.wasm`));
    this.#ready = Promise.all([this.#module, named, programWords()]).then(
      mine(([module, whole, words]) => {
        if (whole) worker.postMessage({ script: whole });
        patience(); // the time of the download does not count
        worker.postMessage({ start: { module, threads: this.threads, words } });
      }),
      mine((error) => this.#giveUp(`did not start: ${error.message}`)));
  }

  #hear(/** @type {WorkerMessage} */ data) {
    this.#watchdog.heard();
    if (data.idle) this.#watchdog.stop();
    if (data.threads) {
      this.threads = data.threads;
      this.#watchdog.started(/** @type {number} */ (data.took));
      this.handlers.onKind();
      return;
    }
    if (data.trap) return this.#started ? this.#died(data.trap) : this.#giveUp(data.trap);
    if (data.text === undefined) return;
    clearTimeout(this.#startTimer);
    this.#started = true;
    this.memory = /** @type {number} */ (data.memory);
    this.handlers.onMessage(data.text, data.data ? new Float64Array(data.data) : null);
  }

  #end() {
    clearTimeout(this.#startTimer);
    this.#watchdog.stop();
    this.#worker?.terminate();
    this.#worker = null;
  }

  #died(/** @type {string} */ how) {
    const now = performance.now();
    this.#deaths = [...this.#deaths.filter((at) => now - at < deathsWithin), now];
    if (this.#deaths.length > deathsAllowed) return this.#giveUp(`${how}, again and again`);
    this.#end();
    ++this.restarts;
    this.#module = null; // the new worker loads its script again, and script and module may be from a newer version of the page
    this.#start();
    this.handlers.onRestart(`The engine ${how} and was replaced; everything is as it was.`);
  }

  #giveUp(/** @type {string} */ how) {
    this.#end();
    this.#deaths = [];
    this.#module = null; // the next try loads it again
    if (this.threads > 1) return this.#withoutThreads(how);
    this.handlers.onFailure(`The engine ${how}. Nothing shown is lost.`);
  }

  #withoutThreads(/** @type {string} */ how) {
    this.#become({ flavour: "relaxed", threads: 1 });
    this.#start();
    this.handlers.onRestart(`The engine on all cores ${how}; it continues on one core.`);
  }

  /** @param {string} text @param {ArrayBuffer | null} bytes */
  send(text, bytes = null) {
    if (!this.#worker) this.#start();
    const worker = this.#worker;
    this.#ready.then(() => {
      if (!worker || worker !== this.#worker) return;
      worker.postMessage({ text, bytes }, bytes ? [bytes] : []);
      if (this.#started) this.#watchdog.watch();
    });
  }
}
