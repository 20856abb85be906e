// The view as a link in the address bar. A link that the visitor has just entered there is read, never overwritten.
import { $, throttled } from "./dom.js";

const betweenWrites = 250; // milliseconds: browsers refuse to rewrite the address too often
const answerShown = 1600; // milliseconds

/** The model that a link names, or "". */
export const modelOf = (link) => new URLSearchParams(link.replace(/^#/, "").replaceAll("+", "%2B")).get("model") ?? "";

export class Address {
  #written = location.hash; // what the address bar holds, as far as we know
  #newest = location.hash; // what the address bar should hold
  #keepSoon = throttled(() => this.keep(), betweenWrites);

  /** Sets the view's current link. */
  show(link) {
    this.#newest = link;
    this.#keepSoon();
  }

  /** Writes the newest link at once. */
  keep() {
    if (location.hash !== this.#written) return; // the visitor has entered another link, which is about to be read
    if (this.#newest !== this.#written) this.#write(this.#newest);
  }

  #write(link) {
    history.replaceState(null, "", link);
    this.#written = location.hash;
  }

  /** `current()`: the view's link; `open(link)`: shows the view of a link that the visitor has put into the address bar. */
  follow({ current, open }) {
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.keep(); }); // so that a reload restores the newest view
    addEventListener("hashchange", () => {
      this.#written = location.hash;
      if (this.#written !== current()) open(this.#written);
      this.#newest = current(); // a pending write of the previous view must not replace this link
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
