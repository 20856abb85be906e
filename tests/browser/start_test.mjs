// Start-up to the first picture: which requests are made, how often, and what moves in the layout meanwhile.
/* global sizes -- of the page */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { part, sourceName } from "./files.mjs";
import { startServer } from "./servers.mjs";
import { settled, until, useBrowser, withPage } from "./support.mjs";

let server;

useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

/** The requests of a first visit until its figure is exact: [{path, range}]. */
function firstVisit(run) {
  const asked = [];
  const prepare = (page) => page.on("request", (request) => {
    const { pathname, protocol } = new URL(request.url());
    if (protocol === "http:") asked.push({ path: pathname, range: request.headers().range ?? "" });
  });
  return withPage({ url: server.url, prepare }, (page) => run(asked, page));
}

test("a first visit asks for few files, and for each once", () => firstVisit((asked) => {
  const scripts = asked.filter(({ path }) => /\.m?js$/.test(path)).map(({ path }) => sourceName(path.slice(1))).sort();
  assert.deepEqual(scripts, ["engine-relaxed.mjs", "engine/worker.js", "start/boot.js", "start/main.js", "ui.mjs"]);
  assert.ok(!asked.some(({ path }) => path.endsWith("/config.json")), "the page has it");
  const often = asked.filter(({ path }) => !/^\/(fonts|icon)/.test(path)).map(({ path, range }) => `${path} ${range}`); // except those that the browser also requests by itself
  assert.deepEqual(often.filter((one, i) => often.indexOf(one) !== i), [], "asked twice");
}));

test("the beginning of the weights is read while the engine has not come yet, and once", () => {
  let release;
  const held = new Promise((done) => { release = done; }), ranges = [];
  const prepare = async (page) => {
    await page.route(part("engine-*.wasm"), async (route) => { await held; await route.continue(); });
    page.on("request", (request) => { if (request.url().endsWith("gpt2-positions/model.safetensors")) ranges.push(request.headers().range); });
  };
  return withPage({ prepare }, async (page) => {
    await page.goto(server.url);
    assert.deepEqual(await until(() => ranges, (all) => all.length), ["bytes=0-65535"]);
    release();
    await page.waitForFunction(() => window.helixscope);
    await settled(page);
    assert.equal(ranges.length, 2, `the header, then the positions: ${ranges}`);
  });
});

/** A page whose module lacks its second part until `release` is called. */
function withoutRest(run) {
  let release;
  const held = new Promise((done) => { release = done; });
  const prepare = (page) => page.route(part("ui_rest.wasm"), async (route) => { await held; await route.continue(); });
  return withPage({ prepare }, (page) => run(page, release));
}
const hasFigure = () => performance.getEntriesByName("first-figure").length > 0;

test("the first picture needs half of the page's module; what is clicked before the rest is there happens then", () => withoutRest(async (page, release) => {
  await page.goto(server.url);
  await page.waitForFunction(hasFigure);
  await page.locator("#presets button").nth(1).click();
  assert.equal(await page.evaluate(() => typeof window.helixscope), "undefined", "it takes nothing yet");
  release();
  await page.waitForFunction(() => window.helixscope);
  await settled(page);
  const { params } = await page.evaluate(() => helixscope.result("position_helix"));
  assert.equal(params.first, 0);
}));

test("a link to another view waits for the whole module", () => withoutRest(async (page, release) => {
  await page.goto(`${server.url}#v=1&study=spectrum`);
  await page.waitForFunction(() => performance.getEntriesByType("resource").some(({ name }) => /engine-.*wasm/.test(name)));
  assert.ok(!await page.evaluate(hasFigure));
  release();
  await page.waitForFunction(hasFigure);
  assert.equal(await page.evaluate(() => helixscope.state().study), "spectrum");
}));

/** Notes every size that the canvas is given. */
function watchCanvas() {
  window.sizes = [];
  document.addEventListener("DOMContentLoaded", () => {
    const canvas = document.getElementById("canvas");
    new MutationObserver(() => {
      const size = `${canvas.width}x${canvas.height}`;
      if (sizes.at(-1) !== size) sizes.push(size);
    }).observe(canvas, { attributes: true, attributeFilter: ["width", "height"] });
  });
}

for (const [device, viewport] of [["a desk", { width: 1280, height: 800 }], ["a phone", { width: 390, height: 844 }]])
  test(`on ${device} the figure keeps its size while its numbers come`, () =>
    withPage({ url: server.url, init: watchCanvas, viewport, folded: true }, async (page) => {
      await settled(page);
      const sizes = await page.evaluate(() => window.sizes);
      assert.equal(sizes.length, 1, sizes.join(" "));
    }));
