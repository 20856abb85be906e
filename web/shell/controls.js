// Parameters as form controls, all generated from the study's own list: labelled and reachable by keyboard.
import { h, replaceKept } from "./dom.js";
import { track } from "../input/track.js";
import { say } from "../words/words.js";

/**
 * The position (0 to 1) of a value on a logarithmic slider, and back: equal ratios take equal room. If the range starts at 0 or
 * below, the scale is linear up to about `smallest` and logarithmic after it.
 * @param {Pick<Parameter, "min" | "max" | "smallest" | "type">} parameter
 */
export function ratios({ min, max, smallest, type }) {
  const tidy = (/** @type {number} */ value) => (type === "integer" ? Math.round(value) : Number(value.toPrecision(3)));
  if (min > 0) return { place: (/** @type {number} */ value) => Math.log(value / min) / Math.log(max / min), value: (/** @type {number} */ t) => tidy(min * (max / min) ** t) };
  const unit = smallest || 1, whole = Math.log1p((max - min) / unit);
  return { place: (/** @type {number} */ value) => Math.log1p((value - min) / unit) / whole, value: (/** @type {number} */ t) => tidy(min + unit * Math.expm1(t * whole)) };
}

/** The same for a linear slider. */
const even = (/** @type {Pick<Parameter, "min" | "max">} */ { min, max }) => ({ place: (/** @type {number} */ value) => (value - min) / (max - min), value: (/** @type {number} */ t) => Number((min + t * (max - min)).toPrecision(3)) });

/** @type {Record<string, number>} */
const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

const nameOf = (/** @type {string} */ label) => h("span", { class: "name" }, label);

/**
 * `set(values, dragging)` and `view(change)` dispatch; `facts()` gives the open model's limits; `named(name)`: the visitor
 * has typed the name of a model.
 */
export class Controls {
  /** @type {((params: Record<string, string>, snapshot: Snapshot) => void)[]} */
  updates = [];
  more = h("span");
  toggle = h("button");
  /** @type {number[]} */
  shownAxes = [];
  /** @type {Record<string, string>} */
  params = {};
  /** @type {Record<string, null>} */
  allShown = {};
  schema = /** @type {Schema} */ (/** @type {unknown} */ (null)); // of the controls that are built

  /**
   * @param {HTMLFormElement} form
   * @param {{set: (values: Record<string, string>, dragging: boolean) => void, view: (change: ViewChange) => void, facts: () => Facts,
   *   named?: (name: string) => void}} page
   */
  constructor(form, { set, view, facts, named = () => {} }) {
    this.form = form;
    this.set = set;
    this.view = view;
    this.facts = facts;
    this.named = named;
    /** @type {string | null} */
    this.study = null;
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  render(/** @type {Schema} */ schema, /** @type {Snapshot} */ snapshot) {
    if (this.study !== schema.id) this.#build(schema);
    this.params = snapshot.state.params;
    for (const update of this.updates) update(snapshot.state.params, snapshot);
    this.toggle.hidden = [...this.more.children].every((child) => /** @type {HTMLElement} */ (child).hidden); // there are no more controls
  }

  #build(/** @type {Schema} */ schema) {
    this.study = schema.id;
    this.schema = schema;
    this.updates = [];
    const major = schema.params.filter((p) => !p.minor && !p.follows);
    const minor = schema.params.filter((p) => p.minor);
    const following = schema.params.filter((p) => p.follows);
    const more = h("span", { id: "more", hidden: true });
    const toggle = h("button", { type: "button", id: "more-button", "aria-expanded": "false", "aria-controls": "more", onclick: () => {
      more.hidden = !more.hidden;
      toggle.setAttribute("aria-expanded", String(!more.hidden));
      toggle.textContent = more.hidden ? say("More") : say("Less");
    } }, say("More"));
    more.append(...minor.map((p) => this.#param(p)), this.#colours());
    this.more = more;
    this.toggle = toggle;
    replaceKept(this.form,
      ...major.map((p) => this.#param(p)), this.#axes(), this.#windows(), ...(following.length ? [this.#keepAxes(following)] : []), more, toggle);
  }

  #shown(/** @type {Parameter} */ { shown_when: when }) {
    if (!when) return true;
    const [key, value] = when.split("=");
    return this.params[key] === value;
  }

  #bound(/** @type {Parameter} */ p) {
    const counter = this.schema.params.find((other) => other.key === p.counted_by);
    if (counter && this.#shown(counter)) return Math.min(p.max, Number(this.params[counter.key]) - 1);
    const last = p.bound ? this.facts()[p.bound] : undefined;
    return last === undefined ? p.max : Math.min(p.max, last);
  }

  #param(/** @type {Parameter} */ p) {
    /** @type {Record<string, (p: Parameter) => HTMLElement>} */
    const controls = {
      choice: this.#choice, boolean: this.#boolean, integers: p.count ? this.#integers : this.#words, reals: this.#words,
      names: this.#names, text: this.#words,
    };
    const element = (controls[p.type] ?? this.#number).call(this, p);
    element.title = p.help;
    if (p.shown_when) this.updates.push(() => { element.hidden = !this.#shown(p); });
    return element;
  }

  // Each control is named by the words beside it; its title explains them, for the mouse and for screen readers.

  #number(/** @type {Parameter} */ p) {
    const whole = p.type === "integer";
    const input = h("input", { type: "number", id: `p-${p.key}`, name: p.key, "aria-label": p.label, title: p.help, step: whole ? "1" : "any", inputmode: whole ? "numeric" : "decimal" });
    let typing = false; // a half-typed value must not be overwritten
    input.addEventListener("input", () => { typing = true; });
    input.addEventListener("blur", () => { typing = false; });
    const send = () => {
      typing = false;
      if (input.value !== "" && input.checkValidity()) this.set({ [p.key]: input.value }, false);
      else input.value = this.params[p.key];
    };
    input.addEventListener("change", send);
    const slide = p.plays ? this.#track(p) : p.bound ? null : this.#slider(p);
    this.updates.push((params) => {
      input.min = String(p.min);
      input.max = String(this.#bound(p));
      const value = p.bound && Number(params[p.key]) > Number(input.max) ? input.max : params[p.key]; // at most the last row
      if (!typing && Number(input.value) !== Number(value)) input.value = value;
      else if (document.activeElement !== input) input.value = value;
    });
    return h("label", { class: slide ? "" : "half", for: input.id }, nameOf(p.label), slide, input);
  }

  /** A slider beside the number field. */
  #slider(/** @type {Parameter} */ p) {
    const { place, value } = (p.type === "integer" || p.logarithmic ? ratios : even)(p);
    const input = h("input", { type: "range", min: "0", max: "1", step: "0.005", "aria-label": say("{name} (slider)", { name: p.label }), title: p.help });
    input.addEventListener("input", () => this.set({ [p.key]: String(value(Number(input.value))) }, true));
    input.addEventListener("change", () => this.set({ [p.key]: String(value(Number(input.value))) }, false));
    if (p.type === "integer") this.#wholeSteps(p, input, { place, value });
    this.updates.push((params) => {
      if (document.activeElement !== input) input.value = String(place(Number(params[p.key])));
      input.setAttribute("aria-valuetext", params[p.key]);
    });
    return input;
  }

  /**
   * An arrow key changes a whole number by at least one, even where a step of the slider is less.
   * @param {Parameter} p
   * @param {HTMLInputElement} input
   * @param {ReturnType<typeof even>} scale
   */
  #wholeSteps(p, input, { place, value }) {
    input.addEventListener("keydown", (event) => {
      const by = steps[event.key];
      if (!by) return;
      const now = Number(this.params[p.key]), stepped = value(Number(input.value) + by * Number(input.step));
      if (stepped !== now) return;
      const next = Math.min(Math.max(now + by, p.min), p.max);
      input.value = String(place(next));
      this.set({ [p.key]: String(next) }, false);
      event.preventDefault();
    });
  }

  #track(/** @type {Parameter} */ p) {
    const { element, update } = track(p, {
      set: (value, dragging) => this.set({ [p.key]: String(value) }, dragging),
      last: () => this.#bound(p),
    });
    this.updates.push((params) => update(Number(params[p.key])));
    return element;
  }

  #boolean(/** @type {Parameter} */ p) {
    /** @type {HTMLInputElement} */
    const input = h("input", { type: "checkbox", id: `p-${p.key}`, title: p.help, onchange: () => this.set({ [p.key]: input.checked ? "1" : "0" }, false) });
    this.updates.push((params) => { input.checked = params[p.key] === "1"; });
    return h("label", { class: "choice" }, input, p.label);
  }

  #choice(/** @type {Parameter} */ p) {
    /** @type {HTMLSelectElement} */
    const select = h("select", { id: `p-${p.key}`, title: p.help, onchange: () => this.set({ [p.key]: select.value }, false) },
      ...p.choices.map((c) => h("option", { value: c.id }, c.label)));
    this.updates.push((params) => { select.value = params[p.key]; });
    return h("label", {}, nameOf(p.label), select);
  }

  #integers(/** @type {Parameter} */ p) {
    /** @type {HTMLSelectElement[]} */
    const selects = Array.from({ length: p.count }, (_, i) =>
      this.#pick(p.min, p.max, `${p.label}, ${i + 1}`, () => this.set({ [p.key]: selects.map((s) => s.value).join(",") }, false)));
    this.updates.push((params) => params[p.key].split(",").forEach((v, i) => { selects[i].value = v; }));
    return h("fieldset", {}, h("legend", { class: "name" }, p.label), ...selects);
  }

  /** A text, or numbers with commas between them. */
  #words(/** @type {Parameter} */ p) {
    const limits = p.type === "text" ? { maxlength: p.length } : { inputmode: "decimal" };
    const input = h("input", { type: "text", id: `p-${p.key}`, name: p.key, title: p.help, autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...limits });
    input.addEventListener("change", () => this.set({ [p.key]: p.type === "text" ? input.value : input.value.replace(/\s/g, "") }, false));
    this.updates.push((params) => { if (document.activeElement !== input || !input.value) input.value = params[p.key]; });
    return h("label", { for: input.id }, nameOf(p.label), input);
  }

  /** Names as chips that can be removed, and a field to add another one, which suggests the available names. */
  #names(/** @type {Parameter} */ p) {
    const chips = h("span", { class: "chips" });
    const known = h("datalist", { id: `known-${p.key}` });
    const input = h("input", { type: "text", id: `p-${p.key}`, list: known.id, "aria-label": say("{name}: add one", { name: p.label }), title: p.help, placeholder: say("add…"), maxlength: p.length, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    const list = () => this.params[p.key].split(",").filter(Boolean);
    const give = (/** @type {string[]} */ names) => {
      this.params = { ...this.params, [p.key]: names.join(",") }; // more may be typed before the next snapshot arrives
      this.set({ [p.key]: names.join(",") }, false);
    };
    const add = () => {
      const name = input.value.trim();
      input.value = "";
      if (!name || list().includes(name)) return;
      if (p.suggest === "models") this.named(name);
      give([...list(), name]);
    };
    input.addEventListener("change", add);
    let made = ""; // the data that the chips and suggestions were made from
    this.updates.push((params, snapshot) => {
      const names = list();
      const others = p.suggest === "models" ? snapshot.models.map((m) => m.name).filter((name) => !names.includes(name)) : [];
      const now = JSON.stringify([names, others]);
      if (made === now) return;
      made = now;
      replaceKept(known, ...others.map((name) => h("option", { value: name, "data-key": name })));
      replaceKept(chips, ...names.map((name) => h("button", { type: "button", class: "one", "data-key": name, "aria-label": say("Take {name} away", { name }), onclick: () => give(list().filter((other) => other !== name)) }, name, h("span", { "aria-hidden": "true" }, " ×"))));
      input.hidden = names.length >= p.most;
    });
    return h("fieldset", { class: "names" }, h("legend", { class: "name" }, p.label), chips, input, known);
  }

  /** @param {number} from @param {number} to @param {string} label @param {() => void} onchange */
  #pick(from, to, label, onchange) {
    /** @type {HTMLElement[]} */
    const options = [];
    for (let v = from; v <= to; ++v) options.push(h("option", { value: String(v) }, String(v)));
    return h("select", { "aria-label": label, onchange }, ...options);
  }

  #axes() {
    /** @type {HTMLSelectElement[]} */
    const selects = [0, 1, 2].map((i) => this.#pick(1, 8, say("Component on axis {axis}", { axis: i + 1 }), () => {
      const axes = selects.map((s) => Number(s.value));
      const taken = axes.findIndex((a, j) => j !== i && a === axes[i]);
      if (taken >= 0) axes[taken] = this.shownAxes[i]; // choosing another axis' component swaps the two
      this.view({ axes });
    }));
    const set = h("fieldset", { title: say("Which principal components are drawn") }, h("legend", { class: "name" }, say("Axes")), ...selects);
    this.updates.push((_, snapshot) => {
      set.hidden = !snapshot.figure.components;
      this.shownAxes = snapshot.state.axes;
      selects.forEach((s, i) => { s.value = String(this.shownAxes[i]); });
    });
    return set;
  }

  /** A button that shows all of the axes again, while only a part of one is shown. */
  #windows() {
    const button = h("button", { type: "button", onclick: () => this.view({ windows: this.allShown }) }, say("Show everything"));
    this.updates.push((_, snapshot) => {
      const parts = Object.keys(snapshot.state.windows);
      this.allShown = Object.fromEntries(parts.map((axis) => [axis, null]));
      button.hidden = !parts.some((axis) => axis in snapshot.figure.windows);
    });
    return button;
  }

  #colours() {
    /** @type {HTMLSelectElement} */
    const select = h("select", { id: "map", title: say("jet is the text's choice; viridis and cividis are perceptually uniform and safe for colour-blind viewers"), onchange: () => this.view({ map: /** @type {ColourMap} */ (select.value) }) },
      ...["viridis", "cividis", "jet"].map((m) => h("option", { value: m }, m)));
    const label = h("label", {}, nameOf(say("Colours")), select);
    this.updates.push((_, snapshot) => {
      select.value = snapshot.state.map;
      label.hidden = !snapshot.figure.has_colours;
    });
    return label;
  }

  /** Parameters that follow others until they are fixed: "refit" lets them follow, "keep" fixes the present values. */
  #keepAxes(/** @type {Parameter[]} */ params) {
    const refit = h("input", { type: "radio", name: "axes-fit", id: "axes-refit", onchange: () =>
      this.set(Object.fromEntries(params.map((p) => [p.key, String(p.min)])), false) });
    const keep = h("input", { type: "radio", name: "axes-fit", id: "axes-keep", onchange: () =>
      this.set(Object.fromEntries(params.map((p) => [p.key, this.params[p.follows]])), false) });
    const numbers = h("span", { class: "pair", hidden: true }, ...params.map((p) => this.#number(p)));
    this.updates.push((values) => {
      const kept = params.some((p) => values[p.key] !== String(p.min));
      refit.checked = !kept;
      keep.checked = kept;
      numbers.hidden = !kept;
    });
    return h("fieldset", { class: "fit", title: say("Fit the axes to the shown rows, or keep them as they are now"), "aria-label": say("How the axes are fitted") },
      h("span", { class: "name" }, say("Fit axes to")), h("label", { class: "choice" }, refit, say("shown rows")), h("label", { class: "choice" }, keep, say("fixed rows")), numbers);
  }
}
