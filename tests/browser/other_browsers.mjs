// What the tests of browsers other than Chromium share.
import assert from "node:assert/strict";
import { join } from "node:path";
import { numeric } from "./compare.mjs";
import { nativeResult } from "./native.mjs";
import { root } from "./places.mjs";

export const modelPath = (name) => (name ? join(root, "assets/models", name) : ""); // some studies read no weights
const slack = 2e-5; // of a number, or of 1 where it is smaller: sums of floats in another order
const nextFrame = (page) => page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));

/** One step each frame, like a real drag: a drag that is over before the next frame is not recognised. */
export async function drag(page, from, dx, dy, steps = 6) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= steps; ++i) {
    await nextFrame(page);
    await page.mouse.move(from.x + (dx * i) / steps, from.y + (dy * i) / steps);
  }
  await nextFrame(page);
  await page.mouse.up();
}

/** The names of the menu's studies but the table of claims, which has all their numbers once more and takes a minute. */
export const studies = (page) => page.evaluate(() => [...document.querySelectorAll("#studies [data-key^='study:']")].map(({ dataset }) => dataset.key.slice(6)).filter((id) => id !== "claims"));

/** Whether a study's numbers are those of the native program, as a sentence for each that is not. */
export async function otherNumbers(study, found) {
  const native = await nativeResult(modelPath(found.provenance.model), {}, study);
  assert.deepEqual(found.params, native.params, study);
  assert.deepEqual(found.provenance.tensors, native.provenance.tensors, study);
  assert.deepEqual(Object.keys(found.scalars).sort(), Object.keys(native.scalars).sort(), study);
  return Object.entries(native.scalars).flatMap(([name, { value }]) => {
    const here = numeric(found.scalars[name].value), there = numeric(value);
    return Object.is(here, there) || Math.abs(here - there) <= slack * Math.max(1, Math.abs(there)) ? [] : [`${study}: ${name} is ${here} here and ${there} natively`];
  });
}
