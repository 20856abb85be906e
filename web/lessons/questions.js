// The questions of lessons. Each is answered before the result is shown, and judged against the visitor's own result: a question
// gives an element, and verdict(valueOf) says {right, meaning, given}, or {problem} where there is nothing to judge yet.
import { h } from "../shell/dom.js";
import { asNumber } from "./expression.js";
import { Sketch } from "./sketch.js";
import { hasDecimalComma, say } from "../words/words.js";

/** @typedef {import("./text.js").Texts} Texts */

const waiting = () => say("The numbers for this are still being computed. Try again in a moment.");

class Choose {
  /** @param {ChoiceAsked} question @param {Texts} texts @param {number} number */
  constructor(question, texts, number) {
    this.question = question;
    const name = `answer-${number}`;
    this.element = h("div", { class: "options" }, ...question.options.map(({ label }, i) =>
      h("label", {}, h("input", { type: "radio", name, value: String(i) }), h("span", {}, ...texts.made(label)))));
  }

  /** @param {ValueOf} valueOf @returns {Verdict} */
  verdict(valueOf) {
    const chosen = /** @type {HTMLInputElement | null} */ (this.element.querySelector(":checked"));
    if (!chosen) return { problem: say("Choose an answer first.") };
    const { right, meaning } = this.question.options[Number(chosen.value)], holds = valueOf(right);
    return holds === undefined ? { problem: waiting() } : { right: Boolean(holds), meaning, given: Number(chosen.value) + 1 };
  }
}

const plain = (/** @type {string} */ text) => text.trim().replace(/^[−–]/, "-").replace(/\s|%$/g, "");
const numberIn = (/** @type {string} */ text) => (text === "" ? NaN : Number(text));

/** "12.5", "12,5", "1,024" and "−3" are numbers here. */
export const readNumber = (/** @type {string} */ text) => numberIn(plain(text).replace(/^(-?\d+),(\d{1,2})$|^(-?0),(\d+)$/, "$1$3.$2$4").replace(/(\d),(?=\d{3}\b)/g, "$1"));

/** With a decimal comma: "3,021", "1.024" and "1.024,5". */
const readWithComma = (/** @type {string} */ text) => (/,|^-?[1-9]\d{0,2}(\.\d{3})+$/.test(text) ? numberIn(text.replaceAll(".", "").replace(",", ".")) : numberIn(text));

/**
 * What a typed number may mean. With a decimal comma, "1,024" is a little more than one, unless it was read off the figure, whose
 * numbers have commas between thousands.
 */
export const readings = (/** @type {string} */ text, comma = hasDecimalComma()) => (comma ? [readWithComma(plain(text)), readNumber(text)] : [readNumber(text)]).filter(Number.isFinite);

class NumberQuestion {
  constructor(/** @type {NumberAsked} */ question) {
    this.question = question;
    this.field = h("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: "8", "aria-label": say("Your answer") });
    this.element = h("div", { class: "typed" }, this.field, question.unit ? h("span", {}, question.unit) : null);
  }

  /** @param {ValueOf} valueOf @returns {Verdict} */
  verdict(valueOf) {
    const meant = readings(this.field.value);
    if (!meant.length) return { problem: say("Type a number first.") };
    const { answer, tolerance, factor, low, high } = this.question;
    const exact = asNumber(valueOf(answer)), allowed = asNumber(valueOf(tolerance));
    if (!Number.isFinite(exact) || !Number.isFinite(allowed)) return { problem: waiting() };
    const isRight = (/** @type {number} */ typed) => (factor ? typed > 0 && Math.abs(Math.log(typed / exact)) <= Math.log(allowed) : Math.abs(typed - exact) <= allowed);
    const right = meant.some(isRight), given = meant.find(isRight) ?? meant[0];
    return { right, meaning: right ? [] : given < exact ? low : high, given };
  }
}

/** An answer in the figure, or a change that the visitor makes: both are read from the page's state. */
class Point {
  /** @param {PointAsked} question @param {Texts} texts */
  constructor(question, texts) {
    this.question = question;
    this.said = h("p", { class: "picked" }, ...texts.made(question.said));
    this.none = h("p", { class: "picked" }, question.kind === "do" ? say("Nothing has been changed yet.")
      : say("Nothing is chosen yet: click in the figure, or walk there with the arrow keys and press Enter."));
    this.element = h("div", {}, this.none, this.said);
    this.said.hidden = true;
  }

  update(/** @type {ValueOf} */ valueOf) {
    const picked = Boolean(valueOf(this.question.picked));
    this.said.hidden = !picked;
    this.none.hidden = picked;
  }

  /** @param {ValueOf} valueOf @returns {Verdict} */
  verdict(valueOf) {
    if (!valueOf(this.question.picked)) return { problem: this.question.kind === "do" ? say("Change something first.") : say("Click in the figure first.") };
    const right = valueOf(this.question.right);
    return right === undefined ? { problem: waiting() } : { right: Boolean(right), meaning: right ? [] : this.question.wrong, given: right ? 1 : 0 };
  }
}

/**
 * `number`: the step's, so that the questions of two steps do not share a name.
 * @param {LessonQuestion} question
 * @param {Texts} texts
 * @param {number} number
 * @returns {AskedQuestion}
 */
export function makeQuestion(question, texts, number) {
  switch (question.kind) {
    case "choose": return new Choose(question, texts, number);
    case "number": return new NumberQuestion(question);
    case "sketch": return new Sketch(question);
    default: return new Point(question, texts);
  }
}
