// Renders snapshots as everything around the canvas. Holds no state of its own.
import { baseOf } from "../sources/control_models.js";
import { $, h, megabytes, replaceKept, scrolledTo, setText } from "./dom.js";
import { bindArrangement } from "./page_layout.js";
import { replaceClaims } from "./claims.js";
import { Compare } from "./compare.js";
import { Controls } from "./controls.js";
import { formula } from "./formula.js";
import { linked } from "./cited_texts.js";
import { StudyHeader } from "./study_header.js";
import { StudyMenu } from "./study_menu.js";
import { Palette } from "./palette.js";
import { Prompt } from "./prompt.js";
import { Edits } from "./edits.js";
import { Explanation, bindFolds } from "./collapsible.js";
import { TextOnFigure } from "./text_on_figure.js";
import { Prediction } from "./prediction.js";
import { bindStudies, measureBar, seenPart } from "./phone_sheet.js";
import { Announcements, spoken } from "./announcements.js";
import { applyTheme, themeInUse } from "./theme.js";
import { marked, number, say } from "../words/words.js";

/** @type {Record<string, string>} */
const themeNames = { system: marked("as the system"), dark: marked("dark"), light: marked("light") };
/** Whether parts of the figure can be enlarged. */
const hasWindows = (/** @type {ShownFigure} */ figure) => Object.keys(figure.windows).length > 0;
/** What the keys do on the canvas, for screen readers. */
const keysHelp = (/** @type {ShownFigure} */ figure) => figure.has_spaces
  ? say("Left and right arrows walk along the positions, with Shift by tens, Page keys by hundreds; Enter pins one, Escape releases it. W, A, S and D turn the figure, plus and minus zoom, 0 resets the view. With Alt, left and right arrows carry a pinned position of the text to another row; with Shift as well, all positions up to that row become their mean.")
  : hasWindows(figure)
    ? say("Arrows walk from cell to cell, with Shift by tens; Enter pins one, Escape releases it. W and S choose another layer, A and D another head. With Alt, left and right arrows carry the cell along its row. Delete switches the head off, 2 doubles it, the menu key offers both. Plus and minus zoom, 0 shows all of it.")
    : say("Arrows walk through the list; Enter pins an entry, Escape releases it.");

/** Fields that undo their own text. */
const ownUndo = "textarea, input:not([type=range], [type=checkbox], [type=radio])";

/** A formula that is wider than its place can be scrolled, by keys too. */
/** @type {Record<string, (text: string) => (Node | string)[]>} */
const writers = { equation: formula, source: linked };
const note = (/** @type {{kind: string, text: string}} */ { kind, text }) => h("p", { class: kind, ...(kind === "equation" ? { tabindex: "0", role: "group", "aria-label": say("Formula") } : {}) }, ...(writers[kind]?.(text) ?? [text]));

/** Another study, and a next step, starts at its beginning, however far the one before was scrolled. */
function startAtTop() {
  for (const place of [document.scrollingElement, document.querySelector("main"), $("rail")]) {
    const from = place && scrolledTo(place);
    if (from) place.scrollTo({ ...from, top: 0 });
  }
}

const partOf = (/** @type {number} */ have, /** @type {number} */ all) => say("{have} of {all}", { have: megabytes(have), all: megabytes(all) });
/** @type {Record<string, string>} */
const themeSigns = { system: "◐", dark: "●", light: "○" };

/**
 * What the shell asks of the page. `scale()`: CSS pixels for a pixel of the drawing; `travel(by)`: one step of the history back or forward;
 * `nameModel(name)`: the visitor has typed a model's name.
 * @typedef {{scale: () => number, lessons: import("../lessons/door.js").Door["ways"], about: import("./about.js").About, themeChanged: () => void,
 *   snapshot: () => Snapshot, travel: (by: number) => void, chooseModel: () => void, openModel: (name: string) => void, cancelLoading: () => void,
 *   models: import("../sources/models.js").Models, getLarger: (name: string) => Promise<void>, nameModel: (name: string) => void,
 *   tokens: () => ShownToken[], editForms: EditForm[], tellEdit: Ui["tellEdit"]}} ShellActions
 */

export class Shell {
  theme = /** @type {Theme | ""} */ (""); // as of the last snapshot
  /** @type {{question: string, fingerprint: string} | null} */
  failed = null; // the question that has failed, and the result that is still shown
  /**
   * @param {Schema[]} schemas
   * @param {Dispatch} dispatch
   * @param {ShellActions} actions
   */
  constructor(schemas, dispatch, actions) {
    this.schemas = schemas;
    this.dispatch = dispatch;
    this.actions = actions;
    /** @type {Record<string, string>} */
    this.last = {};
    /** @type {Facts} */
    this.facts = {};
    this.fromTop = false; // the next view is shown from its beginning
    this.at = ""; // the link of the step that is shown
    /** @type {Set<string>} */
    this.ways = new Set(); // "from to": the links of steps between which the visitor went by a next step
    this.announcements = new Announcements();
    this.controls = new Controls($("controls"), {
      set: (values, dragging) => dispatch({ do: "set", values, dragging }),
      view: (change) => dispatch({ do: "view", ...change }),
      facts: () => this.facts,
      named: (name) => actions.nameModel(name),
    });
    this.prompt = new Prompt(dispatch, actions.tokens);
    this.edits = new Edits(dispatch, { forms: actions.editForms, tell: actions.tellEdit, facts: () => this.facts });
    this.compare = new Compare(dispatch);
    this.textOnFigure = new TextOnFigure(dispatch);
    this.prediction = new Prediction();
    this.studyMenu = new StudyMenu(schemas, dispatch, actions.lessons.sections);
    this.palette = new Palette(schemas, dispatch, () => [...actions.lessons.entries(), ...actions.about.entries()]);
    this.explanation = new Explanation();
    this.header = new StudyHeader(dispatch, actions.models, { lessons: actions.lessons.leads, getLarger: actions.getLarger, chooseModel: actions.chooseModel, explain: (open) => this.explanation.show(open), follow: (fragment) => this.#follow(fragment) });
    this.#bind();
  }

  #bind() {
    /** @type {Theme[]} */
    const themes = ["system", "dark", "light"];
    $("undo").onclick = () => this.actions.travel(-1);
    $("redo").onclick = () => this.actions.travel(1);
    $("theme").onclick = () => this.dispatch({ do: "theme", theme: themes[(themes.findIndex((each) => each === this.theme) + 1) % 3] });
    $("model").onclick = () => this.actions.chooseModel();
    /** @type {HTMLElement} */ (document.querySelector(".skip")).onclick = (event) => {
      event.preventDefault(); // the address bar holds the view's link
      $("canvas").focus();
    };
    bindArrangement();
    bindStudies();
    bindFolds();
    measureBar();
    document.addEventListener("keydown", (event) => {
      const key = event.key.toLowerCase(), again = (key === "z" && event.shiftKey) || (key === "y" && event.ctrlKey);
      if (!(event.ctrlKey || event.metaKey) || !(again || key === "z") || /** @type {Element} */ (event.target).matches?.(ownUndo)) return;
      this.actions.travel(again ? 1 : -1);
      event.preventDefault();
    });
  }

  /** Goes to a next step. The view before it is shown from its top again on the way back. */
  #follow(/** @type {string} */ fragment) {
    const step = () => this.actions.snapshot().step_link, from = step();
    this.fromTop = true;
    this.dispatch({ do: "go", fragment });
    this.ways.add(`${step()} ${from}`).add(`${from} ${step()}`);
  }

  #showFromTop(/** @type {string} */ study, /** @type {string} */ link) {
    const way = `${this.at} ${link}`, wanted = this.fromTop || this.ways.has(way);
    this.at = link;
    this.fromTop = false;
    if (this.#changed("study", study) || wanted) startAtTop();
  }

  /** True once for each new value: lists are rebuilt only when what they show has changed. */
  #changed(/** @type {string} */ name, /** @type {unknown} */ value) {
    const text = JSON.stringify(value);
    if (this.last[name] === text) return false;
    this.last[name] = text;
    return true;
  }

  render(/** @type {Snapshot} */ snapshot) {
    const { figure, state, status, result } = snapshot;
    const schema = /** @type {Schema} */ (this.schemas.find((s) => s.id === state.study));
    const last = (/** @type {number | undefined} */ count) => (count ? count - 1 : undefined);
    const opened = /** @type {Partial<OpenedModel>} */ (status.opened ?? {});
    this.facts = { last_position: last(opened.n_ctx), last_layer: last(opened.n_layer), last_head: last(opened.n_head), last_dimension: last(opened.d_model), last_token: last(opened.n_vocab), last_prompt_position: last(result.tokens), last_moment: figure.last_moment ?? undefined };
    if (this.theme !== state.theme) {
      this.theme = state.theme;
      applyTheme(state.theme);
      setText(/** @type {Element} */ ($("theme").querySelector(".sign")), themeSigns[state.theme]);
      $("theme").title = say("Theme: {theme}", { theme: say(themeNames[state.theme]) });
      $("theme").setAttribute("aria-label", $("theme").title);
      this.actions.themeChanged();
    }
    $("canvas").setAttribute("aria-label", figure.title || say("Figure"));
    this.#showFromTop(state.study, snapshot.step_link);
    this.#compose(schema, figure);
    this.header.render(schema, snapshot);
    $("undo").disabled = !snapshot.undo;
    $("redo").disabled = !snapshot.redo;
    this.#model(snapshot);
    this.studyMenu.render(state, themeInUse());
    this.palette.render(schema);
    this.controls.render(schema, snapshot);
    this.prompt.render(schema, snapshot);
    this.edits.render(schema, snapshot);
    this.textOnFigure.render(schema, snapshot);
    this.prediction.render(schema, snapshot);
    this.compare.render(schema, snapshot);
    for (const [name, shown] of Object.entries({ "for-axes": figure.has_spaces, "for-cells": hasWindows(figure), "for-list": !figure.has_spaces && !hasWindows(figure) }))
      /** @type {HTMLElement} */ (document.querySelector(`#help .${name}`)).hidden = !shown;
    setText($("canvas-help"), keysHelp(figure));
    $("canvas").classList.toggle("cells", hasWindows(figure));
    $("canvas").classList.toggle("list", !figure.has_spaces && !hasWindows(figure));
    setText($("provenance"), result.provenance);
    const rows = /^rows (\d+)\.\.(\d+)/.exec(result.provenance);
    setText($("data-rows"), rows ? ` · ${say("rows {first} to {last}", { first: rows[1], last: rows[2] })}` : "");
    const notes = [...figure.notes, ...(result.complete ? result.notes : []).map((text) => ({ kind: "caution", text })),
      ...(schema.source ? [{ kind: "source", text: say("Source: {source}", { source: schema.source }) }] : [])];
    if (this.#changed("notes", notes)) $("notes").replaceChildren(...notes.map((n) => note(n)));
    if (this.#changed("claims", [result.claims, result.unjudged])) replaceClaims(result, this.dispatch);
    this.#notices(status.notices);
    this.#outdated(snapshot);
    this.#tooltip(snapshot.reading);
    this.#overlay(snapshot, schema);
    this.announcements.summary(result.complete && !status.busy ? spoken(figure) : "");
    this.announcements.reading(snapshot.reading, state.focus);
  }

  #model(/** @type {Snapshot} */ { state, status, models, models_known }) {
    const opened = status.opened;
    const entry = models.find((m) => m.name === baseOf(state.model));
    const { title, alone } = this.actions.models.describe(state.model);
    const parts = alone ? [say("positions only")] : [];
    if (opened?.precision && !alone) parts.push(opened.precision.toLowerCase());
    const whole = status.have >= Number(entry?.bytes) * 0.98;
    if (status.want && entry?.bytes) parts.push(whole || status.have < 1e5 ? megabytes(entry.bytes) : partOf(status.have, entry.bytes));
    const none = models_known && !models.length;
    if (!this.#changed("model", [state.model, parts, none])) return;
    $("model").classList.toggle("primary", none); // no model is open: opening one is the main action
    const facts = parts.length ? [h("i", {}, h("span", { class: "joint" }, " · "), parts.join(" · "))] : [];
    $("model").replaceChildren(h("span", { class: "name" }, none ? say("Open a GPT-2…") : title || "…"), ...facts);
    $("model").title = opened
      ? say("{layers} layers, d_model {width}, {positions} positions. Only what the open study needs is read.", { layers: opened.n_layer, width: opened.d_model, positions: opened.n_ctx })
      : say("Choose a model");
  }

  /** Which of its parts a study's page has. */
  #compose(/** @type {Schema} */ schema, /** @type {ShownFigure} */ figure) {
    if (!this.#changed("composed", [schema.id, figure.has_colours, figure.has_spaces])) return;
    $("settings").hidden = !schema.params.length && !figure.has_colours && !figure.has_spaces;
  }

  /** After a failure the numbers are those of an earlier question, until the question is another one or has its result. */
  #outdated(/** @type {Snapshot} */ { state: { study, model, params, subject }, status, result }) {
    const question = JSON.stringify([study, model, params, subject]);
    if (status.failure && result.study) this.failed = { question, fingerprint: result.fingerprint };
    else if (this.failed?.question !== question || this.failed.fingerprint !== result.fingerprint) this.failed = null;
    document.body.classList.toggle("outdated", Boolean(this.failed));
  }

  #notices(/** @type {string[]} */ sentences) {
    if (!this.#changed("notices", sentences)) return;
    replaceKept($("notices"), ...sentences.map((sentence, i) => h("p", {}, h("span", {}, sentence),
      i === 0 ? h("button", { "aria-label": say("Dismiss notices"), "data-key": "dismiss", onclick: () => this.dispatch({ do: "dismiss" }) }, "×") : null)));
  }

  #tooltip(/** @type {Snapshot["reading"]} */ reading) {
    const box = $("tooltip");
    box.hidden = !reading || reading.x === undefined;
    if (!reading || box.hidden) return;
    if (this.#changed("reading", [reading.title, reading.lines]))
      box.replaceChildren(h("b", {}, reading.title), h("span", {}, reading.lines.join("\n")));
    box.classList.toggle("locked", reading.locked);
    const seen = seenPart($("stage"));
    const [x, y] = /** @type {number[]} */ ([reading.x, reading.y]).map((pixels) => pixels * this.actions.scale());
    const left = x + 14 + box.offsetWidth > seen.right ? x - 14 - box.offsetWidth : x + 14;
    const top = Math.max(Math.min(y - box.offsetHeight - 8, seen.bottom - box.offsetHeight), seen.top);
    box.style.transform = `translate(${Math.max(Math.min(left, seen.right - box.offsetWidth), 0)}px, ${top}px)`;
  }

  /**
   * What helps after a failure: a text where there is none, or other models where the open one lacks what the study reads.
   * @param {Schema} schema
   * @param {Snapshot} snapshot
   * @param {NonNullable<Status["failure"]>} failure
   * @param {boolean} empty
   */
  #remedies(schema, { state, models, status: { opened } }, failure, empty) {
    if (schema.reads_prompt && !state.subject.prompt && !state.subject.tokens.length)
      return [h("button", { class: "primary", "data-key": "type", onclick: () => this.prompt.line.ask() }, say("Type a text"))];
    const open = models.find((m) => m.name === state.model);
    // A study of positions may be asked for a matrix that only a whole model has.
    const tensor = Boolean(open?.suits) && !open?.whole && failure.remedy === "whole_model";
    const able = models.filter((m) => (tensor ? m.whole : m.suits) && m.name !== state.model).slice(0, 2);
    const lacking = tensor || !open?.suits;
    const use = lacking ? able.map((m) => h("button", { class: "primary", "data-key": `use ${m.name}`, onclick: () => this.actions.openModel(m.name) }, say("Use {model}", { model: this.actions.models.describe(m.name).title }))) : [];
    // An open model that has what a study of weights reads is not what it failed at.
    const other = lacking || schema.reads_prompt || opened?.model !== state.model;
    const another = empty && other && !["words", "weights"].includes(schema.reads) && !failure.retry && failure.remedy !== "keep_last";
    return [...use, ...(another ? [h("button", { class: use.length ? "" : "primary", "data-key": "models", onclick: () => this.actions.chooseModel() }, say("Open another model…"))] : [])];
  }

  #overlay(/** @type {Snapshot} */ snapshot, /** @type {Schema} */ schema) {
    const { status, result, state, models } = snapshot;
    const box = $("overlay");
    const empty = !result.study;
    const models_read = [status, ...status.others];
    const [have, want] = /** @type {const} */ (["have", "want"]).map((key) => models_read.reduce((sum, model) => sum + model[key], 0));
    const loading = status.busy && models_read.some((model) => model.have < model.want);
    box.hidden = !status.failure && !(empty && status.busy) && !loading;
    box.classList.toggle("below", !empty);
    if (box.hidden) return this.#changed("overlay", null);
    if (!this.#changed("overlay", [status.failure, (empty || loading) && [have, want, loading, status.others], models, state.model, state.subject.prompt === ""])) return;
    if (status.failure) {
      replaceKept(box, h("div", { class: "card", role: "alert" }, h("div", {}, status.failure.sentence),
        ...this.#remedies(schema, snapshot, status.failure, empty),
        status.failure.remedy === "keep_last" ? h("button", { class: "primary", "data-key": "keep-last", onclick: () => this.dispatch({ do: "keep_last", on: true }) }, say("Keep the last {count} tokens", { count: number(/** @type {OpenedModel} */ (status.opened).n_ctx) })) : null,
        status.failure.retry ? h("button", { class: "primary", "data-key": "again", onclick: () => this.dispatch({ do: "retry" }) }, say("Try again")) : null,
        empty ? null : h("button", { "aria-label": say("Dismiss"), "data-key": "dismiss", onclick: () => this.dispatch({ do: "dismiss_failure" }) }, "×")));
      return;
    }
    const known = want > 0;
    const each = status.others.filter((m) => m.have < m.want).map((m) => `${m.model}: ${partOf(m.have, m.want)}`);
    replaceKept(box, h("div", { class: "loading" }, h("p", {}, known ? say("This needs {all}: {have} are here.", { all: megabytes(want), have: megabytes(have) }) : say("Looking for a model…")),
      h("progress", { "aria-label": say("Loading"), ...(known ? { max: want, value: have } : {}) }),
      each.length ? h("small", {}, each.join(", ")) : null,
      loading ? h("button", { "data-key": "cancel", onclick: () => this.actions.cancelLoading() }, say("Cancel")) : null));
  }
}
