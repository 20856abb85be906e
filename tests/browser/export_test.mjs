// Exported files match the page: pictures with their provenance, numbers to the last digit.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { colours, decodePng } from "./pictures.mjs";
import { hasNumpy, python } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { planted, plantedFolder } from "./synthetic.mjs";
import { linkOf, result, scalars, useBrowser, withPage } from "./support.mjs";

let server, model;

useBrowser();
before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

/** Every entry of the export menu, clicked: [{name, bytes, path}]. */
async function exportAll(page) {
  const files = [];
  await page.locator("#export").click();
  const count = await page.locator("#menu [role=menuitem]:not(.opens)").count();
  await page.keyboard.press("Escape");
  for (let i = 0; i < count; ++i) {
    await page.locator("#export").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#menu [role=menuitem]:not(.opens)").nth(i).click()]);
    const path = await download.path();
    files.push({ name: download.suggestedFilename(), bytes: readFileSync(path), path });
  }
  return files;
}

const ending = (files, end) => files.filter((file) => file.name.endsWith(end));

/** A CSV of plain numbers as rows of cells, without its head. */
function csvRows(file) {
  const lines = file.bytes.toString().split("\r\n");
  assert.equal(lines.pop(), "", "the last line is ended");
  return lines.slice(1).map((line) => line.split(",").map((cell) => (cell === "" ? undefined : Number(cell))));
}

/** The table of single numbers: the value of each by its name. */
function csvNumbers(files) {
  const lines = files.map((file) => file.bytes.toString().split("\r\n")).find(([head]) => head === "number,value,remark");
  return Object.fromEntries(lines.slice(1).filter(Boolean).map((line) => {
    const [, quoted, plain, value] = /^(?:"([^"]*)"|([^,"]*)),([^,]*)/.exec(line);
    return [quoted ?? plain, Number(value)];
  }));
}

async function checkSvg(page, file) {
  const link = await page.evaluate(() => location.hash);
  const read = await page.evaluate((text) => {
    const { helixscopeTrusted: policy } = window; // a page with Trusted Types parses only what its policy has passed
    const parsed = new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, "image/svg+xml");
    return {
      error: parsed.querySelector("parsererror")?.textContent ?? null, root: parsed.documentElement.localName,
      title: parsed.querySelector("title")?.textContent, description: parsed.querySelector("desc")?.textContent,
      metadata: [...(parsed.querySelector("metadata")?.children ?? [])].map((e) => [e.localName, e.textContent]),
      lines: parsed.querySelectorAll("path, circle").length, words: [...parsed.querySelectorAll("text")].map((e) => e.textContent),
      active: parsed.querySelectorAll("script, foreignObject, image, use[href]").length,
    };
  }, file.bytes.toString());
  assert.equal(read.error, null);
  assert.equal(read.root, "svg");
  assert.equal(read.title, await page.locator("#title").textContent());
  assert.ok(read.description.length > 20, "a description for those who do not see it");
  const metadata = Object.fromEntries(read.metadata);
  assert.equal(metadata.link, link);
  assert.ok(metadata.provenance.includes(planted.name) && metadata.provenance.includes("wpe.weight"), metadata.provenance);
  assert.ok(read.lines >= planted.positions - 10, `a stroke for each step, ${read.lines} are there`);
  assert.ok(read.words.some((text) => text.includes(planted.name)), "the origin is in the picture itself");
  assert.equal(read.active, 0);
}

function checkCsvs(files, found) {
  const { points, residual, explained } = found.arrays;
  const s = scalars(found);
  const width = points.shape[1];
  assert.ok(files.length >= 3);
  const rows = files.map(csvRows);
  const coordinates = rows.find((r) => r.length === points.shape[0]);
  assert.deepEqual(coordinates, Array.from({ length: points.shape[0] }, (_, i) =>
    [points.first + i, ...points.data.slice(i * width, (i + 1) * width), residual.data[i]]));
  const shares = rows.find((r) => r.length === explained.data.length);
  assert.deepEqual(shares.map((r) => r.slice(0, 2)), explained.data.map((x, i) => [i + 1, x]));
  const numbers = csvNumbers(files);
  assert.equal(numbers["variance in three components"], s.explained_first3);
  assert.equal(numbers["components for 90 % of the variance"], s.components_for_90);
  assert.equal(numbers["turns of the curve"], s.turns);
  assert.equal(numbers["correlation of the third component with the position"], s.along);
}

function checkNpz(file, found) {
  assert.equal(file.bytes.subarray(0, 4).toString("latin1"), "PK\x03\x04");
  if (!hasNumpy()) return console.log("numpy is not here: the NPZ is only seen to be a zip file");
  const script = "import json, sys, numpy; z = numpy.load(sys.argv[1]); print(json.dumps({n: {'shape': z[n].shape, 'type': str(z[n].dtype), 'data': z[n].ravel().tolist()} for n in z.files}))";
  const read = JSON.parse(execFileSync(python, ["-c", script, file.path], { maxBuffer: 1 << 26 }));
  for (const [name, array] of Object.entries(found.arrays))
    assert.deepEqual(read[name], { shape: array.shape, type: "float64", data: array.data }, name);
  for (const [name, value] of Object.entries(scalars(found))) assert.deepEqual(read[name], { shape: [], type: "float64", data: [value] }, name);
}

test("every export holds the page's figure and numbers", () =>
  withPage({ url: server.url + linkOf({ first: 5 }, planted.name, "&view.camera=100,30,1.2,0,0") }, async (page) => {
    const found = await result(page);
    const files = await exportAll(page);
    assert.equal(new Set(files.map((f) => f.name)).size, files.length, "no two files of one name");
    for (const end of ["svg", "png", "npz", "json"]) assert.equal(ending(files, `.${end}`).length, 1, end);

    const svg = ending(files, ".svg")[0], height = Number(/ height="(\d+)"/.exec(svg.bytes.toString())?.[1]);
    await checkSvg(page, svg);
    const png = decodePng(ending(files, ".png")[0].bytes);
    assert.deepEqual([png.width, png.height], [1920, 2 * height]);
    assert.ok(colours(png) > 100, "a picture, not a blank sheet");
    checkCsvs(ending(files, ".csv"), found);
    checkNpz(ending(files, ".npz")[0], found);
    assert.deepEqual(JSON.parse(ending(files, ".json")[0].bytes), found);
  }));

test("numbers that do not exist are written as such", () =>
  withPage({ url: server.url + linkOf({ last: 60, fit_first: 100, fit_last: 255, plane: "1,1" }, planted.name) }, async (page) => {
    const found = await result(page);
    assert.equal(scalars(found).turns, "nan", "no turns in a plane of one direction");
    const files = await exportAll(page);
    const json = JSON.parse(ending(files, ".json")[0].bytes);
    assert.equal(json.scalars.turns.value, "nan");
    assert.deepEqual(json, found);
    const turns = csvNumbers(ending(files, ".csv"))["turns of the curve"];
    assert.ok(Number.isNaN(turns), `turns in the CSV: ${turns}`);
  }));

test("arrays of 32 bits are lists of numbers in JSON, like all others", () =>
  withPage({ url: `${server.url}#v=1&model=${planted.name}&study=position_cosine` }, async (page) => {
    await page.locator("#export").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#menu [role=menuitem]:not(.opens)", { hasText: "JSON" }).click()]);
    const { arrays } = JSON.parse(readFileSync(await download.path()));
    for (const [name, { shape, data }] of Object.entries(arrays)) {
      assert.ok(Array.isArray(data), `${name} is a list`);
      assert.equal(data.length, shape.reduce((product, size) => product * size, 1), name);
    }
  }));

test("a picture of a run has its prompt and its edits in words, and no more height than its panels wish", async (t) => {
  const whole = await startServer([], { bundled: true });
  t.after(() => whole.stop());
  await withPage({ url: `${whole.url}#v=1&model=minihelix&study=predictions&prompt=A short prompt&edit=ablate_head:4.2` }, async (page) => {
    await page.locator("#export").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#menu [role=menuitem]:not(.opens)", { hasText: "SVG" }).click()]);
    const svg = readFileSync(await download.path(), "utf8");
    assert.match(svg, />Prompt: “A short prompt”\. Edit: Head 4\.2 off\.</);
    assert.match(svg, /Without it: /, "and the prediction without the edit");
    assert.ok(Number(/ height="(\d+)"/.exec(svg)?.[1]) < 560, "ten bars");
  });
});

test("the menu can be used with keys and closes by itself", () =>
  withPage({ url: server.url }, async (page) => {
    const expanded = () => page.locator("#export").getAttribute("aria-expanded");
    await page.locator("#export").focus();
    await page.keyboard.press("Enter");
    assert.equal(await expanded(), "true");
    const items = page.locator("#menu [role=menuitem]");
    const focused = () => items.evaluateAll((all) => all.indexOf(document.activeElement));
    assert.equal(await focused(), 0);
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(), 1);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    assert.equal(await focused(), (await items.count()) - 1, "from the first round to the last");
    await page.keyboard.press("Escape");
    assert.equal(await expanded(), "false");
    assert.equal(await page.evaluate(() => document.activeElement.id), "export", "back where it came from");
    await page.locator("#export").click();
    await page.locator("#title").click();
    assert.equal(await expanded(), "false", "a click elsewhere closes it");
  }));
