// The teacher's page: paths through the lessons, what to ask and what pupils get wrong, handouts, what each view needs, and the answers
// of a class. Everything on it comes from the lessons, the studies' schemas and runs of the page's own engine.
import { h } from "../shell/dom.js";
import { addressOf } from "../start/files.js";
import { trustedDrawing } from "../start/trusted.js";
import { Answers } from "./answers_table.js";
import { handout } from "./handout.js";
import { needsOf, studyOf } from "./needs.js";
import { Rehearsal } from "./rehearsal.js";
import { groupName, lessonFile, marked, say } from "../words/words.js";

const style = addressOf("style/teach.css");
/** @typedef {import("./rehearsal.js").RehearsedStep} RehearsedStep */
/** @typedef {{minutes: number, title: string, summary: string, steps: string[]}} Path a way through several lessons, by steps such as "helix/3" */

const copy = (/** @type {(string | Element)[]} */ nodes) => nodes.map((node) => (typeof node === "string" ? node : node.cloneNode(true)));
const minutesOf = (/** @type {{minutes: number}[]} */ steps) => steps.reduce((sum, { minutes }) => sum + minutes, 0);
const kinds = { choose: marked("choose"), number: marked("a number"), point: marked("point in the figure"), do: marked("change something"), sketch: marked("draw a curve") };

async function read(/** @type {string} */ file) {
  const answer = await fetch(addressOf(file));
  if (!answer.ok) throw new Error();
  return answer.json();
}

export class Teacher {
  /** @type {Promise<void> | null} */
  #ready = null; // a promise: the lessons are there and written
  #working = Promise.resolve(); // rehearsals, one after the other
  /** @type {Map<string, Promise<RehearsedStep[]>>} */
  #told = new Map(); // by lesson
  open = false;
  /** @type {Lesson[]} */
  lessons = [];
  /** @type {Path[]} */
  paths = [];

  /** @param {TeachersPage} page @param {{leave: () => void}} actions */
  constructor(page, actions) {
    this.page = page;
    this.rehearsal = new Rehearsal(page);
    this.looks = new Promise((done) => document.head.append(h("link", { rel: "stylesheet", href: style, onload: done, onerror: done })));
    this.body = h("div", { class: "content" });
    this.status = h("p", { class: "status", role: "status" });
    const button = (/** @type {string} */ label, /** @type {() => void} */ act, more = {}) => h("button", { type: "button", onclick: act, ...more }, label);
    this.box = h("section", { id: "teach", "aria-labelledby": "teach-title", hidden: true },
      h("div", { class: "top" }, h("h1", { id: "teach-title", tabindex: "-1" }, say("For teachers")), this.status,
        button(say("Share a view"), () => page.share()), button(say("Print"), () => this.#print("")), button(say("Back to the figure"), actions.leave, { class: "primary" })), this.body);
    document.body.append(this.box);
    this.box.addEventListener("keydown", (event) => { if (event.key === "Escape" && !document.querySelector("dialog[open]")) actions.leave(); });
    addEventListener("afterprint", () => { delete document.body.dataset.print; });
  }

  async show(/** @type {string} */ hash) {
    this.open = true;
    await this.looks;
    this.box.hidden = false;
    document.body.classList.add("teaching");
    this.#others().forEach((other) => { other.inert = true; });
    this.#ready ??= this.#write();
    await this.#ready;
    if (hash.startsWith("#answers=")) this.answers?.take([hash]);
    this.box.querySelector("h1")?.focus({ preventScroll: true });
  }

  /** The rest of the page, without its dialogs. */
  #others() {
    return /** @type {HTMLElement[]} */ ([...document.body.children].filter((other) => other !== this.box && other.localName !== "dialog"));
  }

  async hide() {
    this.open = false;
    this.box.hidden = true;
    document.body.classList.remove("teaching");
    this.#others().forEach((other) => { other.inert = false; });
    await this.#working;
  }

  async #write() {
    try {
      [this.paths, ...this.lessons] = await Promise.all([read("lessons/paths.json"), ...this.page.index.map(({ name }) => read(lessonFile(name)))]);
    } catch {
      this.#ready = null;
      this.body.replaceChildren(h("p", {}, say("The lessons could not be loaded. Check the connection and open this page again.")));
      return;
    }
    this.answers = new Answers(this.lessons, (lesson) => this.#rehearsed(lesson));
    this.body.replaceChildren(
      h("p", { class: "lead" }, say("A class needs this page and no accounts. Each step of a lesson asks before it shows; pupils answer on their own devices, or together in front of the projector.")),
      h("section", {}, h("h2", {}, say("Three ways through")), h("div", { class: "paths" }, ...this.paths.map((path) => this.#path(path)))),
      h("section", {}, h("h2", {}, say("Lessons")), ...this.lessons.map((lesson) => this.#lesson(lesson))),
      this.answers.element, this.#needs(), this.#links());
  }

  /** The models that come with the page. */
  get #own() {
    return this.page.snapshot().models.filter(({ name }) => this.page.models.isBundled(name));
  }

  #go(/** @type {string} */ fragment) {
    location.hash = `#v=1&${fragment}`;
  }

  #step(/** @type {string} */ at) {
    const [name, number] = at.split("/"), lesson = /** @type {Lesson} */ (this.lessons.find((l) => l.name === name));
    return { lesson, number: Number(number), ...lesson.steps[Number(number) - 1] };
  }

  #path(/** @type {Path} */ { minutes, title, summary, steps }) {
    const found = steps.map((at) => this.#step(at)), first = steps[0];
    return h("article", { class: "path" }, h("h3", {}, say("{minutes} minutes: {title}", { minutes, title: say(title) })), h("p", {}, say(summary)),
      h("ol", {}, ...found.map((step) => h("li", {}, h("a", { href: `#v=1&lesson=${step.lesson.name}/${step.number}` }, step.title), `\u00a0· ${step.minutes}\u00a0min`))),
      h("p", { class: "small" }, say("{steps} minutes of steps, {rest} for the class.", { steps: minutesOf(found), rest: minutes - minutesOf(found) })),
      h("button", { type: "button", onclick: () => this.#go(`lesson=${first}&present=1`) }, say("Present")));
  }

  /** What all steps of a lesson need, and whether the models that come with the page have it. */
  #lessonNeeds(/** @type {Lesson} */ lesson) {
    const found = lesson.steps.flatMap((step) => [step.state, step.show, ...Object.values(step.runs ?? {})]).filter((fragment) => fragment !== undefined)
      .map((fragment) => this.page.schemas.find((s) => s.id === studyOf(fragment))).filter((schema) => schema !== undefined).map((schema) => needsOf(schema, this.#own));
    return { needs: [...new Set(found.map(({ needs }) => needs))].join("; "), offline: found.every(({ offline }) => offline) };
  }

  #lesson(/** @type {Lesson} */ lesson) {
    const { needs, offline } = this.#lessonNeeds(lesson), place = h("div", { class: "steps" }), sheet = h("div", { class: "handout" });
    const compute = h("button", { type: "button", class: "primary", onclick: () => this.#fill(lesson, place, sheet) }, say("Work out answers and pictures"));
    const print = h("button", { type: "button", disabled: true, onclick: () => this.#print(lesson.name) }, say("Print a handout"));
    place.append(...lesson.steps.map((step, i) => this.#outline(step, i + 1)));
    const details = h("details", { class: "lesson", "data-lesson": lesson.name }, h("summary", {}, h("b", {}, `${lesson.number}. ${lesson.title}`),
      h("span", {}, say("{minutes} minutes ({steps} of steps), {count} questions", { minutes: lesson.minutes, steps: minutesOf(lesson.steps), count: lesson.steps.length }))),
    h("p", {}, lesson.summary), h("p", { class: "small" }, `${say("Needs {needs}.", { needs })} ${offline ? say("Runs without a network, on the models that come with the page.") : say("Needs a model from the hub.")}`),
    h("div", { class: "buttons" },
      h("button", { type: "button", onclick: () => this.#go(`lesson=${lesson.name}/1`) }, say("Open")),
      h("button", { type: "button", onclick: () => this.#go(`lesson=${lesson.name}/1&present=1`) }, say("Present")), compute, print), place, sheet);
    return details;
  }

  #outline(/** @type {LessonStep} */ step, /** @type {number} */ number) {
    const { question } = step;
    return h("section", { class: "step" }, h("h4", {}, `${number}. ${step.title}`), h("p", { class: "small" }, `${say("{minutes} minutes", { minutes: step.minutes })} · ${question ? say(kinds[question.kind]) : say("to read")}`));
  }

  /**
   * What a rehearsal of the lesson found; the lessons follow each other.
   * @param {Lesson} lesson
   * @returns {Promise<RehearsedStep[]>}
   */
  #rehearsed(lesson) {
    if (!this.#told.has(lesson.name)) {
      const run = this.#working.then(() => this.rehearsal.through(lesson, (at, count) => { this.status.textContent = say("Lesson {lesson}: step {at} of {count}…", { lesson: lesson.number, at, count }); }));
      this.#working = run.catch(() => {}).then(() => { this.status.textContent = ""; });
      this.#told.set(lesson.name, run.catch((error) => {
        this.#told.delete(lesson.name);
        throw error;
      }));
    }
    return /** @type {Promise<RehearsedStep[]>} */ (this.#told.get(lesson.name));
  }

  /** @param {Lesson} lesson @param {HTMLElement} place @param {HTMLElement} sheet */
  async #fill(lesson, place, sheet) {
    const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (/** @type {HTMLElement} */ (place.parentElement).querySelectorAll(".buttons button"));
    buttons[2].disabled = true;
    try {
      const told = await this.#rehearsed(lesson);
      place.replaceChildren(...lesson.steps.map((step, i) => this.#telling(step, i + 1, told[i])));
      sheet.replaceChildren(...handout(lesson, told));
      buttons[3].disabled = false;
    } catch (error) {
      buttons[2].disabled = false;
      this.status.textContent = say("The answers could not be worked out: {why}", { why: error.message });
    }
  }

  #picture(/** @type {string} */ svg) {
    const box = h("div", { class: "picture" });
    box.innerHTML = trustedDrawing(svg);
    return box;
  }

  /** @param {LessonStep} step @param {number} number @param {RehearsedStep} told */
  #telling(step, number, told) {
    const { question } = step;
    const row = (/** @type {string} */ name, /** @type {(Node | string)[]} */ ...content) => (content.length ? [h("dt", {}, name), h("dd", {}, ...content)] : []);
    const wrong = (told.options ?? []).filter((option) => !option.right).flatMap(({ label, meaning }) => [h("p", {}, "“", ...copy(label), "”: ", ...copy(meaning))]);
    const often = [...(told.low.length ? [h("p", {}, say("Too small: "), ...told.low)] : []), ...(told.high.length ? [h("p", {}, say("Too large: "), ...told.high)] : []),
      ...(told.wrong.length ? [h("p", {}, ...told.wrong)] : []), ...wrong];
    return h("section", { class: "step" }, h("h4", {}, `${number}. ${step.title}`),
      h("p", { class: "small" }, `${say("{minutes} minutes", { minutes: step.minutes })} · ${question ? say(kinds[question.kind]) : say("to read")}`), this.#picture(told.svg),
      h("dl", {}, ...row(say("Ask"), ...copy(told.ask)), ...row(say("Answer"), ...(told.right ? [h("b", {}, ...copy(told.right.words)), " "] : []), ...copy(told.after)),
        ...row(say("With other numbers"), ...told.others.map(({ drawn, right }) => h("p", {}, `${drawn}: `, ...copy(right?.words ?? ["–"])))),
        ...row(say("What pupils get wrong"), ...often), ...row(say("Notes"), ...copy(told.notes))));
  }

  #print(/** @type {string} */ lesson) {
    document.body.dataset.print = lesson || "all";
    for (const details of /** @type {NodeListOf<HTMLDetailsElement>} */ (this.body.querySelectorAll("details.lesson"))) {
      details.classList.toggle("printed", details.dataset.lesson === lesson);
      if (details.dataset.lesson === lesson) details.open = true;
    }
    print();
  }

  #needs() {
    const rows = this.page.schemas.map((schema) => ({ schema, ...needsOf(schema, this.#own) }));
    return h("section", {}, h("h2", {}, say("What each view needs")), h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": say("What each view needs") }, h("table", {}, h("thead", {}, h("tr", {}, ...[say("View"), say("Group"), say("Needs"), say("Without a network")].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...rows.map(({ schema, needs, offline }) => h("tr", {}, h("th", { scope: "row" }, h("a", { href: `#v=1&study=${schema.id}` }, schema.title)), h("td", {}, groupName(schema.group)), h("td", {}, needs), h("td", {}, offline ? say("yes") : say("no"))))))));
  }

  #links() {
    const rows = [["lesson=NAME/STEP", say("a step of a lesson")], ["seed=own", say("the page of each pupil draws numbers of its own, in the questions that have several")], ["present=1", say("presenter’s mode")], ["embed=1", say("the figure alone, for another page")],
      ["theme=dark", say("or light: the theme")], ["hide=menu,settings", say("leaves parts out: {parts}", { parts: this.page.hideNames().join(", ") })]];
    return h("section", {}, h("h2", {}, say("Links")), h("p", {}, say("“Share a view” writes these for you. A link holds everything that is on the screen; these parts can be added to any.")),
      h("dl", { class: "keys" }, ...rows.flatMap(([key, meaning]) => [h("dt", {}, h("code", {}, key)), h("dd", {}, meaning)])));
  }
}
