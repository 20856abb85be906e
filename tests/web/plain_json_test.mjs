// JSON as the command line writes it: lists, no number that JSON does not know, 32-bit floats in their own digits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainJson } from "../../web/shell/plain_json.js";

const read = (value) => JSON.parse(plainJson(value));

test("typed arrays are lists of numbers", () => {
  assert.deepEqual(read({ data: new Float64Array([1, 0.1, -2.5e-8]) }), { data: [1, 0.1, -2.5e-8] });
  assert.deepEqual(read({ data: new Float32Array([1, 0.1, -0.14756073, 3.4028235e38, 1e-45]) }), { data: [1, 0.1, -0.14756073, 3.4028235e38, 1e-45] });
});

test("numbers that JSON does not know are the command line's words", () => {
  assert.deepEqual(read({ value: NaN, data: new Float64Array([NaN, Infinity, -Infinity, 0]) }), { value: "nan", data: ["nan", "inf", "-inf", 0] });
  assert.deepEqual(read(new Float32Array([NaN, -Infinity])), ["nan", "-inf"]);
});

test("every 32-bit float reads back as itself", () => {
  const bits = new Uint32Array(20_000);
  for (let i = 0, x = 1; i < bits.length; ++i) bits[i] = x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
  const floats = new Float32Array(bits.buffer).filter(Number.isFinite);
  assert.deepEqual(Float32Array.from(read(floats)), floats);
});
