// Presenter's mode: by keys, by touch, with the speaker's notes in a second window.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { middle, rect, settled, state, until, useBrowser, withPage } from "./support.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const onPage = (hash, options, run) => withPage({ url: server.url + hash, folded: true, ...options }, run);
const visible = (page, selector) => page.locator(selector).first().isVisible();
const barSays = (page, text) => page.locator("#present-bar .where").filter({ hasText: text }).waitFor();

test("a key opens it, arrows walk the views of a study, and the enlarged figure is pointed at where it is", () => onPage("#v=1&model=&study=position_helix", { viewport: { width: 1920, height: 1080 } }, async (page) => {
  const presets = await page.locator("#presets button").count();
  await page.keyboard.press("Alt+p");
  await barSays(page, `view 1 of ${presets}`);
  for (const gone of ["header", "#tools", "#explain", "#about", "#leads"]) assert.equal(await visible(page, gone), false, gone);
  assert.match(await page.evaluate(() => location.hash), /present=1/);
  assert.ok(await page.locator("h1").first().evaluate((e) => parseFloat(getComputedStyle(e).fontSize)) >= 44, "a title for the back row");
  const canvas = await page.locator("#canvas").evaluate((c) => c.width / c.clientWidth);
  assert.ok(Math.abs(canvas - 1) < 0.01, `the canvas is as sharp as the screen: ${canvas}`);
  await settled(page);
  const at = await middle(page, "row.300");
  await page.mouse.click(at.x, at.y);
  await settled(page);
  assert.equal((await state(page)).focus.locked, true);
  assert.ok(Math.abs((await state(page)).focus.position - 300) <= 2, JSON.stringify((await state(page)).focus));
  const tip = await page.locator("#tooltip").boundingBox();
  assert.ok(Math.hypot(tip.x - at.x, tip.y + tip.height - at.y) < 400, "what it says is beside the point");
  await page.keyboard.press("ArrowRight");
  await barSays(page, `view 2 of ${presets}`);
  await page.keyboard.press("ArrowLeft");
  await barSays(page, `view 1 of ${presets}`);
  await page.keyboard.press("Escape");
  await until(() => visible(page, "header"), Boolean);
  const hash = await until(() => page.evaluate(() => location.hash), (h) => !h.includes("present"));
  assert.doesNotMatch(hash, /present/);
  assert.equal(await visible(page, "#present-bar"), false);
  const figure = await rect(page, "figure");
  assert.ok(figure.width < 1920, "the figure has its usual size again");
}));

test("a lesson by keys: steps, the answer, blank screen, pointer; nothing of it counts as the visitor's answer", () => onPage("#v=1&lesson=rope/1&present=1", { viewport: { width: 1280, height: 720 } }, async (page) => {
  await barSays(page, "Lesson 10, step 1 of 5");
  assert.equal(await visible(page, "#lesson .asked"), true);
  assert.equal(await visible(page, "#lesson .after"), false);
  await page.keyboard.press("Space");
  await page.locator("#lesson .after").waitFor();
  assert.equal(await visible(page, "#present-bar .reveal"), false);
  await page.keyboard.press("ArrowRight");
  await barSays(page, "step 2 of 5");
  await page.keyboard.press("PageDown"); // a remote control: the answer first
  await page.locator("#lesson .after").waitFor();
  await barSays(page, "step 2 of 5");
  await page.keyboard.press("PageDown");
  await barSays(page, "step 3 of 5");
  assert.equal(await page.evaluate(() => localStorage.getItem("helixscope.lessons")), null);
  await page.keyboard.press("b");
  assert.equal(await visible(page, "#blank"), true);
  await page.keyboard.press("b");
  assert.equal(await visible(page, "#blank"), false);
  await page.mouse.move(500, 400);
  await page.keyboard.down("l");
  assert.equal(await visible(page, "#laser"), true);
  const dot = await page.locator("#laser").boundingBox();
  assert.ok(Math.hypot(dot.x + dot.width / 2 - 500, dot.y + dot.height / 2 - 400) < 1.5, JSON.stringify(dot));
  await page.keyboard.up("l");
  assert.equal(await visible(page, "#laser"), false);
  await page.keyboard.press("q");
  await page.locator("#present-code svg path").waitFor();
  await page.keyboard.press("q");
  assert.equal(await visible(page, "#present-code"), false);
  assert.equal(await page.evaluate(() => document.scrollingElement.scrollHeight <= innerHeight + 1), true, "one screen");
  await page.keyboard.press("Escape");
  await page.locator("#lesson .foot").waitFor();
  assert.equal((await state(page)).lesson, "rope/3");
}));

test("the speaker's notes: a window with the notes, the next step and a clock, whose keys work here", () => onPage("#v=1&lesson=rope/1&present=1", { clock: true }, async (page) => {
  await barSays(page, "step 1 of 5");
  const opened = page.context().waitForEvent("page");
  await page.keyboard.press("n");
  const notes = await opened;
  await notes.locator("h2").first().waitFor();
  assert.equal(await notes.title(), "Speaker’s notes");
  const headings = await notes.locator("h2").allTextContents();
  assert.deepEqual([headings[0], headings.at(-1)], ["Notes", "Next"]);
  assert.match(await notes.locator("main").textContent(), /minutes/);
  const next = await notes.locator("main p").last().textContent();
  assert.match(await notes.locator(".clock").textContent(), /^0:0\d · \d\d:\d\d$/);
  await page.clock.runFor(61_000);
  assert.match(await notes.locator(".clock").textContent(), /^1:0\d/);
  await notes.keyboard.press("ArrowRight");
  await barSays(page, "step 2 of 5");
  await notes.locator("h1").filter({ hasText: next }).waitFor();
  await until(() => notes.locator(".live").allTextContents(), (all) => !all.includes("…"));
  const closed = notes.waitForEvent("close");
  await page.bringToFront();
  await page.keyboard.press("Escape");
  await closed;
}));

test("by touch on a small screen, and for assistive technology", () => onPage("#v=1&lesson=rope/1&present=1", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, bypassCSP: true }, async (page) => {
  await barSays(page, "step 1 of 5");
  await page.locator("#present-bar .reveal").tap();
  await page.locator("#lesson .after").waitFor();
  await page.locator("#present-bar .on").tap();
  await barSays(page, "step 2 of 5");
  await page.locator("#present-bar .point").tap();
  await page.touchscreen.tap(200, 300);
  const dot = await page.locator("#laser").boundingBox();
  assert.ok(Math.abs(dot.x + dot.width / 2 - 200) < 1.5, JSON.stringify(dot));
  await page.locator("#present-bar .point").tap();
  assert.equal(await visible(page, "#laser"), false);
  await page.locator("#present-bar .dark").tap();
  await page.locator("#blank").tap();
  await page.addScriptTag({ content: axe });
  const { violations } = await page.evaluate(() => window.axe.run());
  assert.deepEqual(violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
  await page.locator("#present-bar .leave").tap();
  await until(() => visible(page, "header"), Boolean);
}));
