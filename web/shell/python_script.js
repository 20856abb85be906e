// The script that recomputes the shown result with numpy. The program writes the same (src/cli/python_script.cpp).
import { silence, timeLimit } from "../sources/limits.js";
import { addressOf } from "../start/files.js";
import { say } from "../words/words.js";

const mostNumbers = 1024; // of an array; of a longer one the script holds every k-th number

/**
 * The addresses of the studies' scripts, which wait for a view and its numbers.
 * @returns {Record<string, string>}
 */
function readScripts() {
  try {
    return JSON.parse(/** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=helixscope-scripts]"))?.content || "{}");
  } catch {
    return {};
  }
}

/** A number as JSON can express it. */
const number = (/** @type {number} */ x) => (Number.isFinite(x) ? x : Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf");

function spread(/** @type {ResultArray} */ array) {
  const { shape } = array, data = /** @type {ArrayLike<number>} */ (array.data);
  const step = Math.ceil(data.length / mostNumbers);
  const every = step <= 1 ? 1 : step | 1; // odd: entries of every row and column of a matrix are among those that are kept
  return { shape, every, data: Array.from(data).filter((_, i) => i % every === 0).map((x) => (typeof x === "number" ? number(x) : x)) };
}

/** Why a study has no script; empty where it may have one. */
const lacking = (/** @type {string} */ study) =>
  study === "claims" ? say("The table of claims has no Python script: its numbers are those of other studies, to which its rows lead.") : "";

function refusal(/** @type {ResultHeader} */ { difference, provenance }, /** @type {boolean} */ compared) {
  if (difference || compared) return say("A Python script recomputes one run: close the comparison first.");
  if (provenance.others?.length) return say("A Python script recomputes one model: this result is of several.");
  if (provenance.precision.includes("I8") || provenance.precision === "q8")
    return say("A Python script recomputes weights in floating point: those of this model are 8-bit integers.");
  return "";
}

/**
 * A study's script with this result and the link to it.
 * @param {string} text
 * @param {ResultHeader} result
 * @param {string} link
 */
export function scriptOf(text, result, link) {
  const view = {
    study: result.study,
    link,
    provenance: result.provenance,
    params: result.params,
    edits: result.edits,
    tokens: result.tokens.map(({ id }) => id),
    scalars: Object.fromEntries(Object.entries(result.scalars).map(([name, { value }]) => [name, value])),
    arrays: Object.fromEntries(Object.entries(result.arrays).map(([name, array]) => [name, spread(array)])),
  };
  const lines = Object.entries(view).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return text.replace("@VIEW@", () => `{${lines.join(",\n ")}}`);
}

export class PythonScripts {
  #addresses = readScripts();

  /** Whether the menu has the entry: a script, or why there is none. */
  has(/** @type {string} */ study) {
    return lacking(study) !== "" || study in this.#addresses;
  }

  /**
   * The script of a study's complete result. `why` says why there is none.
   * @param {string} study
   * @param {ResultHeader | null} result
   * @param {string} link
   * @param {boolean} compared
   * @returns {Promise<{why: string, script?: undefined} | {script: string, why?: undefined}>}
   */
  async make(study, result, link, compared) {
    if (lacking(study)) return { why: lacking(study) };
    if (!result?.complete) throw new Error(say("the result is not complete yet"));
    const why = refusal(result, compared);
    if (why) return { why };
    const response = await fetch(addressOf(this.#addresses[result.study]), { signal: timeLimit(silence) });
    if (!response.ok) throw new Error(say("the site answered {status}", { status: response.status }));
    return { script: scriptOf(await response.text(), result, link) };
  }
}
