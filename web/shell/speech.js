// What a screen reader is told: the summary when a result has settled, and the position when the keys have walked there.
import { $, setText } from "./dom.js";

const quiet = 150; // milliseconds without news until something is said: a screen reader that is interrupted says nothing

export class Speech {
  #held = new Set(); // the pointers that are down: something may be dragged
  #settled = ""; // what is to be said of the newest result
  #byKeys = false; // the canvas was last used by its keys
  #readAt = ""; // the place that was read out
  #speechTimer = 0;
  #readTimer = 0;

  constructor() {
    this.#listen();
  }

  /** What the hand is doing, where it matters for what is said. */
  #listen() {
    addEventListener("pointerdown", (event) => this.#held.add(event.pointerId), true);
    for (const name of ["pointerup", "pointercancel"])
      addEventListener(name, (event) => { if (this.#held.delete(event.pointerId)) this.#speak(); }, true);
    $("canvas").addEventListener("keydown", () => { this.#byKeys = true; }, true);
    let last = "";
    for (const name of ["pointerdown", "pointermove"])
      $("canvas").addEventListener(name, ({ clientX, clientY }) => {
        const at = `${clientX},${clientY}`;
        if (name === "pointerdown" || at !== last) this.#byKeys = false; // browsers tell of a move also when only the page has moved
        last = at;
      }, true);
  }

  /** Spoken when a result has settled, not on every step of a drag. */
  summary(text) {
    if (text === this.#settled) return;
    this.#settled = text;
    this.#speak();
  }

  #speak() {
    clearTimeout(this.#speechTimer);
    if (this.#settled && !this.#held.size) this.#speechTimer = setTimeout(() => setText($("summary"), this.#settled), quiet);
  }

  /** Read out when the keys have walked to another position; what the pointer passes over is not. */
  reading(reading, { locked, ...place }) {
    const at = reading ? JSON.stringify(place) : "";
    if (at === this.#readAt) return;
    this.#readAt = at;
    clearTimeout(this.#readTimer);
    const walked = at && this.#byKeys && document.activeElement === $("canvas");
    if (!walked) return setText($("reading"), "");
    const text = [reading.title, ...reading.lines].join(", ").replace(/\s+/g, " ");
    this.#readTimer = setTimeout(() => setText($("reading"), text), quiet);
  }
}
