// The scale of a card: round ends around both numbers, in powers of ten where these are far apart.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scaleOf } from "../../web/shell/table_cards.js";

function assertInside({ ends, at }, numbers) {
  assert.ok(ends[0] < Math.min(...numbers) && Math.max(...numbers) < ends[1], `${ends} around ${numbers}`);
  for (const part of at) assert.ok(part > 0 && part < 1, `${part}`);
}

test("a linear scale has round ends, and its numbers are where they belong", () => {
  const { ends, at } = scaleOf([0.9, 0.9106]);
  assert.deepEqual(ends, [0.89, 0.92]);
  assert.ok(Math.abs(ends[0] + at[0] * (ends[1] - ends[0]) - 0.9) < 1e-12);
  assert.ok(at[0] < at[1]);
});

test("any two numbers are inside their scale", () => {
  const all = [0, 1, -1, 153, 137, 3.0249, -0.5, 1e-9, 5e11, 6e-138, 0.00096, 1023];
  for (const a of all) for (const b of all) assertInside(scaleOf([a, b]), [a, b]);
});

test("numbers far apart are on a scale of powers of ten", () => {
  const { ends, at } = scaleOf([0.00096, 6e-138]);
  assert.ok(ends[0] <= 1e-138 && ends[1] >= 1e-3);
  assert.ok(at[1] < 0.1 && at[0] > 0.9);
});
