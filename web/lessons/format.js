// Numbers as the page writes them: with the signs of the visitor's language, a narrow space before %, a true minus sign.
import { inDigits } from "../words/words.js";

const minus = (/** @type {string} */ text) => text.replace("-", "−");
const digitsOf = (/** @type {string | undefined} */ text) => Number(text || 0);
/** @type {Record<string, string>} */
const raised = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** Formats that a lesson may name: "%1", "2", "+2", "e1", "token"; an empty one: a whole number. */
export const isFormat = (/** @type {string} */ format) => /^(?:%\d?|\+?\d?|e\d|token)$/.test(format);

/**
 * A value in words; "…" where it is not known yet.
 * @param {unknown} value
 */
export function written(value, format = "") {
  if (format === "token" || typeof value === "string") return typeof value === "string" ? `“${value.trim()}”` : "…";
  if (typeof value !== "number" || !Number.isFinite(value)) return "…";
  if (format.startsWith("%")) return `${inDigits(minus((100 * value).toFixed(digitsOf(format.slice(1)))))}\u202f%`;
  if (format.startsWith("e")) {
    const [head, power] = value.toExponential(digitsOf(format.slice(1))).split("e");
    return `${inDigits(minus(head))}·10${[...String(Number(power))].map((c) => raised[c]).join("")}`;
  }
  const digits = digitsOf(format.replace("+", ""));
  const text = inDigits(minus(value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })));
  return format.startsWith("+") && value > 0 ? `+${text}` : text;
}
