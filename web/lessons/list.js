// The list of all lessons, as a dialog: minutes, what each needs, and how far the visitor has come.
import { h } from "../shell/dom.js";
import { isTranslated, say } from "../words/words.js";

export class LessonList {
  /**
   * `open(name, step)`: step 0 is where the visitor left the lesson. `teach()` opens the teacher's page.
   * @param {LessonEntry[]} index
   * @param {import("./progress.js").Progress} progress
   * @param {(name: string, step: number) => void} open
   * @param {() => void} teach
   */
  constructor(index, progress, open, teach) {
    this.index = index;
    this.progress = progress;
    this.open = open;
    this.items = h("ol");
    this.dialog = h("dialog", { id: "lessons-list", "aria-labelledby": "lessons-list-title" },
      h("h2", { id: "lessons-list-title" }, say("Lessons")), h("p", {}, say("Each step asks before it shows. Your place is kept on this device.")), this.items,
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => { this.dialog.close(); teach(); } }, say("For teachers")), h("button", { type: "button", onclick: () => this.dialog.close() }, say("Close"))));
    document.body.append(this.dialog);
  }

  #item(/** @type {LessonEntry} */ { name, number, title, minutes, summary, steps }, /** @type {string | undefined} */ current) {
    const at = this.progress.step(name, steps), done = this.progress.isDone(name, steps);
    const place = done ? say("read to the end") : at ? say("step {at} of {steps}", { at, steps }) : say("{steps} steps", { steps });
    return h("li", {}, h("button", { type: "button", "aria-current": name === current && "true", onclick: () => {
      this.dialog.close();
      this.open(name, done && name !== current ? 1 : 0);
    } }, h("b", {}, `${number}. ${title}`), h("span", {}, summary), h("small", {}, say("{minutes} minutes · {place}", { minutes, place }), isTranslated(name) ? null : ` · ${say("in English")}`)));
  }

  show(/** @type {string | undefined} */ current) {
    this.items.replaceChildren(...this.index.map((lesson) => this.#item(lesson, current)));
    this.dialog.showModal();
  }
}
