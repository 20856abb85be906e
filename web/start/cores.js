// "Use all cores": the line that says which engine runs, and the choice beside it. What was chosen is remembered.
import { $, setText } from "../shell/dom.js";
import { canThread, coresHere, hasRelaxed, isIos, sharesMemory } from "./flavour.js";
import { allow, embedded, obstacle, withdraw } from "./isolation.js";

const noteName = "helixscope.cores"; // in localStorage, and only where somebody has asked for all cores

export function wantsAllCores() {
  try {
    return localStorage.getItem(noteName) === "all";
  } catch {
    return false;
  }
}

function remember(yes) {
  try {
    if (yes) localStorage.setItem(noteName, "all");
    else localStorage.removeItem(noteName);
  } catch {
    // a window that keeps nothing: for this visit it is as was asked
  }
}

/** Why the choice is not offered, as a sentence; "" where it is. */
function whyNot() {
  if (isIos()) return "On iPhones and iPads it stays on one core: shared memory is not dependable there.";
  if (!hasRelaxed()) return "All cores need a browser with relaxed SIMD.";
  if (coresHere() < 2) return "This device offers the page one core.";
  return sharesMemory() ? "" : obstacle();
}

const kinds = { simd: "SIMD", relaxed: "relaxed SIMD", "relaxed-mt": "relaxed SIMD" };

export class Cores {
  #box = $("cores");
  #remark = embedded ? "" : whyNot();

  /** `use(yes)` starts the engine anew; `reload()` loads the page anew, with what is shown. */
  constructor(engine, { use, reload }) {
    Object.assign(this, { engine, use, reload });
    const offered = !embedded && !this.#remark;
    $("cores-choice").hidden = !offered;
    this.#box.checked = offered && wantsAllCores();
    this.#box.addEventListener("change", () => this.#choose(this.#box.checked));
    if (this.#box.checked && !canThread()) this.#again();
    this.render();
  }

  /** The engine has started, or is another one now. */
  render() {
    const { flavour, threads } = this.engine;
    const many = threads > 1 ? `${threads} threads` : "1 thread";
    setText($("engine-state"), [`Engine: ${kinds[flavour]}, ${many}.`, this.#remark].filter(Boolean).join(" "));
  }

  #say(remark) {
    this.#remark = remark;
    this.render();
  }

  async #choose(yes) {
    remember(yes);
    $("engine-state").setAttribute("role", "status"); // from now on its changes are news
    this.#say("");
    if (!yes) {
      this.use(false);
      return withdraw();
    }
    if (canThread()) return this.use(true);
    if (!wantsAllCores()) return this.#refused("this window remembers nothing");
    this.#say("The page reloads, isolated.");
    try {
      await allow();
    } catch (error) {
      return this.#refused(error.message);
    }
    if (wantsAllCores()) this.reload(); // else it was switched off meanwhile
    else withdraw();
  }

  #refused(why) {
    remember(false);
    this.#box.checked = false;
    this.#say(`This browser does not let the page use all cores (${why.replace(/\.$/, "")}).`);
  }

  /** Asked for, but this load is not isolated: one that skipped the service worker, or a browser that has forgotten it. */
  #again() {
    this.#remark = "This load came without isolation; an ordinary reload brings all cores.";
    allow().catch((error) => this.#refused(error.message));
  }
}
