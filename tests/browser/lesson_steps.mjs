// Steps of a lesson as a visitor goes through them, with one of the devices of devices.mjs: chosen, typed and drawn.
import assert from "node:assert/strict";
import { mouse } from "./devices.mjs";
import { settled, until } from "./support.mjs";

export const said = (page) => page.locator("#lesson .said").textContent();
/** Whether the question is still open. */
export const isOpen = (page) => page.locator("#lesson .after").isHidden();
export const check = (page, device = mouse) => device.press(page.locator("#lesson .ask button[type=submit]"));
export const lessonAt = (page, at) => page.waitForFunction((wanted) => helixscope.state().lesson === wanted, at);

/** Waits until a step is there and its figure drawn. */
export async function stepThere(page, name, number) {
  await lessonAt(page, `${name}/${number}`);
  await page.locator(`#lesson .steps li:nth-child(${number}) [aria-current]`).waitFor();
  await settled(page);
}

/** A wrong answer is refused with what it would mean, and keeps the answer hidden. */
export async function refused(page, at) {
  await until(() => page.locator("#lesson .said").getAttribute("class"), (name) => name.split(" ").includes("wrong"));
  assert.match(await said(page), /^(Not so|No|Nein)\. .{10,}/s, at);
  assert.equal(await isOpen(page), true, `${at}: a wrong answer keeps the answer hidden`);
}

/** What an expression of the lesson is, once the runs that it needs are there. */
const known = (page, expression, type) =>
  until(() => page.evaluate((text) => helixscope.lesson(text), expression), (value) => typeof value === type);

const option = (page, k) => page.locator("#lesson .options input").nth(k);
export const typed = (page) => page.locator("#lesson .typed input");

/** A line across the axes; without something to draw with, five values. */
async function sketched(page, device) {
  const sketch = page.locator("#lesson .sketch svg");
  await sketch.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await sketch.boundingBox();
  if (device.draw) return device.draw(page, [{ x: x + 42, y: y + height / 2 }, { x: x + width - 12, y: y + height / 3 }]);
  await device.press(page.locator("#lesson .sketch summary"));
  await page.locator("#lesson .five input").first().waitFor(); // the curve's length is known
  for (const [k, field] of (await page.locator("#lesson .five input").all()).entries()) await device.type(field, String(0.2 * k));
}

/** The right answer of each kind of question, from the visitor's own run; where `tries` is set, every wrong one first. */
export const answers = {
  async choose(page, at, { options }, { tries = true, device = mouse } = {}) {
    const holds = [];
    for (const [k, { right }] of options.entries()) {
      holds.push(await known(page, right, "boolean"));
      if (holds[k] || !tries) continue;
      await device.choose(option(page, k));
      await check(page, device);
      await refused(page, `${at}: option ${k + 1}`);
    }
    assert.equal(holds.filter(Boolean).length, 1, `${at}: one option is right`);
    await device.choose(option(page, holds.indexOf(true)));
    await check(page, device);
  },
  async number(page, at, { answer }, { tries = true, device = mouse } = {}) {
    for (const wrong of tries ? ["−999999", "999,999"] : []) {
      await device.type(typed(page), wrong);
      await check(page, device);
      await refused(page, at);
    }
    const right = await known(page, answer, "number");
    const text = String(Number(right.toPrecision(4))), comma = await page.evaluate(() => document.documentElement.lang !== "en");
    await device.type(typed(page), comma ? text.replace(".", ",") : text);
    await check(page, device);
  },
  async sketch(page, at, question, { device = mouse } = {}) {
    await sketched(page, device);
    await check(page, device);
    assert.match(await until(() => said(page), (t) => t.includes("%")), /within 0\.\d\d of the model at \d+\s%|0,\d\d.*\d+\s%|\d+\s%.*0,\d\d/, at);
    assert.ok(await page.locator("#lesson .real").getAttribute("d"), `${at}: the real curve is drawn`);
  },
};
