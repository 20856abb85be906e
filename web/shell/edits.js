// Edits of the model: chips for the edits, a form that makes one, and the switch between the runs with and without edits. The
// program declares the kinds of edits, with their fields and sentences.
import { $, h, replaceKept, setText } from "./dom.js";
import { withoutEdits } from "./compare.js";
import { labelOf, say } from "../words/words.js";

const numeric = new Set(["layer", "last_layer", "head", "token", "row", "whole", "real"]);
/** Whether a number's field starts empty, and is then left out. */
const mayBeEmpty = (/** @type {EditField} */ field) => field.optional && field.start === "";
/** The edits that are listed: all, but not those that a slider shows already, beside a study that runs no text. */
export const listed = (/** @type {Schema} */ schema, /** @type {PageState} */ { subject }) => subject.edits.filter(({ shifts }) => schema.runs_prompt || !schema.shows_text || !shifts);
/** The edit that switches a head off. */
const silencing = (/** @type {ShownHead} */ { layer, head }) => `ablate_head:${layer}.${head}`;

/** @typedef {EditForm["fields"][number]} EditField */
/** @typedef {Pick<ShownEdit, "spec" | "on">} Edit */
/**
 * A field of the form. `endless`: the box that stands for −∞.
 * @typedef {{field: EditField, input: HTMLInputElement | HTMLSelectElement, endless?: HTMLInputElement, element: HTMLElement}} Control
 */

export class Edits {
  /** @type {ShownEdit[]} */
  #edits = []; // as of the last snapshot
  /** @type {ShownEdit[]} */
  #listed = []; // those of them that have a chip
  /** @type {ShownHead | null} */
  #head = null; // the shown head
  #focus = /** @type {Focus} */ ({});
  /** @type {Control[]} */
  #controls = []; // of the chosen kind
  /** @type {Map<string, string>} */
  #given = new Map(); // the visitor's entries by field name: they stay when another kind is chosen
  /** @type {Map<string, boolean>} */
  #ticked = new Map(); // the same of boxes
  suggested = ""; // the texts that are suggested
  shown = ""; // what the chips were made of
  followed = ""; // what the fields follow
  #typing = false; // whether the edit is being typed as text

  /**
   * `tell(text)` names an edit, or says what is wrong with it; `facts()` returns the limits of the open model and the prompt.
   * @param {Dispatch} dispatch
   * @param {{forms: EditForm[], tell: Ui["tellEdit"], facts: () => Facts}} page
   */
  constructor(dispatch, { forms, tell, facts }) {
    this.dispatch = dispatch;
    this.forms = forms;
    this.tell = tell;
    this.facts = facts;
    this.kind = $("edit-kind");
    this.text = $("new-edit");
    this.form = $("add-edit");
    const groups = [...new Set(forms.map((form) => form.group))];
    this.kind.replaceChildren(...groups.map((group) => h("optgroup", { label: labelOf(group) },
      ...forms.filter((form) => form.group === group).map((form) => h("option", { value: form.name }, form.label)))));
    this.kind.addEventListener("change", () => this.#choose());
    this.text.addEventListener("input", () => this.#preview());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#add();
    });
    this.form.addEventListener("keydown", (event) => { if (event.key === "Escape") this.#open(false); });
    $("open-edit").onclick = () => this.#open(/** @type {boolean} */ (this.form.hidden));
    $("close-edit").onclick = () => this.#open(false);
    $("type-edit").onclick = () => this.#type(!this.#typing);
    $("switch-head").onclick = () => this.#switchHead();
    $("edit-view").addEventListener("change", (event) => {
      const mode = /** @type {Comparison} */ (/** @type {HTMLInputElement} */ (event.target).value);
      dispatch({ do: "compare", mode, against: mode === "none" ? "" : withoutEdits });
    });
    this.#choose();
  }

  #send(/** @type {Edit[]} */ list) {
    this.dispatch({ do: "edits", list: list.map(({ spec, on }) => ({ spec, on })) });
  }

  // ---- the form

  #open(/** @type {boolean} */ open) {
    this.form.hidden = !open;
    $("open-edit").setAttribute("aria-expanded", String(open));
    if (!open) return $("open-edit").focus();
    this.#follow();
    (this.#typing ? this.text : this.kind).focus();
  }

  #type(/** @type {boolean} */ typing) {
    this.#typing = typing;
    $("edit-chosen").hidden = $("edit-fields").hidden = typing;
    $("edit-typed").hidden = !typing;
    setText($("type-edit"), typing ? say("Choose it from the list") : say("Type it instead"));
    this.#preview();
    (typing ? this.text : this.kind).focus();
  }

  /** Fields for the chosen kind. */
  #choose() {
    this.#controls = this.#chosenForm().fields.filter((field) => field.value !== "word").map((field) => this.#control(field));
    $("edit-fields").replaceChildren(...this.#controls.map(({ element }) => element));
    this.#follow();
  }

  /** @param {EditField} field @returns {Control} */
  #control(field) {
    if (field.value === "flag") {
      const input = h("input", { type: "checkbox", checked: this.#ticked.get(field.name) === true });
      const give = () => { this.#ticked.set(field.name, input.checked); this.#preview(); };
      input.addEventListener("change", give);
      return { field, input, element: h("label", { class: "choice" }, input, field.label) };
    }
    if (field.value === "choice") {
      const words = field.name.split("|"), given = this.#given.get(field.name) ?? field.start;
      const input = h("select", { "aria-label": field.label }, ...words.map((word) => h("option", { value: word, selected: word === given }, word)));
      input.addEventListener("change", () => { this.#given.set(field.name, input.value); this.#preview(); });
      return { field, input, element: h("label", {}, field.label, input) };
    }
    if (field.value === "hook") {
      const input = h("input", { type: "text", size: "26", value: this.#given.get(field.name) ?? field.start, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
      input.addEventListener("input", () => { this.#given.set(field.name, input.value); this.#preview(); });
      return { field, input, element: h("label", {}, field.label, input) };
    }
    const whole = field.value !== "real";
    const input = h("input", { type: "number", step: whole ? "1" : "any", inputmode: whole && field.min >= 0 ? "numeric" : "decimal" });
    input.addEventListener("input", () => { this.#given.set(field.name, input.value); this.#preview(); });
    const label = h("label", {}, field.label, input);
    if (!field.endless) return { field, input, element: label };
    const endless = h("input", { type: "checkbox", checked: (this.#ticked.get(`${field.name}:endless`) ?? field.start === "-inf") });
    endless.addEventListener("change", () => {
      this.#ticked.set(`${field.name}:endless`, endless.checked);
      this.#follow();
      if (!endless.checked) input.focus();
    });
    return { field, input, endless, element: h("span", { class: "pair" }, label, h("label", { class: "choice" }, endless, "−∞")) };
  }

  /** The range that a number may have with this model and prompt. */
  #range(/** @type {EditField} */ field) {
    const most = this.facts()[field.bound] ?? field.max;
    const first = field.value === "last_layer" ? this.#number("layer") : field.min;
    return { min: Math.max(field.min, first), max: Math.min(field.max, most) };
  }

  #number(/** @type {string} */ name) {
    const control = this.#controls.find(({ field }) => field.name === name);
    return Number(control?.input.value) || 0;
  }

  /** A field's initial value: the shown head, the tokens in focus, or the declared default. */
  #start(/** @type {EditField} */ field) {
    const last = this.facts().last_prompt_position ?? 1, query = this.#focus.query >= 0 ? this.#focus.query : last;
    /** @type {Record<string, number | undefined>} */
    const tokens = { query, to: 0, b: 0 };
    /** @type {Record<string, number | undefined>} */
    const near = {
      layer: this.#head?.layer, last_layer: this.#number("layer"), head: this.#head?.head,
      token: tokens[field.name] ?? (this.#focus.key >= 0 ? this.#focus.key : Math.max(query - 1, 0)),
    };
    return String(near[field.value] ?? (field.start === "-inf" ? 0 : field.start));
  }

  /** Fields that the visitor has not filled in follow the figure; the limits of all fields follow the open model. */
  #follow() {
    for (const { field, input, endless } of /** @type {(Control & {input: HTMLInputElement})[]} */ (this.#controls)) {
      if (!numeric.has(field.value)) continue;
      const { min, max } = this.#range(field);
      Object.assign(input, { min, max });
      if (endless) input.disabled = endless.checked;
      const given = this.#given.get(field.name);
      const value = given ?? (mayBeEmpty(field) ? "" : String(Math.min(Math.max(Number(this.#start(field)), min), max)));
      if (document.activeElement !== input && input.value !== value) input.value = value;
    }
    this.#suggest();
    this.#preview();
  }

  /**
   * The text of an edit of this kind, with its fields from `valueOf(field)`; undefined leaves a field out.
   * @param {EditForm} form
   * @param {(field: EditField) => string | undefined} valueOf
   */
  #textOf(form, valueOf) {
    const part = (/** @type {EditField} */ field) => {
      const value = field.value === "word" ? field.name : valueOf(field);
      return value === undefined ? "" : field.before + value;
    };
    return form.name + form.fields.map(part).join("");
  }

  #entered(/** @type {EditField} */ field) {
    const { input, endless } = /** @type {Control & {input: HTMLInputElement}} */ (this.#controls.find((control) => control.field === field));
    if (field.value === "flag") return input.checked ? field.name : undefined;
    if (endless?.checked) return "-inf";
    if (field.value === "last_layer" && Number(input.value) === this.#number("layer")) return undefined;
    if (field.optional && field.value !== "last_layer" && input.value === field.start) return undefined;
    if (field.value === "hook") return input.value.trim();
    return input.value;
  }

  #chosenForm() { return /** @type {EditForm} */ (this.forms.find(({ name }) => name === this.kind.value)); }
  #chosenText() { return this.#textOf(this.#chosenForm(), (field) => this.#entered(field)); }

  /** One edit of each kind as text, as suggestions for the text field: each can be added as it is. */
  #suggest() {
    const start = (/** @type {EditField} */ field) => {
      if (field.optional || field.value === "flag") return undefined;
      if (field.endless) return "-inf";
      if (field.value === "choice" || field.value === "hook") return field.start;
      const { min, max } = this.#range(field);
      return String(Math.min(Math.max(Number(this.#start(field)), min), max));
    };
    const texts = this.forms.map((form) => this.#textOf(form, start));
    const now = texts.join(" ");
    if (this.suggested === now) return;
    this.suggested = now;
    $("edit-forms").replaceChildren(...texts.map((text, i) => h("option", { value: text, label: this.forms[i].label })));
    this.text.placeholder = texts[0];
  }

  #preview() {
    const text = this.#typing ? this.text.value.trim() : this.#chosenText();
    const form = this.#typing ? this.forms.find(({ name }) => name === text.split(":")[0]) : this.#chosenForm();
    const sentence = form?.sentence ?? say("A kind of edit and its numbers, with colons between them. The suggestions name all kinds.");
    setText($("edit-sentence"), this.#typing && form ? `${form.written}: ${sentence}` : sentence);
    setText($("edit-text"), this.#typing ? "" : text);
    this.#refuse("");
  }

  /** @param {string} sentence @param {HTMLElement | null} field */
  #refuse(sentence, field = null) {
    $("edit-problem").hidden = !sentence;
    setText($("edit-problem"), sentence);
    for (const input of this.form.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
    if (!field) return;
    field.setAttribute("aria-invalid", "true");
    field.focus();
  }

  /** The first field whose number is not allowed, and its limits. */
  #unfit() {
    for (const { field, input, endless } of /** @type {(Control & {input: HTMLInputElement})[]} */ (this.#controls)) {
      if (!numeric.has(field.value) || endless?.checked || (mayBeEmpty(field) && input.value === "" && !input.validity.badInput)) continue;
      if (input.value !== "" && input.checkValidity()) continue;
      const { min, max } = this.#range(field);
      const values = { name: field.label, least: Math.ceil(min), most: max }, real = field.value === "real";
      const open = real ? say("{name} takes a number.", values) : say("{name} takes a whole number.", values);
      const atLeast = real ? say("{name} takes a number, {least} or more.", values) : say("{name} takes a whole number, {least} or more.", values);
      const between = real ? say("{name} takes a number from {least} to {most}.", values) : say("{name} takes a whole number from {least} to {most}.", values);
      return { input, sentence: max < 1e9 ? between : min > -1e9 ? atLeast : open };
    }
    return null;
  }

  #add() {
    const unfit = this.#typing ? null : this.#unfit();
    if (unfit) return this.#refuse(unfit.sentence, unfit.input);
    const spec = this.#typing ? this.text.value.trim() : this.#chosenText();
    if (!spec) return this.#refuse(say("Type an edit first."), this.text);
    const { label, problem } = this.tell(spec);
    if (problem) return this.#refuse(problem, this.#typing ? this.text : null);
    const off = this.#edits.findIndex((edit) => edit.spec === spec && !edit.on);
    this.#send(off >= 0 ? this.#edits.map((edit, i) => (i === off ? { spec, on: true } : edit)) : [...this.#edits, { spec, on: true }]);
    this.text.value = "";
    this.#preview();
    setText($("edit-said"), say("Added: {edit}.", { edit: label }));
  }

  // ---- the shown head

  #switchHead() {
    const spec = silencing(/** @type {ShownHead} */ (this.#head));
    const others = this.#edits.filter((edit) => edit.spec !== spec);
    this.#send(this.#edits.some((edit) => edit.spec === spec && edit.on) ? others : [...others, { spec, on: true }]);
  }

  #headSwitch() {
    $("switch-head").hidden = !this.#head;
    if (!this.#head) return;
    const spec = silencing(this.#head), off = this.#edits.some((edit) => edit.on && edit.spec === spec), head = `${this.#head.layer}.${this.#head.head}`;
    setText($("switch-head"), off ? say("Switch head {head} on again", { head }) : say("Switch head {head} off", { head }));
  }

  // ---- the chips

  #chip(/** @type {ShownEdit} */ edit, /** @type {number} */ i) {
    const replaced = (/** @type {Edit[]} */ more) => this.#send(this.#edits.flatMap((other, k) => (k === i ? more : [other])));
    const form = this.forms.find(({ name }) => name === edit.spec.split(":")[0]);
    /** @type {HTMLInputElement} */
    const input = h("input", { type: "checkbox", checked: edit.on, "data-key": `edit:${i}`, onchange: () => replaced([{ ...edit, on: input.checked }]) });
    return h("li", { class: [edit.on ? "" : "off", edit.problem ? "bad" : ""].join(" "), "data-spec": edit.spec, title: `${edit.spec}\n${edit.problem || form?.sentence || ""}` },
      h("label", {}, input, h("span", { class: "label" }, edit.label), edit.problem ? h("span", { class: "hidden" }, ` (${edit.problem})`) : null),
      h("button", { type: "button", "aria-label": say("Remove: {edit}", { edit: edit.label }), "data-key": `remove:${i}`, onclick: () => replaced([]) }, "×"));
  }

  #chips() {
    const text = JSON.stringify([this.#edits, this.#listed.length]);
    if (this.shown === text) return;
    this.shown = text;
    replaceKept($("edit-list"), ...this.#listed.map((edit) => this.#chip(edit, this.#edits.indexOf(edit))));
    $("edit-list").hidden = !this.#listed.length;
  }

  /** The switch shows the comparison, if its other side is the run without edits. */
  #view(/** @type {PageState} */ { compare, against }, /** @type {boolean} */ runs) {
    const comparing = compare !== "none";
    const about = comparing && against === withoutEdits;
    $("edit-view").hidden = !runs || !this.#edits.some((edit) => edit.on) && !(about && this.#edits.length);
    for (const input of $("edit-view").querySelectorAll("input")) input.checked = about || !comparing ? input.value === compare : false;
  }

  render(/** @type {Schema} */ schema, /** @type {Snapshot} */ { state, figure }) {
    const shown = listed(schema, state);
    $("edits").hidden = !schema.runs_prompt && !shown.length;
    if ($("edits").hidden) return;
    this.#listed = shown;
    /** @type {HTMLElement} */ (/** @type {Element} */ ($("edit-view").querySelector("[value=difference]")).closest("label")).hidden = Boolean(schema.no_difference);
    this.#edits = state.subject.edits;
    this.#head = figure.head;
    this.#focus = state.focus;
    this.#chips();
    this.#headSwitch();
    this.#view(state, schema.runs_prompt);
    const facts = JSON.stringify([this.facts(), this.#head, state.focus]);
    if (this.followed === facts || this.form.hidden) return;
    this.followed = facts;
    this.#follow();
  }
}
