// Quotations and numbers with their units do not break at the end of a line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pieces } from "../../web/shell/line_breaks.js";

const kept = (text) => {
  const all = pieces(text);
  assert.equal(all.map((piece) => piece.text).join(""), text);
  return all.filter((piece) => piece.whole).map((piece) => piece.text);
};

test("a quoted token, a number and its unit stay whole, and nothing is lost", () => {
  assert.deepEqual(kept("The effect passes from “ river” (4) to the last token in layer 5"), ["“ river” (4)"]);
  assert.deepEqual(kept("This attention weight alone takes “ summer” from 0.04 % to 99 %"), ["“ summer”", "0.04 %", "99 %"]);
  assert.deepEqual(kept("−1.5 bits, 1,024 tokens, 3.02 turns, 90°"), ["−1.5 bits", "1,024 tokens", "3.02 turns"]);
});

test("what is no unit is no reason, and a long quotation may break", () => {
  assert.deepEqual(kept("5 of 512 positions; 4 keys; 2 Models"), []);
  assert.deepEqual(kept(`minihelix continues: “${"table, and the dog was standing on"}”`), []);
  assert.deepEqual(kept(""), []);
});
