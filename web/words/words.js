// The page's words in the visitor's language. English stands in the scripts, where it is read: say("Copy link"). Another language is
// one file of translations by their English sentence, assets/words/LANGUAGE.json, which is fetched at the start; the build refuses
// one that lacks a sentence or has another placeholder.

/**
 * @typedef {{language: string, said: Record<string, string>, groups: Record<string, string>, labels: Record<string, string>,
 *   lessons: Record<string, {title: string, summary: string}>}} Words
 */

/** A value in a sentence. @typedef {string | number | boolean | null | undefined} Said */

/** @type {Words} */
const english = { language: "en", said: {}, groups: {}, labels: {}, lessons: {} };

/** One for all scripts of the page, each of which has a copy of this module. */
const shared = /** @type {{helixscopeWords?: {words: Words}}} */ (globalThis).helixscopeWords ??= { words: english };

/** @param {Words} words */
export const useWords = (words) => { shared.words = words; };

/** "en", "it", … */
export const language = () => shared.words.language;

/** @param {string} text @param {Record<string, Said>} values */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));

/**
 * A sentence in the visitor's language, with values in the places of {name}.
 * @param {string} sentence in English
 * @param {Record<string, Said>} [values]
 */
export const say = (sentence, values) => {
  const text = shared.words.said[sentence] ?? sentence;
  return values ? filled(text, values) : text;
};

/**
 * The same in pieces, for values that are elements.
 * @param {string} sentence
 * @template {Node | string} Value
 * @param {Record<string, Value>} values
 * @returns {(Value | string)[]}
 */
export const sayParts = (sentence, values) => say(sentence).split(/\{(\w+)\}/).map((part, i) => (i % 2 ? values[part] : part)).filter((part) => part !== "");

/**
 * Marks a sentence of a table, which is said later: say(names[name]).
 * @param {string} sentence
 */
export const marked = (sentence) => sentence;

/** What the program says of edits and of verdicts, and the studies' groups. */
export const labelOf = (/** @type {string} */ label) => shared.words.labels[label] ?? label;
export const groupName = (/** @type {string} */ group) => shared.words.groups[group] ?? group;

const told = new Set(["label", "help", "note", "sentence"]);

/**
 * What the program says of edits, in the visitor's language: every text under one of these names.
 * @template T
 * @param {T} schema
 * @returns {T}
 */
export function translated(schema) {
  if (language() === "en" || !schema || typeof schema !== "object") return schema;
  if (Array.isArray(schema)) return /** @type {T} */ (schema.map(translated));
  return /** @type {T} */ (Object.fromEntries(Object.entries(schema).map(([name, value]) =>
    [name, typeof value === "string" ? (told.has(name) ? labelOf(value) : value) : translated(value)])));
}

/** Whether a lesson has been translated, its file, and its entry in the list of lessons in the visitor's language. */
export const isTranslated = (/** @type {string} */ lesson) => language() === "en" || Object.hasOwn(shared.words.lessons, lesson);
export const lessonFile = (/** @type {string} */ lesson) => (language() !== "en" && isTranslated(lesson) ? `lessons/${language()}/${lesson}.json` : `lessons/${lesson}.json`);
export const lessonEntry = (/** @type {LessonEntry} */ entry) => ({ ...entry, ...shared.words.lessons[entry.name] });

const pointed = new Set(["en"]); // languages with a decimal point and commas between thousands
export const hasDecimalComma = () => !pointed.has(language());

/**
 * Digits as the visitor's language writes them, from "−1,234.5": a decimal comma, and a narrow space between thousands, which
 * nobody reads as a decimal sign. Four digits stand together.
 * @param {string} text
 */
export function inDigits(text) {
  if (!hasDecimalComma()) return text;
  return text.replace(/\d[\d,]*(?:\.\d+)?/g, (number) => {
    const [whole, decimals] = number.split("."), digits = whole.replaceAll(",", "");
    const grouped = digits.length > 4 ? whole.replaceAll(",", "\u202f") : digits;
    return decimals === undefined ? grouped : `${grouped},${decimals}`;
  });
}

/**
 * A whole number, or one with so many decimals.
 * @param {number} value
 */
export const number = (value, decimals = 0) => inDigits(value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }));
