// The page in WebKit, the engine of Safari, as WebKitGTK has it: every view has the native program's numbers and a figure; mouse, keys,
// links, edits, a lesson and its answer work.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { builtFile } from "./files.mjs";
import { drag, otherNumbers, studies } from "./other_browsers.mjs";
import { colours, decodePng } from "./pictures.mjs";
import { startServer } from "./servers.mjs";
import { middle, patience, state, until } from "./support.mjs";
import { useWebKit, whyNoWebKit } from "./webkit.mjs";

const enough = 2 * patience; // milliseconds for a test that takes ten seconds on an idle machine
const attention = "#v=1&model=minihelix&study=attention&attention.layer=4&attention.head=6&prompt=The%20old%20man%20and%20the%20sea%20and%20the";

const specs = async (page) => (await state(page)).subject.edits.map(({ spec }) => spec);
const text = (page, place) => page.evaluate((selector) => document.querySelector(selector).textContent, place);
const scalarsOf = (page, study) => page.evaluate((id) => helixscope.result(id, { arrays: false }), study);
const pattern = (page) => page.evaluate(() => Array.from(helixscope.result("attention").arrays.pattern.data));
/** How many colours the figure has, as far as it is in view. The driver's pictures of an element are blank where the page has scrolled. */
async function figureColours(page) {
  const { x, y, right, bottom } = await page.evaluate(() => { const box = document.querySelector("#canvas").getBoundingClientRect(); return { x: box.x, y: box.y, right: box.right, bottom: box.bottom }; });
  const { data, channels, width, height } = decodePng(await page.screenshot()), rows = [];
  for (let row = Math.ceil(Math.max(y, 0)); row < Math.min(bottom, height); ++row) rows.push(data.subarray((row * width + Math.ceil(x)) * channels, (row * width + Math.floor(Math.min(right, width))) * channels));
  return colours({ data: Buffer.concat(rows), channels });
}
async function settled(page) {
  await until(() => page.evaluate(() => helixscope.busy()), (busy) => !busy);
  await page.evaluate(() => helixscope.settled());
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
      const was = (await state(page)).camera;
      await drag(page, await middle(page, "figure.helix"), 120, 40);
      const now = (await until(() => state(page), ({ camera }) => camera[0] !== was[0] && camera[1] !== was[1])).camera;
      assert.deepEqual(now.slice(2), was.slice(2), "nothing but turned");
      await page.mouse.move(5, 5); // nothing is pointed at
      await until(() => state(page), ({ focus }) => focus.position === -1);
      await page.focus("#canvas");
      for (const [key, expected] of [["ArrowRight", 1], ["ArrowRight", 2], ["PageDown", 102], ["ArrowLeft", 101]]) {
        await page.keyboard.press(key);
        await until(() => state(page), ({ focus }) => focus.position === expected);
      }
    }));

  test("each view of the menu draws a figure and has the native program's numbers", { timeout: 3 * enough }, () =>
    onPage(server.url, async (page) => {
      const all = await studies(page), compared = [];
      assert.ok(all.length > 30, String(all));
      for (const study of all) {
        await page.evaluate((link) => helixscope.open(link), `#v=1&study=${study}`);
        await settled(page);
        const found = await scalarsOf(page, study);
        assert.equal(found.complete, true, study);
        assert.ok(Object.keys(found.scalars).length, study);
        assert.ok((await figureColours(page)) > 8, `${study}: a figure is drawn`);
        compared.push(otherNumbers(study, found));
      }
      assert.deepEqual((await Promise.all(compared)).flat(), []);
    }));

  test("a link restores a view; a head is switched off by a key, undone, and the new link opens the same", { timeout: enough }, async () => {
    let link, edited;
    await onPage(server.url + attention, async (page) => {
      const { params } = await state(page);
      assert.deepEqual([params.layer, params.head], ["4", "6"]);
      const before = await pattern(page), at = await middle(page, "heads.layer.0.head.1");
      await page.mouse.move(at.x, at.y);
      await until(() => state(page), ({ focus }) => focus.layer === 0 && focus.head === 1);
      await page.focus("#canvas");
      await page.keyboard.press("Delete");
      await until(() => specs(page), (list) => list.join() === "ablate_head:0.1");
      await settled(page);
      edited = await pattern(page);
      assert.notDeepEqual(edited, before);
      link = await until(() => page.url(), (address) => address.includes("edit="));
      await page.keyboard.down("Control");
      await page.keyboard.press("z");
      await page.keyboard.up("Control");
      await until(() => specs(page), (list) => !list.length);
      await settled(page);
      assert.deepEqual(await pattern(page), before);
    });
    await onPage(link, async (page) => assert.deepEqual(await pattern(page), edited));
  });

  test("a lesson's question is answered from the page's own run, and the next step opens", { timeout: enough }, () =>
    onPage(`${server.url}#v=1&lesson=helix/1`, async (page) => {
      const [first, second] = JSON.parse(readFileSync(builtFile("lessons/helix.json"), "utf8")).steps;
      const right = await until(() => page.evaluate((expression) => window.helixscope.lesson?.(expression), first.question.answer), (value) => typeof value === "number");
      await page.type("#lesson .typed input", String(Number(right.toPrecision(4))));
      await page.press("#lesson .ask button[type=submit]");
      assert.match(await until(() => text(page, "#lesson .said"), Boolean), /^Right/);
      await page.press("#lesson .foot button.primary");
      await until(() => state(page), ({ lesson }) => lesson === "helix/2");
      await settled(page);
      assert.equal(await text(page, "#lesson h1"), second.title);
    }));
});
