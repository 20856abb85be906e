// The speaker's notes: a second window that this page writes, so that it needs no address of its own. It has the step's notes, the
// next step and a clock. Keys pressed there act here.
import { h } from "../shell/dom.js";
import { addressOf } from "../start/files.js";
import { language, say } from "../words/words.js";

const styles = ["style/tokens.css", "style/present.css"].map(addressOf);
const twoDigits = (/** @type {number} */ n) => String(n).padStart(2, "0");

export class Notes {
  /** @type {Window | null} */
  #window = null;
  #began = 0;
  #timer = 0;

  /** `key(event)`: what a key in the window does. */
  constructor(/** @type {(event: KeyboardEvent) => void} */ key) {
    this.key = key;
  }

  get #document() {
    return this.#window && !this.#window.closed ? this.#window.document : null;
  }

  /** Whether the browser has opened the window, or has it open. */
  open() {
    if (this.#document) {
      this.#window?.focus();
      return true;
    }
    const opened = this.#window = window.open("", "_blank", "popup,width=720,height=560");
    if (!opened) return false;
    const page = opened.document;
    page.title = say("Speaker’s notes");
    page.documentElement.lang = language();
    page.documentElement.dataset.theme = document.documentElement.dataset.theme;
    page.head.append(...styles.map((href) => h("link", { rel: "stylesheet", href })));
    page.body.className = "speaker";
    this.clock = h("p", { class: "clock", title: say("Since these notes were opened, and the time of day") });
    this.text = h("main", {});
    page.body.append(this.clock, this.text);
    opened.addEventListener("keydown", this.key, { capture: true });
    this.#began = Date.now();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), 1000);
    this.#tick();
    return true;
  }

  #tick() {
    if (!this.#document || !this.clock) return clearInterval(this.#timer);
    const seconds = Math.floor((Date.now() - this.#began) / 1000), now = new Date();
    this.clock.textContent = `${Math.floor(seconds / 60)}:${twoDigits(seconds % 60)} · ${twoDigits(now.getHours())}:${twoDigits(now.getMinutes())}`;
  }

  close() {
    clearInterval(this.#timer);
    this.#window?.close();
    this.#window = null;
  }

  /**
   * `step`: what is presented of a lesson, or null; then the study's title and sentence are shown.
   * @param {PresentedStep | null} step
   * @param {{place: string, title: string, subtitle: string}} shown
   */
  write(step, { place, title, subtitle }) {
    if (!this.#document || !this.text) return;
    if (!step) return this.text.replaceChildren(h("p", { class: "where" }, place), h("h1", {}, title), h("p", {}, subtitle));
    const { lesson, step: number, write, revealed } = step, now = lesson.steps[number - 1], next = lesson.steps[number];
    const part = (/** @type {string} */ heading, /** @type {LessonText | undefined} */ parts) => (parts?.length ? [h("h2", {}, heading), h("div", {}, ...write(parts))] : []);
    this.text.replaceChildren(h("p", { class: "where" }, place), h("h1", {}, now.title),
      ...part(say("Notes"), now.teacher), ...part(say("Say"), now.before), ...part(say("Ask"), now.question?.ask),
      ...(now.question?.kind === "choose" ? [h("ul", {}, ...now.question.options.map(({ label, meaning }) => h("li", {}, h("b", {}, ...write(label)), ": ", ...write(meaning))))] : []),
      ...part(now.question && !revealed ? say("The answer, not shown yet") : say("Then"), now.after),
      h("h2", {}, say("Next")), h("p", {}, next ? next.title : say("The lesson ends here.")));
  }
}
