// "Use all cores": the line that says which engine runs, and the choice beside it, which is remembered.
import { $, setText } from "../shell/dom.js";
import { canThread, coresHere, hasRelaxed, isIos, sharesMemory } from "./flavour.js";
import { allow, embedded, obstacle, withdraw } from "./isolation.js";
import { say } from "../words/words.js";

const noteName = "helixscope.cores"; // in localStorage, only while all cores are chosen

export function wantsAllCores() {
  try {
    return localStorage.getItem(noteName) === "all";
  } catch {
    return false;
  }
}

function remember(/** @type {boolean} */ yes) {
  try {
    if (yes) localStorage.setItem(noteName, "all");
    else localStorage.removeItem(noteName);
  } catch {
    // this window stores nothing: the choice holds for this visit
  }
}

/** Why the choice is not offered, as a sentence; "" where it is offered. */
function whyNot() {
  if (isIos()) return say("On iPhones and iPads the engine stays on one core: shared memory is not reliable there.");
  if (!hasRelaxed()) return say("All cores need a browser with relaxed SIMD.");
  if (coresHere() < 2) return say("This device offers the page one core.");
  return sharesMemory() ? "" : obstacle();
}

/** @type {Record<string, string>} */
const kinds = { simd: "SIMD", relaxed: "relaxed SIMD", "relaxed-mt": "relaxed SIMD" };

export class Cores {
  #box = $("cores");
  #remark = embedded ? "" : whyNot();

  /** `use(yes)` restarts the engine; `reload()` reloads the page with the same view. */
  constructor(/** @type {EngineKind} */ engine, /** @type {{use: (all: boolean) => void, reload: () => void}} */ { use, reload }) {
    this.engine = engine;
    this.use = use;
    this.reload = reload;
    const offered = !embedded && !this.#remark;
    $("cores-choice").hidden = !offered;
    this.#box.checked = offered && wantsAllCores();
    this.#box.addEventListener("change", () => this.#choose(this.#box.checked));
    if (this.#box.checked && !canThread()) this.#again();
    this.render();
  }

  /** The engine has started, or was replaced. */
  render() {
    const { flavour, threads } = this.engine;
    const kind = kinds[flavour], engine = threads > 1 ? say("Engine: {kind}, {threads} threads.", { kind, threads }) : say("Engine: {kind}, 1 thread.", { kind });
    setText($("engine-state"), [engine, this.#remark].filter(Boolean).join(" "));
  }

  #say(/** @type {string} */ remark) {
    this.#remark = remark;
    this.render();
  }

  async #choose(/** @type {boolean} */ yes) {
    remember(yes);
    $("engine-state").setAttribute("role", "status"); // from now on screen readers announce its changes
    this.#say("");
    if (!yes) {
      this.use(false);
      return withdraw();
    }
    if (canThread()) return this.use(true);
    if (!wantsAllCores()) return this.#refused(say("this window stores nothing"));
    this.#say(say("The page reloads with isolation."));
    try {
      await allow();
    } catch (error) {
      return this.#refused(error.message);
    }
    if (wantsAllCores()) this.reload(); // otherwise it was switched off meanwhile
    else withdraw();
  }

  #refused(/** @type {string} */ why) {
    remember(false);
    this.#box.checked = false;
    this.#say(say("This browser does not let the page use all cores ({why}).", { why: why.replace(/\.$/, "") }));
  }

  /** All cores are chosen, but this load is not isolated: it bypassed the service worker, or the browser has removed it. */
  #again() {
    this.#remark = say("This load is not isolated; an ordinary reload enables all cores.");
    allow().catch((error) => this.#refused(error.message));
  }
}
