// What is tested alike in browsers other than Chromium. A page has evaluate(), focus(), url(), a mouse and a keyboard.
import assert from "node:assert/strict";
import { join } from "node:path";
import { numeric } from "./compare.mjs";
import { nativeResult } from "./native.mjs";
import { root } from "./places.mjs";
import { middle, state, until } from "./support.mjs";

export const modelPath = (name) => (name ? join(root, "assets/models", name) : ""); // some studies read no weights
const attention = "#v=1&model=minihelix&study=attention&attention.layer=4&attention.head=6&prompt=The%20old%20man%20and%20the%20sea%20and%20the";
const slack = 2e-5; // of a number, or of 1 where it is smaller: sums of floats in another order
const nextFrame = (page) => page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));

/** One step each frame, like a real drag: a drag that is over before the next frame is not recognised. */
async function drag(page, from, dx, dy, steps = 6) {
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
const studies = (page) => page.evaluate(() => [...document.querySelectorAll("#studies [data-key^='study:']")].map(({ dataset }) => dataset.key.slice(6)).filter((id) => id !== "claims"));

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

/** Waits until the newest result is drawn. */
export async function drawn(page) {
  await until(() => page.evaluate(() => helixscope.busy()), (busy) => !busy);
  await page.evaluate(() => helixscope.settled());
}

/** The helix that is shown is turned by dragging, and keys walk along its positions. */
export async function turnsAndWalks(page) {
  const was = (await state(page)).camera;
  await drag(page, await middle(page, "figure.helix"), 120, 40);
  const now = (await until(() => state(page), ({ camera }) => camera[0] !== was[0] && camera[1] !== was[1])).camera;
  assert.deepEqual(now.slice(2), was.slice(2), "nothing but turned");
  await page.mouse.move(5, 5); // nothing is pointed at
  const at = (expected) => until(() => state(page), ({ focus }) => focus.position === expected);
  await at(-1);
  await page.focus("#canvas");
  for (const [key, expected] of [["ArrowRight", 1], ["ArrowRight", 2], ["PageDown", 102], ["ArrowLeft", 101]]) {
    await page.keyboard.press(key);
    await at(expected);
  }
}

/** Each view of the menu draws a figure and has the native program's numbers. `figureColours()`: how many the figure has now. */
export async function everyView(page, figureColours) {
  const all = await studies(page), compared = [];
  assert.ok(all.length > 30, String(all));
  for (const study of all) {
    await page.evaluate((link) => helixscope.open(link), `#v=1&study=${study}`);
    await drawn(page);
    const found = await page.evaluate((id) => helixscope.result(id, { arrays: false }), study);
    assert.equal(found.complete, true, study);
    assert.ok(Object.keys(found.scalars).length, study);
    assert.ok((await figureColours()) > 8, `${study}: a figure is drawn`);
    compared.push(otherNumbers(study, found));
  }
  assert.deepEqual((await Promise.all(compared)).flat(), []);
}

/** A link restores a view of heads; one is switched off by a key, which is undone; the link of the edit opens the same numbers. */
export async function headSwitchedOff(onPage, address) {
  const pattern = (page) => page.evaluate(() => Array.from(helixscope.result("attention").arrays.pattern.data));
  const edits = async (page, wanted) => {
    await until(() => state(page), ({ subject }) => subject.edits.map(({ spec }) => spec).join() === wanted);
    await drawn(page);
  };
  let link, edited;
  await onPage(address + attention, async (page) => {
    const { params } = await state(page);
    assert.deepEqual([params.layer, params.head], ["4", "6"]);
    const before = await pattern(page), at = await middle(page, "heads.layer.0.head.1");
    await page.mouse.move(at.x, at.y);
    await until(() => state(page), ({ focus }) => focus.layer === 0 && focus.head === 1);
    await page.focus("#canvas");
    await page.keyboard.press("Delete");
    await edits(page, "ablate_head:0.1");
    edited = await pattern(page);
    assert.notDeepEqual(edited, before);
    link = await until(() => page.url(), (shown) => shown.includes("edit="));
    await page.keyboard.down("Control");
    await page.keyboard.press("z");
    await page.keyboard.up("Control");
    await edits(page, "");
    assert.deepEqual(await pattern(page), before);
  });
  await onPage(link, async (page) => assert.deepEqual(await pattern(page), edited));
}
