// Goes through a lesson's steps with the page's own engine: the pictures, the numbers in the texts and the right answers. Afterwards
// the page shows what it showed before.
import { expanded } from "../lessons/fragments.js";
import { written } from "../lessons/format.js";
import { Grid, asNumber } from "../lessons/expression.js";
import { drawnIn, everyVersion } from "../lessons/seeds.js";
import { Texts } from "../lessons/text.js";
import { Values } from "../lessons/values.js";

/** @typedef {(string | Element)[]} Written */
/** @typedef {{value: number, words: Written}} RightAnswer */
/**
 * What a rehearsal found in a step: its picture as markup, its texts as elements. `curve`: the curve of a sketch is known.
 * @typedef {{svg: string, before: Written, ask: Written, right: RightAnswer | null, options?: {label: Written, meaning: Written, right: boolean}[],
 *   others: {drawn: string, right: RightAnswer | null}[], low: Written, high: Written, wrong: Written, notes: Written, after: Written, tolerance?: number, curve: boolean, paper: string,
 *   axes?: {x: string, y: string, low: number, high: number, first: number, count: number, at: number, given: number}}} RehearsedStep
 * `others`: the step's other versions, with what is drawn in each; `paper`: the picture for a handout, on which letters are larger; `axes`: those of a sketch, with the point that is given.
 */

const picture = { width: 760, height: 420 }, onPaper = { width: 620, height: 360 };

/**
 * The right answer in words, and as a number for a histogram; null where it depends on what is drawn or done.
 * @param {LessonQuestion} question
 * @param {ValueOf} valueOf
 * @param {(parts: LessonText) => Written} write
 * @returns {RightAnswer | null}
 */
function rightAnswer(question, valueOf, write) {
  if (question.kind === "choose") {
    const at = question.options.findIndex(({ right }) => valueOf(right) === true);
    return at < 0 ? null : { value: at + 1, words: write(question.options[at].label) };
  }
  if (question.kind !== "number") return null;
  const value = asNumber(valueOf(question.answer));
  if (!Number.isFinite(value)) return null;
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 2;
  return { value, words: [`${written(value, String(digits))}${question.unit ? ` ${question.unit}` : ""}`] };
}

/** An SVG's markup with names of its own, so that several can stand in one document. Groups, to which nothing refers, have none. */
export const renamed = (/** @type {string} */ svg, /** @type {string} */ prefix) => svg.replace(/<g id="[^"]*"/g, "<g").replace(/\bid="/g, `id="${prefix}-`).replace(/url\(#/g, `url(#${prefix}-`);

/** @param {CurveAsked} question @param {ValueOf} valueOf @returns {RehearsedStep["axes"]} */
function axesOf(question, valueOf) {
  const curve = valueOf(question.curve), at = Number(question.given);
  if (!(curve instanceof Grid)) return undefined;
  return { x: question.x, y: question.y, low: Number(question.low), high: Number(question.high), first: curve.first, count: curve.shape[0], at, given: Number(curve.at(at)) };
}

export class Rehearsal {
  /** @type {Values} */
  #values;

  /** @param {Pick<TeachersPage, "dispatch" | "snapshot" | "schemas" | "engine" | "settled" | "svg" | "paper">} page */
  constructor(page) {
    this.page = page;
    this.#values = new Values(page.schemas, page.engine, () => {});
  }

  /**
   * What is found in each step; `told(step, count)` as it goes on.
   * @param {Lesson} lesson
   * @param {(step: number, count: number) => void} told
   */
  async through(lesson, told) {
    const { page } = this, { link } = page.snapshot();
    /** @type {RehearsedStep[]} */
    const found = [];
    try {
      for (const [i, step] of lesson.steps.entries()) {
        told(i + 1, lesson.steps.length);
        found.push(await this.#step(lesson, step, i + 1));
      }
    } finally {
      page.dispatch({ do: "open", link });
      await page.settled();
    }
    return found;
  }

  async #show(/** @type {string} */ fragment) {
    const { page } = this;
    page.dispatch({ do: "view", focus: {}, windows: Object.fromEntries(Object.keys(page.snapshot().state.windows).map((axis) => [axis, null])), reset_camera: true, dragging: true });
    page.dispatch({ do: "go", fragment: `from=start&${expanded(fragment, page.schemas)}` });
    await page.settled();
  }

  /** Shows a step and computes its runs. Returns what its expressions are worth then. */
  async #valuesOf(/** @type {LessonStep} */ step) {
    await this.#show(step.state);
    const snapshot = this.page.snapshot();
    this.#values.use(step.runs ?? {}, snapshot, snapshot.state.study);
    await this.#values.settled();
    return (/** @type {string} */ expression) => this.#values.evaluate(expression, snapshot);
  }

  /** The right answers in a step's other versions. */
  async #others(/** @type {LessonStep} */ step) {
    const found = [];
    for (const version of everyVersion(step).slice(1)) {
      const valueOf = await this.#valuesOf(version);
      found.push({ drawn: drawnIn(version), right: version.question ? rightAnswer(version.question, valueOf, (parts) => Texts.written(parts, valueOf)) : null });
    }
    return found;
  }

  /** @param {Lesson} lesson @param {LessonStep} step @param {number} number @returns {Promise<RehearsedStep>} */
  async #step(lesson, step, number) {
    const { page } = this, others = await this.#others(step);
    await this.#valuesOf(step);
    let snapshot = page.snapshot();
    const valueOf = (/** @type {string} */ expression) => this.#values.evaluate(expression, snapshot);
    const write = (/** @type {LessonText | undefined} */ parts) => Texts.written(parts ?? [], valueOf);
    const { question } = step, svg = renamed(page.paper(() => page.svg(picture.width, picture.height)), `${lesson.name}-${number}`);
    const judged = question?.kind === "number" ? question : undefined, wrong = question?.kind === "point" || question?.kind === "do" ? question.wrong : undefined;
    const told = {
      others, svg, paper: renamed(page.paper(() => page.svg(onPaper.width, onPaper.height)), `paper-${lesson.name}-${number}`), axes: question?.kind === "sketch" ? axesOf(question, valueOf) : undefined,
      before: write(step.before), ask: write(question?.ask), right: question ? rightAnswer(question, valueOf, write) : null,
      options: question?.kind === "choose" ? question.options.map(({ label, meaning, right }) => ({ label: write(label), meaning: write(meaning), right: valueOf(right) === true })) : undefined,
      low: write(judged?.low), high: write(judged?.high), wrong: write(wrong),
      notes: write(step.teacher),
      tolerance: question && "tolerance" in question ? asNumber(valueOf(question.tolerance)) : undefined,
      curve: question?.kind === "sketch" && valueOf(question.curve) instanceof Grid,
    };
    if (step.show) await this.#show(step.show);
    snapshot = page.snapshot();
    return { ...told, after: write(step.after) };
  }
}
