// The page in one file (./dev build class): opened from a disk, with the network off.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { mouse } from "./devices.mjs";
import { newcomer, newcomersWay } from "./newcomer.mjs";
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

/** The page from the disk, in a browser without a network; nothing is asked of anybody. */
async function alone(page) {
  await page.context().setOffline(true);
  page.on("request", (request) => assert.match(request.url(), /^(blob:|data:|file:.*helixscope\.html)/));
}
const fromDisk = (link, run, options = {}) => withPage({ ...options, prepare: alone }, async (page) => {
  await open(page, url + link);
  await run(page);
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
