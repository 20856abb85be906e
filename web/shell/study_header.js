// The header of a study, before the figure: the sentence, the number, the verdict on its claims, its views and the next steps.
import { $, h, replaceKept, setText } from "./dom.js";
import { hubBase, hubHost } from "../sources/hub.js";
import { prose, setProse } from "./line_breaks.js";
import { say, sayParts } from "../words/words.js";

const larger = "openai-community/gpt2";
const longTitle = 52, longerTitle = 96; // characters from which on a title beside the figure is set smaller

/** "3 claims of the source hold", or how many of them do; empty where no claim was judged, because another model is open. */
function verdict(/** @type {Claim[]} */ claims) {
  const holding = claims.filter((c) => c.verdict === "holds").length, failing = claims.filter((c) => c.verdict === "does not hold").length;
  const all = holding + failing;
  if (!all) return { text: "", good: true };
  if (!failing) return { text: `✓ ${all === 1 ? say("The claim of the source holds") : say("{all} claims of the source hold", { all })}`, good: true };
  return { text: holding === 1 ? say("1 of {all} claims of the source holds", { all }) : say("{holding} of {all} claims of the source hold", { holding, all }), good: false };
}

export class StudyHeader {
  /** @type {Record<string, string>} */
  #last = {};

  /**
   * `actions.lessons(study)`: buttons; `actions.getLarger()`: opens GPT-2 small from the hub; `actions.follow(fragment)`: goes to a next step.
   * @param {Dispatch} dispatch
   * @param {import("../sources/models.js").Models} models
   * @param {{lessons: (study: string) => HTMLElement[], getLarger: (name: string) => Promise<void>, chooseModel: () => void,
   *   explain: (open: boolean) => void, follow: (fragment: string) => void}} actions
   */
  constructor(dispatch, models, actions) {
    this.dispatch = dispatch;
    this.models = models;
    this.actions = actions;
    $("verdict").onclick = () => actions.explain(true);
  }

  #changed(/** @type {string} */ name, /** @type {unknown} */ value) {
    const text = JSON.stringify(value);
    if (this.#last[name] === text) return false;
    this.#last[name] = text;
    return true;
  }

  render(/** @type {Schema} */ schema, /** @type {Snapshot} */ { figure, state, result, preset, unsuited }) {
    setProse($("title"), figure.title);
    $("title").classList.toggle("long", figure.title.length > longTitle);
    $("title").classList.toggle("longer", figure.title.length > longerTitle);
    setProse($("subtitle"), figure.subtitle);
    this.#fact(figure.lead, schema.reads_prompt || result.complete);
    const later = !result.complete && schema.claims.length > 0; // reserve its space
    if (this.#changed("verdict", [result.claims, later])) {
      const { text, good } = verdict(result.claims);
      $("verdict").hidden = !text && !later;
      $("verdict").classList.toggle("later", !text);
      $("verdict").classList.toggle("mixed", !good);
      setText($("verdict-text"), text);
    }
    this.#presets(schema, preset);
    this.#leads(schema);
    this.#runsOn(schema, state, unsuited);
  }

  /** `without`: no number will come; before that is known, its space is reserved. */
  #fact(/** @type {ShownFigure["lead"]} */ lead, /** @type {boolean} */ without) {
    $("fact").hidden = !lead && without;
    if (!this.#changed("fact", lead)) return;
    setText($("fact-number"), lead?.number ?? "");
    $("fact-number").classList.toggle("first", !lead?.settled);
    $("fact-lines").replaceChildren(...(lead?.lines ?? []).map((line) => h("span", {}, ...prose(line))));
  }

  #presets(/** @type {Schema} */ schema, /** @type {string} */ preset) {
    if (!this.#changed("presets", [schema.id, preset])) return;
    const shown = schema.presets.length > 1;
    $("presets").hidden = !shown;
    if (!shown) return;
    replaceKept($("presets"), ...schema.presets.map((p) => h("button", {
      type: "button", "aria-pressed": String(p.id === preset), "data-key": `preset:${p.id}`, title: p.note,
      onclick: () => this.dispatch({ do: "go", fragment: `study=${schema.id}&${p.fragment}` }), // not "preset": by now another study may have been chosen
    }, p.label)));
  }

  #leads(/** @type {Schema} */ schema) {
    if (!this.#changed("leads", schema.id)) return;
    const lessons = this.actions.lessons(schema.id);
    $("leads").hidden = !schema.leads.length && !lessons.length;
    $("leads-list").replaceChildren(...lessons, ...schema.leads.map((lead) => h("button", {
      type: "button", "data-lead": lead.id, title: lead.note, onclick: () => this.actions.follow(lead.fragment),
    }, h("b", {}, lead.label), h("small", {}, lead.note))));
  }

  /**
   * A line that says that the page's own small model runs the text.
   * @param {Schema} schema
   * @param {PageState} state
   * @param {Snapshot["unsuited"]} unsuited
   */
  #runsOn(schema, state, unsuited) {
    const ours = this.models.isBundled(state.model) && (schema.reads_prompt || schema.runs_model || schema.reads === "training");
    if (!this.#changed("runs-on", [ours, state.model, unsuited])) return;
    $("runs-on").hidden = !ours;
    if (!ours) return $("runs-on").replaceChildren();
    const answer = h("span", { role: "status" });
    const get = async () => {
      answer.textContent = ` ${say("Asking {host} for {model}…", { host: hubHost, model: larger })}`;
      try {
        await this.actions.getLarger(larger);
      } catch (error) {
        answer.textContent = ` ${error.message}`;
      }
    };
    const own = h("a", { href: this.models.cardOf(state.model), target: "_blank", rel: "noopener" }, state.model);
    const missing = unsuited?.missing.slice(0, 2).join(` ${say("and no")} `) || say("such tensors");
    const runs = unsuited ? sayParts("{model} has no {missing}, so this runs on {own}, a small GPT-2 trained by us.", { model: unsuited.name, missing, own })
      : sayParts("This runs on {own}, a small GPT-2 trained by us.", { own });
    const button = (/** @type {string} */ label, /** @type {() => void} */ act, title = "") => h("button", { type: "button", class: "link", title: title || null, onclick: act }, label);
    const choose = () => this.actions.chooseModel();
    const others = hubBase ? sayParts("{get} or {open}.", {
      get: button(say("Get GPT-2 small"), get, say("Only what the study needs is read from {host}, which then sees your address: 500 MB for predictions.", { host: hubHost })),
      open: button(say("open a file"), choose),
    }) : [button(say("Open a file"), choose), "."];
    $("runs-on").replaceChildren(...runs, " ", ...others, answer);
  }
}
