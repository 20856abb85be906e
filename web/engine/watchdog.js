// Notices a worker that no longer answers. It counts unanswered pings, not seconds, so that the time in which the page was
// hidden or the machine slept does not count as the worker's silence. On a slow or busy machine the worker takes longer to
// start, and may then be silent for longer.

const every = 1000; // milliseconds between two pings
const least = 3, most = 30; // bounds on the pings in a row that may stay unanswered
const starts = 30; // the worker may be silent for this many times its start-up time

export class Watchdog {
  #timer = 0;
  #unanswered = 0;
  /** Unanswered pings, and so about seconds, after which the worker counts as dead. */
  allowed = least;

  /** `ask()` sends a ping, `dead()` is called once when the worker does not answer. */
  constructor(/** @type {() => void} */ ask, /** @type {() => void} */ dead) {
    this.ask = ask;
    this.dead = dead;
  }

  /** The worker has started; `milliseconds` is the time of its own work for that. */
  started(/** @type {number} */ milliseconds) {
    this.allowed = Math.min(most, Math.max(least, Math.ceil(milliseconds * starts / every)));
  }

  /** The worker has received a message: watch it until it reports that it is idle. */
  watch() {
    if (this.#timer) return;
    this.#timer = setInterval(() => this.#tick(), every);
    this.#unanswered = 0;
    this.#question();
  }

  /** The worker has sent a message. */
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
