// One step of a lesson as elements: its text, its question, what stands behind the answer.
import { h, setText } from "../shell/dom.js";
import { handIn } from "./hand_in.js";
import { makeQuestion } from "./questions.js";
import { keyOf } from "./seeds.js";
import { Texts } from "./text.js";
import { isTranslated, say } from "../words/words.js";

/**
 * @typedef {{progress: import("./progress.js").Progress, values: import("./values.js").Values, snapshot: () => Snapshot, next?: LessonEntry,
 *   go: (fragment: string) => void, step: (step: number) => void, lesson: (name: string) => void, again: () => void, reveal: () => void, other: () => void,
 *   list: () => void, leave: () => void}} StepPage
 */

const fold = (/** @type {string} */ title, /** @type {(Node | string)[]} */ content) => h("details", {}, h("summary", {}, title), ...content);

export class StepView {
  #shown = ""; // what the numbers were written for
  #attempted = false;
  // Where the step asks something: its question, what was said of the answer, and the buttons.
  /** @type {AskedQuestion | null} */
  question = null;
  said = h("div", { class: "said", role: "status" });
  check = h("button", { type: "submit", class: "primary" });
  tell = h("button", { type: "button", hidden: true, onclick: () => this.#settle("shown") }, say("Show the answer"));
  onward = h("button");
  other = h("button", { type: "button", class: "other", hidden: true, onclick: () => this.page.other() }, say("Ask with other numbers"));

  /**
   * `page.next`: the lesson after this one.
   * @param {Lesson} lesson
   * @param {number} number
   * @param {StepPage} page
   */
  constructor(lesson, number, page) {
    this.lesson = lesson;
    this.number = number;
    this.page = page;
    this.step = lesson.steps[number - 1];
    this.key = keyOf(number, this.step.version);
    this.texts = new Texts(page.go);
    this.title = h("h1", { id: "lesson-title", tabindex: "-1" }, this.step.title);
    this.after = h("div", { class: "after" }, ...this.texts.made(this.step.after));
    this.differs = h("p", { class: "differs", role: "status" });
    this.back = h("button", { type: "button", class: "again", hidden: true, onclick: () => page.again() }, say("Back to this step’s view"));
    const text = h("div", { class: "text" }, ...this.texts.made(this.step.before));
    this.body = h("div", { class: "body", tabindex: "-1", role: "group", "aria-labelledby": "lesson-title", lang: isTranslated(lesson.name) ? null : "en" }, this.title, text, ...this.#ask(), this.after, this.differs, ...this.#folds());
    this.elements = [this.#head(), this.body, this.#foot()];
    this.#showAnswer();
  }

  /** Shows what stands behind the question, as if the answer had been asked for. */
  reveal() {
    if (!this.after.hidden || !this.step.question) return;
    this.#settle("shown");
  }

  get revealed() {
    return !this.after.hidden || !this.step.question;
  }

  focus() {
    this.title.focus({ preventScroll: true });
  }

  #head() {
    const { lesson, number, page } = this, count = lesson.steps.length;
    const steps = lesson.steps.map(({ title }, i) => h("li", {}, h("button", {
      type: "button", "aria-label": say("Step {number}: {title}", { number: i + 1, title }), title, "aria-current": i + 1 === number && "step",
      class: page.progress.answer(lesson.name, keyOf(i + 1, lesson.steps[i].version)) || i + 1 < number ? "done" : "", onclick: () => page.step(i + 1),
    })));
    return h("div", { class: "head" },
      h("p", { class: "where" }, say("Lesson {lesson} · {title} · step {step} of {count}", { lesson: lesson.number, title: lesson.title, step: number, count }), isTranslated(lesson.name) ? null : h("small", { class: "mark" }, say("in English"))),
      h("span", { class: "doors" },
        h("button", { type: "button", class: "all", "aria-label": say("All lessons"), title: say("All lessons"), onclick: () => page.list() }, "☰"),
        h("button", {
          type: "button", class: "leave", "aria-label": say("Leave the lesson"), title: say("Leave the lesson; your place is kept"), onclick: () => page.leave(),
        }, "×")),
      h("ol", { class: "steps", "aria-label": say("Steps") }, ...steps));
  }

  #foot() {
    const { lesson, number, page } = this, count = lesson.steps.length, last = number === count;
    const button = (/** @type {string} */ label, /** @type {() => void} */ act) => h("button", { type: "button", onclick: act }, label);
    const following = page.next;
    /** @type {[string, () => void]} */
    const next = following ? [say("Next lesson: {title} →", { title: following.title }), () => page.lesson(following.name)] : [say("All lessons"), () => page.list()];
    const hand = last ? button(say("Hand in your answers"), () => handIn(lesson, page.progress.given(lesson), page.snapshot().link)) : null;
    this.onward = button(.../** @type {[string, () => void]} */ (last ? next : [say("Step {number} →", { number: number + 1 }), () => page.step(number + 1)]));
    return h("div", { class: "foot" },
      number > 1 ? button(say("← Step {number}", { number: number - 1 }), () => page.step(number - 1)) : null,
      this.onward,
      hand,
      this.back);
  }

  #folds() {
    const { step, lesson, number } = this, count = (step.hints ?? []).length;
    return [...(step.hints ?? []).map((hint, i) => fold(count > 1 ? say("Hint {number}", { number: i + 1 }) : say("Hint"), this.texts.made(hint))),
      ...(step.teacher ? [fold(say("For the teacher"), this.texts.made(step.teacher))] : []),
      ...(number === 1 || number === lesson.steps.length
        ? [fold(say("Sources and what this needs"), [h("p", {}, say("Needs: {needs}", { needs: lesson.needs })), h("p", {}, say("Sources: {sources}", { sources: lesson.sources }))])] : [])];
  }

  #ask() {
    const { question } = this.step;
    if (!question) return [];
    this.question = makeQuestion(question, this.texts, this.number);
    this.check.textContent = question.kind === "sketch" ? say("Show the model’s curve") : say("Check");
    this.form = h("form", { class: "ask", novalidate: true, "aria-label": say("Question") },
      h("div", { class: "asked" }, ...this.texts.made(question.ask)), this.question.element, this.said, h("div", { class: "row" }, this.check, this.tell, this.other));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#judge();
    });
    return [this.form];
  }

  #valueOf = (/** @type {string} */ expression) => this.page.values.evaluate(expression, this.page.snapshot());

  async #judge() {
    await this.page.values.settled();
    const { problem, right, sketched, meaning, given } = /** @type {AskedQuestion} */ (this.question).verdict(this.#valueOf);
    if (problem) return this.#say("", [this.page.values.problem || problem]);
    if (this.after.hidden) this.page.progress.tried(this.lesson.name, this.key, /** @type {number} */ (given));
    this.#say(sketched ? "" : right ? say("Right.") : say("Not so."), this.texts.made(/** @type {LessonText} */ (meaning)), right ? "right" : "wrong");
    if (right) return this.#settle("right");
    this.#attempted = true;
    this.tell.hidden = false;
  }

  #say(/** @type {string} */ word, /** @type {(Node | string)[]} */ text, kind = "") {
    const strong = word ? [h("b", {}, word), " "] : [];
    this.said.replaceChildren(h("p", {}, ...strong, ...text));
    this.said.className = `said ${kind}`;
    this.#write();
  }

  /** The question is answered, or the answer was asked for: what stands behind it appears. */
  #settle(/** @type {HowAnswered} */ how) {
    const { progress, reveal } = this.page, known = progress.answer(this.lesson.name, this.key);
    if (!known) progress.answered(this.lesson.name, this.key, how);
    if (how === "shown") this.#say("", [say("The answer is below.")]);
    this.#showAnswer();
    this.#write();
    this.after.scrollIntoView({ block: "nearest" });
    if (this.step.show) reveal();
  }

  #showAnswer() {
    const open = Boolean(this.step.question) && !this.page.progress.answer(this.lesson.name, this.key);
    this.after.hidden = open;
    this.onward.classList.toggle("primary", !open); // while a question is open, its button is the main one
    if (!this.step.question) return;
    this.tell.hidden = !open || !this.#attempted;
    this.other.hidden = open || !this.step.versions;
    if (!open && !this.said.textContent) this.said.replaceChildren(h("p", {}, say("You have answered this before.")));
    this.check.classList.toggle("primary", open);
    this.#shown = ""; // so that the numbers and a sketch's curve are written
  }

  /** Brings numbers and question up to date. `wandered`: the figure shows something else than the step. */
  update(/** @type {Snapshot} */ snapshot, /** @type {boolean} */ wandered) {
    this.back.hidden = !wandered;
    const { state, result } = snapshot;
    const { values } = this.page, focus = state.focus.locked && state.focus;
    const key = JSON.stringify([result.study, result.fingerprint, result.complete, state.params, focus, state.subject.edits, values.complete(snapshot)]);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#write();
  }

  #write() {
    this.texts.update(this.#valueOf);
    this.question?.update?.(this.#valueOf);
    if (!this.after.hidden) this.question?.reveal?.(this.#valueOf);
    const untrue = (this.step.holds ?? []).some((expression) => this.#valueOf(expression) === false);
    setText(this.differs, untrue ? say("What is open now differs from what this text describes. Its numbers are those of what you see.") : "");
  }
}
