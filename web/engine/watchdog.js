// Notices a worker that no longer answers: it counts unanswered questions, not seconds, so that a page that was hidden or
// a machine that slept does not take its own absence for the worker's. A slow or busy machine shows in how long the worker
// took to start: it may be silent so many times longer.

const every = 1000; // milliseconds between two questions
const least = 3, most = 30; // questions in a row that may stay unanswered
const starts = 30; // so many times as long as it took to start may it be silent

export class Watchdog {
  #timer = 0;
  #unanswered = 0;
  /** Questions, and so seconds, until it counts as dead. */
  allowed = least;

  /** `ask()` puts a question, `dead()` is called once when nobody answers. */
  constructor(ask, dead) {
    this.ask = ask;
    this.dead = dead;
  }

  /** It has started, in so many milliseconds of its own work. */
  started(milliseconds) {
    this.allowed = Math.min(most, Math.max(least, Math.ceil(milliseconds * starts / every)));
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
    if (this.#unanswered < this.allowed) return this.#question();
    this.stop();
    this.dead();
  }
}
