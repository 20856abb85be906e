// The page in WebKit, the engine of Safari, as WebKitGTK has it: every view has the native program's numbers and a figure; mouse, keys,
// links, edits, a lesson and its answer work.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { builtFile } from "./files.mjs";
import { drawn, everyView, headSwitchedOff, otherNumbers, turnsAndWalks } from "./other_browsers.mjs";
import { colours, decodePng } from "./pictures.mjs";
import { startServer } from "./servers.mjs";
import { patience, state, until } from "./support.mjs";
import { useWebKit, whyNoWebKit } from "./webkit.mjs";

const enough = 2 * patience; // milliseconds for a test that takes ten seconds on an idle machine
const text = (page, place) => page.evaluate((selector) => document.querySelector(selector).textContent, place);
const scalarsOf = (page, study) => page.evaluate((id) => helixscope.result(id, { arrays: false }), study);

/** How many colours the figure has, as far as it is in view. The driver's pictures of an element are blank where the page has scrolled. */
async function figureColours(page) {
  const { x, y, right, bottom } = await page.evaluate(() => { const box = document.querySelector("#canvas").getBoundingClientRect(); return { x: box.x, y: box.y, right: box.right, bottom: box.bottom }; });
  const { data, channels, width, height } = decodePng(await page.screenshot()), rows = [];
  for (let row = Math.ceil(Math.max(y, 0)); row < Math.min(bottom, height); ++row) rows.push(data.subarray((row * width + Math.ceil(x)) * channels, (row * width + Math.floor(Math.min(right, width))) * channels));
  return colours({ data: Buffer.concat(rows), channels });
}

describe("in WebKit", { skip: whyNoWebKit() ?? false, timeout: 4 * enough }, () => {
  const onPage = useWebKit();
  let server;
  before(async () => { server = await startServer([], { bundled: true }); });
  after(async () => { await server?.stop(); });

  test("the first view is drawn and shows the native program's numbers; dragging turns it, keys walk along the positions", { timeout: enough }, () =>
    onPage(server.url, async (page) => {
      const found = await scalarsOf(page, "position_helix"), share = (100 * found.scalars.explained_first3.value).toFixed(2);
      assert.deepEqual(await otherNumbers("position_helix", found), []);
      assert.ok((await text(page, "#lead")).includes(share), `${share} is shown`);
      assert.ok((await figureColours(page)) > 100, "a helix is drawn");
      assert.equal(await page.evaluate(() => crossOriginIsolated), true);
      await turnsAndWalks(page);
    }));

  test("each view of the menu draws a figure and has the native program's numbers", { timeout: 3 * enough }, () =>
    onPage(server.url, (page) => everyView(page, () => figureColours(page))));

  test("a link restores a view; a head is switched off by a key, undone, and the new link opens the same", { timeout: enough }, () => headSwitchedOff(onPage, server.url));

  test("a lesson's question is answered from the page's own run, and the next step opens", { timeout: enough }, () =>
    onPage(`${server.url}#v=1&lesson=helix/1`, async (page) => {
      const [first, second] = JSON.parse(readFileSync(builtFile("lessons/helix.json"), "utf8")).steps;
      const right = await until(() => page.evaluate((expression) => window.helixscope.lesson?.(expression), first.question.answer), (value) => typeof value === "number");
      await page.type("#lesson .typed input", String(Number(right.toPrecision(4))));
      await page.press("#lesson .ask button[type=submit]");
      assert.match(await until(() => text(page, "#lesson .said"), Boolean), /^Right/);
      await page.press("#lesson .foot button.primary");
      await until(() => state(page), ({ lesson }) => lesson === "helix/2");
      await drawn(page);
      assert.equal(await text(page, "#lesson h1"), second.title);
    }));
});
