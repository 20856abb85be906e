// The order of a table's rows by one of its columns, whose cells are texts for people.

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const power = /·10(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)/;

/** The number that a cell shows: "1,023", "−0.15 points", "6.2·10⁻¹³⁸", "∞"; NaN where it shows none. */
export function numberOf(/** @type {string} */ text) {
  const plain = text.trim().replace(power, (/** @type {string} */ _, /** @type {string} */ sign, /** @type {string} */ digits) => `e${sign && "-"}${[...digits].map((d) => superscripts.indexOf(d)).join("")}`)
    .replace(/^[−-]/, "-").replace("∞", "Infinity").replace(/(\d),(?=\d{3})/g, "$1");
  const found = /^([+-]?(?:Infinity|\d+(?:\.\d+)?(?:e-?\d+)?))(?: ?[%°]| \p{L}+)?$/u.exec(plain);
  return found ? Number(found[1]) : NaN;
}

/** Whether every cell that shows something shows a number. "–" and the like stand for no number. */
const allNumbers = (/** @type {string[]} */ cells) => cells.some((text) => !Number.isNaN(numberOf(text))) && cells.every((text) => /^[–—]?$/.test(text.trim()) || !Number.isNaN(numberOf(text)));

/**
 * The indices `kept` of rows in the order of a column. Numbers by size, non-numbers last; words alphabetically.
 * @param {string[][]} rows
 * @param {number[]} kept
 * @param {{column: number, numeric: boolean, up: boolean}} order
 */
export function ordered(rows, kept, { column, numeric, up }) {
  const cell = (/** @type {number} */ i) => rows[i][column] ?? "";
  const words = (/** @type {number} */ a, /** @type {number} */ b) => (up ? 1 : -1) * cell(a).localeCompare(cell(b), "en", { numeric: true });
  if (!numeric && !allNumbers(kept.map(cell))) return [...kept].sort((a, b) => words(a, b) || a - b);
  const size = new Map(kept.map((i) => [i, numberOf(cell(i))]));
  return [...kept].sort((a, b) => {
    const x = /** @type {number} */ (size.get(a)), y = /** @type {number} */ (size.get(b));
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
    return (x === y ? 0 : (x < y) === up ? -1 : 1) || a - b;
  });
}
