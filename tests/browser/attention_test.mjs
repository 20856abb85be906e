// Interaction with a head's matrix: reading a cell highlights it everywhere, parts can be enlarged, heads can be chosen.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fingers, phone } from "./fingers.mjs";
import { startServer } from "./servers.mjs";
import { tiny, tinyFolder } from "./synthetic.mjs";
import { middle, rect, settled, state, until, useBrowser, withPage } from "./support.mjs";

const prompt = "the cat on the cat";
let server, model;
useBrowser();
before(async () => { model = tinyFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const hash = (rest = "") => `#v=1&model=${tiny.name}&study=attention${rest}&prompt=${encodeURIComponent(prompt)}`;
const onPage = (options, run, rest = "") => withPage({ url: server.url + hash(rest), ...options }, run);
const focus = async (page) => (await state(page)).focus;
const link = (page) => page.evaluate(() => location.hash);
const chip = (page, i) => page.locator(`#tokens [data-at='${i}']`);
const pattern = (page) => page.evaluate(() => {
  const { data, shape } = helixscope.result("attention").arrays.pattern;
  return { shape, data: Array.from(data) };
});

async function point(page, id) {
  const at = await middle(page, id);
  await page.mouse.move(at.x - 3, at.y - 3);
  await page.mouse.move(at.x, at.y);
  return at;
}

/** Whether a part of the matrix is shown. */
const zoomed = (s) => Boolean(s.windows.query);

test("a cell says exactly what it is, and lights its row, its column and both tokens", () =>
  onPage({}, async (page) => {
    const { data, shape } = await pattern(page);
    assert.deepEqual(shape, [5, 5]);
    for (let q = 0; q < 5; ++q) assert.ok(Math.abs(data.slice(5 * q, 5 * q + 5).reduce((a, b) => a + b) - 1) < 1e-4, "rows add up to 1");
    const at = await point(page, "cell.4.1");
    assert.deepEqual(await until(() => focus(page), (f) => f.query === 4), { position: -1, locked: false, query: 4, key: 1 });
    const words = await until(() => page.locator("#tooltip").textContent(), (t) => t.includes("query 4"));
    assert.match(words, /layer 0, head 0/);
    assert.match(words, /query 4 “ cat” → key 1 “ cat”/);
    assert.ok(words.includes(data[4 * 5 + 1].toFixed(4)), words);
    assert.match(await chip(page, 4).getAttribute("class"), /query/);
    assert.match(await chip(page, 1).getAttribute("class"), /key/);
    assert.doesNotMatch(await link(page), /focus=/);
    await page.mouse.click(at.x, at.y);
    assert.match(await until(() => link(page), (l) => l.includes("focus=")), /focus=cell:4:1(&|$)/);
    await point(page, "cell.2.2");
    assert.equal((await focus(page)).query, 4, "held");
    await page.locator("#canvas").focus();
    await page.keyboard.press("Escape");
    assert.equal((await until(() => focus(page), (f) => !f.locked)).locked, false);
  }));

test("what is masked says so", () => onPage({}, async (page) => {
  await point(page, "cell.1.3");
  const words = await until(() => page.locator("#tooltip").textContent(), (t) => t.includes("query 1"));
  assert.match(words, /masked/);
}, "&attention.stage=masked"));

test("a token in the strip lights its row and its column", () => onPage({}, async (page) => {
  await chip(page, 2).hover();
  assert.deepEqual(await until(() => focus(page), (f) => f.position === 2), { position: 2, locked: false });
  await page.locator("#title").hover();
  assert.equal((await until(() => focus(page), (f) => f.position === -1)).position, -1);
}));

test("a click in the map of heads opens one; undo goes back", () => onPage({}, async (page) => {
  const before = await pattern(page);
  const at = await middle(page, "head.1.2");
  await page.mouse.click(at.x, at.y);
  assert.deepEqual((await until(() => state(page), (now) => now.params.head === "2")).params, { layer: "1", head: "2", stage: "pattern", grid: "numbers" });
  await settled(page);
  assert.notDeepEqual(await pattern(page), before);
  assert.match(await until(() => page.locator("#title").textContent(), (text) => text.includes("1.2")), /[Hh]ead 1\.2\b/);
  await page.locator("#undo").click();
  assert.equal((await until(() => state(page), (now) => now.params.head === "0")).params.head, "0");
  assert.equal(await rect(page, "head.2.0"), null, "two layers");
  assert.equal(await page.locator("#p-layer").getAttribute("max"), "1");
  assert.equal(await page.locator("#p-head").getAttribute("max"), "3");
}));

test("a part is drawn around, is in the link, and goes by a double click", () => onPage({}, async (page) => {
  const from = await middle(page, "cell.2.1"), to = await middle(page, "cell.4.3");
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 6 });
  await page.mouse.up();
  assert.deepEqual((await until(() => state(page), zoomed)).windows, { key: [1, 3], query: [2, 4] });
  assert.match(await until(() => link(page), (l) => l.includes("window")), /view\.window=key:1:3,query:2:4/);
  await page.evaluate(() => helixscope.settled());
  assert.equal(await rect(page, "cell.0.0"), null);
  const inside = await middle(page, "cell.3.2");
  await page.mouse.dblclick(inside.x, inside.y);
  assert.ok(await until(() => state(page), (s) => !zoomed(s)));
}));

test("a wheel zooms the matrix about the pointer, and a drag with shift moves the part", () => onPage({}, async (page) => {
  const at = await point(page, "cell.3.1");
  await page.mouse.click(at.x, at.y); // where the page scrolls, the wheel is the figure's once it was clicked
  const notches = async (n, way) => { for (let i = 0; i < n; ++i) await page.mouse.wheel(0, 100 * way); };
  await notches(4, -1);
  const { windows } = await until(() => state(page), (s) => zoomed(s) && s.windows.query[1] - s.windows.query[0] < 4);
  const [[q0, q1], [k0, k1]] = [windows.query, windows.key];
  assert.ok(q0 <= 3 && 3 <= q1 && k0 <= 1 && 1 <= k1, "the cell under the pointer is still shown");
  await settled(page);
  const cell = await rect(page, "cell.3.1");
  await page.keyboard.down("Shift");
  await page.mouse.move(cell.x + cell.width / 2, cell.y + cell.height / 2);
  await page.mouse.down();
  await page.mouse.move(cell.x + cell.width / 2, cell.y - 6 * cell.height, { steps: 8 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  assert.ok(await until(() => state(page), (s) => s.windows.query?.[1] === 4), "moved up to its last row");
  const back = await point(page, "cell.3.2"); // the drag ended beside the matrix
  await page.mouse.click(back.x, back.y);
  await until(async () => { // a browser may join quick notches to one
    await notches(1, 1);
    return state(page);
  }, (s) => !zoomed(s));
}));

test("two fingers zoom the matrix, not the page, and one undo brings it back", () => onPage(phone, async (page) => {
  const { pinch } = await fingers(page);
  await page.evaluate(() => { const { y } = helixscope.rect("figure.pattern"); scrollTo(0, scrollY + y - 100); });
  await settled(page);
  const at = await middle(page, "cell.4.2"), scrolled = await page.evaluate(() => scrollY);
  await pinch(at, 30, 75);
  const { query, key } = (await until(() => state(page), zoomed)).windows;
  assert.ok(query[1] - query[0] <= 2 && query[0] <= 4 && 4 <= query[1] && key[0] <= 2 && 2 <= key[1], `${query} ${key}`);
  assert.deepEqual(await page.evaluate(() => [visualViewport.scale, scrollY]), [1, scrolled]);
  assert.match(await until(() => link(page), (l) => l.includes("window")), /view\.window=/);
  assert.equal((await focus(page)).locked, false, "two fingers hold nothing");
  await page.locator("#undo").click();
  assert.ok(await until(() => state(page), (s) => !zoomed(s)));
}));

test("keys walk from cell to cell and are read out", () => onPage({}, async (page) => {
  await page.locator("#canvas").focus();
  for (const key of ["ArrowDown", "ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
  assert.deepEqual(await until(() => focus(page), (f) => f.query === 3), { position: -1, locked: false, query: 3, key: 1 });
  assert.match(await until(() => page.locator("#reading").textContent(), (t) => t.includes("query 3")), /query 3 “ the” → key 1 “ cat”/);
  await page.keyboard.press("Enter");
  assert.match(await until(() => link(page), (l) => l.includes("focus=")), /focus=cell:3:1/);
  await page.keyboard.press("d");
  await settled(page);
  assert.equal((await state(page)).params.head, "1");
  assert.match(await page.locator("#canvas-help").textContent(), /another head/);
}));

test("a finger reads a cell, and the page scrolls under it", () =>
  onPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, async (page) => {
    await page.locator("#canvas").scrollIntoViewIfNeeded();
    const at = await middle(page, "cell.4.2");
    await page.touchscreen.tap(at.x, at.y);
    assert.deepEqual(await until(() => focus(page), (f) => f.locked), { position: -1, locked: true, query: 4, key: 2 });
    assert.equal(await page.locator("#canvas").evaluate((e) => getComputedStyle(e).touchAction), "pan-y pinch-zoom");
  }));

test("a link with a cell opens on it", () => onPage({}, async (page) => {
  assert.deepEqual(await focus(page), { position: -1, locked: true, query: 3, key: 0 });
  assert.ok(await page.locator("#tooltip").isVisible());
}, "&focus=cell:3:0"));

test("without WebGL2 the matrix is a picture in an SVG, and is read the same", () =>
  withPage({
    url: server.url + hash(), allowed: [/WebGL|GLFW/i],
    init: () => {
      const get = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return /webgl/.test(kind) ? null : get.call(this, kind, ...rest); };
    },
  }, async (page) => {
    await page.locator("#svg-figure image").first().waitFor({ state: "attached" });
    assert.equal(await page.locator("#svg-figure image").count(), 2);
    await point(page, "cell.4.1");
    assert.equal((await until(() => focus(page), (f) => f.query === 4)).query, 4);
  }));

test("the cells on the canvas have the colours of their numbers", () => onPage({ deviceScaleFactor: 1 }, async (page) => {
  const { data } = await pattern(page);
  const colour = async (q, k) => {
    const box = await rect(page, `cell.${q}.${k}`);
    const clip = { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2), width: 1, height: 1 };
    return (await page.screenshot({ clip })).toString("base64");
  };
  await page.mouse.move(2, 2);
  await page.evaluate(() => helixscope.settled());
  const first = await colour(0, 0); // 1, the brightest
  const rows = [1, 2, 3, 4].flatMap((q) => Array.from({ length: q + 1 }, (_, k) => [q, k]));
  const least = rows.reduce((a, b) => (data[5 * a[0] + a[1]] <= data[5 * b[0] + b[1]] ? a : b));
  assert.notEqual(await colour(...least), first, "small and large differ");
  assert.notEqual(await colour(0, 4), await colour(...least), "masked is no number");
  assert.equal(await colour(0, 4), await colour(1, 4), "and looks the same everywhere");
}));
