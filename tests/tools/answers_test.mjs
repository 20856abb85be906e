// The answers that pupils hand in: what is packed is unpacked, and nothing hostile gets further than one sentence. Without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { packed, unpacked } from "../../web/lessons/answers.js";

const lessons = { helix: [1, 1, 3, 1, 1, 1, 1], rope: [1, 1, 1, 1] }; // versions of each step
const mine = { lesson: "helix", who: "Ägnes 7", link: "#v=1&model=&study=position_helix&lesson=helix/7", answers: [
  { step: 1, version: 0, first: 312, last: 547.5, tries: 3, how: "right" }, { step: 2, version: 0, first: 2, last: 2, tries: 1, how: "shown" }, { step: 5, version: 0, first: null, last: null, tries: 0, how: "shown" }] };
const pack = (list) => `answers=${Buffer.from(JSON.stringify(list)).toString("base64url")}`;

test("answers come back as they were, from a link or from a file", () => {
  const text = packed(mine);
  assert.deepEqual(unpacked(`https://example.org/page/#${text}`, lessons), mine);
  assert.deepEqual(unpacked(`${text}\n`, lessons), mine);
  assert.ok(text.length < 400, `${text.length} characters`);
});

test("an answer to a question in another version says so, in a form that older pages refuse", () => {
  const other = { ...mine, answers: [{ ...mine.answers[0], step: 3, version: 2 }, mine.answers[1]] };
  assert.deepEqual(unpacked(packed(other), lessons), other);
  const form = (text) => JSON.parse(Buffer.from(text.split("=")[1], "base64url"))[0];
  assert.deepEqual([form(packed(mine)), form(packed(other))], [1, 2]);
});

test("whatever else comes gets one sentence", () => {
  const rows = (...list) => pack([1, "helix", "", list, ""]);
  const bad = ["", "hello", "answers=", "answers=!!!", "answers=AAAA", packed(mine).slice(0, -9), pack(null), pack({}), pack([]), pack([1]), pack([3, "helix", "", [], ""]),
    pack([1, "cooking", "", [], ""]), pack([1, "__proto__", "", [], ""]), pack([1, "helix", 5, [], ""]), pack([1, "helix", "", "x", ""]), pack([1, "helix", "", Array(100).fill([1, 1, 1, 1, 1]), ""]),
    rows([0, 1, 1, 1, 1]), rows([8, 1, 1, 1, 1]), rows([1, "1", 1, 1, 1]), rows([1, 1e300, 1, 1, 1]), rows([1, 1, 1, -1, 1]), rows([1, 1, 1, 1, 7]), rows([1, 1, 1, 1, 1], [1, 2, 2, 2, 2]), rows(null), rows([3, 1, 1, 1, 1, 3]), rows([2, 1, 1, 1, 1, 1]), rows([3, 1, 1, 1, 1, -1]),
    `answers=${"A".repeat(30000)}`, "\u0000".repeat(50), `x${"answers=".repeat(2000)}`];
  for (const text of bad)
    assert.throws(() => unpacked(text, lessons), (error) => {
      assert.match(error.message, /^[A-Z][^.]*\.$/, text.slice(0, 60));
      return true;
    }, text.slice(0, 60));
});

test("a name is cut and stripped, and only a link of the page stays a link", () => {
  const found = unpacked(pack([1, "rope", `a\n\u0007${"b".repeat(99)}`, [], "javascript:alert(1)"]), lessons);
  assert.equal(found.who, `a${"b".repeat(39)}`);
  assert.equal(found.link, "");
  assert.equal(unpacked(pack([1, "rope", "", [], 7]), lessons).link, "");
});
