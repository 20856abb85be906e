// The structure of every formula of the studies' notes, without a browser; the page's own are compared with the same table in
// accessibility_test.mjs.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "../../web/shell/formula.js";
import { meant, said } from "./formulas.mjs";
import { root } from "./places.mjs";

const read = (text) => parse(text).map(({ parts }) => parts.filter(({ name }) => name !== "mspace").map(said).join(" "));

for (const [text, structure] of Object.entries(meant))
  test(`is read as it is meant: ${text}`, () => assert.deepEqual(read(text), [structure]));

test("two spaces after a comma part two statements; the comma stays with the first", () =>
  assert.deepEqual(read("p = 1,  q = √2"), ["p = 1 ,", "q = √{2}"]));

test("a comma parts thousands only where three digits follow", () => {
  assert.deepEqual(read("f(1,024, 2)"), ["f ( 1,024 , 2 )"]);
  assert.deepEqual(read("f(1, 2/3)"), ["f ( 1 , {2 // 3} )"]);
});

test("bars nest in brackets and stand beside each other", () => {
  assert.deepEqual(read("|f(|x|)| |y|²"), ["| f ( | x | ) | | y |^{2}"]);
  assert.deepEqual(read("1 / |x|"), ["{1 // | x |}"]);
});

test("what is no formula is refused", () => {
  for (const text of ["x)", "a /", "(", "|x", "|a − b", "x | y"]) assert.throws(() => parse(text), text);
});

test("the table holds every equation that stands whole in a study's source", () => {
  const studies = join(root, "src/studies"), missing = [];
  let found = 0;
  for (const study of readdirSync(studies, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const source = readFileSync(join(studies, study.name, "view.cpp"), "utf8");
    for (const [, text] of source.matchAll(/Kind::equation,\s*"([^"]+)"\s*\}/g)) {
      ++found;
      for (const statement of parse(text)) if (!(statement.text.replace(/,$/, "") in meant)) missing.push(`${study.name}: ${statement.text}`);
    }
  }
  assert.ok(found >= 12, `${found} equations`);
  assert.deepEqual(missing, []);
});
