// The page in Firefox: it opens, its numbers equal the native program's, and mouse and keys work.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertSameResult } from "./compare.mjs";
import { launchFirefox, openInFirefox, whyNoFirefox } from "./firefox.mjs";
import { nativeResult } from "./native.mjs";
import { startServer } from "./servers.mjs";
import { middle, result, scalars, state, until } from "./support.mjs";
import { plantedFolder } from "./synthetic.mjs";

const enough = 120_000; // milliseconds for a step that takes five seconds on an idle machine

function noteProblems(page, problems) {
  page.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
  page.on("pageerror", (error) => problems.push(String(error)));
}

const camera = async (page) => (await state(page)).camera;
const position = async (page) => (await state(page)).focus.position;

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

describe("in Firefox", { skip: whyNoFirefox() ?? false, timeout: enough }, () => {
  const problems = [];
  let model, server, firefox, page;
  before(async () => {
    model = plantedFolder();
    server = await startServer([model.folder]);
    firefox = await launchFirefox({ "ui.prefersReducedMotion": 1 });
    ({ page } = await openInFirefox(firefox.browser, server.url, { prepare: (opened) => noteProblems(opened, problems) }));
  }, { timeout: enough });
  after(async () => {
    await firefox?.close();
    await server?.stop();
    model?.remove();
  });

  test("the numbers are the native program's, and the page shows them", async () => {
    const found = await result(page);
    assertSameResult(found, await nativeResult(model.folder, {}), { label: "the first view" });
    const share = scalars(found).explained_first3.toFixed(4);
    const notes = await until(() => page.$eval("#notes", (section) => section.textContent), (text) => text.includes(share));
    assert.ok(notes.includes(share), `${share} in: ${notes}`);
  });

  test("dragging turns the figure", async () => {
    const before = await camera(page);
    await drag(page, await middle(page, "figure.helix"), 120, 40);
    const now = await until(() => camera(page), (seen) => seen[0] !== before[0] && seen[1] !== before[1]);
    assert.notEqual(now[0], before[0], "turned sideways");
    assert.notEqual(now[1], before[1], "turned up or down");
    assert.deepEqual(now.slice(2), before.slice(2), "nothing but turned");
  });

  test("keys walk along the positions", async () => {
    await page.mouse.move(5, 5); // nothing is pointed at
    assert.equal(await until(() => position(page), (at) => at === -1), -1);
    await page.focus("#canvas");
    for (const [key, expected] of [["ArrowRight", 1], ["ArrowRight", 2], ["PageDown", 102], ["ArrowLeft", 101]]) {
      await page.keyboard.press(key);
      assert.equal(await until(() => position(page), (at) => at === expected), expected, key);
    }
  });

  test("nothing was complained about", () => assert.deepEqual(problems, []));
});
