// A lesson on paper: its address, the text, picture and question of each step, and room for what is asked: lines, boxes or empty axes.
import { written } from "../lessons/format.js";
import { qrCode } from "../share/qr.js";
import { trustedDrawing } from "../start/trusted.js";
import { h } from "../shell/dom.js";
import { language, marked, say } from "../words/words.js";

/** @typedef {import("./rehearsal.js").RehearsedStep} RehearsedStep */
/** @typedef {NonNullable<RehearsedStep["axes"]>} Axes */

const ns = "http://www.w3.org/2000/svg";
const axesSize = { width: 600, height: 260, left: 56, right: 12, top: 28, bottom: 40 };
/** What is done on the screen, or in the picture. */
const acts = { point: marked("Mark the place in the figure."), do: marked("Try it on the screen, and write down what you see.") };

const copy = (/** @type {(string | Element)[]} */ nodes) => nodes.map((node) => (typeof node === "string" ? node : /** @type {Element} */ (node.cloneNode(true))));

function shape(/** @type {string} */ name, /** @type {Record<string, string | number>} */ attributes, text = "") {
  const made = document.createElementNS(ns, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

/** Empty axes to draw in, with the one point that is given. */
function emptyAxes(/** @type {Axes} */ { x, y, low, high, first, count, at, given }) {
  const { width, height, left, right, top, bottom } = axesSize, line = { stroke: "#888", fill: "none" };
  const across = (/** @type {number} */ place) => left + ((width - left - right) * (place - first)) / (count - 1 || 1);
  const up = (/** @type {number} */ value) => top + ((height - top - bottom) * (high - value)) / (high - low);
  const levels = [low, low < 0 && high > 0 ? 0 : (low + high) / 2, high], places = [first, first + Math.round((count - 1) / 2), first + count - 1], anchors = ["start", "middle", "end"];
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "axes", "font-size": 13 });
  svg.append(shape("path", { d: `M${left} ${top}V${height - bottom}H${width - right}`, ...line }),
    ...levels.flatMap((value) => [shape("path", { d: `M${left} ${up(value)}H${width - right}`, ...line, stroke: "#ccc" }), shape("text", { x: left - 6, y: up(value) + 4, "text-anchor": "end" }, written(value, Number.isInteger(value) ? "0" : "1"))]),
    ...places.map((place, i) => shape("text", { x: across(place), y: height - bottom + 17, "text-anchor": anchors[i] }, written(place, "0"))),
    shape("text", { x: width - right, y: height - 6, "text-anchor": "end" }, `${x} →`), shape("text", { x: left - 6, y: 13 }, `↑ ${y}`),
    shape("circle", { cx: across(at), cy: up(given), r: 4 }));
  return svg;
}

const lines = (/** @type {number} */ count, unit = "") => Array.from({ length: count }, (_, i) => h("div", { class: "line" }, i ? "" : unit));

/** Where a step's question is answered. */
function room(/** @type {LessonStep} */ { question }, /** @type {RehearsedStep} */ told) {
  if (told.options) return [h("ul", { class: "boxes" }, ...told.options.map(({ label }) => h("li", {}, ...copy(label)))), ...lines(1)];
  if (told.axes) return [emptyAxes(told.axes)];
  if (question?.kind === "number") return lines(2, question.unit ?? "");
  if (question?.kind === "point" || question?.kind === "do") return [h("p", { class: "small" }, say(acts[question.kind])), ...lines(2)];
  return question ? lines(2) : [];
}

/** Where the lesson is, for pupils with a screen: a page on a disk has no address that is of use to others. */
function where(/** @type {Lesson} */ lesson) {
  if (!location.protocol.startsWith("http")) return [];
  const address = `${location.href.split("#")[0]}#v=1&lesson=${lesson.name}/1${language() === "en" ? "" : `&lang=${language()}`}`;
  const code = qrCode(address, say("QR code of the link"));
  return [...(code ? [h("div", { class: "qr" }, code)] : []), h("p", { class: "small" }, say("On a screen: {address}", { address }))];
}

/**
 * The sheets of a lesson.
 * @param {Lesson} lesson
 * @param {RehearsedStep[]} told
 */
export function handout(lesson, told) {
  /** @type {Map<string, number>} */
  const drawn = new Map(); // a picture that was there is not printed again
  const picture = (/** @type {number} */ i) => {
    const svg = told[i].paper, same = svg.replaceAll(`paper-${lesson.name}-${i + 1}-`, ""), before = drawn.get(same);
    if (before !== undefined) return h("p", { class: "small" }, say("The figure of step {number}.", { number: before }));
    drawn.set(same, i + 1);
    const box = h("div", { class: "picture" });
    box.innerHTML = trustedDrawing(svg);
    return box;
  };
  return [h("div", { class: "head" }, ...where(lesson), h("h2", {}, `${lesson.number}. ${lesson.title}`), h("p", { class: "name" }, say("Name"))),
    ...lesson.steps.map((step, i) => h("section", { class: "paper" }, h("h3", {}, `${i + 1}. ${step.title}`), ...copy(told[i].before), picture(i),
      h("div", { class: "question" }, h("p", {}, h("b", {}, ...copy(told[i].ask))), ...room(step, told[i])))),
    h("p", { class: "small" }, `${say("Sources: {sources}", { sources: lesson.sources })}.`)];
}
