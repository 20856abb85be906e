// The texts of a lesson as elements. They come as plain lists, so that nothing in them can be markup.
import { h, setText } from "../shell/dom.js";
import { formula } from "../shell/formula.js";
import { written } from "./format.js";
import { say } from "../words/words.js";

const tags = new Set(["p", "strong", "em", "ul", "ol", "li", "code", "a"]);

/** Texts with numbers that are brought up to date by update(). */
export class Texts {
  #numbers = []; // {element, expression, format}

  /** `go(fragment)`: what a click on a number shows. */
  constructor(go) {
    this.go = go;
  }

  clear() {
    this.#numbers = [];
  }

  #number({ live, format, go }) {
    const element = go && this.go
      ? h("button", { type: "button", class: "live", title: say("Show this in the figure"), onclick: () => this.go(go) }, "…")
      : h("span", { class: "live", title: say("Computed here, from what is open") }, "…");
    this.#numbers.push({ element, live, format });
    return element;
  }

  /** The elements of a text. */
  made(parts) {
    return parts.flatMap((part) => {
      if (typeof part === "string") return [part];
      if (part.live) return [this.#number(part)];
      if (part.formula) return [h("span", { class: "formula" }, ...formula(part.formula))];
      if (!tags.has(part.tag)) return [];
      const attributes = part.tag === "a" ? { href: part.href, target: "_blank", rel: "noopener noreferrer" } : {};
      return [h(part.tag, attributes, ...this.made(part.of))];
    });
  }

  /** The elements of a text with its numbers as they are now. */
  static written(parts, valueOf) {
    const texts = new Texts(null), made = texts.made(parts);
    for (const { element, live, format } of texts.#numbers) element.textContent = written(valueOf(live), format);
    return made;
  }

  /** Writes the numbers anew. `valueOf(expression)`: undefined where it is not known. */
  update(valueOf) {
    this.#numbers = this.#numbers.filter(({ element }) => element.isConnected);
    for (const { element, live, format } of this.#numbers) {
      const text = written(valueOf(live), format);
      setText(element, text);
      element.classList.toggle("unknown", text === "…");
    }
  }
}
