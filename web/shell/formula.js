// Typesets a study's formula, one line of text, as MathML: it can be read by screen readers and copied as text, and needs no
// font of its own. Text that cannot be parsed as a formula stays text.
//
//   "A = softmax(q·kᵀ / √d_head)"    subscripts ₀ᵢ or _head, superscripts ²ᵀ or ^(…), fractions /, roots √, sums Σ, sizes |x| and ‖x‖

import { hasDecimalComma } from "../words/words.js";

const ns = "http://www.w3.org/1998/Math/MathML";
/** @typedef {{kind: "number" | "word" | "sign", text: string, spaced: boolean}} Token */
/**
 * A part of a formula: the name of a MathML element, and its text or its parts. `bracketed`: the parts inside of its brackets.
 * @typedef {{name: string, children: (FormulaNode | string)[], bracketed?: FormulaNode[]}} FormulaNode
 */

/** @type {Record<string, string>} */
const subscripts = { "₀": "0", "₁": "1", "₂": "2", "₃": "3", "₄": "4", "₅": "5", "₆": "6", "₇": "7", "₈": "8", "₉": "9", "ᵢ": "i", "ⱼ": "j", "ₖ": "k" };
/** @type {Record<string, string>} */
const superscripts = { "²": "2", "³": "3", "ᵀ": "T" };
const relations = new Set("=≈∝<>≤≥∈→".split(""));
const sums = new Set("+−-±".split(""));
/** @type {Record<string, string>} */
const closing = { "(": ")", "[": "]" };
const bars = new Set("|‖");

const digits = () => (hasDecimalComma() ? String.raw`(?:\d{1,3}(?:\u202f\d{3})+|\d+)(?:,\d+)?` : String.raw`(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?`);
const pattern = () => new RegExp(String.raw`\s*(?:(?<number>${digits()}(?:\u202f?\s?%)?)|(?<word>[A-Za-z]{2,}(?:-[A-Za-z]+)*(?:_[A-Za-z0-9]+)?|[A-Za-zα-ωΑ-Ω∞](?:_[A-Za-z0-9]+)?)|(?<sign>[₀-₉ᵢⱼₖ]+|[²³ᵀ]+|\S))`, "uy");

/** @param {string} text */
function tokensOf(text) {
  /** @type {Token[]} */
  const tokens = [], next = pattern();
  while (next.lastIndex < text.trimEnd().length) {
    const spaced = /\s/.test(text[next.lastIndex] ?? "");
    const found = /** @type {{groups: Record<string, string>}} */ (next.exec(text)).groups;
    tokens.push({ kind: found.number ? "number" : found.word ? "word" : "sign", text: found.number ?? found.word ?? found.sign, spaced });
  }
  return tokens;
}

/** @returns {FormulaNode} */
const node = (/** @type {string} */ name, /** @type {(FormulaNode | string)[]} */ ...children) => ({ name, children });
const row = (/** @type {FormulaNode[]} */ parts) => (parts.length === 1 ? parts[0] : node("mrow", ...parts));
const space = () => node("mspace");
const isLong = (/** @type {FormulaNode} */ { name, children }) => name === "mi" && /** @type {string} */ (children[0]).length > 1;

/** A recursive-descent parser: each method consumes its tokens from left to right. */
class Reader {
  /** @param {Token[]} tokens */
  constructor(tokens) {
    this.tokens = tokens;
    this.at = 0;
    /** @type {string[]} */
    this.open = []; // the brackets and bars around the present token, innermost last
  }

  get next() { return this.tokens[this.at]; }
  /** @param {string | undefined} text */
  is(text) { return this.next?.text === text; }
  take() { return this.tokens[this.at++]; }

  /**
   * Everything up to a closing bracket or bar, or the end.
   * @param {string | undefined} end
   */
  all(end) {
    /** @type {FormulaNode[]} */
    const parts = [];
    while (this.next && !this.is(end)) {
      const { text } = this.next;
      if (relations.has(text) || sums.has(text) || text === "," || text === ";") {
        this.take();
        parts.push(node("mo", text === "-" ? "−" : text));
        if (text === "," && this.next?.spaced) parts.push(space());
      } else {
        parts.push(...this.fraction());
      }
    }
    return parts;
  }

  /** @returns {FormulaNode[]} */
  fraction() {
    let parts = this.product();
    while (this.is("/")) {
      this.take();
      parts = [node("mfrac", bare(parts), bare(this.product()))];
    }
    return parts;
  }

  /** Factors beside each other; words keep their spaces. */
  product() {
    /** @type {FormulaNode[]} */
    const parts = [];
    while (this.next && !this.ends()) {
      if (this.is("·")) {
        parts.push(node("mo", this.take().text));
        continue;
      }
      const spaced = this.next.spaced;
      const factor = this.factor();
      const last = parts.at(-1);
      if (spaced && last && (isLong(last) || isLong(factor))) parts.push(space());
      parts.push(factor);
    }
    if (parts.length === 0) throw new Error("nothing where a factor belongs");
    return parts;
  }

  ends() {
    const { text } = this.next;
    return relations.has(text) || sums.has(text) || [",", ";", "/", ")", "]"].includes(text) || this.closesBar(text);
  }

  /** After a factor, a bar closes those that are open; where a factor is due, it opens others. */
  closesBar(/** @type {string} */ text) {
    return bars.has(text) && this.open.at(-1) === text;
  }

  /**
   * A symbol, a bracket or a call, with its subscript and superscript.
   * @returns {FormulaNode}
   */
  factor() {
    const isSum = this.is("Σ"); // what stands after it is summed, and no argument of its own
    let base = this.primary();
    for (;;) {
      const sign = this.next?.text ?? "";
      if (sign[0] in subscripts) base = node("msub", base, row([...this.take().text].map((c) => symbol(subscripts[c]))));
      else if (sign[0] in superscripts) base = node("msup", base, row([...this.take().text].map((c) => symbol(superscripts[c]))));
      else if (sign === "^") {
        this.take();
        base = node("msup", base, bare([this.primary()]));
      } else if ((sign === "(" || sign === "[") && !this.next.spaced && !isSum) base = row([base, this.bracket()]);
      else return base;
    }
  }

  /** @returns {FormulaNode} */
  primary() {
    const token = this.take();
    if (!token) throw new Error("the formula ends too early");
    if (token.kind === "number") return node("mn", token.text);
    if (token.kind === "word") return word(token.text);
    if (token.text in closing || bars.has(token.text)) {
      --this.at;
      return this.bracket();
    }
    if (token.text === "√") return node("msqrt", bare([this.factor()]));
    return node("mo", token.text);
  }

  /** @returns {FormulaNode} */
  bracket() {
    const open = this.take().text, close = closing[open] ?? open;
    this.open.push(open);
    const inside = this.all(close);
    if (!this.is(close)) throw new Error("a bracket is left open");
    this.open.pop();
    this.take();
    const made = node("mrow", node("mo", open), ...inside, node("mo", close));
    return bars.has(open) ? made : { ...made, bracketed: inside };
  }
}

const symbol = (/** @type {string} */ text) => node(/\d/.test(text) ? "mn" : "mi", text);

function word(/** @type {string} */ text) {
  if (text === "Σ") return node("mo", text);
  const [base, below] = text.split("_");
  return below === undefined ? node("mi", base) : node("msub", node("mi", base), symbol(below));
}

/** Removes the bracket around a numerator, a denominator, an exponent or the content of a root, where it is redundant. */
const bare = (/** @type {FormulaNode[]} */ parts) => (parts.length === 1 && parts[0].bracketed ? row(parts[0].bracketed) : row(parts));

/** The statements of a formula ("p = …,  q = …"): [{text, parts}]. Throws where it cannot be parsed. */
export function parse(/** @type {string} */ text) {
  return text.split(/(?<=,) {2}/).map((statement) => {
    const reader = new Reader(tokensOf(statement)), parts = reader.all(undefined);
    return { text: statement, parts };
  });
}

/** @param {FormulaNode} node @returns {Element} */
function element({ name, children }) {
  const made = document.createElementNS(ns, name);
  if (name === "mspace") made.setAttribute("width", "0.28em");
  made.append(...children.map((child) => (typeof child === "string" ? child : element(child))));
  return made;
}

/** @type {boolean | null} */
let rooted = null;
/** Whether this browser draws roots: it may have no font with a radical, and then leaves it out. */
function drawsRoots() {
  if (rooted !== null) return rooted;
  const widthOf = (/** @type {string} */ name) => {
    const probe = document.body.appendChild(element(node("math", node(name, node("mi", "x")))));
    const { width } = /** @type {Element} */ (probe.firstElementChild).getBoundingClientRect(); // the formula itself may fill its place
    probe.remove();
    return width;
  };
  return (rooted = widthOf("msqrt") > widthOf("mrow") + 3);
}

/** One unbroken part; a formula of several parts may be broken between them. */
function typeset(/** @type {{text: string, parts: FormulaNode[]}} */ { text, parts }) {
  const made = element(node("math", ...parts));
  made.setAttribute("alttext", text);
  for (const root of made.querySelectorAll("msqrt")) root.classList.toggle("drawn", !drawsRoots()); // by the page's style
  return made;
}

/**
 * Math elements with the text between them, or the text itself where it cannot be parsed.
 * @param {string} text
 * @returns {(string | Element)[]}
 */
export function formula(text) {
  try {
    return parse(text).flatMap((statement, i) => (i ? [" ", typeset(statement)] : [typeset(statement)]));
  } catch {
    return [text];
  }
}
