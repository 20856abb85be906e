// A newcomer's whole way, with one of the devices of devices.mjs: a lesson with a wrong answer and right ones, a text of their own on
// the helix, one intervention, the link, and the same in a browser that has never been here.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { answers, check, refused, stepThere, typed } from "./lesson_steps.mjs";
import { site } from "./places.mjs";
import { middle, settled, state, until, withPage } from "./support.mjs";

const file = readdirSync(join(site, "lessons")).find((name) => name.startsWith("helix."));
const lesson = JSON.parse(readFileSync(join(site, "lessons", file), "utf8"));

/** The page as a newcomer finds it, who may copy a link. */
export const newcomer = { folded: true, permissions: ["clipboard-read", "clipboard-write"] };

const specs = async (page) => (await state(page)).subject.edits.map((edit) => edit.spec);
/** The figure's places in the viewport, after it has been scrolled there. */
const places = async (page, ...ids) => {
  await page.locator("#stage").scrollIntoViewIfNeeded();
  return Promise.all(ids.map((id) => middle(page, id)));
};

/**
 * The lesson to its end: the wrong options of its second step are tried, everything else is right at once. `look(where)` is called
 * before and after each answer.
 */
export async function takeLesson(page, device, look = async (_) => {}) {
  await device.press(page.locator("#leads [data-lesson=helix]"));
  for (const [i, { question }] of lesson.steps.entries()) {
    const at = `helix/${i + 1}`;
    await stepThere(page, "helix", i + 1);
    await look(`${at}, open`);
    if (i === 0) {
      await device.type(typed(page), "5");
      await check(page, device);
      await refused(page, at);
      await look(`${at}, refused`);
    }
    await answers[question.kind](page, at, question, { tries: i === 1, device });
    await page.locator("#lesson .after").waitFor();
    await settled(page);
    await look(`${at}, answered`);
    if (i + 1 < lesson.steps.length) await device.press(page.locator("#lesson .foot button", { hasText: `Step ${i + 2}` }));
  }
  await device.press(page.locator("#lesson .leave"));
  await page.locator("#lesson").waitFor({ state: "hidden" });
}

/** A text of the visitor's own on the helix, which goes to a later place: its label is dragged, or the slider moved. Returns its first position. */
export async function putText(page, device) {
  await device.press(page.locator("#presets [data-key='preset:default']"));
  await settled(page);
  await device.type(page.locator("#say-text"), "In the morning they went to the old house");
  await settled(page);
  if (device.draw)
    await device.draw(page, await places(page, "row.4", "row.60", "row.120"), 8);
  else {
    await page.locator("#say-shift").focus();
    for (let k = 0; k < 3; ++k) await page.keyboard.press("PageUp");
  }
  await settled(page);
  const [, shift] = /shift_positions:(\d+)/.exec((await until(() => specs(page), (list) => list.length)).join()) ?? [];
  assert.ok(Number(shift) > 0, "the text is elsewhere");
  return Number(shift);
}

/** A position is pinned and taken to another row of the helix. */
async function carry(page, device, first) {
  const [on] = await places(page, `helix.position.${first + 4}`);
  await device.point(page, on);
  const { focus } = await until(() => state(page), (now) => now.focus.locked); // this one or its neighbour: they are a pixel apart
  await settled(page);
  await device.draw(page, await places(page, `helix.position.${focus.position}`, `helix.position.${first + 44}`), 10);
  return new RegExp(`replace_position:${focus.position}:\\d+`);
}

/** A position is pinned and averaged with its neighbour. */
async function average(page, first) {
  await page.locator("#canvas").focus();
  for (let at = -1, presses = 0; at < first + 2; at = (await state(page)).focus.position) {
    assert.ok(++presses < 200, `the focus stays at ${at}`);
    await page.keyboard.press(first + 2 - at >= 100 && at >= 0 ? "PageDown" : "ArrowRight");
  }
  await page.keyboard.press("Enter");
  await page.keyboard.press("Alt+Shift+ArrowRight");
  return /average_positions:\d+:\d+/;
}

/** One intervention on the text that begins at this position. */
export async function intervene(page, device, first) {
  const kind = await (device.draw ? carry(page, device, first) : average(page, first));
  assert.match((await until(() => specs(page), (list) => list.length === 2)).join(), kind);
  await settled(page);
}

/** What the export menu gives under this name, as a file of this browser. */
export async function exported(page, device, name) {
  await device.press(page.locator("#export"));
  const entry = page.locator("#menu [role=menuitem]", { hasText: name });
  const [download] = await Promise.all([page.waitForEvent("download"), device.press(entry)]);
  return download.path();
}

/** The picture without its metadata, which name the camera's link. */
const picture = async (page, device) => readFileSync(await exported(page, device, "SVG"), "utf8").replace(/<metadata.*?<\/metadata>/s, "");

/** The link that the page copies opens the same state, with the same words and picture, on a page with these options. */
export async function linkKeepsAll(page, device, options) {
  await device.press(page.locator("#copy"));
  const link = await until(() => page.evaluate(() => navigator.clipboard.readText()), (text) => text.includes("shift_positions"));
  const [title, shown, drawn] = [await page.locator("#title").textContent(), await state(page), await picture(page, device)];
  await withPage({ ...options, ...newcomer, url: link }, async (fresh) => {
    assert.equal(await until(() => fresh.locator("#title").textContent(), (text) => text === title), title);
    const there = await state(fresh);
    for (const part of ["study", "model", "params", "subject", "camera"]) assert.deepEqual(there[part], shown[part], part);
    assert.equal(await until(() => picture(fresh, device), (now) => now === drawn), drawn, "the same picture");
  });
}

/** The whole way, on a page that was opened with these options. */
export async function newcomersWay(page, device, options = {}) {
  await takeLesson(page, device);
  await intervene(page, device, await putText(page, device));
  await linkKeepsAll(page, device, options);
}
