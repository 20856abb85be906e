// The palette (Ctrl+K): finds any study, view, claim, parameter or action by its words.
import { $, h } from "./dom.js";
import { isHidden } from "./surroundings.js";
import { say } from "../words/words.js";

const most = 12; // entries shown at once

/**
 * All that can be found.
 * @param {Schema[]} schemas
 * @param {Schema} study
 * @param {Dispatch} dispatch
 */
function entries(schemas, study, dispatch) {
  /** @type {PaletteEntry[]} */
  const all = [];
  for (const s of schemas) {
    all.push({ kind: say("Study"), label: s.title, note: s.question, act: () => dispatch({ do: "study", id: s.id }) });
    for (const p of s.presets.slice(s.presets[0]?.id === "default" ? 1 : 0))
      all.push({ kind: say("View"), label: p.label, note: `${s.title}: ${p.note}`, act: () => dispatch({ do: "go", fragment: `study=${s.id}&${p.fragment}` }) });
    for (const c of s.claims) all.push({ kind: say("Claim"), label: `${c.id}: ${c.text}`, note: s.title, act: () => dispatch({ do: "claim", id: c.id }) });
  }
  for (const p of study.params)
    all.push({ kind: say("Parameter"), label: p.label, note: p.help, act: () => focusControl(p.key) });
  return all;
}

function focusControl(/** @type {string} */ key) {
  const control = document.getElementById(`p-${key}`);
  if (!control) return;
  $("settings").open = true;
  if ($("more")?.hidden) $("more-button")?.click();
  control.focus();
}

/** How well an entry matches: smaller is better, Infinity is no match. Every word must occur. */
function rank(/** @type {PaletteEntry} */ entry, /** @type {string[]} */ words) {
  const label = entry.label.toLowerCase(), text = `${label} ${entry.note.toLowerCase()} ${entry.kind.toLowerCase()}`;
  let sum = 0;
  for (const word of words) {
    if (!text.includes(word)) return Infinity;
    const at = label.indexOf(word);
    sum += at < 0 ? 40 : at === 0 || label[at - 1] === " " ? 0 : 10;
  }
  return sum;
}

export class Palette {
  /** @type {PaletteEntry[]} */
  #found = [];
  /** @type {PaletteEntry[]} */
  all = [];
  study = /** @type {Schema} */ (/** @type {unknown} */ (null)); // the open one
  #at = 0;

  /**
   * `more()`: entries besides the studies'.
   * @param {Schema[]} schemas
   * @param {Dispatch} dispatch
   * @param {() => PaletteEntry[]} more
   */
  constructor(schemas, dispatch, more) {
    this.box = $("palette");
    this.input = $("palette-input");
    this.list = $("palette-list");
    this.schemas = schemas;
    this.dispatch = dispatch;
    this.more = more;
    $("find").onclick = () => this.open();
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      if (this.box.open) this.box.close();
      else this.open();
    });
    this.input.addEventListener("input", () => this.#search());
    this.input.addEventListener("keydown", (event) => this.#key(event));
    this.box.addEventListener("click", (event) => { if (event.target === this.box) this.box.close(); });
  }

  render(/** @type {Schema} */ schema) {
    this.study = schema;
  }

  open() {
    if (isHidden("menu")) return; // the link's author has left it out
    this.all = [...this.more(), ...entries(this.schemas, this.study, this.dispatch)];
    this.input.value = "";
    this.box.showModal();
    this.#search();
  }

  #search() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.#found = this.all.map((entry) => /** @type {[number, PaletteEntry]} */ ([rank(entry, words), entry])).filter(([r]) => r < Infinity)
      .sort((a, b) => a[0] - b[0]).slice(0, most).map(([, entry]) => entry);
    this.#at = 0;
    this.#show();
  }

  #show() {
    this.list.replaceChildren(...this.#found.map((entry, i) => h("li", {
      role: "option", id: `found-${i}`, "aria-selected": String(i === this.#at), onclick: () => this.#choose(entry),
    }, h("small", {}, entry.kind), h("b", {}, entry.label), h("span", {}, entry.note))));
    if (!this.#found.length) this.list.replaceChildren(h("li", { class: "none" }, say("No matches.")));
    this.input.setAttribute("aria-activedescendant", this.#found.length ? `found-${this.#at}` : "");
    this.list.children[this.#at]?.scrollIntoView({ block: "nearest" });
  }

  #key(/** @type {KeyboardEvent} */ event) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step && this.#found.length) {
      this.#at = (this.#at + step + this.#found.length) % this.#found.length;
      this.#show();
    } else if (event.key === "Enter" && this.#found[this.#at]) {
      this.#choose(this.#found[this.#at]);
    } else {
      return;
    }
    event.preventDefault();
  }

  #choose(/** @type {PaletteEntry} */ entry) {
    this.box.close();
    entry.act();
  }
}
