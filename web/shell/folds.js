// Collapsible parts: the text beside the figure, and the settings below it. Both stay as the visitor left them, on this device.
import { $ } from "./dom.js";

const roomy = matchMedia("(min-width: 100em)");
const keyOf = (name) => `helixscope.${name}`;

function remembered(name) {
  try {
    return localStorage.getItem(keyOf(name));
  } catch {
    return null; // this browser stores nothing
  }
}

function remember(name, open) {
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

  #set(open) {
    document.body.classList.toggle("explained", open);
    $("explain").setAttribute("aria-expanded", String(open));
  }

  show(open) {
    this.#set(open);
    remember("explanation", open);
    if (open) $("explanation").scrollIntoView({ block: "nearest" });
  }
}

export class Settings {
  constructor() {
    $("settings").querySelector("summary").addEventListener("click", () => remember("settings", !$("settings").open));
  }

  /** `usual`: whether they are open as long as the visitor has not chosen. */
  compose(usual) {
    const kept = remembered("settings");
    $("settings").open = kept ? kept === "open" : usual;
  }
}
