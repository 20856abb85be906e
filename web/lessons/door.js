// The ways into the lessons, in the page from the start: a button at the top, a next step beside each study that a lesson is
// about, and the link. The lessons themselves load when one of them opens.
import { $, h } from "../shell/dom.js";
import { addressOf } from "../start/files.js";
import { isTranslated, lessonEntry, say } from "../words/words.js";

/**
 * The lessons that came with the page.
 * @returns {LessonEntry[]}
 */
function readIndex() {
  try {
    return JSON.parse(/** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=helixscope-lessons]"))?.content || "[]");
  } catch {
    return [];
  }
}

export class Door {
  /** @type {Promise<import("./lessons.js").Lessons | null> | null} */
  #lessons = null; // a promise of the module's object
  /** @type {import("./lessons.js").Lessons | null} */
  #open = null; // the object
  #tries = 0; // how often it did not arrive
  #refused = ""; // the step in the state that it did not arrive for
  /** @type {LessonEntry[]} */
  index = readIndex().map(lessonEntry);

  /**
   * `others`: what else the palette finds.
   * @param {LessonsPage} page
   * @param {PaletteEntry[]} others
   */
  constructor(page, others) {
    this.page = page;
    this.others = others;
    /** For the parts of the page that lead to lessons. */
    this.ways = { leads: (/** @type {string} */ study) => this.#leads(study), entries: () => this.#entries(), sections: () => this.#sections() };
  }

  #showList = () => this.#load().then((lessons) => lessons?.openList());

  /** The button beside the groups of studies. */
  bind() {
    if (!this.index.length) return;
    $("groups").append(h("button", { type: "button", id: "lessons", "aria-haspopup": "dialog", onclick: this.#showList }, say("Lessons")));
  }

  /** @returns {Promise<import("./lessons.js").Lessons | null>} */
  #load() {
    const again = this.#tries ? `?again=${this.#tries}` : ""; // browsers keep a module that did not arrive whole under its address
    this.#lessons ??= import(addressOf("lessons/lessons.js").href + again).then(({ Lessons }) => (this.#open = new Lessons({ ...this.page, index: this.index }))).catch(() => { // a module that was cut may still be one, without what it exports
      this.#lessons = null;
      ++this.#tries;
      this.#refused = this.page.snapshot().state.lesson;
      this.page.dispatch({ do: "notice", sentence: say("The lessons could not be loaded. Check the connection and try again.") });
      return null;
    });
    return this.#lessons;
  }

  /** Opens a lesson where the visitor left it. */
  start(/** @type {string} */ name) {
    return this.#load().then((lessons) => lessons?.go(name));
  }

  /** A button for each lesson that is offered beside this study. */
  #leads(/** @type {string} */ study) {
    return this.index.filter((lesson) => lesson.beside.includes(study)).map(({ name, title, minutes, summary }) =>
      h("button", { type: "button", class: "lesson", "data-lesson": name, onclick: () => this.start(name) },
        h("b", {}, say("Start the lesson: {title}", { title })),
        h("small", {}, say("{minutes} minutes. {summary}", { minutes, summary }), isTranslated(name) ? "" : ` (${say("in English")})`)));
  }

  /** What the palette finds. */
  #entries() {
    return [...this.index.map(({ name, title, minutes, summary }) =>
      ({ kind: say("Lesson"), label: title, note: say("{minutes} minutes: {summary}", { minutes, summary }), act: () => this.start(name) })), ...this.others];
  }

  /** The part of the sheet of studies that leads to the list. */
  #sections() {
    if (!this.index.length) return [];
    const button = h("button", { "data-key": "lessons", onclick: this.#showList }, say("{count} lessons, step by step", { count: this.index.length }));
    return [h("section", { "data-group": "Lessons" }, button)];
  }

  /** The lessons, where they have loaded; else null. */
  get opened() {
    return this.#open;
  }

  render(/** @type {Snapshot} */ snapshot) {
    if (this.#open) return void this.#open.render(snapshot);
    const { lesson } = snapshot.state;
    if (lesson === this.#refused) return; // the next link asks again, not each moment of the page
    this.#refused = "";
    if (lesson) this.#load().then((lessons) => lessons?.render(this.page.snapshot()));
  }

  /** A link that was entered: what did not arrive before is asked for again. */
  arrived(/** @type {string} */ link) {
    this.#open?.askAgain();
    this.#refused = "";
    this.follow(link);
  }

  /** Opens the step of a link that names one and no study, and means the step's own view. A lesson that has just not arrived is not
   * asked for again: the page follows the link that it was opened with after it has shown it. */
  follow(/** @type {string} */ link) {
    const keys = new URLSearchParams(link.replace(/^#/, ""));
    const [at, name, step] = /^([a-z0-9-]+)\/(\d+)$/.exec(keys.get("lesson") ?? "") ?? [];
    if (!name || keys.has("study") || at === this.#refused || this.#open?.lacks(name)) return;
    this.#load().then((lessons) => lessons?.go(name, Number(step)));
  }
}
