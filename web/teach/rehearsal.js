// Goes through a lesson's steps with the page's own engine: the pictures, the numbers in the texts and the right answers. Afterwards
// the page shows what it showed before.
import { expanded } from "../lessons/fragments.js";
import { written } from "../lessons/format.js";
import { Grid } from "../lessons/expression.js";
import { Texts } from "../lessons/text.js";
import { Values } from "../lessons/values.js";

const picture = { width: 760, height: 420 };

/** The right answer in words, and as a number for a histogram; null where it depends on what is drawn or done. */
function rightAnswer(question, valueOf, write) {
  if (question.kind === "choose") {
    const at = question.options.findIndex(({ right }) => valueOf(right) === true);
    return at < 0 ? null : { value: at + 1, words: write(question.options[at].label) };
  }
  if (question.kind !== "number") return null;
  const value = valueOf(question.answer);
  if (!Number.isFinite(value)) return null;
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 2;
  return { value, words: [`${written(value, String(digits))}${question.unit ? ` ${question.unit}` : ""}`] };
}

/** An SVG's markup with names of its own, so that several can stand in one document. Groups, to which nothing refers, have none. */
export const renamed = (svg, prefix) => svg.replace(/<g id="[^"]*"/g, "<g").replace(/\bid="/g, `id="${prefix}-`).replace(/url\(#/g, `url(#${prefix}-`);

export class Rehearsal {
  #values;

  /** `page`: dispatch, snapshot, schemas, engine, settled(), svg(width, height), paper(fn) (calls with the colours of paper). */
  constructor(page) {
    this.page = page;
    this.#values = new Values(page.schemas, page.engine, () => {});
  }

  /** [{before, ask, options, after, notes, right, svg}] of each step, as elements and markup; `told(step, count)` as it goes on. */
  async through(lesson, told) {
    const { page } = this, { link } = page.snapshot(), found = [];
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

  async #show(fragment) {
    const { page } = this;
    page.dispatch({ do: "view", focus: {}, windows: Object.fromEntries(Object.keys(page.snapshot().state.windows).map((axis) => [axis, null])), reset_camera: true, dragging: true });
    page.dispatch({ do: "go", fragment: `from=start&${expanded(fragment, page.schemas)}` });
    await page.settled();
  }

  async #step(lesson, step, number) {
    const { page } = this;
    await this.#show(step.state);
    let snapshot = page.snapshot();
    this.#values.use(step.runs ?? {}, snapshot, snapshot.state.study);
    await this.#values.settled();
    const valueOf = (expression) => this.#values.evaluate(expression, snapshot);
    const write = (parts) => Texts.written(parts ?? [], valueOf);
    const { question } = step, svg = renamed(page.paper(() => page.svg(picture.width, picture.height)), `${lesson.name}-${number}`);
    const told = {
      svg, before: write(step.before), ask: write(question?.ask), right: question ? rightAnswer(question, valueOf, write) : null,
      options: question?.options?.map(({ label, meaning, right }) => ({ label: write(label), meaning: write(meaning), right: valueOf(right) === true })),
      ...Object.fromEntries(["low", "high", "wrong"].map((key) => [key, write(Array.isArray(question?.[key]) ? question[key] : [])])), // of a sketch, the ends of its axis
      notes: write(step.teacher),
      tolerance: question?.tolerance ? valueOf(question.tolerance) : undefined,
      curve: question?.kind === "sketch" && valueOf(question.curve) instanceof Grid,
    };
    if (step.show) await this.#show(step.show);
    snapshot = page.snapshot();
    return { ...told, after: write(step.after) };
  }
}
