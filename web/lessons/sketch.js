// A curve that the visitor draws into empty axes, by pointer or as five numbers. The real one is then drawn over it.
import { h } from "../shell/dom.js";
import { written } from "./format.js";
import { Grid, asNumber } from "./expression.js";
import { say } from "../words/words.js";

const ns = "http://www.w3.org/2000/svg";
const width = 320, height = 210, left = 34, right = 8, top = 10, bottom = 34;
const typedPlaces = 5;

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 */
function shape(name, attributes, ...children) {
  const made = document.createElementNS(ns, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

export class Sketch {
  /** @type {Map<number, number>} */
  #hand = new Map(); // column -> value
  #drawing = false;
  /** @type {number[] | null} */
  #before = null;
  first = 0; // the index of the curve's first value

  constructor(/** @type {CurveAsked} */ question) {
    this.question = question;
    this.low = Number(question.low);
    this.high = Number(question.high);
    this.gap = shape("path", { class: "gap" });
    this.hand = shape("path", { class: "hand" });
    this.real = shape("path", { class: "real" });
    this.given = shape("circle", { class: "given", r: 4, cx: -20, cy: -20 });
    this.axis = shape("g", { class: "axis" });
    const label = say("Empty axes: {y} against {x}. Draw with the pointer, or type five values below.", { x: question.x, y: question.y });
    this.svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, this.axis, this.gap, this.hand, this.real, this.given);
    this.count = 0;
    this.typed = h("div", { class: "five" });
    this.key = h("p", { class: "key", hidden: true },
      h("span", { class: "yours" }, say("dashed: your sketch")), " · ", h("span", { class: "models" }, say("solid: the model")));
    this.element = h("div", { class: "sketch" }, this.svg, this.key,
      h("button", { type: "button", class: "link", onclick: () => this.clear() }, say("Clear")),
      h("details", {}, h("summary", {}, say("Type five values instead")), this.typed));
    this.svg.addEventListener("pointerdown", (event) => {
      this.#drawing = true;
      this.#before = null;
      this.svg.setPointerCapture(event.pointerId);
      this.#draw(event);
      event.preventDefault();
    });
    this.svg.addEventListener("pointermove", (event) => { if (this.#drawing) this.#draw(event); });
    for (const kind of ["pointerup", "pointercancel"]) this.svg.addEventListener(kind, () => { this.#drawing = false; });
  }

  #x(/** @type {number} */ index) { return left + ((width - left - right) * (index - this.first)) / Math.max(this.count - 1, 1); }
  #y(/** @type {number} */ value) { return top + ((height - top - bottom) * (this.high - value)) / (this.high - this.low); }
  #columns() { return width - left - right; }

  /** The index of a column of the drawing, and back. */
  #indexAt(/** @type {number} */ column) { return this.first + Math.round((column / this.#columns()) * (this.count - 1)); }

  #draw(/** @type {{clientX: number, clientY: number}} */ { clientX, clientY }) {
    const box = this.svg.getBoundingClientRect();
    const x = ((clientX - box.left) / box.width) * width - left, y = ((clientY - box.top) / box.height) * height;
    const column = Math.round(Math.min(Math.max(x, 0), this.#columns()));
    const value = Math.min(Math.max(this.high - ((y - top) / (height - top - bottom)) * (this.high - this.low), this.low), this.high);
    const [from, start] = this.#before ?? [column, value];
    for (let c = Math.min(from, column); c <= Math.max(from, column); ++c)
      this.#hand.set(c, from === column ? value : start + ((value - start) * (c - from)) / (column - from));
    this.#before = [column, value];
    this.#showHand();
  }

  #showHand() {
    let pen = -2, path = "";
    for (const [column, value] of [...this.#hand].sort(([a], [b]) => a - b)) {
      path += `${column === pen + 1 ? "L" : "M"}${left + column} ${this.#y(value).toFixed(1)}`;
      pen = column;
    }
    this.hand.setAttribute("d", path);
  }

  clear() {
    this.#hand.clear();
    this.#before = null;
    for (const path of [this.hand, this.real, this.gap]) path.setAttribute("d", "");
    this.#markRevealed(false);
    for (const field of this.typed.querySelectorAll("input")) field.value = "";
  }

  /** The axes, once the curve's length is known. */
  update(/** @type {ValueOf} */ valueOf) {
    const curve = valueOf(this.question.curve);
    if (!(curve instanceof Grid) || this.count) return;
    this.count = curve.shape[0];
    this.first = curve.first;
    const last = this.first + this.count - 1, label = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ anchor) => shape("text", { x, y, "text-anchor": anchor }, text);
    const line = (/** @type {number} */ x1, /** @type {number} */ y1, /** @type {number} */ x2, /** @type {number} */ y2) => shape("line", { x1, y1, x2, y2 });
    const middle = this.low < 0 && this.high > 0 ? 0 : (this.low + this.high) / 2;
    for (const value of [this.low, middle, this.high]) {
      const y = this.#y(value), text = written(value, Number.isInteger(value) ? "0" : "1");
      this.axis.append(line(left, y, width - right, y), label(text, left - 6, y + 4, "end"));
    }
    for (const [index, anchor] of /** @type {[number, string][]} */ ([[this.first, "start"], [Math.round((this.first + last) / 2), "middle"], [last, "end"]]))
      this.axis.append(label(written(index, "0"), this.#x(index), height - bottom + 15, anchor));
    this.axis.append(label(this.question.x, (left + width - right) / 2, height - 4, "middle"));
    const given = Number(this.question.given);
    this.given.setAttribute("cx", String(this.#x(given)));
    this.given.setAttribute("cy", String(this.#y(asNumber(curve.at(given)))));
    this.typed.replaceChildren(...Array.from({ length: typedPlaces }, (_, i) => {
      const column = Math.round((this.#columns() * i) / (typedPlaces - 1));
      const field = h("input", { type: "text", inputmode: "decimal", size: "5", autocomplete: "off", oninput: () => this.#fromTyped() });
      field.dataset.column = String(column);
      return h("label", {}, `${say("at {place}", { place: written(this.#indexAt(column), "0") })} `, field);
    }));
  }

  #fromTyped() {
    const read = (/** @type {string} */ text) => (text.trim() === "" ? NaN : Number(text.replace("−", "-").replace(",", ".")));
    const points = [...this.typed.querySelectorAll("input")].map((field) => [Number(field.dataset.column), read(field.value)])
      .filter(([, value]) => Number.isFinite(value));
    this.#hand.clear();
    points.forEach(([column, value], i) => {
      const [next, end] = points[i + 1] ?? [column, value];
      for (let c = column; c <= next; ++c) this.#hand.set(c, next === column ? value : value + ((end - value) * (c - column)) / (next - column));
    });
    this.#showHand();
  }

  /**
   * Any sketch is an answer: the real curve is drawn over it, and how near they are is said.
   * @param {ValueOf} valueOf
   * @returns {Verdict}
   */
  verdict(valueOf) {
    const curve = valueOf(this.question.curve), allowed = asNumber(valueOf(this.question.tolerance));
    if (this.#hand.size < this.#columns() / 2) return { problem: say("Draw the curve over at least half of the axes first.") };
    if (!(curve instanceof Grid) || !Number.isFinite(allowed)) return { problem: say("The curve is still being computed. Try again in a moment.") };
    const off = [...this.#hand].map(([column, value]) => Math.abs(asNumber(curve.at(this.#indexAt(column))) - value));
    const near = off.filter((distance) => distance <= allowed).length / off.length;
    const said = say("Your sketch is within {distance} of the model at {share} of the places that you drew.", { distance: written(allowed, "2"), share: written(near, "%0") });
    return { right: true, sketched: true, meaning: [said], given: Number(near.toFixed(3)) };
  }

  /** Draws the real curve. */
  reveal(/** @type {ValueOf} */ valueOf) {
    const curve = valueOf(this.question.curve);
    if (!(curve instanceof Grid)) return;
    const point = (/** @type {number} */ column, /** @type {number} */ value) => `${left + column} ${this.#y(value).toFixed(1)}`, real = (/** @type {number} */ column) => point(column, asNumber(curve.at(this.#indexAt(column))));
    this.real.setAttribute("d", `M${Array.from({ length: this.#columns() + 1 }, (_, column) => real(column)).join("L")}`);
    const drawn = [...this.#hand].sort(([a], [b]) => a - b);
    const around = [...drawn.map(([column, value]) => point(column, value)), ...drawn.reverse().map(([column]) => real(column))];
    this.gap.setAttribute("d", around.length ? `M${around.join("L")}Z` : "");
    this.#markRevealed(true);
  }

  #markRevealed(/** @type {boolean} */ yes) {
    this.element.classList.toggle("revealed", yes);
    this.key.hidden = !yes;
  }
}
