// The texts of a lesson as elements. They come as plain lists, so that nothing in them can be markup.
import { h, setText } from "../shell/dom.js";
import { formula } from "../shell/formula.js";
import { written } from "./format.js";
import { say } from "../words/words.js";

/** @type {Set<string | undefined>} */
const tags = new Set(["p", "strong", "em", "ul", "ol", "li", "code", "a"]);

/** Texts with numbers that are brought up to date by update(). */
export class Texts {
  /** @type {{element: HTMLElement, live: string, format: string | undefined}[]} */
  #numbers = [];

  /**
   * `go(fragment)`: what a click on a number shows.
   * @param {((fragment: string) => void) | null} go
   */
  constructor(go) {
    this.go = go;
  }

  clear() {
    this.#numbers = [];
  }

  #number(/** @type {LessonPart & {live: string}} */ { live, format, go }) {
    const element = go && this.go
      ? h("button", { type: "button", class: "live", title: say("Show this in the figure"), onclick: () => /** @type {(fragment: string) => void} */ (this.go)(go) }, "…")
      : h("span", { class: "live", title: say("Computed here, from what is open") }, "…");
    this.#numbers.push({ element, live, format });
    return element;
  }

  /**
   * The elements of a text.
   * @param {LessonText} parts
   * @returns {(string | Element)[]}
   */
  made(parts) {
    return parts.flatMap(/** @returns {(string | Element)[]} */ (part) => {
      if (typeof part === "string") return [part];
      if (part.live) return [this.#number(/** @type {LessonPart & {live: string}} */ (part))];
      if (part.formula) return [h("span", { class: "formula" }, ...formula(part.formula))];
      if (!tags.has(part.tag)) return [];
      const attributes = part.tag === "a" ? { href: part.href, target: "_blank", rel: "noopener noreferrer" } : {};
      return [h(/** @type {keyof HTMLElementTagNameMap} */ (part.tag), attributes, ...this.made(/** @type {LessonText} */ (part.of)))];
    });
  }

  /**
   * The elements of a text with its numbers as they are now.
   * @param {LessonText} parts
   * @param {ValueOf} valueOf
   */
  static written(parts, valueOf) {
    const texts = new Texts(null), made = texts.made(parts);
    for (const { element, live, format } of texts.#numbers) element.textContent = written(valueOf(live), format);
    return made;
  }

  /** Writes the numbers anew. `valueOf(expression)`: undefined where it is not known. */
  update(/** @type {ValueOf} */ valueOf) {
    this.#numbers = this.#numbers.filter(({ element }) => element.isConnected);
    for (const { element, live, format } of this.#numbers) {
      const text = written(valueOf(live), format);
      setText(element, text);
      element.classList.toggle("unknown", text === "…");
    }
  }
}
