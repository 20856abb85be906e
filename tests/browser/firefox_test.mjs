// The page in Firefox: every view has the native program's numbers and a figure; mouse, keys, links, edits, a lesson and exports work.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { assertSameResult } from "./compare.mjs";
import { builtFile } from "./files.mjs";
import { answerNumber, drawn, enough, press, textOf, useFirefox, whyNoFirefox } from "./firefox.mjs";
import { nativeResult } from "./native.mjs";
import { drag, modelPath, otherNumbers, studies } from "./other_browsers.mjs";
import { colours, decodePng } from "./pictures.mjs";
import { startServer } from "./servers.mjs";
import { middle, result, scalars, state, until } from "./support.mjs";

const lesson = () => JSON.parse(readFileSync(builtFile("lessons/helix.json"), "utf8"));
const attention = "#v=1&model=minihelix&study=attention&attention.layer=4&attention.head=6&prompt=The%20old%20man%20and%20the%20sea%20and%20the";

const camera = async (page) => (await state(page)).camera;
const position = async (page) => (await state(page)).focus.position;
const specs = async (page) => (await state(page)).subject.edits.map(({ spec }) => spec);

const picture = async (page) => decodePng(Buffer.from(await (await page.$("#canvas")).screenshot()));

describe("in Firefox", { skip: whyNoFirefox() ?? false, timeout: 3 * enough }, () => {
  const folder = mkdtempSync(join(tmpdir(), "helixscope-downloads-"));
  const onPage = useFirefox({ downloads: folder });
  let server;
  before(async () => { server = await startServer([], { bundled: true }); });
  after(async () => { await server?.stop(); rmSync(folder, { recursive: true, force: true }); });

  test("the first view has the native program's numbers and shows them; dragging turns it, keys walk along the positions", { timeout: enough }, () =>
    onPage(server.url, async (page) => {
      const found = await result(page);
      assertSameResult(found, await nativeResult(modelPath("gpt2-positions")), { label: "the first view" });
      const share = `${(100 * scalars(found).explained_first3).toFixed(2)}`;
      assert.ok((await textOf(page, "#lead")).includes(share), `${share} is shown`);
      const was = await camera(page);
      await drag(page, await middle(page, "figure.helix"), 120, 40);
      const now = await until(() => camera(page), (seen) => seen[0] !== was[0] && seen[1] !== was[1]);
      assert.deepEqual(now.slice(2), was.slice(2), "nothing but turned");
      await page.mouse.move(5, 5); // nothing is pointed at
      assert.equal(await until(() => position(page), (at) => at === -1), -1);
      await page.focus("#canvas");
      for (const [key, expected] of [["ArrowRight", 1], ["ArrowRight", 2], ["PageDown", 102], ["ArrowLeft", 101]]) {
        await page.keyboard.press(key);
        assert.equal(await until(() => position(page), (at) => at === expected), expected, key);
      }
    }));

  test("each view of the menu draws a figure and has the native program's numbers", { timeout: 2 * enough }, () =>
    onPage(server.url, async (page) => {
      const all = await studies(page), compared = [];
      assert.ok(all.length > 30, String(all));
      for (const study of all) {
        await page.evaluate((link) => helixscope.open(link), `#v=1&study=${study}`);
        await drawn(page);
        const found = await page.evaluate((id) => helixscope.result(id, { arrays: false }), study);
        assert.equal(found.complete, true, study);
        assert.ok(Object.keys(found.scalars).length, study);
        assert.ok(colours(await picture(page)) > 8, `${study}: a figure is drawn`);
        compared.push(otherNumbers(study, found));
      }
      assert.deepEqual((await Promise.all(compared)).flat(), []);
    }));

  test("a link restores a view; a head is switched off by a key, undone, and the new link opens the same", { timeout: enough }, async () => {
    let link, edited;
    await onPage(server.url + attention, async (page) => {
      const { params } = await state(page);
      assert.deepEqual([params.layer, params.head], ["4", "6"]);
      const before = await page.evaluate(() => Array.from(helixscope.result("attention").arrays.pattern.data));
      const at = await middle(page, "heads.layer.0.head.1");
      await page.mouse.move(at.x, at.y);
      await until(() => state(page), ({ focus }) => focus.layer === 0 && focus.head === 1);
      await page.focus("#canvas");
      await page.keyboard.press("Delete");
      await until(() => specs(page), (list) => list.join() === "ablate_head:0.1");
      await drawn(page);
      edited = await page.evaluate(() => Array.from(helixscope.result("attention").arrays.pattern.data));
      assert.notDeepEqual(edited, before);
      link = await until(() => page.url(), (address) => address.includes("edit="));
      await page.keyboard.down("Control");
      await page.keyboard.press("z");
      await page.keyboard.up("Control");
      await until(() => specs(page), (list) => !list.length);
      await drawn(page);
      assert.deepEqual(await page.evaluate(() => Array.from(helixscope.result("attention").arrays.pattern.data)), before);
    });
    await onPage(link, async (page) =>
      assert.deepEqual(await page.evaluate(() => Array.from(helixscope.result("attention").arrays.pattern.data)), edited));
  });

  test("a lesson's question is answered from the page's own run, and the next step opens", { timeout: enough }, () =>
    onPage(`${server.url}#v=1&lesson=helix/1`, async (page) => {
      await until(() => page.$("#lesson .typed input"), Boolean);
      await answerNumber(page, lesson().steps[0].question);
      await press(page, "#lesson .foot button ::-p-text(Step 2)");
      await until(() => state(page), (now) => now.lesson === "helix/2");
      await drawn(page);
      assert.equal(await textOf(page, "#lesson h1"), lesson().steps[1].title);
    }));

  test("a picture and a table are exported", { timeout: enough }, () =>
    onPage(server.url, async (page) => {
      const exported = async (label, name) => {
        await press(page, "#export");
        await press(page, `#menu [role=menuitem] ::-p-text(${label})`);
        await until(() => readdirSync(folder), (files) => files.some((file) => name.test(file)) && !files.some((file) => file.endsWith(".part")));
        return readFileSync(join(folder, readdirSync(folder).find((file) => name.test(file))));
      };
      const png = decodePng(await exported("Picture, PNG", /\.png$/));
      assert.equal(png.width, 1920);
      assert.ok(colours(png) > 100, "a picture");
      const { explained } = (await result(page)).arrays;
      const rows = String(await exported("Share of the variance, CSV", /\.csv$/)).trim().split("\r\n").slice(1).map((line) => line.split(",").map(Number));
      assert.deepEqual(rows.map((row) => row[1]), explained.data);
    }));
});
