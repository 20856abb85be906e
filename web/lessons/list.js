// The list of all lessons, as a dialog: minutes, what each needs, and how far the visitor has come.
import { h } from "../shell/dom.js";

export class LessonList {
  /** `open(name, step)`: step 0 is where the visitor left the lesson. `teach()` opens the teacher's page. */
  constructor(index, progress, open, teach) {
    this.index = index;
    this.progress = progress;
    this.open = open;
    this.items = h("ol");
    this.dialog = h("dialog", { id: "lessons-list", "aria-labelledby": "lessons-list-title" },
      h("h2", { id: "lessons-list-title" }, "Lessons"), h("p", {}, "Each step asks before it shows. Your place is kept on this device."), this.items,
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => { this.dialog.close(); teach(); } }, "For teachers"), h("button", { type: "button", onclick: () => this.dialog.close() }, "Close")));
    document.body.append(this.dialog);
  }

  #item({ name, number, title, minutes, summary, steps }, current) {
    const at = this.progress.step(name, steps), done = this.progress.isDone(name, steps);
    const place = done ? "read to the end" : at ? `step ${at} of ${steps}` : `${steps} steps`;
    return h("li", {}, h("button", { type: "button", "aria-current": name === current && "true", onclick: () => {
      this.dialog.close();
      this.open(name, done && name !== current ? 1 : 0);
    } }, h("b", {}, `${number}. ${title}`), h("span", {}, summary), h("small", {}, `${minutes} minutes · ${place}`)));
  }

  show(current) {
    this.items.replaceChildren(...this.index.map((lesson) => this.#item(lesson, current)));
    this.dialog.showModal();
  }
}
