// Collapsible parts: the text beside the figure, the settings and the provenance below it. They stay as the visitor left them, on
// this device.
import { $ } from "./dom.js";

const roomy = matchMedia("(min-width: 100em)");
const keyOf = (/** @type {string} */ name) => `helixscope.${name}`;

/** "open", "closed" or nothing: how the visitor left this part, on this device. */
export function remembered(/** @type {string} */ name) {
  try {
    return localStorage.getItem(keyOf(name));
  } catch {
    return null; // this browser stores nothing
  }
}

export function remember(/** @type {string} */ name, /** @type {boolean} */ open) {
  try {
    localStorage.setItem(keyOf(name), open ? "open" : "closed");
  } catch {
    // Nothing can be stored: it is collapsed again at the next visit.
  }
}

export class Explanation {
  constructor() {
    const kept = remembered("explanation");
    this.#set(kept ? kept === "open" : roomy.matches);
    $("explain").onclick = () => this.show(!document.body.classList.contains("explained"));
  }

  #set(/** @type {boolean} */ open) {
    document.body.classList.toggle("explained", open);
    $("explain").setAttribute("aria-expanded", String(open));
  }

  show(/** @type {boolean} */ open) {
    this.#set(open);
    remember("explanation", open);
    if (open) $("explanation").scrollIntoView({ block: "nearest" });
  }
}

/** Parts below the figure, closed until the visitor opens them. */
export function bindFolds() {
  for (const name of /** @type {const} */ (["settings", "about"])) {
    $(name).open = remembered(name) === "open";
    $(name).querySelector("summary")?.addEventListener("click", () => remember(name, !$(name).open));
  }
}
