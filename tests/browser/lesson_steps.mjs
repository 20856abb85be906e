// Steps of a lesson as a visitor goes through them: answered by mouse, typed and drawn.
import assert from "node:assert/strict";
import { settled, until } from "./support.mjs";

export const said = (page) => page.locator("#lesson .said").textContent();
/** Whether the question is still open. */
export const isOpen = (page) => page.locator("#lesson .after").isHidden();
export const check = (page) => page.locator("#lesson .ask button[type=submit]").click();
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

/** The right answer of each kind of question, from the visitor's own run; where `tries` is set, every wrong one first. */
export const answers = {
  async choose(page, at, { options }, tries = true) {
    const holds = [];
    for (const [k, option] of options.entries()) {
      holds.push(await known(page, option.right, "boolean"));
      if (holds[k] || !tries) continue;
      await page.locator("#lesson .options input").nth(k).check();
      await check(page);
      await refused(page, `${at}: option ${k + 1}`);
    }
    assert.equal(holds.filter(Boolean).length, 1, `${at}: one option is right`);
    await page.locator("#lesson .options input").nth(holds.indexOf(true)).check();
    await check(page);
  },
  async number(page, at, { answer }, tries = true) {
    for (const wrong of tries ? ["−999999", "999,999"] : []) {
      await page.locator("#lesson .typed input").fill(wrong);
      await check(page);
      await refused(page, at);
    }
    const right = await known(page, answer, "number");
    const text = String(Number(right.toPrecision(4))), comma = await page.evaluate(() => document.documentElement.lang !== "en");
    await page.locator("#lesson .typed input").fill(comma ? text.replace(".", ",") : text);
    await check(page);
  },
  async sketch(page, at) {
    const sketch = page.locator("#lesson .sketch svg");
    await sketch.scrollIntoViewIfNeeded();
    const box = await sketch.boundingBox();
    await page.mouse.move(box.x + 42, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 12, box.y + box.height / 3, { steps: 12 });
    await page.mouse.up();
    await check(page);
    assert.match(await until(() => said(page), (t) => t.includes("%")), /within 0\.\d\d of the model at \d+\s%|0,\d\d.*\d+\s%|\d+\s%.*0,\d\d/, at);
    assert.ok(await page.locator("#lesson .real").getAttribute("d"), `${at}: the real curve is drawn`);
  },
};
