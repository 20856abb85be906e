// A lesson in another language has the steps of the English one: the same views, runs, questions, right answers and live numbers. Only
// its words are others.
import { everyVersion } from "../../web/lessons/seeds.js";

const texts = ["before", "after", "hints", "teacher"];
const words = { choose: ["ask"], number: ["ask", "unit", "low", "high"], do: ["ask", "said", "wrong"], point: ["ask", "said", "wrong"], sketch: ["ask", "x", "y"] };

/** The live numbers, links and formulas of a text, in an order of their own: another language may need another order of words. */
function marksOf(text) {
  const found = [];
  const walk = (part) => {
    if (Array.isArray(part)) part.forEach(walk);
    else if (part?.live) found.push(`the number {${[part.live, part.format, part.go].filter(Boolean).join(" | ")}}`);
    else if (part?.formula) found.push("a formula");
    else if (part?.tag) {
      if (part.href) found.push(`the link ${part.href}`);
      walk(part.of);
    }
  };
  walk(text ?? []);
  return found.sort();
}

/** What a step is, without its words: [name, value] of each thing that must be the same. */
function shapeOf(step) {
  const { question } = step, found = ["state", "show", "runs", "holds", "minutes", "drawn"].map((key) => [key, JSON.stringify(step[key] ?? null)]);
  for (const key of texts) found.push([`what “${key}” names`, marksOf(step[key]).join(", ")]);
  found.push(["the number of hints", String((step.hints ?? []).length)], ["the kind of question", question?.kind ?? "none"]);
  for (const [key, value] of Object.entries(question ?? {})) {
    if (key === "options") value.forEach(({ right, label, meaning }, i) => found.push([`option ${i + 1}`, [right, ...marksOf(label), ...marksOf(meaning)].join(", ")]));
    else if (!words[question.kind].includes(key)) found.push([key, JSON.stringify(value)]);
    else found.push([`what “${key}” names`, Array.isArray(value) ? marksOf(value).join(", ") : "words"]);
  }
  return found;
}

/** Refuses a step that is not the English one in other words. */
function compare(step, translated, name, refuse) {
  const wanted = shapeOf(step), here = new Map(shapeOf(translated));
  if (here.size !== new Map(wanted).size) refuse(`${name} has other parts than in English: ${[...here.keys()].join("; ")}`);
  for (const [part, value] of wanted)
    if (here.get(part) !== value) refuse(`${name}: ${part} is ${here.get(part) ?? "missing"}, in English ${value}`);
}

/** Throws where a lesson is not the English one in other words. `place`: of the file, for the message. */
export function checkTranslation(lesson, english, place) {
  const refuse = (sentence) => { throw new Error(`${place}: ${sentence}.`); };
  if (!english) refuse("there is no English lesson of this name");
  for (const key of ["number", "minutes", "beside"])
    if (String(lesson[key]) !== String(english[key])) refuse(`“${key}” is ${lesson[key]}, in English ${english[key]}`);
  if (lesson.steps.length !== english.steps.length) refuse(`it has ${lesson.steps.length} steps, the English lesson ${english.steps.length}`);
  english.steps.forEach((step, i) => {
    const versions = everyVersion(step), others = everyVersion(lesson.steps[i]);
    if (versions.length !== others.length) refuse(`step ${i + 1} has ${others.length} versions, in English ${versions.length}`);
    versions.forEach((version, k) => compare(version, others[k], `step ${i + 1}`, refuse));
  });
}
