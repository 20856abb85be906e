// Sentences whose quotations and numbers stay whole where a line ends.
import { h } from "./dom.js";

const longestQuote = 24; // characters; a longer one may break, or it leaves a hole in the line above
const whole = new RegExp(`“[^”]{1,${longestQuote}}”(?: \\(\\d+\\))?|[−-]?[\\d.,·⁻⁰¹²³⁴-⁹]*\\d (?:%|°|k|M|bits?|nats?|tokens?|turns?)(?![\\p{L}\\d])`, "gu");

/**
 * The text in pieces, in order; those that may not break are marked.
 * @param {string} text
 * @returns {{text: string, whole: boolean}[]}
 */
export function pieces(text) {
  const out = [];
  let done = 0;
  for (const found of text.matchAll(whole)) {
    if (found.index > done) out.push({ text: text.slice(done, found.index), whole: false });
    out.push({ text: found[0], whole: true });
    done = found.index + found[0].length;
  }
  if (done < text.length) out.push({ text: text.slice(done), whole: false });
  return out;
}

/** The text as children of an element. */
export const prose = (/** @type {string} */ text) => pieces(text).map((piece) => (piece.whole ? h("span", { class: "whole" }, piece.text) : piece.text));

/**
 * Sets a sentence, only when it differs.
 * @param {Element} element
 * @param {string} text
 */
export function setProse(element, text) {
  if (element.textContent !== text) element.replaceChildren(...prose(text));
}
