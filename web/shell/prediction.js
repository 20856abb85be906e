// The prediction after the text, beside a study that does not show it: with the edits that are on, and what they change. The
// tokens are those that either run thinks likeliest, by the size of their change; one of them can be made the zero of the logits.
import { $, h, setText } from "./dom.js";
import { inDigits, say } from "../words/words.js";

const percent = (/** @type {JsonNumber} */ p) => (typeof p === "number" ? `${inDigits((100 * p).toFixed(1))}\u202f%` : "–");
const minus = (/** @type {string} */ text) => text.replace("-", "−");

/** The change of a probability in percentage points, with a sign; a dash where a run does not list the token. */
function change(/** @type {JsonNumber} */ now, /** @type {JsonNumber} */ before) {
  if (typeof before !== "number" || typeof now !== "number") return "–";
  const points = 100 * (now - before);
  const size = Math.abs(points).toFixed(1);
  return inDigits(Number(size) === 0 ? "±0.0" : `${points < 0 ? "−" : "+"}${size}`);
}

/** ln p less that of another token: the difference of their logits. */
const logit = (/** @type {JsonNumber} */ p, /** @type {JsonNumber} */ zero) => (typeof p === "number" && typeof zero === "number" ? inDigits(minus(Math.log(p / zero).toFixed(2))) : "–");

export class Prediction {
  #shown = "";
  #zero = ""; // the token whose logit is zero; "": probabilities are shown
  /** @type {Pick<ShownText, "next" | "divergence">} */
  #text = { next: [], divergence: null };

  render(/** @type {Schema} */ schema, /** @type {Pick<Snapshot, "text">} */ { text }) {
    // Beside a study that runs no text, only where an edit made there changes the prediction.
    const here = Boolean(text && (schema.runs_prompt || !$("edits").hidden));
    $("answer").hidden = !here;
    if (!text || !here) return;
    const key = JSON.stringify([text, schema.shows_text]);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#text = text;
    setText($("answer-said"), schema.shows_text ? "" : text.problem || text.sentence || say("Predicting…"));
    $("answer").classList.toggle("old", text.busy);
    $("answer").classList.toggle("problem", Boolean(text.problem));
    this.#list();
  }

  /** Rows of now, without the edits, and the change; and how far the whole prediction moved. */
  #list() {
    const { next, divergence } = this.#text;
    const zero = next.find(({ token }) => token === this.#zero);
    const cells = (/** @type {NextToken} */ { probability, before }) => (zero
      ? [logit(probability, zero.probability), logit(before, zero.before), ""]
      : [percent(probability), percent(before), change(probability, before)]);
    const row = (/** @type {NextToken} */ entry) => {
      const [now, before, moved] = cells(entry), chosen = entry === zero;
      const name = h("button", { type: "button", class: "link", "data-key": `next:${entry.token}`, "aria-pressed": String(chosen), title: chosen ? say("Show probabilities again") : say("Show logits, with this token as zero") }, `“${entry.token}”`);
      name.onclick = () => { this.#zero = chosen ? "" : entry.token; this.#list(); /** @type {HTMLElement | null} */ ($("answer-next").querySelector(`[data-key="next:${CSS.escape(entry.token)}"]`))?.focus(); };
      return h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, now), h("td", {}, before), h("td", {}, h("i", {}, moved)));
    };
    if (!next.length) return $("answer-next").replaceChildren();
    const heads = zero ? [say("logit"), say("without"), ""] : [say("now"), say("without"), say("change")];
    $("answer-next").replaceChildren(h("table", { "aria-labelledby": "answer-next" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "hidden" }, say("next token"))), ...heads.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...next.map(row))));
    if (typeof divergence === "number") $("answer-next").append(h("p", { title: say("KL divergence from the run without the edits, over the tokens that both runs list and all others as one") }, say("KL divergence at least {divergence} nats", { divergence: inDigits(divergence.toFixed(divergence < 0.01 ? 4 : 2)) })));
  }
}
