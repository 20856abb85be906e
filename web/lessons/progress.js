// How far the visitor has come in each lesson, kept on this device where it stores anything.

/**
 * What is kept of a lesson: the step that was open last, the most advanced one, the answers and the tries by step.
 * @typedef {{step?: number, most?: number, answers?: Record<number, HowAnswered>, tries?: Record<number, {first: number, last: number, count: number}>}} Kept
 */

const key = "helixscope.lessons";

/** @returns {Record<string, Kept>} */
function read() {
  try {
    const kept = /** @type {unknown} */ (JSON.parse(localStorage.getItem(key) ?? "{}"));
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
      localStorage.setItem(key, JSON.stringify(this.#all));
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
   * @param {number} step
   * @returns {HowAnswered}
   */
  answer(name, step) {
    const kept = this.#of(name).answers?.[step];
    return kept === "right" || kept === "shown" ? kept : "";
  }

  /**
   * An answer that was given, right or wrong. `given`: the number of an option, a typed number, a share.
   * @param {string} name
   * @param {number} step
   * @param {number} given
   */
  tried(name, step, given) {
    const { tries = {} } = this.#of(name), { first = given, count = 0 } = tries[step] ?? {};
    this.#keep(name, { tries: { ...tries, [step]: { first, last: given, count: count + 1 } } });
  }

  /**
   * All that was answered, for handing in.
   * @param {string} name
   * @param {number} steps
   * @returns {GivenAnswer[]}
   */
  given(name, steps) {
    const { tries = {} } = this.#of(name);
    return Array.from({ length: steps }, (_, i) => i + 1).filter((step) => tries[step] || this.answer(name, step))
      .map((step) => ({ step, first: tries[step]?.first ?? null, last: tries[step]?.last ?? null, tries: tries[step]?.count ?? 0, how: this.answer(name, step) }));
  }

  /** @param {string} name @param {number} step @param {HowAnswered} how */
  answered(name, step, how) {
    this.#keep(name, { answers: { ...this.#of(name).answers, [step]: how } });
  }
}
