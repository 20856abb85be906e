// Announcements for screen readers: the summary when a result has settled, and the position that the keys have moved to.
import { $, setText } from "./dom.js";

const quiet = 150; // milliseconds without changes before an announcement: a screen reader that is interrupted says nothing

const sentence = (/** @type {string} */ text) => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** What is said of a figure: its title and its number, where the summary does not say them, and the summary. */
export function spoken(/** @type {Pick<ShownFigure, "title" | "lead" | "summary">} */ { title, lead, summary }) {
  const number = lead && !summary.includes(lead.number) ? [lead.number, ...lead.lines].join(" ") : "";
  return [summary.startsWith(title) ? "" : title, number, summary].filter(Boolean).map(sentence).join(" ");
}

export class Announcements {
  /** @type {Set<number>} */
  #held = new Set(); // the pointers that are down: something may be dragged
  #settled = ""; // the announcement of the newest result
  #byKeys = false; // whether the canvas was last used by its keys
  #readAt = ""; // the place that was read out last
  #speechTimer = 0;
  #readTimer = 0;

  constructor() {
    this.#listen();
  }

  /** Tracks the input that decides what is announced. */
  #listen() {
    addEventListener("pointerdown", (event) => this.#held.add(event.pointerId), true);
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"]))
      addEventListener(name, (event) => { if (this.#held.delete(event.pointerId)) this.#speak(); }, true);
    $("canvas").addEventListener("keydown", () => { this.#byKeys = true; }, true);
    let last = "";
    for (const name of /** @type {const} */ (["pointerdown", "pointermove"]))
      $("canvas").addEventListener(name, ({ clientX, clientY }) => {
        const at = `${clientX},${clientY}`;
        if (name === "pointerdown" || at !== last) this.#byKeys = false; // browsers also report a move when only the page has moved under the pointer
        last = at;
      }, true);
  }

  /** Announces a result when it has settled, not on every step of a drag. */
  summary(/** @type {string} */ text) {
    if (text === this.#settled) return;
    this.#settled = text;
    this.#speak();
  }

  #speak() {
    clearTimeout(this.#speechTimer);
    if (this.#settled && !this.#held.size) this.#speechTimer = setTimeout(() => setText($("summary"), this.#settled), quiet);
  }

  /**
   * Reads out the position when the keys have moved to another one, but not what the pointer passes over.
   * @param {Snapshot["reading"]} reading
   * @param {Focus} focus
   */
  reading(reading, { locked, ...place }) {
    const at = reading ? JSON.stringify(place) : "";
    if (at === this.#readAt) return;
    this.#readAt = at;
    clearTimeout(this.#readTimer);
    const walked = at && this.#byKeys && document.activeElement === $("canvas");
    if (!walked) return setText($("reading"), "");
    const { title, lines } = /** @type {NonNullable<Snapshot["reading"]>} */ (reading);
    const text = [title, ...lines].join(", ").replace(/\s+/g, " ");
    this.#readTimer = setTimeout(() => setText($("reading"), text), quiet);
  }
}
