// A pupil's answers to a lesson as a text that is short enough for a link: "answers=" and the base64 of a JSON list. Whoever reads
// one trusts nothing in it.
import { say } from "../words/words.js";

const plainForm = 1, withVersions = 2; // of the list: the second where a question was asked in another version (seeds.js)
const longest = 20_000; // characters of a text that is read
const mostSteps = 99, mostTries = 9999, largest = 1e12;
/** @type {HowAnswered[]} */
const ways = ["", "right", "shown"];

const toBase64 = (/** @type {string} */ text) => btoa(String.fromCharCode(...new TextEncoder().encode(text))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const fromBase64 = (/** @type {string} */ text) => new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0)));

/**
 * `who`: "" for nobody; `link`: of what was on the screen.
 * @typedef {{lesson: string, who: string, answers: GivenAnswer[], link: string}} HandedIn
 */

/** @param {HandedIn} handedIn */
export function packed({ lesson, who, answers, link }) {
  const form = answers.some(({ version }) => version) ? withVersions : plainForm;
  const row = (/** @type {GivenAnswer} */ { step, version, first, last, tries, how }) => [step, first, last, tries, ways.indexOf(how), ...(version ? [version] : [])];
  const list = [form, lesson, who, answers.map(row), link];
  return `answers=${toBase64(JSON.stringify(list))}`;
}

/** @param {unknown} value @param {number} most @returns {value is number} */
const isCount = (value, most) => typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most;
/** @param {unknown} value @returns {value is number | null} */
const isGiven = (value) => value === null || (typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= largest);

/**
 * The answers in a text: a link, the content of a file, or what packed() returned. Throws an error with one sentence where there are
 * none. `lessons`: the names that are known, with the number of versions of each step.
 * @param {string} text
 * @param {Record<string, number[]>} lessons
 * @returns {HandedIn}
 */
export function unpacked(text, lessons) {
  const found = /answers=([A-Za-z0-9_-]+)/.exec(String(text).slice(0, longest + 1));
  if (text.length > longest || !found) throw new Error(say("This is neither a link nor a file with answers."));
  /** @type {unknown} */
  let list;
  try {
    list = JSON.parse(fromBase64(found[1]));
  } catch {
    throw new Error(say("These answers are not whole: a part was lost on the way."));
  }
  if (Array.isArray(list) && Number.isInteger(list[0]) && list[0] > withVersions) throw new Error(say("These answers come from a newer version of this page."));
  const [made, lesson, who, rows, link] = /** @type {unknown[]} */ (Array.isArray(list) ? list : []);
  const damaged = new Error(say("These answers are damaged."));
  if ((made !== plainForm && made !== withVersions) || typeof lesson !== "string" || typeof who !== "string" || !Array.isArray(rows) || rows.length > mostSteps) throw damaged;
  if (!Object.hasOwn(lessons, lesson)) throw new Error(say("These answers belong to a lesson that this page does not have."));
  const seen = new Set();
  const answers = rows.map((/** @type {unknown} */ row) => {
    const [step, first, last, tries, how, version = 0] = /** @type {unknown[]} */ (Array.isArray(row) ? row : []);
    if (!isCount(step, lessons[lesson].length) || step < 1 || seen.has(step) || !isGiven(first) || !isGiven(last) || !isCount(tries, mostTries) || !isCount(how, ways.length - 1) || !isCount(version, lessons[lesson][step - 1] - 1)) throw damaged;
    seen.add(step);
    return { step, version, first, last, tries, how: ways[how] };
  });
  const plain = (/** @type {unknown} */ value, /** @type {number} */ most) => (typeof value === "string" ? [...value].filter((c) => c >= " ").slice(0, most).join("") : "");
  return { lesson, who: plain(who, 40), answers, link: plain(link, 4000).startsWith("#v=1") ? plain(link, 4000) : "" };
}
