// Lessons: a column of steps beside the figure. Which step is open is part of the page's state, and so of its link and history; how
// far the visitor has come is kept on this device. This module and a lesson's text load when a lesson opens.
import { $, h } from "../shell/dom.js";
import { silence, timeLimit } from "../sources/limits.js";
import { addressOf } from "../start/files.js";
import { expanded, shows } from "./fragments.js";
import { LessonList } from "./list.js";
import { Progress } from "./progress.js";
import { keyOf, nextSeed, seeded } from "./seeds.js";
import { StepView } from "./step.js";
import { Texts } from "./text.js";
import { Values } from "./values.js";
import { lessonFile, say } from "../words/words.js";

const style = addressOf("style/lessons.css");

/** Resolves when the style is there; a style that does not come costs the looks only. */
const styled = new Promise((done) => {
  const sheet = h("link", { rel: "stylesheet", href: style, onload: done, onerror: done });
  document.head.append(sheet);
});

/** "helix/3" as {name, step}; null for anything else. */
const placeOf = (/** @type {string | undefined} */ at) => {
  const [, name, step] = /^([a-z0-9-]+)\/(\d+)$/.exec(at ?? "") ?? [];
  return name ? { name, step: Number(step) } : null;
};

export class Lessons {
  /** @type {Map<string, Promise<Lesson | null>>} */
  #lessons = new Map();
  /** @type {Lesson | null} */
  #lesson = null; // the one that is shown, with the numbers of the seed
  #seed = 0;
  #step = 0;
  #snapshot = /** @type {Snapshot} */ (/** @type {unknown} */ (null)); // the newest; null until the first is rendered
  #focusNext = false; // the visitor has asked for the next step to appear
  /** @type {StepView | null} */
  #view = null;
  /** @type {Set<string>} */
  #failed = new Set(); // lessons that did not arrive
  /** @type {Progress} */
  #spoken;
  #presenting = false;
  #unknown = ""; // a lesson that the page was asked for and does not have

  /** @param {LessonsPage & {index: LessonEntry[]}} page */
  constructor(page) {
    this.page = page;
    this.progress = new Progress();
    this.#spoken = new Progress({ kept: false }); // what presenter's mode has shown is no answer of the visitor's
    this.values = new Values(page.schemas, page.engine, () => this.#update());
    this.list = new LessonList(page.index, this.progress, (name, step) => this.go(name, step), page.teach);
    this.box = h("section", { id: "lesson", "aria-labelledby": "lesson-title", hidden: true });
    document.querySelector("main")?.before(this.box);
    this.box.addEventListener("keydown", (event) => this.#key(event));
  }

  /** The value of a lesson's expression. */
  evaluate(/** @type {string} */ expression) {
    return this.values.evaluate(expression, this.#snapshot);
  }

  /**
   * The lesson's text, or null, after saying why.
   * @param {string} name
   * @returns {Promise<Lesson | null>}
   */
  #read(name) {
    if (!this.page.index.some((lesson) => lesson.name === name)) {
      if (this.#unknown !== name) this.page.dispatch({ do: "notice", sentence: say("This page has no lesson “{name}”.", { name: (this.#unknown = name) }) });
      return Promise.resolve(null);
    }
    if (!this.#lessons.has(name))
      this.#lessons.set(name, fetch(addressOf(lessonFile(name)), { signal: timeLimit(silence) }).then(async (answer) => {
        if (!answer.ok) throw new Error();
        await styled;
        return answer.json();
      }).catch(() => {
        this.#failed.add(name);
        this.page.dispatch({ do: "notice", sentence: say("The lesson could not be loaded. Check the connection and open it again.") });
        return null;
      }));
    return /** @type {Promise<Lesson | null>} */ (this.#lessons.get(name));
  }

  /** Lessons that did not arrive are asked for again when they are next wanted. */
  askAgain() {
    for (const name of this.#failed) this.#lessons.delete(name);
    this.#failed.clear();
  }

  /** Whether this lesson did not arrive when it was last asked for. */
  lacks(/** @type {string} */ name) {
    return this.#failed.has(name);
  }

  /** Opens a step as one step of the history; step 0: where the visitor left the lesson. */
  async go(/** @type {string} */ name, step = 0) {
    this.askAgain();
    const lesson = await this.#read(name);
    if (!lesson) return;
    const wanted = Math.min(step || this.progress.step(name, lesson.steps.length) || 1, lesson.steps.length);
    this.#focusNext = true;
    this.#show(seeded(lesson, this.page.snapshot().state.seed), wanted);
  }

  /** Asks the open step again, with other numbers. */
  async #ask(/** @type {Lesson} */ { name }, /** @type {number} */ step) {
    const lesson = await this.#read(name);
    if (!lesson) return;
    const seed = nextSeed(name, step, this.#seed, 1 + (lesson.steps[step - 1].versions?.length ?? 0));
    this.#focusNext = true;
    this.#show(seeded(lesson, seed), step, { seed });
  }

  /** Whose answers count: the visitor's, or those of presenter's mode. */
  get #answers() {
    return this.page.snapshot().state.present ? this.#spoken : this.progress;
  }

  /** The state of a step: as it asks, or as it shows the answer where that is known. */
  #fragment(/** @type {Lesson} */ lesson, /** @type {number} */ step) {
    const { state, show, version } = lesson.steps[step - 1];
    return show && this.#answers.answer(lesson.name, keyOf(step, version)) ? show : state;
  }

  /**
   * `clean`: from the view as it is at first; else the camera stays where the visitor has turned it. `seed`: another one from now on.
   * @param {Lesson} lesson
   * @param {number} step
   * @param {{clean?: boolean, seed?: number}} [how]
   */
  #show(lesson, step, { clean = true, seed } = {}) {
    if (clean) {
      const windows = Object.fromEntries(Object.keys(this.page.snapshot().state.windows).map((axis) => [axis, null]));
      this.page.dispatch({ do: "view", focus: {}, windows, reset_camera: true, dragging: true }); // part of the step that follows
    }
    this.page.dispatch({ do: "lesson", at: `${lesson.name}/${step}`, fragment: expanded(this.#fragment(lesson, step), this.page.schemas) + (seed ? `&seed=${seed}` : "") });
  }

  leave() {
    this.page.dispatch({ do: "lesson", at: "" });
    $("canvas").focus({ preventScroll: true });
  }

  /** Shows the list of all lessons. */
  openList() {
    styled.then(() => this.list.show(placeOf(this.#snapshot?.state.lesson)?.name));
  }

  async render(/** @type {Snapshot} */ snapshot) {
    if (snapshot.state.lesson !== this.#snapshot?.state.lesson) this.askAgain(); // whoever goes to another step, or comes back to a lesson
    this.#snapshot = snapshot;
    const place = placeOf(snapshot.state.lesson);
    if (!place) return this.#close();
    if (this.#isOpen(place)) return this.#update();
    const lesson = await this.#read(place.name), now = placeOf(this.#snapshot.state.lesson);
    if (!lesson || now?.name !== place.name || now.step !== place.step) return;
    if (this.#isOpen(place)) return;
    this.#seed = this.#snapshot.state.seed;
    this.#open(seeded(lesson, this.#seed), Math.min(Math.max(place.step, 1), lesson.steps.length), place.step);
  }

  /** Whether the step is shown that the state asks for. */
  #isOpen(/** @type {{name: string, step: number}} */ { name, step }) {
    const { seed, present } = this.#snapshot.state;
    return this.#lesson?.name === name && this.#step === step && this.#seed === seed && this.#presenting === present;
  }

  #close() {
    if (!this.#lesson) return;
    this.#lesson = null;
    this.#step = 0;
    this.box.hidden = true;
    this.box.replaceChildren();
    document.body.classList.remove("in-lesson");
  }

  /**
   * `named`: the step that the state names, which the lesson may not have.
   * @param {Lesson} lesson
   * @param {number} step
   * @param {number} named
   */
  #open(lesson, step, named) {
    const inside = this.box.contains(document.activeElement) || this.#focusNext;
    this.#lesson = lesson;
    this.#step = named;
    this.#presenting = this.#snapshot.state.present;
    if (!this.#presenting) this.progress.at(lesson.name, step);
    document.body.classList.add("in-lesson");
    this.values.use(lesson.steps[step - 1].runs ?? {}, this.#snapshot, this.#snapshot.state.study);
    this.#view = new StepView(lesson, step, {
      progress: this.#answers,
      values: this.values,
      snapshot: () => this.#snapshot,
      next: this.page.index[this.page.index.findIndex((l) => l.name === lesson.name) + 1],
      go: (fragment) => this.page.dispatch({ do: "go", fragment: `from=here&${fragment}` }),
      step: (wanted) => this.go(lesson.name, wanted),
      lesson: (name) => this.go(name, 0),
      again: () => this.#show(lesson, step),
      reveal: () => this.#show(lesson, step, { clean: false }),
      other: () => this.#ask(lesson, step),
      list: () => this.openList(),
      leave: () => this.leave(),
    });
    this.box.hidden = false;
    this.box.replaceChildren(...this.#view.elements);
    if (inside) this.#view.focus();
    this.#focusNext = false;
    if (getComputedStyle(this.box).position === "fixed") $("figure").scrollIntoView({ block: "start", behavior: "instant" }); // a sheet over a page that scrolls
    this.#update();
  }

  /**
   * For presenter's mode: the open step, or null where no lesson is open.
   * @returns {PresentedStep | null}
   */
  presented() {
    if (!this.#lesson) return null;
    const step = Math.min(Math.max(this.#step, 1), this.#lesson.steps.length), lesson = this.#lesson;
    return {
      lesson, step, shown: this.#shown(step), revealed: /** @type {StepView} */ (this.#view).revealed, reveal: () => /** @type {StepView} */ (this.#view).reveal(),
      go: (by) => { if (lesson.steps[step - 1 + by]) this.go(lesson.name, step + by); },
      write: (parts) => Texts.written(parts, (expression) => this.values.evaluate(expression, this.#snapshot)),
      numbers: () => this.values.complete(this.#snapshot),
    };
  }

  #update() {
    if (!this.#lesson || !this.#snapshot) return;
    const step = Math.min(Math.max(this.#step, 1), this.#lesson.steps.length);
    this.values.follow(this.#snapshot);
    /** @type {StepView} */ (this.#view).update(this.#snapshot, !this.#shown(step));
  }

  /** Whether the figure shows the step, before or after its answer. */
  #shown(/** @type {number} */ step) {
    const { state, show } = /** @type {Lesson} */ (this.#lesson).steps[step - 1];
    return [state, show].some((fragment) => fragment && shows(this.#snapshot, expanded(fragment, this.page.schemas), this.page.schemas));
  }

  #key(/** @type {KeyboardEvent} */ event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || /** @type {Element} */ (event.target).closest("input, svg, select, textarea")) return;
    const step = this.#step + by;
    event.preventDefault();
    const { name, steps } = /** @type {Lesson} */ (this.#lesson);
    if (step >= 1 && step <= steps.length) this.go(name, step);
  }
}

