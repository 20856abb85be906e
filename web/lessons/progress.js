// How far the visitor has come in each lesson, kept on this device where it stores anything.

/**
 * What is kept of a lesson: the step that was open last, the most advanced one, the answers and the tries by step
 * (keyOf in seeds.js).
 * @typedef {{step?: number, most?: number, answers?: Record<string, HowAnswered>, tries?: Record<string, {first: number, last: number, count: number}>}} Kept
 */

import { keyOf } from "./seeds.js";

const noteName = "helixscope.lessons";

/** @returns {Record<string, Kept>} */
function read() {
  try {
    const kept = /** @type {unknown} */ (JSON.parse(localStorage.getItem(noteName) ?? "{}"));
    return kept && typeof kept === "object" && !Array.isArray(kept) ? /** @type {Record<string, Kept>} */ (kept) : {};
  } catch {
    return {}; // this browser stores nothing, or something else is stored there
  }
}

export class Progress {
  /** @type {Record<string, Kept>} */
  #all;

  /** `kept`: on this device; else it lasts as long as the page is open. */
  constructor({ kept = true } = {}) {
    this.kept = kept;
    this.#all = kept ? read() : {};
  }

  /** @param {string} name @returns {Kept} */
  #of(name) {
    const kept = this.#all[name];
    return kept && typeof kept === "object" ? kept : {};
  }

  #keep(/** @type {string} */ name, /** @type {Kept} */ change) {
    this.#all[name] = { ...this.#of(name), ...change };
    if (!this.kept) return;
    try {
      localStorage.setItem(noteName, JSON.stringify(this.#all));
    } catch {
      // It lasts as long as the page is open.
    }
  }

  /** The step that was open last, from 1; 0: the lesson was not begun. `steps`: how many the lesson has. */
  step(/** @type {string} */ name, /** @type {number} */ steps) {
    const step = /** @type {number} */ (this.#of(name).step);
    return Number.isInteger(step) && step >= 1 ? Math.min(step, steps) : 0;
  }

  at(/** @type {string} */ name, /** @type {number} */ step) {
    this.#keep(name, { step, most: Math.max(step, this.#of(name).most || 0) });
  }

  isDone(/** @type {string} */ name, /** @type {number} */ steps) {
    return /** @type {number} */ (this.#of(name).most) >= steps;
  }

  /**
   * "right", "shown" (the answer was asked for), or "" where the question is open.
   * @param {string} name
   * @param {string} key
   * @returns {HowAnswered}
   */
  answer(name, key) {
    const kept = this.#of(name).answers?.[key];
    return kept === "right" || kept === "shown" ? kept : "";
  }

  /**
   * An answer that was given, right or wrong. `given`: the number of an option, a typed number, a share.
   * @param {string} name
   * @param {string} key
   * @param {number} given
   */
  tried(name, key, given) {
    const { tries = {} } = this.#of(name), { first = given, count = 0 } = tries[key] ?? {};
    this.#keep(name, { tries: { ...tries, [key]: { first, last: given, count: count + 1 } } });
  }

  /**
   * All that was answered, for handing in: of each step the version that is asked now, else the first that was answered.
   * @param {Lesson} lesson
   * @returns {GivenAnswer[]}
   */
  given({ name, steps }) {
    const { tries = {} } = this.#of(name);
    return steps.flatMap((step, i) => {
      const versions = [step.version ?? 0, ...Array.from({ length: 1 + (step.versions?.length ?? 0) }, (_, version) => version)];
      const keys = versions.map((version) => ({ version, key: keyOf(i + 1, version) }));
      const found = keys.find(({ key }) => tries[key] || this.answer(name, key));
      if (!found) return [];
      const { first = null, last = null, count = 0 } = tries[found.key] ?? {};
      return [{ step: i + 1, version: found.version, first, last, tries: count, how: this.answer(name, found.key) }];
    });
  }

  /** @param {string} name @param {string} key @param {HowAnswered} how */
  answered(name, key, how) {
    this.#keep(name, { answers: { ...this.#of(name).answers, [key]: how } });
  }
}
