// The order of a table's rows by a column, as its cells are written for people.
import assert from "node:assert/strict";
import { test } from "node:test";
import { numberOf, ordered } from "../../web/shell/row_order.js";

test("the numbers of cells", () => {
  const cells = {
    "6.2·10⁻¹³⁸": 6.2e-138, "1.89·10⁷": 1.89e7, "−0.15 points": -0.15, "91.06 %": 91.06, "1,023": 1023, "−∞": -Infinity, "∞": Infinity,
    "-3": -3, "+0.4": 0.4, "12,345,678": 12345678, 0: 0,
  };
  for (const [text, number] of Object.entries(cells)) assert.equal(numberOf(text), number, text);
  for (const text of ["", "–", "4.2.1", "4.2 and 4.3", "word", "1 2", "··"]) assert.ok(Number.isNaN(numberOf(text)), text);
});

const column = (cells, how) => ordered(cells.map((text) => [text]), cells.map((_, i) => i), { column: 0, numeric: false, up: true, ...how }).map((i) => cells[i]);

test("numbers by size, whatever they are written like, and what is none last", () => {
  const cells = ["0.91", "6.2·10⁻¹³⁸", "–", "−3.5000", "153", "1.89·10⁷"];
  assert.deepEqual(column(cells, { numeric: true }), ["−3.5000", "6.2·10⁻¹³⁸", "0.91", "153", "1.89·10⁷", "–"]);
  assert.deepEqual(column(cells, { numeric: true, up: false }), ["1.89·10⁷", "153", "0.91", "6.2·10⁻¹³⁸", "−3.5000", "–"]);
});

test("a column of texts that are all numbers is sorted as such, others as words", () => {
  assert.deepEqual(column(["6.62 %", "−0.15 %", "10.1 %", "–"]), ["−0.15 %", "6.62 %", "10.1 %", "–"]);
  assert.deepEqual(column(["F19", "F7", "P3", "12"]), ["12", "F7", "F19", "P3"]);
});

test("rows of the same value keep their order", () => {
  const rows = [["b", "1"], ["a", "1"], ["c", "0"]];
  for (const up of [true, false]) assert.deepEqual(ordered(rows, [0, 1, 2], { column: 1, numeric: true, up }).filter((i) => i < 2), [0, 1]);
});
