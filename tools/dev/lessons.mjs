// Compiles the lessons, assets/lessons/LANGUAGE/NAME.md, to the files that the page loads: node lessons.mjs OUT. A lesson is text
// with live numbers; what it may hold is checked here, so that the page builds elements from plain lists and never from markup.
//
//   {explained_first3 | %2 | focus=position:300}   an output of the result, its format, what a click shows (the last two optional)
//   $PE(p) = …$                                      a formula, as in the studies' notes
//   beside: ID, ID      in the front matter: the studies next to which the page offers the lesson
//   ## Title, then text, then fenced parts           a step: `state` (a link's part), `runs`, `holds`, one question, `show`, `hint`, `teacher`
//
//   ```draw, then name: 300 | 100 | 500              the step in several versions: @name stands for one of the values, by the link's seed
//
// Text after a question is shown once it is answered.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import MarkdownIt from "markdown-it";
import { namesIn, parse as parseExpression } from "../../web/lessons/expression.js";
import { isFormat } from "../../web/lessons/format.js";
import { everyVersion } from "../../web/lessons/seeds.js";
import { parse as parseFormula } from "../../web/shell/formula.js";
import { checkTranslation } from "./translated.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const mostWords = { en: 90, other: 110 }, fewestSteps = 3, mostSteps = 9;
const front = { title: true, number: true, minutes: true, summary: true, beside: true, needs: true, sources: true };
const questions = {
  choose: { ask: true, options: true },
  number: { ask: true, answer: true, tolerance: true, unit: false, low: true, high: true, factor: false },
  do: { ask: true, right: true, picked: true, said: true, wrong: true },
  point: { ask: true, right: true, picked: true, said: true, wrong: true },
  sketch: { ask: true, curve: true, x: true, y: true, low: true, high: true, given: true, tolerance: true, judged: false },
};
const inlineFields = new Set(["ask", "low", "high", "said", "wrong"]);
const parts = new Set(["state", "runs", "holds", "show", "hint", "teacher", ...Object.keys(questions)]);
const pageKeys = new Set(["study", "preset", "prompt", "tokens", "bos", "edit", "compare", "against", "focus", "from", "keep", "model"]);

/** What an author has to change; `line` from 1. */
class Mistake extends Error {
  constructor(line, sentence) {
    super(sentence);
    this.line = line;
  }
}

// ---- text

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
const between = (name, open, close) => (state, silent) => {
  if (state.src[state.pos] !== open) return false;
  const end = state.src.indexOf(close, state.pos + 1);
  if (end < 0) return false;
  if (!silent) state.push(name, "", 0).content = state.src.slice(state.pos + 1, end);
  state.pos = end + 1;
  return true;
};
markdown.inline.ruler.before("escape", "live", between("live", "{", "}"));
markdown.inline.ruler.before("escape", "formula", between("formula", "$", "$"));

const simple = { paragraph: "p", strong: "strong", em: "em", bullet_list: "ul", ordered_list: "ol", list_item: "li" };

/** {expression, format, focus} of what stands between braces. */
function live(content) {
  const [expression, format = "", fragment = ""] = content.split("|").map((part) => part.trim());
  parseExpression(expression);
  if (!isFormat(format)) throw new Error(`“${format}” is no format of a number`);
  if (fragment) checkFragment(fragment);
  return { live: expression, format, ...(fragment ? { go: fragment } : {}) };
}

function formula(content) {
  parseFormula(content); // throws where it is none
  return { formula: content };
}

/** A list of texts, {live}, {formula} and {tag, of} from the library's tokens. */
function tree(tokens) {
  const stack = [{ of: [] }];
  const put = (part) => {
    const { of } = stack.at(-1);
    if (typeof part === "string" && typeof of.at(-1) === "string") of[of.length - 1] += part;
    else if (part !== "") of.push(part);
  };
  for (const token of tokens) {
    const name = token.type.replace(/_(?:open|close)$/, "");
    if (token.type === "inline") tree(token.children).forEach(put);
    else if (token.type === "text") put(token.content);
    else if (token.type === "softbreak") put(" ");
    else if (token.type === "code_inline") put({ tag: "code", of: [token.content] });
    else if (token.type === "live") put(live(token.content));
    else if (token.type === "formula") put(formula(token.content));
    else if (name === "link" && token.nesting > 0) {
      const address = token.attrGet("href");
      if (!/^https:\/\//.test(address)) throw new Error(`a link leads to ${address}; only https addresses are allowed`);
      stack.push({ tag: "a", href: address, of: [] });
    } else if (Object.hasOwn(simple, name) && token.nesting > 0) stack.push({ tag: simple[name], of: [] });
    else if (token.nesting < 0) {
      const made = stack.pop();
      put(made);
    } else throw new Error(`a lesson has no place for ${name.replace("_", " ")}`);
  }
  return stack[0].of;
}

const refuseMarkup = (text) => {
  const found = /<\/?[a-z!][^>]*>?/i.exec(text);
  if (found) throw new Error(`“${found[0]}” is markup; a lesson holds Markdown alone`);
};

const inline = (text) => { refuseMarkup(text); return tree(markdown.parseInline(text, {})); };
const block = (text) => { refuseMarkup(text); return tree(markdown.parse(text, {})); };
const wordsIn = (nodes) => nodes.reduce((sum, node) => sum + (typeof node === "string" ? node.split(/\s+/).filter((w) => /\w/.test(w)).length : node.of ? wordsIn(node.of) : 1), 0);

// ---- fragments of links

const pairsOf = (fragment) => fragment.split("&").map((pair) => {
  const at = pair.indexOf("=");
  if (at < 1) throw new Error(`“${pair}” is not of the form key=value`);
  return [pair.slice(0, at), pair.slice(at + 1)];
});
const checkFragment = pairsOf;

/** A part of a link that is written over several lines. */
const fragmentOf = (text) => {
  const fragment = text.split("\n").map((line) => line.trim()).filter(Boolean).join("&");
  pairsOf(fragment);
  return fragment;
};

// ---- the parts of a step

/** "key: value" lines; further lines of a value are indented, and "- …" lines are options. */
function fieldsOf(text) {
  const fields = {};
  let last = null;
  for (const line of text.split("\n").filter((l) => l.trim())) {
    const [, key, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (line.startsWith("- ")) {
      (fields.options ??= []).push(line.slice(2));
      last = "options";
    } else if (key) fields[last = key] = value;
    else if (/^\s/.test(line) && last === "options") fields.options[fields.options.length - 1] += ` ${line.trim()}`;
    else if (/^\s/.test(line) && last) fields[last] += ` ${line.trim()}`;
    else throw new Error(`“${line}” is neither a field, an option nor the rest of one`);
  }
  return fields;
}

/** "{condition} label :: what choosing it would mean" */
function option(text) {
  const [, right, label, meaning] = /^\{(.+?)\} (.+?) :: (.+)$/.exec(text) ?? [];
  if (!right) throw new Error(`the option “${text}” is not of the form {condition} label :: meaning`);
  parseExpression(right);
  return { right, label: inline(label), meaning: inline(meaning) };
}

function question(kind, text) {
  const wanted = questions[kind], found = fieldsOf(text), made = { kind };
  for (const [key, needed] of Object.entries(wanted)) if (needed && !found[key]) throw new Error(`the question “${kind}” lacks its ${key}`);
  for (const [key, content] of Object.entries(found)) {
    if (!Object.hasOwn(wanted, key)) throw new Error(`the question “${kind}” has no field “${key}”`);
    if (key === "options") made.options = content.map(option);
    else if (inlineFields.has(key) && !(kind === "sketch" && key !== "ask")) made[key] = inline(content);
    else made[key] = content;
  }
  for (const key of ["answer", "right", "picked", "curve", "tolerance", ...(kind === "sketch" ? ["low", "high", "given"] : [])]) if (made[key]) parseExpression(made[key]);
  if (made.options && made.options.length < 2) throw new Error("a choice needs at least two options");
  return made;
}

const runsOf = (text) => Object.fromEntries(text.split(/\n(?=\S)/).filter((l) => l.trim()).map((entry) => {
  const [, name, fragment] = /^([a-z][a-z_0-9]*): ?([^]+)$/.exec(entry) ?? [];
  if (!name) throw new Error(`“${entry}” is not of the form name: fragment`);
  return [name, fragmentOf(fragment)];
}));

const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

function addPart(step, kind, text) {
  if (kind === "hint") return (step.hints ??= []).push(block(text));
  if (step[kind] || (Object.hasOwn(questions, kind) && step.question)) throw new Error(`a step has one “${kind}” at most, and one question`);
  if (kind === "state" || kind === "show") step[kind] = fragmentOf(text);
  else if (kind === "runs") step.runs = runsOf(text);
  else if (kind === "holds") step.holds = linesOf(text).map((line) => { parseExpression(line); return line; });
  else if (kind === "teacher") {
    step.minutes = Number(/^(\d+) min\p{L}+/iu.exec(text)?.[1]);
    if (!step.minutes) throw new Error("the notes for the teacher begin with how long the step takes: “4 minutes.”");
    step.teacher = block(text);
  }
  else step.question = question(kind, text);
}

/** A step from its lines: prose and fenced parts in turn. */
function stepOf(title, lines, firstLine, most) {
  const step = { title, before: [], after: [] };
  let prose = [], fence = null, started = firstLine;
  const attempt = (line, act) => {
    try {
      act();
    } catch (error) {
      throw error instanceof Mistake ? error : new Mistake(line, error.message);
    }
  };
  const flush = () => attempt(started, () => {
    if (prose.some((l) => l.trim())) (step.question ? step.after : step.before).push(...block(prose.join("\n")));
    prose = [];
  });
  lines.forEach((line, i) => {
    const [, kind] = /^```(\w*)\s*$/.exec(line) ?? [];
    if (fence && kind === "") {
      attempt(started, () => addPart(step, fence.kind, fence.lines.join("\n")));
      fence = null;
      started = firstLine + i + 1;
    } else if (fence) fence.lines.push(line);
    else if (kind !== undefined) {
      flush();
      if (!parts.has(kind)) throw new Mistake(firstLine + i, `there is no part “${kind}” of a step`);
      fence = { kind, lines: [] };
      started = firstLine + i;
    } else prose.push(line);
  });
  if (fence) throw new Mistake(started, `the part “${fence.kind}” has no end`);
  flush();
  attempt(firstLine, () => {
    if (!step.state?.startsWith("study=")) throw new Error(`the step “${title}” has no state that begins with study=`);
    if (!step.before.length) throw new Error(`the step “${title}” has no text`);
    if (!step.teacher) throw new Error(`the step “${title}” has no notes for the teacher`);
    if (step.show && !step.question) throw new Error(`the step “${title}” shows something after a question that it does not ask`);
    const count = wordsIn(step.before) + wordsIn(step.after);
    if (count > most) throw new Error(`the step “${title}” has ${count} words; ${most} at most`);
  });
  return step;
}

/** {name: values} of a part “draw”; each name has as many values, which go together. */
function drawnNames(lines) {
  const names = Object.fromEntries(lines.filter((line) => line.trim()).map((line) => {
    const [, name, values] = /^([a-z]+): (.+)$/.exec(line) ?? [];
    if (!name) throw new Error(`“${line}” is not of the form name: value | value`);
    return [name, values.split("|").map((value) => value.trim())];
  }));
  const counts = new Set(Object.values(names).map((values) => values.length));
  if (counts.size !== 1 || counts.has(1)) throw new Error("what is drawn has at least two values, and as many for each name");
  return names;
}

/** The lines of a step with these values in the place of @name. Throws where a name stands for nothing, or is not used. */
function withValues(lines, values) {
  const used = new Set();
  const put = (line) => line.replace(/@([a-z]+)/g, (found, name) => {
    if (!Object.hasOwn(values, name)) throw new Error(`${found} is not drawn`);
    used.add(name);
    return values[name];
  });
  const written = lines.map(put), unused = Object.keys(values).find((name) => !used.has(name));
  if (unused) throw new Error(`@${unused} is drawn and not used`);
  return written;
}

/** A step in all its versions: the first, with what differs from it in the others. */
function versionedStep(title, lines, firstLine, most) {
  const from = lines.indexOf("```draw"), to = lines.indexOf("```", from);
  if (from < 0) return stepOf(title, lines, firstLine, most);
  try {
    const names = drawnNames(lines.slice(from + 1, to)), [{ length: count }] = Object.values(names);
    const rest = lines.map((line, i) => (i >= from && i <= to ? "" : line));
    const [first, ...others] = Array.from({ length: count }, (_, i) => {
      const drawn = Object.fromEntries(Object.entries(names).map(([name, values]) => [name, values[i]]));
      return { ...stepOf(title, withValues(rest, drawn), firstLine, most), drawn };
    });
    const differing = (other) => Object.fromEntries(Object.entries(other).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(first[key])));
    return { ...first, versions: others.map(differing) };
  } catch (error) {
    throw error instanceof Mistake ? error : new Mistake(firstLine + from, error.message);
  }
}

function frontMatter(lines) {
  const end = lines.indexOf("---", 1);
  if (lines[0] !== "---" || end < 0) throw new Mistake(1, "a lesson begins with its front matter between two lines of ---");
  const found = {};
  lines.slice(1, end).forEach((line, i) => {
    const [, key, value] = /^([a-z]+): (.+)$/.exec(line) ?? [];
    if (!key || !Object.hasOwn(front, key)) throw new Mistake(i + 2, `“${line}” is no line of the front matter`);
    found[key] = value;
  });
  for (const key of Object.keys(front)) if (!found[key]) throw new Mistake(1, `the front matter lacks “${key}”`);
  for (const key of ["number", "minutes"]) {
    found[key] = Number(found[key]);
    if (!Number.isInteger(found[key]) || found[key] < 1) throw new Mistake(1, `“${key}” needs a whole number`);
  }
  return { ...found, beside: found.beside.split(",").map((study) => study.trim()), end };
}

// ---- names: the studies, their parameters and their outputs, as the sources declare them

/** {study: Set of the names of its parameters and outputs} from the studies' headers. */
export function catalogueOf(folder) {
  const declared = (path) => [...readFileSync(path, "utf8").matchAll(/\b(?:Field|Out)\{\s*"([a-z_0-9]+)"/g)].map((m) => m[1]);
  const headers = (place) => readdirSync(place).filter((file) => file.endsWith(".h")).map((file) => join(place, file));
  const shared = headers(folder).flatMap(declared);
  const ids = [...readFileSync(join(folder, "studies.def"), "utf8").matchAll(/^STUDY\((\w+)\)/gm)].map((m) => m[1]);
  return Object.fromEntries(ids.map((id) => [id, new Set([...shared, ...headers(join(folder, id)).flatMap(declared)])]));
}

/** Throws where a fragment names a study or a parameter that does not exist. Returns its study. */
function checkNames(fragment, catalogue, study = "") {
  const pairs = pairsOf(fragment), id = pairs.find(([key]) => key === "study")?.[1] ?? study;
  if (!Object.hasOwn(catalogue, id)) throw new Error(`there is no study “${id}”`);
  for (const [key] of pairs) {
    const own = key.startsWith(`${id}.`) ? key.slice(id.length + 1) : key;
    if (!pageKeys.has(own) && !own.startsWith("view.") && !catalogue[id].has(own)) throw new Error(`“${key}” is no parameter of ${id} and no key of links`);
  }
  return id;
}

/** All expressions of a step's texts and question. */
function expressionsOf(step) {
  const found = [...(step.holds ?? [])];
  const walk = (part) => {
    if (Array.isArray(part)) part.forEach(walk);
    else if (part?.live) found.push(part.live);
    else if (part?.of) walk(part.of);
  };
  [step.before, step.after, step.hints, step.teacher].forEach((text) => walk(text ?? []));
  const { question: asked = {} } = step;
  for (const key of ["ask", "said", "wrong", "low", "high"]) if (Array.isArray(asked[key])) walk(asked[key]);
  for (const key of ["answer", "right", "picked", "curve"]) if (asked[key]) found.push(asked[key]);
  for (const { right, label, meaning } of asked.options ?? []) {
    found.push(right);
    walk(label);
    walk(meaning);
  }
  return found;
}

const always = new Set(["tokens", "study", "edits"]); // of every state

function checkStep(step, catalogue) {
  const shown = checkNames(step.state, catalogue);
  const runs = Object.fromEntries(Object.entries(step.runs ?? {}).map(([name, fragment]) => [name, checkNames(fragment, catalogue, shown)]));
  const later = step.show ? checkNames(step.show, catalogue, shown) : shown;
  for (const expression of expressionsOf(step))
    for (const [name, member] of namesIn(parseExpression(expression))) {
      const [id, output] = Object.hasOwn(runs, name) ? [runs[name], member] : [null, name];
      if (name === "focus" || always.has(name) || always.has(output)) continue;
      const studies = id ? [id] : [shown, later];
      const known = name === "params" ? catalogue[shown].has(member) : studies.some((study) => catalogue[study].has(output));
      if (!known) throw new Error(`“${expression}” names ${member ? `${name}.${member}` : name}, which is no output of ${studies.join(" or ")}`);
    }
}

/** The lesson as plain data. Throws an error that names the place. `catalogue` may be left out: names are then not checked. */
export function compile(text, name, catalogue = null, language = "en") {
  try {
    const lines = text.replace(/\r\n/g, "\n").split("\n"), { end, ...lesson } = frontMatter(lines);
    const heads = lines.flatMap((line, i) => (i > end && /^## /.test(line) ? [i] : []));
    const stray = lines.findIndex((line, i) => i > end && i < (heads[0] ?? lines.length) && line.trim());
    if (stray >= 0) throw new Mistake(stray + 1, "this stands before the first step");
    const steps = heads.map((at, k) => ({ at, step: versionedStep(lines[at].slice(3).trim(), lines.slice(at + 1, heads[k + 1]), at + 2, mostWords[language] ?? mostWords.other) }));
    if (steps.length < fewestSteps || steps.length > mostSteps) throw new Mistake(1, `a lesson has ${fewestSteps} to ${mostSteps} steps, this one ${steps.length}`);
    const needed = steps.reduce((sum, { step }) => sum + step.minutes, 0);
    if (needed > lesson.minutes) throw new Mistake(1, `the steps take ${needed} minutes, the lesson ${lesson.minutes}`);
    const unknown = catalogue && lesson.beside.find((study) => !Object.hasOwn(catalogue, study));
    if (unknown) throw new Mistake(1, `there is no study “${unknown}”`);
    if (catalogue)
      for (const { at, step } of steps)
        try {
          everyVersion(step).forEach((version) => checkStep(version, catalogue));
        } catch (error) {
          throw new Mistake(at + 1, error.message);
        }
    return { name, ...lesson, steps: steps.map(({ step }) => step) };
  } catch (error) {
    throw error instanceof Mistake ? new Error(`${name}.md:${error.line}: ${error.message}.`) : error;
  }
}

/** The ways through several lessons for so many minutes: [{minutes, title, summary, steps: ["helix/1", …]}]. */
export function checkPaths(paths, lessons) {
  for (const { minutes, title, steps } of paths) {
    const needed = steps.reduce((sum, at) => {
      const [name, number] = at.split("/"), step = lessons.find((lesson) => lesson.name === name)?.steps[number - 1];
      if (!step) throw new Error(`paths.json: “${title}” names ${at}, which does not exist.`);
      return sum + step.minutes;
    }, 0);
    if (needed > minutes) throw new Error(`paths.json: the steps of “${title}” take ${needed} minutes, more than ${minutes}.`);
  }
  return paths;
}

/** The lessons of a language, in their order. */
function compileAll(folder, language, catalogue) {
  const place = join(folder, language);
  return readdirSync(place).filter((file) => file.endsWith(".md")).sort()
    .map((file) => compile(readFileSync(join(place, file), "utf8"), basename(file, ".md"), catalogue, language))
    .sort((a, b) => a.number - b.number);
}

/** Writes the lessons of another language; returns their entries in the list of lessons. */
function writeTranslated(folder, language, english, catalogue, out) {
  const lessons = compileAll(folder, language, catalogue);
  mkdirSync(join(out, language), { recursive: true });
  for (const lesson of lessons) {
    checkTranslation(lesson, english.find(({ name }) => name === lesson.name), `${language}/${lesson.name}.md`);
    writeFileSync(join(out, language, `${lesson.name}.json`), JSON.stringify(lesson));
  }
  return Object.fromEntries(lessons.map(({ name, title, summary }) => [name, { title, summary }]));
}

function main(out) {
  const folder = join(root, "assets/lessons"), catalogue = catalogueOf(join(root, "src/studies"));
  const lessons = compileAll(folder, "en", catalogue);
  mkdirSync(out, { recursive: true });
  for (const lesson of lessons) writeFileSync(join(out, `${lesson.name}.json`), JSON.stringify(lesson));
  const index = lessons.map(({ name, number, title, minutes, summary, beside, steps }) => ({ name, number, title, minutes, summary, beside, steps: steps.length }));
  const others = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== "en").map((entry) => entry.name);
  const entries = Object.fromEntries(others.map((language) => [language, writeTranslated(folder, language, lessons, catalogue, out)]));
  writeFileSync(join(out, "entries.json"), JSON.stringify(entries));
  const paths = checkPaths(JSON.parse(readFileSync(join(folder, "paths.json"), "utf8")), lessons);
  writeFileSync(join(out, "paths.json"), JSON.stringify(paths));
  writeFileSync(join(out, "index.json"), JSON.stringify(index));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  try {
    main(process.argv[2]);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
