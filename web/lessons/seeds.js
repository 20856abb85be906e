// Questions with other numbers for each pupil. A step may be written in several ways, alike but for some words and numbers; the seed
// in the link says which of them is asked. Links with seed=own, which a teacher gives to a class, have the page draw a seed of its own.

const noteName = "helixscope.seed"; // in localStorage: the seed that was drawn on this device
const largest = 9999; // as src/state/app_state.h has it
const own = /([#&])seed=own(?=&|$)/;
let drawn = 0;

/** The seed of this device, from 1; without a storage it lasts as long as the page is open. */
function ownSeed() {
  try {
    drawn ||= Number(localStorage.getItem(noteName));
  } catch {
    // This browser stores nothing.
  }
  if (Number.isInteger(drawn) && drawn >= 1 && drawn <= largest) return drawn;
  drawn = 1 + Math.floor(Math.random() * largest);
  try {
    localStorage.setItem(noteName, String(drawn));
  } catch {
    // The next visit has other numbers.
  }
  return drawn;
}

/** The link as the program reads it: with a seed that is a number. */
export const withOwnSeed = (/** @type {string} */ link) => link.replace(own, (_, before) => `${before}seed=${ownSeed()}`);

/** The link for a class, where each pupil's page draws a seed. */
export const forClass = (/** @type {string} */ link) => `${link.replace(/&seed=\d+/, "")}&seed=own`;

/** A number that looks random, of a seed and a step: FNV-1a of both as text, stirred once more. */
function hashOf(/** @type {string} */ text) {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/**
 * Which of a step's versions a seed asks: 0, the first, without a seed.
 * @param {string} name of the lesson
 * @param {number} step from 1
 * @param {number} seed
 * @param {number} count of its versions
 */
export const versionOf = (name, step, seed, count) => (seed > 0 && count > 1 ? hashOf(`${seed} ${name}/${step}`) % count : 0);

/**
 * A version of a step; 0 is the step as the lesson has it.
 * @param {LessonStep} step
 * @param {number} version
 * @returns {LessonStep}
 */
export const inVersion = (step, version) => (version > 0 && step.versions ? { ...step, ...step.versions[version - 1], version } : step);

/** The step in each of its versions. */
export const everyVersion = (/** @type {LessonStep} */ step) => [step, ...(step.versions ?? []).map((_, i) => inVersion(step, i + 1))];

/**
 * The lesson with the numbers of a seed.
 * @param {Lesson} lesson
 * @param {number} seed
 * @returns {Lesson}
 */
export const seeded = (lesson, seed) => ({
  ...lesson, steps: lesson.steps.map((step, i) => inVersion(step, versionOf(lesson.name, i + 1, seed, 1 + (step.versions?.length ?? 0)))),
});

/** Under what the answer to a step is kept: its number, "3", or where it is in another version, "3.1". */
export const keyOf = (/** @type {number} */ step, version = 0) => (version ? `${step}.${version}` : String(step));

/** What is drawn first in a version of a step, by which a teacher knows it: "300", or "" where nothing is. */
export const drawnIn = (/** @type {LessonStep} */ step, version = 0) => Object.values(inVersion(step, version).drawn ?? {})[0] ?? "";

/** The next seed after this one that asks this step in another version. */
export function nextSeed(/** @type {string} */ name, /** @type {number} */ step, /** @type {number} */ seed, /** @type {number} */ count) {
  const now = versionOf(name, step, seed, count);
  let next = seed;
  do next = (next % largest) + 1; while (versionOf(name, step, next, count) === now);
  return next;
}
