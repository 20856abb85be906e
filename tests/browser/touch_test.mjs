// Fingers on a phone, the wheel on a page that can scroll: the figure takes its own gestures and leaves the rest to the page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fingers, phone } from "./fingers.mjs";
import { startServer } from "./servers.mjs";
import { plantedFolder } from "./synthetic.mjs";
import { middle, rect, result, settled, state, until, useBrowser, withPage } from "./support.mjs";

let server, model;

useBrowser();
before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const onPhone = (run) => withPage({ url: server.url, ...phone }, async (page) => run(page, await fingers(page)));
const camera = async (page) => (await state(page)).camera;
/** Scrolls to the top, where the page stays once it no longer rolls on from a swipe. */
const toTop = (page) => page.evaluate(async () => {
  for (let still = 0; still < 10; still = scrollY === 0 ? still + 1 : 0) {
    scrollTo({ top: 0, behavior: "instant" });
    await new Promise((next) => requestAnimationFrame(next));
  }
});
const scrolled = (page) => page.evaluate(() => scrollY);

test("a swipe up that starts on the figure scrolls the page and tilts nothing; a drag to the side turns the figure", () => onPhone(async (page, { glide }) => {
  const at = await middle(page, "figure.helix"), start = await state(page);
  await glide(at, { x: at.x + 15, y: at.y - 250 });
  assert.ok(await until(() => scrolled(page), (y) => y > 100) > 100, "the page scrolls");
  assert.deepEqual(await state(page), start, "and the view stays as it was, with nothing pinned");
  await toTop(page);
  await glide(at, { x: at.x + 90, y: at.y + 20 });
  const turned = await camera(page);
  assert.notEqual(turned[0], start.camera[0], "turned");
  assert.notEqual(turned[1], start.camera[1], "and tilted, because it began to the side");
  assert.equal(await scrolled(page), 0, "the page stays");
}));

test("a swipe at the end of the page turns nothing either", () => onPhone(async (page, { glide }) => {
  const at = await middle(page, "figure.helix"), start = await state(page);
  await glide(at, { x: at.x, y: at.y + 200 }); // there is nothing above
  assert.deepEqual(await state(page), start);
  await page.touchscreen.tap(at.x, at.y);
  await settled(page);
  assert.deepEqual(await camera(page), start.camera, "and a tap is still a tap");
}));

test("a screen on which nothing scrolls: one finger turns and tilts", () =>
  withPage({ url: server.url, viewport: { width: 1600, height: 1400 }, hasTouch: true, folded: true }, async (page) => {
    const { glide } = await fingers(page), at = await middle(page, "figure.helix"), start = await camera(page);
    const room = await page.evaluate(() => [document.scrollingElement, document.querySelector("main")].map((e) => e.scrollHeight - e.clientHeight));
    assert.deepEqual(room, [0, 0], "nothing scrolls here");
    await glide(at, { x: at.x, y: at.y - 120 });
    assert.notEqual((await camera(page))[1], start[1]);
  }));

test("two fingers zoom the figure, not the page", () => onPhone(async (page, { pinch }) => {
  const start = await camera(page);
  await pinch(await middle(page, "figure.helix"), 30, 90);
  assert.ok((await camera(page))[2] > start[2] * 1.5);
  assert.equal(await page.evaluate(() => visualViewport.scale), 1);
  assert.equal(await scrolled(page), 0);
}));

test("scrolling the page turns nothing and holds nothing, wherever it begins", () => onPhone(async (page, { glide }) => {
  const start = await state(page);
  const places = { "the title": await page.locator("#title").boundingBox(), "the bars beside the figure": await rect(page, "figure.explained") };
  for (const [what, box] of Object.entries(places)) {
    await page.evaluate(() => scrollTo(0, 0));
    await sleep(100);
    const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await glide(from, { x: from.x, y: from.y - 250 });
    assert.ok(await until(() => scrolled(page), (y) => y > 50) > 50, `from ${what} the page scrolls`);
    assert.deepEqual(await state(page), start, `and the view stays as it was (${what})`);
  }
}));

test("a finger takes the end of the range though it is small", () => onPhone(async (page, { glide }) => {
  const box = await rect(page, "figure.rows.first");
  const beside = { x: box.x + box.width / 2 + 14, y: box.y + box.height / 2 + 12 };
  const visible = await page.evaluate(() => innerHeight);
  assert.ok(beside.y < visible, "the range is on the first screen");
  await glide(beside, { x: beside.x + 100, y: beside.y });
  assert.ok((await result(page)).params.first > 20);
  assert.equal(await scrolled(page), 0);
}));

test("over a page that scrolls the wheel is the page's until the figure is clicked", () =>
  withPage({ url: server.url, viewport: { width: 640, height: 400 } }, async (page) => {
    const at = await middle(page, "figure.helix"), start = await camera(page);
    const inside = { x: at.x, y: Math.min(at.y, 330) };
    await page.mouse.move(inside.x, inside.y);
    await page.mouse.wheel(0, 120);
    assert.ok(await until(() => scrolled(page), (y) => y > 0) > 0);
    assert.deepEqual(await camera(page), start);
    await page.evaluate(() => scrollTo(0, 0));
    await sleep(200);
    await page.mouse.click(inside.x, inside.y);
    await page.mouse.wheel(0, -120);
    assert.ok((await until(() => camera(page), (c) => c[2] > 1))[2] > 1, "now it zooms");
    assert.equal(await scrolled(page), 0);
  }));

test("over the tooltip of what is pinned the wheel zooms as over the canvas", () =>
  withPage({ url: server.url, viewport: { width: 1280, height: 800 } }, async (page) => {
    const { x, y } = await middle(page, "row.30");
    await page.mouse.click(x, y);
    await page.locator("#tooltip.locked").waitFor();
    const box = await page.locator("#tooltip").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await settled(page);
    const before = (await state(page)).camera;
    await page.mouse.wheel(0, -300);
    await until(() => state(page), (now) => now.camera[2] > before[2], 5000);
    assert.ok(await page.locator("#tooltip.locked").isVisible(), "what is pinned stays pinned");
  }));
