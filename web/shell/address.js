// The view as a link in the address bar. A link that somebody has just put there is read, never written over.
import { $, throttled } from "./dom.js";

const betweenWrites = 250; // milliseconds: browsers refuse to rewrite the address too often
const answerShown = 1600; // milliseconds

/** The model that a link names, or "". */
export const modelOf = (link) => new URLSearchParams(link.replace(/^#/, "").replaceAll("+", "%2B")).get("model") ?? "";

export class Address {
  #written = location.hash; // what the address bar holds, as far as we know
  #newest = location.hash; // what it ought to hold
  #keepSoon = throttled(() => this.keep(), betweenWrites);

  /** The view has this link now. */
  show(link) {
    this.#newest = link;
    this.#keepSoon();
  }

  /** Writes the newest link at once. */
  keep() {
    if (location.hash !== this.#written) return; // another link, which is about to be read
    if (this.#newest !== this.#written) this.#write(this.#newest);
  }

  #write(link) {
    history.replaceState(null, "", link);
    this.#written = location.hash;
  }

  /** `current()`: the view's link; `open(link)`: shows the view of a link that somebody has put into the address bar. */
  follow({ current, open }) {
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.keep(); }); // a reload then finds the newest view
    addEventListener("hashchange", () => {
      this.#written = location.hash;
      if (this.#written !== current()) open(this.#written);
      this.#newest = current(); // the view before must not be written over this one
    });
    $("copy").onclick = () => this.#copy($("copy"), current());
  }

  async #copy(button, link) {
    this.#write(link);
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
    } catch {
      button.textContent = "In the address bar";
    }
    setTimeout(() => { button.textContent = "Copy link"; }, answerShown);
  }
}
