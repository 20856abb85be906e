// The menu of studies: groups at the top of the page; each opens cards with a picture, the question and what the study needs.
import { $, h, replaceKept } from "./dom.js";
import { closesWithView } from "./overlays.js";
import { groupName, marked, say } from "../words/words.js";

/** What a study needs, in plain words, by what it reads. */
/** @type {Record<string, string>} */
const needs = {
  nothing: marked("Needs no weights"),
  positions: marked("Needs position embeddings"),
  words: marked("Needs weights, no text"),
  weights: marked("Needs weights, no text"),
  tokens: marked("Needs a tokenizer and a text"),
  layers: marked("Runs your text through the model"),
  forward: marked("Runs your text through the model"),
  model: marked("Runs the whole model"),
  training: marked("Needs a training record"),
};

const order = ["Positions", "Text", "Heads", "Layers", "Claims"];

/**
 * Pictures of studies that came with the page: their addresses by id and theme.
 * @returns {Record<string, Record<string, string>>}
 */
function readPictures() {
  try {
    return JSON.parse(/** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=helixscope-pictures]"))?.content || "{}");
  } catch {
    return {};
  }
}

export class StudyMenu {
  #pictures = readPictures();
  #shown = "";

  /**
   * `more()`: a section before the studies', for the sheet that shows all of them.
   * @param {Schema[]} schemas
   * @param {Dispatch} dispatch
   * @param {() => HTMLElement[]} more
   */
  constructor(schemas, dispatch, more) {
    this.schemas = schemas;
    this.dispatch = dispatch;
    this.more = more;
    const place = (/** @type {string} */ group) => (order.indexOf(group) + order.length + 1) % (order.length + 1); // an unknown group comes last
    this.groups = [...new Set(schemas.map((s) => s.group))].sort((a, b) => place(a) - place(b));
    $("groups").append(...this.groups.map((group) => h("button", {
      type: "button", "data-group": group, "aria-controls": "studies", "aria-expanded": "false", onclick: () => this.#toggle(group),
    }, groupName(group))));
    this.#bind();
  }

  get #open() {
    return $("studies").dataset.group ?? "";
  }

  #buttons() {
    return /** @type {HTMLButtonElement[]} */ ([...$("groups").children]);
  }

  #toggle(/** @type {string} */ group) {
    this.#show(this.#open === group ? "" : group);
    if (this.#open) /** @type {HTMLElement | null} */ ($("studies").querySelector("section.chosen button"))?.focus({ preventScroll: true });
  }

  /** Shows the cards of a group, or none for "". On a phone the sheet shows all groups. */
  #show(/** @type {string} */ group) {
    const nav = $("studies");
    if (group) nav.dataset.group = group;
    else delete nav.dataset.group;
    for (const section of nav.querySelectorAll("section")) section.classList.toggle("chosen", section.dataset.group === group);
    for (const button of this.#buttons()) button.setAttribute("aria-expanded", String(button.dataset.group === group));
  }

  #close({ back = false } = {}) {
    if (!this.#open) return;
    const button = this.#buttons().find((b) => b.dataset.group === this.#open);
    this.#show("");
    if (back) button?.focus({ preventScroll: true });
  }

  #bind() {
    const nav = $("studies"), groups = $("groups");
    const outside = (/** @type {EventTarget | null} */ target) => !nav.contains(/** @type {Node} */ (target)) && !groups.contains(/** @type {Node} */ (target));
    nav.addEventListener("click", (event) => { if (/** @type {Element} */ (event.target).closest("button")) this.#close({ back: true }); });
    document.addEventListener("pointerdown", (event) => { if (outside(event.target)) this.#close(); });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") this.#close({ back: true }); });
    closesWithView(() => this.#close({ back: nav.contains(document.activeElement) }));
    nav.addEventListener("focusout", ({ relatedTarget }) => { if (relatedTarget && outside(relatedTarget)) this.#close(); });
    groups.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      const buttons = this.#buttons(), at = buttons.findIndex((button) => button === event.target);
      if (!step || at < 0) return;
      buttons[(at + step + buttons.length) % buttons.length].focus();
      event.preventDefault();
    });
  }

  /** @param {Schema} study @param {boolean} open @param {string} theme */
  #card(study, open, theme) {
    const picture = this.#pictures[study.id];
    return h("button", { class: "card", "aria-current": open && "page", "data-key": `study:${study.id}`, onclick: () => this.dispatch({ do: "study", id: study.id }) },
      picture ? h("img", { src: picture[theme], alt: "", width: "240", height: "150", loading: "lazy" }) : null,
      h("span", {}, h("b", {}, study.title), h("span", { class: "question" }, study.question), h("small", {}, say(needs[study.reads] ?? ""))));
  }

  render(/** @type {PageState} */ state, /** @type {string} */ theme) {
    const shown = JSON.stringify([state.study, theme]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const { group: own } = /** @type {Schema} */ (this.schemas.find((s) => s.id === state.study));
    for (const button of this.#buttons()) {
      if (button.dataset.group === own) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    replaceKept($("studies"), ...this.more(), ...this.groups.map((group) => h("section", { "data-group": group, class: group === this.#open ? "chosen" : "" },
      h("h2", {}, groupName(group)),
      h("div", { class: "cards" }, ...this.schemas.filter((s) => s.group === group).map((s) => this.#card(s, s.id === state.study, theme))))));
  }
}
