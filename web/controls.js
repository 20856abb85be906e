// Parameters as form controls, made from the study's own list: labelled, reachable by keyboard, nothing hand-written.
import { h, replaceKept } from "./dom.js";
import { track } from "./track.js";

const named = (label) => h("span", { class: "name" }, label);

/** `set(values, dragging)` and `view(change)` dispatch; `facts()` gives what the open model limits. */
export class Controls {
  constructor(form, { set, view, facts }) {
    this.form = form;
    this.set = set;
    this.view = view;
    this.facts = facts;
    this.study = null;
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  render(schema, snapshot) {
    if (this.study !== schema.id) this.#build(schema);
    this.params = snapshot.state.params;
    for (const update of this.updates) update(snapshot.state.params, snapshot);
    this.toggle.hidden = [...this.more.children].every((child) => child.hidden); // nothing more to offer
  }

  #build(schema) {
    this.study = schema.id;
    this.updates = [];
    const major = schema.params.filter((p) => !p.minor && !p.follows);
    const minor = schema.params.filter((p) => p.minor);
    const following = schema.params.filter((p) => p.follows);
    const more = h("span", { id: "more", hidden: true });
    const toggle = h("button", { type: "button", "aria-expanded": "false", "aria-controls": "more", onclick: () => {
      more.hidden = !more.hidden;
      toggle.setAttribute("aria-expanded", String(!more.hidden));
      toggle.textContent = more.hidden ? "More" : "Less";
    } }, "More");
    more.append(...minor.map((p) => this.#param(p)), this.#colours());
    Object.assign(this, { more, toggle });
    replaceKept(this.form,
      ...major.map((p) => this.#param(p)), this.#axes(), this.#region(), ...(following.length ? [this.#keepAxes(following)] : []), more, toggle);
  }

  #bound(p) {
    const last = p.bound ? this.facts()[p.bound] : undefined;
    return last === undefined ? p.max : Math.min(p.max, last);
  }

  #param(p) {
    const control = { choice: this.#choice, boolean: this.#boolean, integers: this.#integers }[p.type] ?? this.#number;
    const element = control.call(this, p);
    element.title = p.help;
    if (p.shown_when) {
      const [key, value] = p.shown_when.split("=");
      this.updates.push((params) => { element.hidden = params[key] !== value; });
    }
    return element;
  }

  // Each control is named by the words beside it; what they mean is its title, for the mouse and for screen readers.

  #number(p) {
    const whole = p.type === "integer";
    const input = h("input", { type: "number", id: `p-${p.key}`, name: p.key, "aria-label": p.label, title: p.help, step: whole ? "1" : "any", inputmode: whole ? "numeric" : "decimal" });
    let typing = false; // what is half typed is nobody else's
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
      input.min = p.min;
      input.max = this.#bound(p);
      const value = p.bound && Number(params[p.key]) > Number(input.max) ? input.max : params[p.key]; // no row beyond the last
      if (!typing && Number(input.value) !== Number(value)) input.value = value;
      else if (document.activeElement !== input) input.value = value;
    });
    return h("label", { class: slide ? "" : "half", for: input.id }, named(p.label), slide, input);
  }

  /** A slider beside the number, moving in ratios: 1, 2, 5, 10 matter as much as 100, 200. */
  #slider(p) {
    const ratio = (value) => Math.log(value / p.min) / Math.log(p.max / p.min);
    const value = (t) => {
      const raw = p.min * (p.max / p.min) ** t;
      return p.type === "integer" ? Math.round(raw) : Number(raw.toPrecision(3));
    };
    const input = h("input", { type: "range", min: "0", max: "1", step: "0.005", "aria-label": `${p.label} (slider)`, title: p.help });
    input.addEventListener("input", () => this.set({ [p.key]: String(value(Number(input.value))) }, true));
    input.addEventListener("change", () => this.set({ [p.key]: String(value(Number(input.value))) }, false));
    this.updates.push((params) => {
      if (document.activeElement !== input) input.value = ratio(Number(params[p.key]));
      input.setAttribute("aria-valuetext", params[p.key]);
    });
    return input;
  }

  #track(p) {
    const { element, update } = track(p, {
      set: (value, dragging) => this.set({ [p.key]: String(value) }, dragging),
      last: () => this.#bound(p),
    });
    this.updates.push((params) => update(Number(params[p.key])));
    return element;
  }

  #boolean(p) {
    const input = h("input", { type: "checkbox", id: `p-${p.key}`, title: p.help, onchange: () => this.set({ [p.key]: input.checked ? "1" : "0" }, false) });
    this.updates.push((params) => { input.checked = params[p.key] === "1"; });
    return h("label", { class: "choice" }, input, p.label);
  }

  #choice(p) {
    const select = h("select", { id: `p-${p.key}`, title: p.help, onchange: () => this.set({ [p.key]: select.value }, false) },
      ...p.choices.map((c) => h("option", { value: c.id }, c.label)));
    this.updates.push((params) => { select.value = params[p.key]; });
    return h("label", {}, named(p.label), select);
  }

  #integers(p) {
    const selects = Array.from({ length: p.count }, (_, i) =>
      this.#pick(p.min, p.max, `${p.label}, ${i + 1}`, () => this.set({ [p.key]: selects.map((s) => s.value).join(",") }, false)));
    this.updates.push((params) => params[p.key].split(",").forEach((v, i) => { selects[i].value = v; }));
    return h("fieldset", {}, h("legend", { class: "name" }, p.label), ...selects);
  }

  #pick(from, to, label, onchange) {
    const options = [];
    for (let v = from; v <= to; ++v) options.push(h("option", { value: String(v) }, String(v)));
    return h("select", { "aria-label": label, onchange }, ...options);
  }

  #axes() {
    const selects = [0, 1, 2].map((i) => this.#pick(1, 8, `Component on axis ${i + 1}`, () => {
      const axes = selects.map((s) => Number(s.value));
      const taken = axes.findIndex((a, j) => j !== i && a === axes[i]);
      if (taken >= 0) axes[taken] = this.shownAxes[i]; // choosing another axis' component swaps the two
      this.view({ axes });
    }));
    const set = h("fieldset", { title: "Which principal components are drawn" }, h("legend", { class: "name" }, "Axes"), ...selects);
    this.updates.push((_, snapshot) => {
      set.hidden = !snapshot.figure.has_axes || snapshot.figure.axes_fixed;
      this.shownAxes = snapshot.state.axes;
      selects.forEach((s, i) => { s.value = String(this.shownAxes[i]); });
    });
    return set;
  }

  /** Shown while a part of a matrix is: the way back to all of it. */
  #region() {
    const button = h("button", { type: "button", onclick: () => this.view({ region: null }) }, "Show all of it");
    this.updates.push((_, snapshot) => { button.hidden = !snapshot.figure.has_cells || !snapshot.state.region; });
    return button;
  }

  #colours() {
    const select = h("select", { id: "map", title: "jet is what the text uses; viridis and cividis are even, and safe for the colour-blind", onchange: () => this.view({ map: select.value }) },
      ...["viridis", "cividis", "jet"].map((m) => h("option", { value: m }, m)));
    const label = h("label", {}, named("Colours"), select);
    this.updates.push((_, snapshot) => {
      select.value = snapshot.state.map;
      label.hidden = !snapshot.figure.has_colours;
    });
    return label;
  }

  /** Parameters that follow others until they are held: "refit" lets them follow, "keep" holds the present values. */
  #keepAxes(params) {
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
    return h("fieldset", { class: "fit", title: "Fit the axes to the shown rows, or keep them as they are now", "aria-label": "How the axes are fitted" },
      h("label", { class: "choice" }, refit, "refit"), h("label", { class: "choice" }, keep, "keep"), numbers);
  }
}
