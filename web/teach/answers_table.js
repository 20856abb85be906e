// The answers of a class in one table: files that are picked or dropped, links that are pasted. Nothing leaves the device.
import { unpacked } from "../lessons/answers.js";
import { written } from "../lessons/format.js";
import { drawnIn, inVersion } from "../lessons/seeds.js";
import { h } from "../shell/dom.js";
import { say } from "../words/words.js";

/** @typedef {import("./rehearsal.js").RightAnswer} RightAnswer */
/** @typedef {import("./rehearsal.js").RehearsedStep} RehearsedStep */

const most = 300; // answers
const largestFile = 200_000; // bytes
const bins = 8;
const ns = "http://www.w3.org/2000/svg";

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 */
const tag = (name, attributes, ...children) => {
  const made = document.createElementNS(ns, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
};

const digitsFor = (/** @type {number} */ value) => (Number.isInteger(value) || Math.abs(value) >= 100 ? "0" : "2");
const told = (/** @type {number | null | undefined} */ value) => (value === null || value === undefined ? "" : written(value, digitsFor(value)));

/**
 * What was answered first, by bin.
 * @param {LessonQuestion} question
 * @param {number[]} values
 * @param {number | null} truth
 * @returns {{label: string, count: number, right: boolean}[]}
 */
export function histogram(question, values, truth) {
  if (question.kind === "choose")
    return question.options.map((_, i) => ({ label: String.fromCharCode(65 + i), count: values.filter((v) => v === i + 1).length, right: truth === i + 1 }));
  if (question.kind === "point" || question.kind === "do")
    return /** @type {[string, number][]} */ ([[say("not so"), 0], [say("right"), 1]]).map(([label, value]) => ({ label, count: values.filter((v) => v === value).length, right: value === 1 }));
  const all = [...values, ...(truth !== null && Number.isFinite(truth) ? [truth] : [])].sort((a, b) => a - b);
  if (!all.length) return [];
  // One answer that is far off must not squeeze the others into one bar: the middle nine tenths and the true value span the axis.
  const at = (/** @type {number} */ share) => all[Math.round(share * (all.length - 1))];
  const low = Math.min(at(0.05), truth ?? Infinity), high = Math.max(at(0.95), truth ?? -Infinity), width = (high - low) / bins || 1;
  const binOf = (/** @type {number} */ value) => Math.max(0, Math.min(bins - 1, Math.floor((value - low) / width)));
  return Array.from({ length: bins }, (_, i) => ({
    label: told(low + i * width), count: values.filter((v) => binOf(v) === i).length, right: truth !== null && Number.isFinite(truth) && binOf(truth) === i,
  }));
}

const cellOf = (/** @type {string} */ text) => (/^[=+\-@\t]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text); // a spreadsheet must not run it
const csvLine = (/** @type {(string | number | null | undefined)[]} */ cells) => cells.map((cell) => `"${cellOf(String(cell ?? "")).replaceAll('"', '""')}"`).join(",");

export class Answers {
  /** @type {import("../lessons/answers.js").HandedIn[]} */
  #all = []; // by lesson and then as they came
  #seen = new Set();
  /** @type {Map<string, (RightAnswer | null)[][]>} */
  #truths = new Map(); // by lesson, step and version

  /**
   * `rehearsed(lesson)`: a promise of what the page's own engine answers.
   * @param {Lesson[]} lessons
   * @param {(lesson: Lesson) => Promise<RehearsedStep[]>} rehearsed
   */
  constructor(lessons, rehearsed) {
    this.lessons = lessons;
    this.rehearsed = rehearsed;
    this.known = Object.fromEntries(lessons.map(({ name, steps }) => [name, steps.map(({ versions = [] }) => 1 + versions.length)]));
    this.named = h("input", { type: "checkbox", onchange: () => this.#render() });
    this.text = h("textarea", { id: "class-text", rows: "3", spellcheck: "false", placeholder: say("Links, one a line") });
    this.files = h("input", { type: "file", multiple: true, accept: ".txt,text/plain", id: "class-files", onchange: () => this.#takeFiles(/** @type {FileList} */ (this.files.files)) });
    this.said = h("p", { role: "status", class: "said" });
    this.found = h("div", { class: "found" });
    this.csv = h("button", { type: "button", hidden: true, onclick: () => this.#save() }, say("Save as CSV"));
    this.clear = h("button", { type: "button", hidden: true, onclick: () => this.#forget() }, say("Remove all"));
    this.drop = h("div", { class: "drop" }, h("label", { for: "class-files" }, say("Files with answers, picked or dropped here ")), this.files,
      h("label", { for: "class-text" }, say("Links that pupils have sent")), this.text,
      h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => this.take(this.text.value.split(/\s+/)) && (this.text.value = "") }, say("Add the links")), this.csv, this.clear,
        h("label", { class: "choice" }, this.named, say("Show names"))));
    this.element = h("section", { id: "class-answers" }, h("h2", {}, say("Answers of a class")),
      h("p", {}, say("At the end of a lesson, “Hand in your answers” makes a link or a file. Collect them here; they stay in this window, and names are hidden until you ask for them.")),
      this.drop, this.said, this.found);
    for (const kind of /** @type {const} */ (["dragover", "drop"]))
      this.drop.addEventListener(kind, (event) => {
        event.preventDefault();
        if (kind === "drop") this.#takeFiles(/** @type {DataTransfer} */ (event.dataTransfer).files);
      });
  }

  async #takeFiles(/** @type {FileList} */ files) {
    /** @type {string[]} */
    const refused = [];
    /** @type {string[]} */
    const texts = [];
    for (const file of [...files].slice(0, most))
      if (file.size > largestFile) refused.push(say("{file} is too large for answers.", { file: file.name }));
      else texts.push(...(await file.text()).split(/\s+/));
    this.files.value = "";
    this.take(texts, refused);
  }

  /**
   * Adds what is in these texts; says what was refused, each reason once.
   * @param {string[]} texts
   * @param {string[]} problems
   */
  take(texts, problems = []) {
    const refused = new Map(problems.map((problem) => [problem, 1]));
    let added = 0, again = 0;
    for (const text of texts.filter(Boolean)) {
      if (this.#all.length >= most) {
        refused.set(say("Only {most} answers fit into the table.", { most }), 1);
        break;
      }
      try {
        const answer = unpacked(text, this.known), key = JSON.stringify(answer);
        if (this.#seen.has(key)) {
          again += 1;
          continue;
        }
        this.#seen.add(key);
        this.#all.push(answer);
        added += 1;
      } catch (error) {
        refused.set(error.message, (refused.get(error.message) ?? 0) + 1);
      }
    }
    const counted = [...refused].map(([sentence, count]) => (count > 1 ? say("{sentence} ({count} times)", { sentence, count }) : sentence));
    this.said.textContent = [say("{count} added.", { count: added }), ...(again ? [again === 1 ? say("1 was here already.") : say("{count} were here already.", { count: again })] : []), ...counted].join(" ");
    this.#render();
    for (const lesson of this.#lessonsHere()) this.#findTruth(lesson);
    return added > 0;
  }

  #lessonsHere() {
    return this.lessons.filter(({ name }) => this.#all.some(({ lesson }) => lesson === name));
  }

  /** The right answers, by the engine of this page. */
  async #findTruth(/** @type {Lesson} */ lesson) {
    if (this.#truths.has(lesson.name)) return;
    this.#truths.set(lesson.name, []);
    try {
      this.#truths.set(lesson.name, (await this.rehearsed(lesson)).map(({ right, others }) => [right, ...others.map((other) => other.right)]));
    } catch {
      this.#truths.delete(lesson.name);
      this.said.textContent = say("The right answers could not be worked out on this device.");
    }
    this.#render();
  }

  #forget() {
    this.#all = [];
    this.#seen.clear();
    this.said.textContent = "";
    this.#render();
  }

  #nameOf(/** @type {{who: string}} */ { who }, /** @type {number} */ i) {
    return this.named.checked && who ? who : say("Pupil {number}", { number: i + 1 });
  }

  #render() {
    this.csv.hidden = this.clear.hidden = !this.#all.length;
    this.found.replaceChildren(...this.#lessonsHere().map((lesson) => this.#table(lesson)));
  }

  /**
   * The first answer, marked right or not, with the number of tries, and what was drawn.
   * @param {LessonStep & {question: LessonQuestion}} step
   * @param {GivenAnswer | undefined} answer
   */
  #cell(step, answer) {
    if (!answer) return h("td", {}, "");
    const { first, how, tries, version } = answer, { question } = step, drawn = drawnIn(step, version);
    const value = first === null ? "" : question.kind === "choose" ? String.fromCharCode(64 + first)
      : question.kind === "sketch" ? written(first, "%0") : question.kind === "number" ? told(first) : first ? say("right") : say("not so");
    const rightAtOnce = how === "right" && tries === 1;
    return h("td", { class: rightAtOnce ? "right" : "" }, value, h("small", {}, rightAtOnce ? " ✓" : how === "right" ? ` → ✓ ${say("({tries} tries)", { tries })}` : how === "shown" ? ` ${say("asked for the answer")}` : "", drawn && ` (${drawn})`));
  }

  #table(/** @type {Lesson} */ lesson) {
    const mine = this.#all.filter((answer) => answer.lesson === lesson.name), truths = this.#truths.get(lesson.name) ?? [];
    const asked = lesson.steps.flatMap((step, i) => (step.question ? [{ ...step, question: step.question, number: i + 1 }] : []));
    const charts = asked.flatMap((step) => this.#charts(step, mine, truths[step.number - 1] ?? []));
    return h("section", { class: "class-lesson" }, h("h3", {}, mine.length === 1 ? say("{title}: 1 pupil", { title: lesson.title }) : say("{title}: {count} pupils", { title: lesson.title, count: mine.length })), h("div", { class: "charts" }, ...charts),
      h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": say("Answers to {title}", { title: lesson.title }) }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, say("Who")), ...asked.map(({ number, title }) => h("th", { scope: "col", title }, say("Step {number}", { number }))), h("th", { scope: "col" }, say("State")))),
        h("tbody", {}, ...mine.map((answer, i) => h("tr", {}, h("th", { scope: "row" }, this.#nameOf(answer, i)),
          ...asked.map((step) => this.#cell(step, answer.answers.find((given) => given.step === step.number))),
          h("td", {}, answer.link ? h("a", { href: answer.link, target: "_blank", rel: "noopener" }, say("open")) : "")))))));
  }

  /**
   * A step's histogram, or one for each version of it that was asked.
   * @param {LessonStep & {number: number}} step
   * @param {import("../lessons/answers.js").HandedIn[]} mine
   * @param {(RightAnswer | null)[]} truths by version
   */
  #charts(step, mine, truths) {
    return Array.from({ length: 1 + (step.versions?.length ?? 0) }, (_, version) => {
      const values = mine.flatMap(({ answers }) => answers.flatMap((given) => (given.step === step.number && given.version === version && given.first !== null ? [given.first] : [])));
      const { question } = inVersion(step, version), drawn = drawnIn(step, version);
      return values.length > 0 && question ? this.#chart(`${step.number}. ${step.title}${drawn && ` (${drawn})`}`, question, values, truths[version] ?? null) : null;
    });
  }

  /** @param {string} title @param {LessonQuestion} question @param {number[]} values @param {RightAnswer | null} truth */
  #chart(title, question, values, truth) {
    const bars = histogram(question, values, truth?.value ?? null), top = Math.max(1, ...bars.map(({ count }) => count));
    const width = 240, height = 84, step = width / Math.max(bars.length, 1);
    const svg = tag("svg", { viewBox: `0 0 ${width} ${height + 26}`, role: "img", "aria-label": `${title}. ${bars.map(({ label, count, right }) => `${label}: ${count}${right ? ` (${say("right")})` : ""}`).join(", ")}` },
      ...bars.flatMap(({ label, count, right }, i) => {
        const tall = (count / top) * (height - 16);
        const name = tag("text", { x: (i + 0.5) * step, y: height + 14, "text-anchor": "middle" }, bars.length > 6 && i % 2 ? "" : label);
        const number = tag("text", { x: (i + 0.5) * step, y: height - tall - 3, "text-anchor": "middle" }, count ? String(count) : "");
        return [tag("rect", { x: i * step + 2, y: height - tall, width: step - 4, height: tall + 2, class: right ? "true" : "" }), name, number];
      }));
    const line = truth ? `${say("True:")} ${question.kind === "choose" ? `${String.fromCharCode(64 + truth.value)}, ` : ""}${truth.words.map((word) => (typeof word === "string" ? word : word.textContent)).join("")}` : question.kind === "sketch" ? say("Share of the sketch near the model’s curve") : "";
    return h("figure", {}, h("figcaption", {}, title), svg, h("p", { class: "small" }, line));
  }

  #save() {
    /** @type {(string | number | null | undefined)[][]} */
    const rows = [["who", "lesson", "step", "question", "numbers", "first", "last", "tries", "how", "true"]];
    for (const lesson of this.#lessonsHere())
      this.#all.filter((answer) => answer.lesson === lesson.name).forEach((answer, i) => {
        for (const { step, version, first, last, tries, how } of answer.answers)
          rows.push([this.#nameOf(answer, i), lesson.name, step, lesson.steps[step - 1].title, drawnIn(lesson.steps[step - 1], version), first, last, tries, how, this.#truths.get(lesson.name)?.[step - 1]?.[version]?.value]);
      });
    const address = URL.createObjectURL(new Blob([`${rows.map(csvLine).join("\r\n")}\r\n`], { type: "text/csv" }));
    h("a", { href: address, download: "answers.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }
}
