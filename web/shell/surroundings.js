// How much of the page surrounds the figure, as the link says: parts left out, a figure within another page, presenter's mode.
import { addressOf } from "../start/files.js";
import { h } from "./dom.js";
import { say } from "../words/words.js";

const presented = { width: 960, height: 540 }; // CSS pixels of the layout that presenter's mode enlarges to the screen

/** By how much presenter's mode enlarges the page; 1 outside of it, and on screens that are smaller than its layout. */
export const enlarged = () => (document.body.classList.contains("presenting")
  ? Math.max(1, Math.min(innerWidth / presented.width, innerHeight / presented.height)) : 1);

/** Whether a link has left this part of the page out. */
export const isHidden = (/** @type {string} */ part) => (document.body.dataset.hide ?? "").split(" ").includes(part);

export class Surroundings {
  /** @type {Promise<import("../present/present.js").Presenter | null> | null} */
  #presenter = null; // a promise of the module's object
  #shown = "";

  /** @param {SurroundedPage} page */
  constructor(page) {
    this.page = page;
    this.full = h("a", { target: "_blank", rel: "noopener" }, say("Open the full page"));
    this.foot = h("p", { id: "embed-foot", hidden: true }, h("b", {}, "helixscope"), " ", this.full);
    document.querySelector("main")?.append(this.foot);
    document.addEventListener("keydown", (event) => {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyP") return;
      event.preventDefault();
      this.present(!this.page.snapshot().state.present);
    });
    addEventListener("resize", () => this.#scale());
  }

  present(/** @type {boolean} */ on) {
    this.page.dispatch({ do: "present", on });
  }

  #scale() {
    document.documentElement.style.setProperty("--enlarged", enlarged().toFixed(4));
  }

  #loadPresenter() {
    this.#presenter ??= import(addressOf("present/present.js").href).then(({ Presenter }) => new Presenter(this.page, { leave: () => this.present(false) })).catch(() => {
      this.#presenter = null;
      this.present(false);
      this.page.dispatch({ do: "notice", sentence: say("Presenter’s mode could not be loaded. Check the connection and try again.") });
      return null;
    });
    return this.#presenter;
  }

  render(/** @type {Snapshot} */ snapshot) {
    const { embed = false, present = false, hide = [] } = snapshot.state, { body } = document;
    if (embed) this.full.href = this.page.links({ embed: false }).link;
    const shown = JSON.stringify([embed, present, hide]);
    if (shown !== this.#shown) {
      this.#shown = shown;
      body.dataset.hide = hide.join(" ");
      body.classList.toggle("embedded", embed);
      body.classList.toggle("presenting", present);
      this.foot.hidden = !embed;
      if (embed) document.querySelector("main")?.append(this.foot); // after what was added to the page since
      this.#scale();
      this.page.changed();
    }
    if (present || this.#presenter) this.#loadPresenter().then((presenter) => presenter?.render(this.page.snapshot()));
  }
}
