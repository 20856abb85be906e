// The claims that a study declares: a card for each that was judged or shown here, and a list of the others with links to their
// views.
import { $, h, replaceKept } from "./dom.js";
import { inDigits, language, marked, say } from "../words/words.js";

/** The sign and the class of a verdict. */
/** @type {Record<string, [string, string]>} */
export const signs = { holds: ["✓", "yes"], "does not hold": ["✗", "no"] };

/** @type {Record<string, string>} */
export const verdicts = { holds: marked("holds"), "does not hold": marked("does not hold"), shown: marked("shown"), "not tested": marked("not tested") };

/** Claims and conventions are in English. */
const programs = () => (language() === "en" ? {} : { lang: "en" });

function card(/** @type {Claim} */ claim, /** @type {Dispatch} */ dispatch) {
  const [sign, kind] = signs[claim.verdict] ?? ["·", "open"];
  const words = claim.verdict === "about another model" ? say("about {model}, not this model", { model: claim.about_title }) : say(verdicts[claim.verdict] ?? claim.verdict);
  /** @type {HTMLElement[]} */
  const numbers = [];
  if (claim.stated !== null) numbers.push(h("span", {}, say("text: {number}", { number: numberText(claim.stated, claim.unit) })));
  if (claim.here !== null) numbers.push(h("span", {}, say("here: {number}", { number: numberText(claim.here, claim.unit) })));
  return h("div", { class: "claim", "data-claim": claim.id }, h("div", {}, h("span", { class: `verdict ${kind}` }, `${sign} ${words}`), h("span", programs(), claim.text)),
    h("div", { class: "numbers" }, ...numbers), h("small", programs(), `${claim.id}: ${claim.convention}`),
    ...(claim.source ? [h("small", {}, say("Text: {source}", { source: claim.source }))] : []),
    ...(claim.conventions ? [h("button", { class: "quiet", "data-key": `conventions:${claim.id}`, onclick: () => dispatch({ do: "go", fragment: `study=claims&conventions=${claim.id}` }) },
      say("Under every convention"))] : []));
}

/** A number in its unit, for reading. */
export const numberText = (/** @type {JsonNumber} */ value, /** @type {string} */ unit) => {
  if (typeof value !== "number") return value ?? "–";
  if (unit === "fraction") return `${inDigits((value * 100).toFixed(2))} %`;
  const text = Number.isInteger(value) ? value : unit ? value.toFixed(2) : Number(value.toFixed(4)); // without a unit: as many digits as texts print
  return `${inDigits(`${text}`)}${unit ? ` ${unit}` : ""}`;
};

/**
 * `dispatch(action)`: choosing a claim opens the view in which it is judged.
 * @param {Pick<Snapshot["result"], "claims" | "unjudged">} result
 * @param {Dispatch} dispatch
 */
export function replaceClaims({ claims, unjudged }, dispatch) {
  $("claims").hidden = !claims.length && !unjudged.length;
  const others = unjudged.map((claim) => h("li", { "data-declared": claim.id },
    h("button", { "data-key": `claim:${claim.id}`, onclick: () => dispatch({ do: "claim", id: claim.id }), ...programs() }, claim.text),
    h("small", {}, claim.stated === null ? claim.id : `${claim.id}: ${numberText(claim.stated, claim.unit)}`)));
  const rest = others.length ? [h("details", { id: "unjudged", open: /** @type {HTMLDetailsElement | null} */ ($("unjudged"))?.open ?? false },
    h("summary", {}, say("Claims seen with other settings ({count})", { count: others.length })), h("ul", {}, ...others))] : [];
  replaceKept($("claims"), h("h2", { class: "hidden" }, say("Claims of the source")), ...claims.map((claim) => card(claim, dispatch)), ...rest);
}
