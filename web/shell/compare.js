// Comparison of two states: what the other side is, and how the two are shown. The other side is a link fragment that is applied
// to the state: "edit=" is the same state without edits.
import { controlKinds, controlName, readControl } from "../sources/control_models.js";
import { $, h, setText } from "./dom.js";
import { fitHeight, limitText, onEnter } from "./text_box.js";
import { marked, say } from "../words/words.js";

const encode = encodeURIComponent;
const promptKey = "prompt=";
/** The other side is the same run without its edits. */
export const withoutEdits = "edit=";

/** @type {Record<string, string>} */
const modeNames = { difference: marked("difference"), beside: marked("beside"), other: marked("the other side") };

/** All that a result depends on, as a link fragment: it leads to this state from any state of the study. */
function held(/** @type {PageState} */ { study, params, model, subject }) {
  /** @type {[string, string | number][]} */
  const pairs = [["study", study], ["model", model], ...Object.entries(params).map(([key, value]) => /** @type {[string, string]} */ ([`${study}.${key}`, value]))];
  const edits = subject.edits.map((edit) => (edit.on ? "" : "!") + edit.spec);
  pairs.push(...(edits.length ? edits : [""]).map((edit) => /** @type {[string, string]} */ (["edit", edit])));
  pairs.push(subject.tokens.length ? ["tokens", subject.tokens.join(",")] : ["prompt", subject.prompt]);
  pairs.push(["bos", subject.bos ? 1 : 0], ["keep", subject.keep_last ? "last" : "all"], ["precision", subject.precision]);
  return pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join("&");
}

/** Decodes percent-encoded text; returns malformed text unchanged. */
function readable(/** @type {string} */ text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The available other sides: [fragment, words]. */
function choices(/** @type {Schema} */ schema, /** @type {Snapshot} */ { state, models }) {
  /** @type {[string, string][]} */
  const list = [];
  if (schema.runs_prompt && (state.subject.edits.some((edit) => edit.on) || state.against === withoutEdits)) list.push([withoutEdits, say("without edits")]);
  if (schema.runs_prompt) list.push(["edit=zero_positions", say("without positions")]);
  for (const { name, suits } of models) if (suits && name !== state.model) list.push([`model=${encode(name)}`, name]);
  return list;
}

/** The controls as other sides, made from the open model; none where a study reads no weights. */
function controlChoices(/** @type {Schema} */ schema, /** @type {Snapshot} */ { state, models }) {
  if (!models.length || ["tokens", "training"].includes(schema.reads)) return [];
  const seed = readControl(state.model)?.seed ?? 1;
  return controlKinds.map(([kind, words]) => [`model=${encode(controlName(kind, seed, ""))}`, say(words)]);
}

export class Compare {
  #shown = "";
  #state = /** @type {PageState} */ (/** @type {unknown} */ (null)); // as of the last snapshot
  /** @type {string | null} */
  #sent = null; // the text that was sent last, or shown by the state

  /** @param {Dispatch} dispatch */
  constructor(dispatch) {
    this.dispatch = dispatch;
    this.with = $("compare-with");
    this.mode = $("compare-mode");
    this.text = $("compare-text");
    this.with.addEventListener("change", () => this.#choose(this.with.value));
    this.mode.addEventListener("change", () => this.#send(this.#state.against));
    this.text.addEventListener("change", () => this.#sendText()); // on leaving the box, also after Enter
    limitText(this.text, (/** @type {string} */ sentence) => dispatch({ do: "notice", sentence }));
    this.text.addEventListener("input", () => fitHeight(this.text));
    onEnter(this.text, () => { if (this.text.value) this.#sendText(); });
  }

  #send(/** @type {string} */ against) {
    this.dispatch({ do: "compare", mode: /** @type {Comparison} */ (this.mode.value), against });
  }

  #sendText() {
    if (this.text.value === this.#sent) return;
    this.#sent = this.text.value;
    this.#send(promptKey + encode(this.text.value));
  }

  #choose(/** @type {string} */ value) {
    if (value === "none") this.dispatch({ do: "compare", mode: "none", against: "" });
    else if (value === "held") this.#send(held(this.#state));
    else if (value === promptKey) {
      this.text.value = this.#state.subject.prompt;
      this.text.hidden = false;
      this.#sent = null;
      fitHeight(this.text);
      this.text.select();
      this.text.focus();
    } else this.#send(value);
  }

  render(/** @type {Schema} */ schema, /** @type {Snapshot} */ snapshot) {
    const { state, against } = snapshot;
    this.#state = state;
    const comparing = state.compare !== "none";
    const list = choices(schema, snapshot), controls = controlChoices(schema, snapshot);
    const byPrompt = comparing && schema.reads_prompt && state.against.startsWith(promptKey) && !state.against.includes("&");
    const other = comparing && !byPrompt && ![...list, ...controls].some(([fragment]) => fragment === state.against);
    const name = other ? against.name : "";
    const shown = JSON.stringify([list, controls, comparing, state.against, name, schema.reads_prompt]);
    if (shown !== this.#shown) {
      this.#shown = shown;
      const option = (/** @type {string} */ value, /** @type {string} */ words) => h("option", { value }, words);
      const options = /** @type {HTMLElement[]} */ ([option("none", say("nothing")), ...list.map(([fragment, words]) => option(fragment, words))]);
      if (controls.length) options.push(h("optgroup", { label: say("Controls") }, ...controls.map(([fragment, words]) => option(fragment, words))));
      if (schema.reads_prompt) options.push(option(promptKey, say("another prompt…")));
      options.push(option("held", say("this state, saved as it is now")));
      if (other) options.push(option(state.against, state.against.startsWith("study=") ? say("a saved state") : name || readable(state.against)));
      this.with.replaceChildren(...options);
      this.with.value = !comparing ? "none" : byPrompt ? promptKey : state.against;
      this.text.hidden = !byPrompt;
      if (byPrompt && this.text !== document.activeElement) this.#sent = this.text.value = readable(state.against.slice(promptKey.length));
      fitHeight(this.text);
      if (comparing && state.against !== withoutEdits) $("compare").open = true; // the switch above the figure shows the comparison without edits
    }
    if (against.problem) $("compare").open = true;
    // What a study does not subtract is not offered; a link that asks for it shows both sides, and why.
    /** @type {HTMLOptionElement} */ (this.mode.querySelector("[value=difference]")).hidden = Boolean(schema.no_difference);
    if (comparing) this.mode.value = schema.no_difference && state.compare === "difference" ? "beside" : state.compare;
    else if (schema.no_difference && this.mode.value === "difference") this.mode.value = "beside";
    this.mode.title = schema.no_difference;
    $("compare-how").hidden = !comparing && Boolean(this.text.hidden);
    setText($("compare-state"), comparing ? (against.busy ? ` · ${against.phase || say("computing the other side")}` : ` · ${say(modeNames[state.compare])}`) : "");
    setText($("compare-problem"), against.problem);
    $("compare-problem").hidden = !against.problem;
  }
}
