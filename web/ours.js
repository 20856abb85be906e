// What the page says when it shows the small model that comes with it: whose it is, and how to get a larger one.
import { h, setText } from "./dom.js";
import { hubBase, hubHost } from "./hub.js";

const larger = "openai-community/gpt2";

/**
 * `open(name)`: a listed model; `added(name)`: one that has just come into the list; `pick(folder)`: the visitor's own file,
 * or folder.
 */
export class Ours {
  #box;
  #shown = "";
  #dismissed = false;
  #size = h("span"); // known when the file's header is

  constructor(box, models, { open, added, pick }) {
    this.#box = box;
    Object.assign(this, { models, open, added, pick });
  }

  render({ state, status, models }) {
    const ours = this.models.isBundled(state.model);
    const other = models.find((m) => m.suits && !this.models.isBundled(m.name))?.name ?? "";
    const shown = ours && !this.#dismissed ? JSON.stringify([state.model, other]) : "";
    if (shown !== this.#shown) {
      this.#shown = shown;
      this.#box.hidden = !shown;
      if (shown) this.#fill(state.model, other);
      else this.#box.replaceChildren();
    }
    const { n_layer: layers, n_head: heads, d_model: width } = (this.models.list().find((m) => m.name === state.model)?.config && status.opened) || {}; // heads are a guess without it
    setText(this.#size, `: ${layers ?? "…"} layers of ${heads ?? "…"} heads, ${width ?? "…"} wide`); // its room is kept
  }

  #fill(name, other) {
    const answer = h("p", { role: "status" });
    const fromHub = async () => {
      answer.textContent = `Asking ${hubHost} for ${larger}…`;
      try {
        this.added(await this.models.addHub(larger));
      } catch (error) {
        answer.textContent = error.message;
      }
    };
    this.#box.replaceChildren(
      h("p", {}, h("b", {}, name), " is our own small model, which comes with the page", this.#size, ". Of its positions we kept the first few components: ",
        h("a", { href: this.models.cardOf(name), target: "_blank", rel: "noopener" }, "its card"), " says why.", h("span", { class: "detail" }, " GPT-2 small has 12 layers of 12 heads, 768 wide.")),
      h("div", { class: "row" },
        other ? h("button", { onclick: () => this.open(other) }, `Use ${other}`) : null,
        hubBase ? h("button", { title: `Only what the open study needs is read from ${hubHost}, which then sees your address: 3 MB for the helix, 500 MB for predictions.`, onclick: fromHub }, "Get GPT-2 small") : null,
        h("button", { onclick: () => this.pick(false) }, "Open a file…"),
        h("button", { class: "folder", onclick: () => this.pick(true) }, "Open a folder…")),
      h("button", { class: "close", "aria-label": "Dismiss", onclick: () => { this.#dismissed = true; this.#box.hidden = true; } }, "×"),
      answer);
  }
}
