// A page that stays open while its site is updated goes on with its own files. Only what it has not loaded yet may be gone from the
// server by then: so when something fails, the page looks whether it is still the one that its server has.
import { $ } from "../shell/dom.js";

const between = 30_000; // milliseconds between two looks

const buildOf = (/** @type {string} */ page) => /<meta name="helixscope-build" content="([0-9a-f]+)"/.exec(page)?.[1] ?? "";
const own = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=helixscope-build]"))?.content ?? "";

/** Whether the server has another version of this page; false where that cannot be found out. */
async function isOutdated() {
  try {
    const answer = await fetch(new URL(location.pathname, location.href), { cache: "no-cache", credentials: "same-origin" });
    const build = answer.ok ? buildOf(await answer.text()) : "";
    return build !== "" && build !== own;
  } catch {
    return false;
  }
}

export class Newer {
  #looked = -Infinity;

  /** `reload()` reloads the page with the same view. */
  constructor(/** @type {() => void} */ reload) {
    $("reload").addEventListener("click", reload);
    addEventListener("error", ({ target }) => { if (target instanceof HTMLImageElement) this.look(); }, true);
  }

  /** Something has failed. */
  async look() {
    if (!own || location.protocol === "file:" || !$("newer").hidden || performance.now() - this.#looked < between) return;
    this.#looked = performance.now();
    $("newer").hidden = !await isOutdated();
  }
}
