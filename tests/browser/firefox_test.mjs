// The page in Firefox: every view has the native program's numbers and a figure; mouse, keys, links, edits, a lesson and exports work.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { assertSameResult } from "./compare.mjs";
import { builtFile } from "./files.mjs";
import { answerNumber, enough, press, textOf, useFirefox, whyNoFirefox } from "./firefox.mjs";
import { nativeResult } from "./native.mjs";
import { drawn, everyView, headSwitchedOff, modelPath, turnsAndWalks } from "./other_browsers.mjs";
import { colours, decodePng } from "./pictures.mjs";
import { startServer } from "./servers.mjs";
import { result, scalars, state, until } from "./support.mjs";

const lesson = () => JSON.parse(readFileSync(builtFile("lessons/helix.json"), "utf8"));
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
      await turnsAndWalks(page);
    }));

  test("each view of the menu draws a figure and has the native program's numbers", { timeout: 2 * enough }, () =>
    onPage(server.url, (page) => everyView(page, async () => colours(await picture(page)))));

  test("a link restores a view; a head is switched off by a key, undone, and the new link opens the same", { timeout: enough }, () => headSwitchedOff(onPage, server.url));

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
      const rows = String(await exported("By component, CSV", /\.csv$/)).trim().split("\r\n").slice(1).map((line) => line.split(",").map(Number));
      assert.deepEqual(rows.map((row) => row[1]), explained.data);
    }));
});
