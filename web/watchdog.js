// Notices a worker that no longer answers: it counts unanswered questions, not seconds, so that a page that was hidden or
// a machine that slept does not take its own absence for the worker's.

const every = 1000; // milliseconds between two questions
const allowed = 3; // questions in a row that may stay unanswered

export class Watchdog {
  #timer = 0;
  #unanswered = 0;

  /** `ask()` puts a question, `dead()` is called once when nobody answers. */
  constructor(ask, dead) {
    this.ask = ask;
    this.dead = dead;
  }

  /** Something was asked of the worker: from now on it is watched, until it says that it is idle. */
  watch() {
    if (this.#timer) return;
    this.#timer = setInterval(() => this.#tick(), every);
    this.#unanswered = 0;
    this.#question();
  }

  /** It has said something. */
  heard() {
    this.#unanswered = 0;
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
  }

  #question() {
    ++this.#unanswered;
    this.ask();
  }

  #tick() {
    if (this.#unanswered < allowed) return this.#question();
    this.stop();
    this.dead();
  }
}
