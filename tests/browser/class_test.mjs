// The page in one file (./dev build class): opened from a disk, with the network off.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { assertSameResult } from "./compare.mjs";
import { mouse } from "./devices.mjs";
import { builtFile } from "./files.mjs";
import { answerNumber, enough, press, textOf, useFirefox, whyNoFirefox } from "./firefox.mjs";
import { drawn } from "./other_browsers.mjs";
import { nativeResult } from "./native.mjs";
import { newcomer, newcomersWay } from "./newcomer.mjs";
import { colours, decodePng } from "./pictures.mjs";
import { python, root, site } from "./places.mjs";
import { notices, open, result, settled, state, until, useBrowser, withPage } from "./support.mjs";

let folder, url, file;
useBrowser();
before(() => {
  folder = mkdtempSync(join(tmpdir(), "helixscope class ")); // as on a stick: a place with a blank in its name
  file = join(folder, "helixscope.html");
  const make = `import sys; sys.path.insert(0, "tools/dev"); import one_file; from pathlib import Path
Path(sys.argv[2]).write_text(one_file.one_page(one_file.Site(Path(sys.argv[1]))), encoding="utf-8")`;
  const made = spawnSync(python, ["-c", make, site, file], { cwd: root, encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  url = pathToFileURL(file).href;
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** What the pages ask of others, which is to be nothing. */
const asked = [];
function noteAsked(page) {
  page.on("request", (request) => { if (!/^(blob:|data:|file:.*helixscope\.html)/.test(request.url())) asked.push(request.url()); });
}

/** The page from the disk, in a browser without a network. */
async function alone(page) {
  await page.context().setOffline(true);
  noteAsked(page);
}
const fromDisk = (link, run, options = {}) => withPage({ ...options, prepare: alone }, async (page) => {
  await open(page, url + link);
  await run(page);
  assert.deepEqual(asked, []);
});

test("it is one file of at most 30 MB", () => {
  assert.ok(existsSync(file));
  assert.ok(statSync(file).size <= 30e6, `${statSync(file).size} bytes`);
});

test("it opens on the helix of GPT-2's positions, and says nothing", () =>
  fromDisk("", async (page) => {
    const { provenance, scalars, complete } = await result(page);
    assert.equal(provenance.model, "gpt2-positions");
    assert.ok(complete && scalars.explained_first3.value > 0.9);
    assert.deepEqual(await notices(page), []);
    assert.ok(await page.locator("#canvas").isVisible());
    await page.waitForFunction(() => document.fonts.check("16px 'Helixscope Sans'"));
  }));

test("the other model runs text", () =>
  fromDisk("#v=1&model=minihelix&study=predictions&prompt=The%20old%20man%20and%20the", async (page) => {
    const found = await page.evaluate(() => { const r = helixscope.result("predictions"); return [r.complete, r.provenance.model]; });
    assert.deepEqual(found, [true, "minihelix"]);
  }));

test("it speaks other languages, in its lessons too", () =>
  fromDisk("#v=1&lang=de&lesson=helix/3", async (page) => {
    assert.equal(await page.locator("#copy").textContent(), "Link kopieren");
    await page.locator("#lesson").waitFor();
    assert.equal(await page.locator("#lesson h1").textContent(), "Zähle die Windungen");
  }));

test("a lesson opens, a link keeps the state, and the pictures of the studies are there", () =>
  fromDisk("", async (page) => {
    await page.evaluate(() => helixscope.open("#v=1&model=gpt2-positions&study=position_helix&lesson=helix/1"));
    await page.locator("#lesson").waitFor();
    await settled(page);
    assert.match((await state(page)).lesson ?? "", /^helix/);
    const address = await until(() => page.url(), (text) => text.includes("lesson="));
    assert.match(address, /^file:.*#.*lesson=helix/);
    await page.locator("#groups button[data-group]").first().click();
    await page.waitForFunction(() => [...document.querySelectorAll("#studies img")].some((image) => image.naturalWidth > 0));
  }));

test("a newcomer's whole way, and the copied link opens the same in a browser that has never been here", () =>
  fromDisk("", (page) => newcomersWay(page, mouse, { prepare: alone }), newcomer));

describe("in Firefox", { skip: whyNoFirefox() ?? false, timeout: enough }, () => {
  const onPage = useFirefox({ offline: true });

  test("it opens, computes the native program's numbers, and its menu, its lessons and a reload work", { timeout: enough }, async () => {
    await onPage(url, async (page) => {
      assertSameResult(await result(page), await nativeResult(join(root, "assets/models/gpt2-positions")), { label: "the first view" });
      assert.match(await textOf(page, "#lead"), /91\.06/);
      assert.ok(colours(decodePng(Buffer.from(await (await page.$("#canvas")).screenshot()))) > 100, "a picture is drawn");
      assert.deepEqual(await page.$$eval("#notices p span", (all) => all.map((one) => one.textContent)), []);
      await until(() => page.evaluate(() => document.fonts.check("16px 'Helixscope Sans'")), Boolean);

      await page.focus("#groups button[data-group=Text]");
      await page.keyboard.press("Enter"); // the first card has the focus
      assert.ok(await until(() => page.$$eval("#studies section.chosen img", (all) => all.filter((image) => image.naturalWidth).length), Boolean), "pictures of studies");
      await page.keyboard.press("Enter");
      await until(() => state(page), ({ study }) => study === "tokens");
      await drawn(page);
      const found = await page.evaluate(() => { const r = helixscope.result("tokens"); return [r.complete, r.provenance.model]; });
      assert.deepEqual(found, [true, "minihelix"], "the other model runs text");

      await page.evaluate(() => { location.hash = "#v=1&lesson=helix/1"; });
      await until(() => page.$("#lesson .typed input"), Boolean);
      await answerNumber(page, JSON.parse(readFileSync(builtFile("lessons/helix.json"), "utf8")).steps[0].question);
      await press(page, "#lesson .foot button ::-p-text(Step 2)");
      assert.match(await until(() => page.url(), (address) => address.includes("helix/2")), /^file:.*#.*lesson=helix\/2/);
      await drawn(page);
      await page.reload();
      await until(() => page.evaluate(() => Boolean(window.helixscope)), Boolean);
      await until(() => page.$("#lesson h1"), Boolean);
      assert.equal((await state(page)).lesson, "helix/2");
      await drawn(page);
      assert.deepEqual(asked, []);
    }, { prepare: noteAsked });
  });
});
