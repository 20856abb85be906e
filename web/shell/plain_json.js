// Results as JSON, as the command line writes them.

/** The number with the fewest digits that is this 32-bit float. */
function shortest(/** @type {number} */ value) {
  for (let digits = Math.abs(value) < 1.2e-38 ? 1 : 6; digits < 9; ++digits) { // a float below that has fewer than six
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

/** JSON has no word for these, so they are texts: "nan", "inf", "-inf". */
const written = (/** @type {number} */ value) => (Number.isFinite(value) ? value : Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf");

/** The text of a document with typed arrays, which are written as lists of numbers. */
export function plainJson(/** @type {object | null} */ document) {
  return JSON.stringify(document, (_, value) => {
    if (value instanceof Float32Array) return Array.from(value, (number) => written(shortest(number)));
    if (value instanceof Float64Array) return Array.from(value, written);
    return typeof value === "number" ? written(value) : value;
  }, 1);
}
