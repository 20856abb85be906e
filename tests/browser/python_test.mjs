// The exported Python script: the page and the program write the same, and run it agrees with the page.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cli, hasNumpy, python, root } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { notices, result, until, useBrowser, withPage } from "./support.mjs";

const minihelix = join(root, "assets/models/minihelix");
const place = /json\.loads\(r"""(.*?)"""\)/s;
let server, folder;

useBrowser();
before(async () => { server = await startServer([], { bundled: true }); folder = mkdtempSync(join(tmpdir(), "helixscope-python-")); });
after(async () => { await server?.stop(); rmSync(folder, { recursive: true }); });

const entry = (page) => page.locator("#menu [role=menuitem]", { hasText: "Python" });

/** The script of the shown view, downloaded from the export menu. */
async function download(page) {
  await page.locator("#export").click();
  const [download] = await Promise.all([page.waitForEvent("download"), entry(page).click()]);
  return { name: download.suggestedFilename(), path: await download.path() };
}

/** The program's script for the same question. */
function native(study, ...options) {
  const path = join(folder, "native.py");
  execFileSync(cli, ["run", study, "--model", minihelix, ...options, "--python", path], { stdio: ["ignore", "ignore", "inherit"] });
  return readFileSync(path, "utf8");
}

/** The same keys in the same order, and numbers that are equal but for rounding. */
function checkSame(here, there, path = "") {
  if (typeof here === "number" && typeof there === "number")
    return assert.ok(Math.abs(here - there) <= 1e-4 * Math.max(1, Math.abs(there)), `${path}: ${here}, in the program ${there}`);
  if (here === null || typeof here !== "object") return assert.equal(here, there, path);
  assert.deepEqual(Object.keys(here), Object.keys(there), path);
  for (const key of Object.keys(here)) checkSame(here[key], there[key], `${path}.${key}`);
}

const questions = [
  ["position_helix", "position_helix.last=400&position_helix.centre=0", ["--set", "last=400", "--set", "centre=0"]],
  ["spectrum", "spectrum.matrix=mlp&spectrum.centre=1", ["--set", "matrix=mlp", "--set", "centre=1"]], // infinities
  ["position_share", "bos=1&position_share.windows=4&position_share.window=24", ["--bos", "--set", "windows=4", "--set", "window=24"]], // its tokens follow from the link
  ["predictions", "edit=ablate_head%3A4.2&tokens=485,438,772,258,1656,291,261", ["--tokens", "485,438,772,258,1656,291,261", "--edit", "ablate_head:4.2"]],
];

for (const [study, link, options] of questions)
  test(`the script of ${study} agrees with the page, and is the program's`, () =>
    withPage({ url: `${server.url}#v=1&model=minihelix&study=${study}&${link}` }, async (page) => {
      await result(page);
      const file = await download(page);
      assert.equal(file.name, `helixscope-${study}.py`);
      const text = readFileSync(file.path, "utf8"), program = native(study, ...options);
      assert.equal(text.replace(place, ""), program.replace(place, ""), "all but the view");
      const [here, there] = [text, program].map((script) => JSON.parse(place.exec(script)[1]));
      assert.equal(here.link, await page.evaluate(() => location.hash));
      for (const view of [here, there]) {
        delete view.link; // the page's holds a camera
        delete view.provenance.kernels;
      }
      checkSame(here, there);
      if (!hasNumpy()) return console.log("numpy is not here: the script is not run");
      const ran = spawnSync(python, [file.path, minihelix], { encoding: "utf8" });
      assert.equal(ran.status, 0, ran.stderr);
      assert.match(ran.stdout, /All numbers agree\./);
    }));

test("a comparison and the table of claims have no script, and the page says why", () =>
  withPage({ url: `${server.url}#v=1&model=minihelix&study=position_helix&compare=beside&against=position_helix.last%3D200` }, async (page) => {
    await result(page);
    await page.locator("#export").click();
    await entry(page).click();
    await until(() => notices(page), (all) => all.some((text) => text.includes("close the comparison first")));
    await page.evaluate(() => helixscope.open("#v=1&model=minihelix&study=claims"));
    await until(() => page.evaluate(() => helixscope.state().study), (study) => study === "claims");
    await page.locator("#export").click();
    await entry(page).click();
    await until(() => notices(page), (all) => all.some((text) => text.includes("those of other studies")));
  }));
