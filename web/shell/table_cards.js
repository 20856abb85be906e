// Rows of a table as cards: a verdict, a sentence, the two numbers on a scale of their own, and a way to where they are computed.
import { h } from "./dom.js";
import { numberText, signs, verdicts } from "./claims.js";
import { inDigits, say } from "../words/words.js";

const decades = 2; // from so many powers of ten between two numbers on, their scale is logarithmic

/** 1, 2 or 5 times a power of ten, at most `span`. */
function niceStep(/** @type {number} */ span) {
  const power = 10 ** Math.floor(Math.log10(span));
  return (span >= 5 * power ? 5 : span >= 2 * power ? 2 : 1) * power;
}

/** Ends of a scale for these numbers, and where each of them is on it, from 0 to 1. */
export function scaleOf(/** @type {number[]} */ numbers) {
  const low = Math.min(...numbers), high = Math.max(...numbers);
  const log = low > 0 && Math.log10(high / low) >= decades;
  if (log) {
    const from = Math.floor(Math.log10(low) - 0.5), to = Math.ceil(Math.log10(high) + 0.5);
    return { ends: [10 ** from, 10 ** to], at: numbers.map((x) => (Math.log10(x) - from) / (to - from)) };
  }
  const margin = Math.max((high - low) * 0.8, Math.abs(high) * 0.02, Number.MIN_VALUE * 1e9);
  const step = niceStep((high - low + 2 * margin) / 3);
  const first = Math.floor((low - margin / 2) / step), last = Math.ceil((high + margin / 2) / step);
  const ends = [first, last].map((steps) => Number((steps * step).toPrecision(12)));
  return { ends, at: numbers.map((x) => (x - ends[0]) / (ends[1] - ends[0])) };
}

/** A mark on a scale, at a part of its width. */
function mark(/** @type {string} */ kind, /** @type {number} */ part) {
  const element = h("i", { class: kind });
  element.style.left = `${(part * 100).toFixed(2)}%`;
  return element;
}

/** @typedef {FigureTable & {cards: TableCards}} CardTable */
/** @typedef {"stated" | "here"} Which */
/** @type {Which[]} */
const both = ["stated", "here"];

/**
 * What a card says of one of its numbers: as the table writes it, in the language's digits, with its unit.
 * @param {CardTable} table
 * @param {number} i
 * @param {Which} which
 */
function told(table, i, which) {
  const { cards } = table, row = table.rows[i], unit = row[cards.unit];
  return unit === "fraction" ? numberText(cards.numbers[which][i], unit) : [inDigits(row[cards[which]]), unit].filter(Boolean).join(" ");
}

const number = (/** @type {Which} */ which, /** @type {string} */ text) => (which === "here" ? h("b", { class: which }, say("here {number}", { number: text })) : h("span", { class: which }, say("text {number}", { number: text })));

/**
 * The text's number and the one here; the line between them has the verdict's colour.
 * @param {CardTable} table
 * @param {number} i
 * @param {string} kind
 */
function scale(table, i, kind) {
  const { numbers, unit } = table.cards, stated = /** @type {number[]} */ (numbers.stated), here = /** @type {number[]} */ (numbers.here), fraction = table.rows[i][unit] === "fraction";
  const texts = { stated: told(table, i, "stated"), here: told(table, i, "here") };
  const named = both.map((which) => number(which, texts[which]));
  if (here[i] < stated[i]) named.reverse();
  const same = texts.stated === texts.here;
  const { ends, at } = scaleOf([stated[i], here[i]]);
  const between = h("i", { class: `between ${kind}` });
  between.style.left = `${Math.min(...at) * 100}%`;
  between.style.width = `${Math.abs(at[1] - at[0]) * 100}%`;
  return h("div", { class: "scale" },
    h("div", { class: same ? "labels one" : "labels" }, ...(same ? [h("b", { class: "here" }, say("text and here {number}", { number: texts.here }))] : named)),
    h("div", { class: "line", "aria-hidden": "true" }, between, mark("tick", at[0]), mark(`dot ${kind}`, at[1])),
    h("div", { class: "ends", "aria-hidden": "true" }, ...ends.map((x) => h("span", {}, numberText(x, fraction ? "fraction" : "")))));
}

/** What is known of the numbers, where a scale would say nothing. */
const numbers = (/** @type {CardTable} */ table, /** @type {number} */ i) => h("div", { class: "numbers" }, ...both.filter((which) => table.cards.numbers[which][i] !== null)
  .map((which) => number(which, told(table, i, which))));

/** @param {CardTable} table @param {number} i @param {(fragment: string) => void} follow */
function card(table, i, follow) {
  const { cards, go } = table, row = table.rows[i];
  const known = cards.numbers.stated[i] !== null && cards.numbers.here[i] !== null;
  const [sign, kind] = signs[row[cards.verdict]] ?? ["·", "open"];
  const note = row[cards.note];
  return h("li", { class: "row-card" },
    h("div", { class: "head" }, h("span", { class: `verdict ${kind}` }, `${sign} ${say(verdicts[row[cards.verdict]] ?? row[cards.verdict])}`), h("span", { class: "name" }, row[cards.name])),
    h("p", {}, row[cards.text]),
    known ? scale(table, i, kind) : numbers(table, i),
    h("div", { class: "foot" }, h("small", { title: note }, note),
      ...(go[i] ? [h("button", { type: "button", class: "link", "data-key": `row:${i}`, "aria-label": `${say("view")}: ${row[cards.name]}, ${row[cards.text]}`, onclick: () => follow(go[i]) }, `${say("view")} →`)] : [])));
}

const untested = (/** @type {CardTable} */ table, /** @type {number[]} */ rows, /** @type {(fragment: string) => void} */ follow) => h("details", { class: "missing" },
  h("summary", {}, say("Waiting for weights that are not open: {count}", { count: rows.length })),
  h("ul", {}, ...rows.map((i) => {
    const row = table.rows[i], { cards, go } = table;
    const text = go[i] ? h("button", { type: "button", class: "link", "data-key": `row:${i}`, onclick: () => follow(go[i]) }, row[cards.text]) : row[cards.text];
    return h("li", {}, `${row[cards.name]}  `, text, h("small", {}, row[cards.missing]));
  })));

/**
 * Cards for these rows of a table, by its groups; `follow(fragment)` goes where a row leads.
 * @param {CardTable} table
 * @param {number[]} rows
 * @param {(fragment: string) => void} follow
 */
export function cardsOf(table, rows, follow) {
  const { cards } = table;
  /** @type {Map<string, number[]>} */
  const groups = new Map();
  for (const i of rows) {
    const name = table.rows[i][cards.group];
    groups.set(name, [...(groups.get(name) ?? []), i]);
  }
  return [...groups].map(([name, all]) => {
    const shown = all.filter((i) => !table.rows[i][cards.missing] || cards.numbers.here[i] !== null), rest = all.filter((i) => !shown.includes(i));
    const count = (/** @type {string} */ verdict) => all.filter((i) => table.rows[i][cards.verdict] === verdict).length;
    const holding = count("holds"), judged = holding + count("does not hold");
    return h("section", { class: "row-cards" },
      h("h3", {}, name, h("small", {}, judged ? say("judged here: {judged}, of these hold: {holding}", { judged, holding }) : say("none is judged here"))),
      h("ul", {}, ...shown.map((i) => card(table, i, follow))), ...(rest.length ? [untested(table, rest, follow)] : []));
  });
}
