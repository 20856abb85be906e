// The compiler of the lessons: what it accepts, and that each mistake is named with its place. Without a browser.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { catalogueOf, checkPaths, compile } from "../../tools/dev/lessons.mjs";
import { Grid, evaluate, parse } from "../../web/lessons/expression.js";
import { written } from "../../web/lessons/format.js";
import { everyVersion, forClass, nextSeed, seeded, versionOf, withOwnSeed } from "../../web/lessons/seeds.js";
import { readNumber, readings } from "../../web/lessons/questions.js";
import { checkTranslation } from "../../tools/dev/translated.mjs";
import { useWords } from "../../web/words/words.js";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const catalogue = catalogueOf(join(root, "src/studies"));
const front = "---\ntitle: T\nnumber: 1\nminutes: 5\nsummary: S\nbeside: position_helix\nneeds: N\nsources: Q\n---\n";
const step = (title, rest = "") => `## ${title}\n\n\`\`\`state\nstudy=position_helix\n\`\`\`\n\nSome text.\n\n\`\`\`teacher\n1 minute. Wait.\n\`\`\`\n\n${rest}\n`;
const lesson = (...steps) => front + [...steps, step("B"), step("C"), step("D")].slice(0, Math.max(3, steps.length)).join("\n");
const refused = (text, reason, name = "t") => assert.throws(() => compile(text, name, catalogue), (error) => {
  assert.match(error.message, reason);
  assert.match(error.message, /^t\.md:\d+: .+\.$/s, "it names the place");
  return true;
});

const drawn = (draw, text = "Position @row of @rows.", more = "") => front + [`## A\n\n\`\`\`draw\n${draw}\n\`\`\`\n\n\`\`\`state\nstudy=position_helix\nfocus=position:@row\n\`\`\`\n\n${text}\n\n${more}\n\n\`\`\`teacher\n1 minute. Wait.\n\`\`\``, step("B"), step("C")].join("\n\n");

test("a step whose numbers are drawn has each of its versions whole, the first without a seed", () => {
  const { steps } = compile(drawn("row: 300 | 20\nrows: 3 | 4"), "t", catalogue);
  assert.deepEqual(steps[0].before, [{ tag: "p", of: ["Position 300 of 3."] }]);
  assert.equal(steps[0].state, "study=position_helix&focus=position:300");
  assert.deepEqual(steps[0].versions, [{ before: [{ tag: "p", of: ["Position 20 of 4."] }], state: "study=position_helix&focus=position:20", drawn: { row: "20", rows: "4" } }]);
  assert.deepEqual(everyVersion(steps[0]).map(({ state, minutes }) => [state, minutes]), [["study=position_helix&focus=position:300", 1], ["study=position_helix&focus=position:20", 1]]);
  assert.equal(steps[1].versions, undefined);
});

test("what is drawn has values, and what is used is drawn, in every version", () => {
  refused(drawn("row: 300"), /at least two values/);
  refused(drawn("row: 300 | 20\nrows: 3"), /as many for each name/);
  refused(drawn("row 300"), /not of the form name: value/);
  refused(drawn("row: 300 | 20"), /@rows is not drawn/);
  refused(drawn("row: 1 | 2\nrows: 3 | 4\nmore: 5 | 6"), /@more is drawn and not used/);
  refused(drawn("row: 1 | 2\nrows: turns | bends", "{@rows} at @row"), /bends, which is no output/);
});

test("a seed picks one version of each step, always the same, and different seeds different ones", () => {
  const lesson = { name: "t", steps: [{ title: "A", versions: [{ title: "B" }, { title: "C" }] }, { title: "D" }] };
  assert.deepEqual(seeded(lesson, 0).steps.map(({ title }) => title), ["A", "D"]);
  const counts = { A: 0, B: 0, C: 0 };
  for (let seed = 1; seed <= 3000; ++seed) ++counts[seeded(lesson, seed).steps[0].title];
  for (const [title, count] of Object.entries(counts)) assert.ok(count > 900 && count < 1100, `${title}: ${count} of 3,000`);
  assert.deepEqual(seeded(lesson, 77), seeded(lesson, 77));
  for (const seed of [0, 1, 9999]) {
    const next = nextSeed("t", 1, seed, 3);
    assert.ok(next >= 1 && next <= 9999);
    assert.notEqual(versionOf("t", 1, next, 3), versionOf("t", 1, seed, 3));
  }
  assert.equal(versionOf("t", 2, 5, 1), 0);
});

test("seed=own becomes a number of this device's, and a link for a class asks for one", () => {
  const [, seed] = /^#v=1&lesson=helix\/5&seed=(\d+)&theme=dark$/.exec(withOwnSeed("#v=1&lesson=helix/5&seed=own&theme=dark"));
  assert.ok(Number(seed) >= 1 && Number(seed) <= 9999);
  assert.equal(withOwnSeed("#seed=own"), `#seed=${seed}`, "the same again");
  assert.equal(withOwnSeed("#v=1&prompt=seed=owner"), "#v=1&prompt=seed=owner");
  assert.equal(forClass("#v=1&lesson=helix/5&seed=17"), "#v=1&lesson=helix/5&seed=own");
});

test("every lesson of the page compiles, and names only what studies have", () => {
  const folder = join(root, "assets/lessons/en"), files = readdirSync(folder);
  assert.ok(files.includes("helix.md"));
  for (const file of files) {
    const { steps, title, minutes } = compile(readFileSync(join(folder, file), "utf8"), file.replace(".md", ""), catalogue);
    assert.ok(title && minutes > 0 && steps.length >= 3, file);
  }
});

test("text becomes plain lists: numbers, formulas and emphasis, never markup", () => {
  const { steps } = compile(lesson(step("A", "**Turns** {turns | 2 | focus=position:300} and $a = √2$.")), "t", catalogue);
  assert.deepEqual(steps[0].before[1], { tag: "p", of: [
    { tag: "strong", of: ["Turns"] }, " ", { live: "turns", format: "2", go: "focus=position:300" }, " and ", { formula: "a = √2" }, "."] });
});

test("an address that is none stays text", () => {
  const { steps } = compile(lesson(step("A", "[x](javascript:alert(1))")), "t", catalogue);
  assert.deepEqual(steps[0].before[1], { tag: "p", of: ["[x](javascript:alert(1))"] });
});

for (const [what, part, reason] of [
  ["a script", "<script>alert(1)</script>", /markup/],
  ["an image with a handler", "a <img src=x onerror=alert(1)> b", /markup/],
  ["a comment", "<!-- hidden -->", /markup/],
  ["a link to a plain address", "[x](http://example.com)", /leads to/],
  ["a picture", "![x](https://example.com/a.png)", /no place/],
  ["a heading of another level", "### Smaller", /no place/],
  ["a table of code", "    indented code", /no place/],
  ["an unknown output", "{turnz | 2}", /turnz/],
  ["an unknown format", "{turns | 2digits}", /format/],
  ["an expression that is none", "{turns + }", /ends too early/],
  ["a formula that is none", "$a /$", /factor|ends/],
  ["an unknown part", "```sums\nx\n```", /no part/],
  ["a part without an end", "```hint\nx", /no end/],
  ["two questions", "```number\nask: a\nanswer: turns\ntolerance: 1\nlow: l\nhigh: h\n```\n\n```number\nask: a\nanswer: turns\ntolerance: 1\nlow: l\nhigh: h\n```", /one question/],
  ["a question without a tolerance", "```number\nask: a\nanswer: turns\nlow: l\nhigh: h\n```", /tolerance/],
  ["a question with an unknown field", "```number\nask: a\nanswer: turns\ntolerance: 1\nlow: l\nhigh: h\nhue: x\n```", /hue/],
  ["a choice of one", "```choose\nask: a\n- {turns > 1} Yes :: m\n```", /two options/],
  ["an option without what it would mean", "```choose\nask: a\n- {turns > 1} Yes\n- {turns < 1} No :: m\n```", /form/],
  ["a run of an unknown study", "```runs\nx: study=helices\n```", /helices/],
  ["a run with an unknown parameter", "```runs\nx: study=position_helix&firts=3\n```", /firts/],
  ["a run's output that its study lacks", "```runs\nx: study=position_cosine\n```\n\n{x.turns}", /x\.turns/],
  ["something to show without a question", "```show\nstudy=position_helix\n```", /does not ask/],
  ["too many words", "word ".repeat(90), /words/],
]) test(`refused: ${what}`, () => refused(lesson(step("A", part)), reason));

test("refused: front matter that is missing, incomplete or unknown, and steps that are too few or say nothing", () => {
  refused("## A", /front matter/);
  refused(lesson().replace("title: T\n", ""), /lacks “title”/);
  refused(lesson().replace("minutes: 5", "minutes: soon"), /whole number/);
  refused(lesson().replace("title: T", "tilte: T"), /tilte/);
  refused(lesson().replace("beside: position_helix", "beside: helices"), /there is no study “helices”/);
  refused(front + step("A") + step("B"), /steps/);
  refused(lesson("## A\n\n```state\nstudy=position_helix\n```\n"), /no text/);
  refused(lesson("## A\n\n```state\nstudy=positions\n```\n\nText.\n\n```teacher\n1 minute.\n```\n"), /there is no study “positions”/);
  refused(lesson("## A\n\n```state\nfirst=3\n```\n\nText.\n"), /begins with study=/);
  refused(front + "Stray text.\n" + step("A") + step("B") + step("C"), /before the first step/);
});

test("a mistake is named with the line that it stands in", () => {
  const text = lesson(step("A"), step("B", "{turnz}"));
  assert.throws(() => compile(text, "t", catalogue), (error) => Number(/:(\d+):/.exec(error.message)[1]) === text.split("\n").indexOf("## B") + 1);
});

test("expressions read outputs, compare and compute, and are undefined where something is not there", () => {
  const values = { a: 3, list: new Grid([5, 9, 7], [3], 1), matrix: new Grid([1, 2, 3, NaN], [2, 2]), word: "x", run: (name) => ({ b: 8 })[name] };
  const is = (text, value) => assert.deepEqual(evaluate(text, (name) => values[name]), value, text);
  is("a + 2 * 3 - 1 / 2", 8.5);
  is("-a * -2", 6);
  is("list[1] + list[3]", 12);
  is("argmax(list)", 2);
  is("max(range(list, 2, 3))", 9);
  is("matrix[1][0]", 3);
  is("max(matrix)", 3);
  is("run.b - a = 5 and not (word = \"y\")", true);
  is("absent = 1 and a > 0", undefined); // what is not there is not untrue
  is("absent = 1 or not (a = a)", undefined);
  is("absent = 1 and not (a = a)", false);
  is("absent = 1 or a = a", true);
  is("a > 3 or near(a, 3.1, 0.2)", true);
  for (const text of ["absent", "list[0]", "list[4]", "run.c", "a + absent", "a.b", "max(a)"]) is(text, undefined);
  for (const text of ["", "a +", "(a", "a b", "alert(1)", "a = = b", "constructor(1)", "a; b", "a[1"]) assert.throws(() => parse(text), text);
});

test("numbers are written as on the page, and read as visitors type them", () => {
  assert.deepEqual([[0.9106, "%1"], [-1234.56, "1"], [1.9e-7, "e1"], [" cat", "token"], [0.5, "+2"], [NaN, "2"], [undefined, ""], [1024, ""]].map(([v, f]) => written(v, f)),
    ["91.1\u202f%", "−1,234.6", "1.9·10⁻⁷", "“cat”", "+0.50", "…", "…", "1,024"]);
  assert.deepEqual(["12.5", "12,5", "−3", "1,024", " 91 % ", "x", ""].map(readNumber), [12.5, 12.5, -3, 1024, 91, NaN, NaN]);
});

test("each step says how long it takes, a lesson is as long as its steps, and so is a path", () => {
  const { steps } = compile(lesson(step("A")), "t", catalogue);
  assert.equal(steps[0].minutes, 1);
  refused(lesson(step("A").replace("1 minute. Wait.", "Wait.")), /begin with how long/);
  refused(lesson(step("A").replace(/```teacher[^`]*```/, "")), /no notes for the teacher/);
  refused(lesson(step("A").replace("1 minute", "9 minutes")), /the steps take 11 minutes, the lesson 5/);
  const known = [{ name: "t", steps }], path = (minutes, ...at) => [{ minutes, title: "P", steps: at }];
  assert.equal(checkPaths(path(2, "t/1", "t/2"), known).length, 1);
  assert.throws(() => checkPaths(path(9, "t/4"), known), /names t\/4, which does not exist/);
  assert.throws(() => checkPaths(path(1, "t/1", "t/2"), known), /take 2 minutes, more than 1/);
});

test("a typed number is read with a decimal comma, or as the figure writes it", () => {
  assert.deepEqual(["3,021", "1.024", "1.024,5", "0.912", "−12,5 %", "x", ""].map((text) => readings(text, true)),
    [[3.021, 3021], [1024, 1.024], [1024.5], [0.912, 0.912], [-12.5, -12.5], [], []]);
  assert.deepEqual(readings("1,024", false), [1024]);
});

test("numbers in another language: a decimal comma, and spaces between thousands from five digits on", () => {
  useWords({ language: "de", said: {}, studies: {}, groups: {}, labels: {}, lessons: {} });
  try {
    assert.deepEqual([[0.9106, "%1"], [-1234.56, "1"], [1.94e-7, "e1"], [0.5, "+2"], [1024, ""], [9_895_604, "0"]].map(([v, f]) => written(v, f)),
      ["91,1\u202f%", "−1234,6", "1,9·10⁻⁷", "+0,50", "1024", "9\u202f895\u202f604"]);
  } finally {
    useWords({ language: "en", said: {}, studies: {}, groups: {}, labels: {}, lessons: {} });
  }
});

test("every lesson of another language is the English one in other words", () => {
  const folder = join(root, "assets/lessons"), read = (language, file) => compile(readFileSync(join(folder, language, file), "utf8"), file.replace(".md", ""), catalogue, language);
  for (const language of ["it", "de"]) {
    const files = readdirSync(join(folder, language));
    for (const name of ["order", "waves", "helix", "learning"]) assert.ok(files.includes(`${name}.md`), `${language}/${name}`);
    for (const file of files) checkTranslation(read(language, file), read("en", file), `${language}/${file}`);
  }
});

test("a translation with other steps, answers, numbers or minutes is refused, and says where", () => {
  const question = "```number\nask: How many {turns | 2}?\nanswer: turns\ntolerance: 1\nlow: l\nhigh: h\n```\n\n{turns | 2} and {turns | 1}.";
  const of = (text) => compile(text, "t", catalogue), english = of(lesson(step("A", question)));
  const refuses = (text, reason) => assert.throws(() => checkTranslation(of(text), english, "it/t.md"), reason);
  checkTranslation(of(lesson(step("Uno", question.replace("How many", "Quanti").replace("{turns | 2} and {turns | 1}", "{turns | 1} e {turns | 2}")))), english, "it/t.md");
  refuses(lesson(step("A", question.replace("answer: turns", "answer: turns + 1"))), /^Error: it\/t\.md: step 1: answer is "turns \+ 1", in English "turns"\.$/);
  refuses(lesson(step("A", question.replace("and {turns | 1}", ""))), /step 1: what “after” names/);
  refuses(lesson(step("A", question.replace("low: l", "low: {turns | 2}"))), /step 1: what “low” names/);
  refuses(lesson(step("A", question)).replace("study=position_helix\n", "study=position_helix\nfirst=2\n"), /step 1: state/);
  refuses(lesson(step("A", question).replace("1 minute.", "2 minutes.")), /step 1: minutes is 2, in English 1/);
  refuses(lesson(step("A", question), step("B"), step("C"), step("D")), /has 4 steps, the English lesson 3/);
  refuses(lesson(step("A", question)).replace("number: 1", "number: 2"), /“number” is 2, in English 1/);
  assert.throws(() => checkTranslation(english, undefined, "it/t.md"), /there is no English lesson/);
});
