// The prediction after the text, shown beside a study that does not read the text: with the edits that are on, and their effect.
import { $, setText } from "./dom.js";

const percent = (p) => `${(100 * p).toFixed(1)}\u202f%`;

/** The change of a probability in percentage points, with a sign; a dash where the other run does not list the token. */
function change(now, before) {
  if (typeof before !== "number") return "–";
  const points = 100 * (now - before);
  const size = Math.abs(points).toFixed(1);
  return Number(size) === 0 ? "±0.0" : `${points < 0 ? "−" : "+"}${size}`;
}

function entry({ token, probability, before }) {
  const item = document.createElement("span");
  item.setAttribute("role", "listitem");
  const moved = change(probability, before);
  const words = [["b", `“${token}”`], ["span", percent(probability)], ["i", moved]];
  for (const [tag, text] of words) {
    const part = document.createElement(tag);
    part.textContent = text;
    item.append(part, " ");
  }
  item.title = typeof before === "number" ? `${percent(before)} without the edits` : "Not among the 50 likeliest without the edits";
  return item;
}

export class Answer {
  #shown = "";

  render(schema, { text }) {
    const here = Boolean(text && schema.runs_prompt);
    $("answer").hidden = !here;
    if (!here) return;
    const key = JSON.stringify(text);
    if (key === this.#shown) return;
    this.#shown = key;
    setText($("answer-said"), text.problem || text.sentence || "Predicting…");
    $("answer").classList.toggle("old", text.busy);
    $("answer").classList.toggle("problem", Boolean(text.problem));
    $("answer-next").replaceChildren(...text.next.map(entry));
  }
}
