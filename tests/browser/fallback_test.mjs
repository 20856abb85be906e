// Browsers that lack a feature: without WebGL2 the same figure as live SVG, without the others a static page, never a blank one.
/* global loser, places_ -- of the page */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { faultsOf } from "./faults.mjs";
import { colours, decodePng } from "./pictures.mjs";
import { startServer } from "./servers.mjs";
import { plantedFolder } from "./synthetic.mjs";
import { middle, notices, rect, result, settled, state, until, useBrowser, withPage } from "./support.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
let server, model;

useBrowser();
before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

/** A browser whose canvases know no WebGL. */
function noWebGl() {
  const get = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return /webgl/.test(kind) ? null : get.call(this, kind, ...rest); };
}

/** Keeps the page's WebGL context, so that a test can lose and restore it. */
function keepContext() {
  const get = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (...words) {
    const context = get.apply(this, words);
    if (/webgl2/.test(words[0])) window.loser = context.getExtension("WEBGL_lose_context");
    return context;
  };
}

const camera = async (page) => (await state(page)).camera;
const changed = (page, before) => until(() => camera(page), (now) => JSON.stringify(now) !== JSON.stringify(before));
/** What the SVG shows: how many strokes the path has, where the first lies, and the numbers in it. */
const svgFigure = (page) => page.evaluate(() => {
  const svg = document.querySelector("#svg-figure svg");
  return svg && {
    strokes: svg.querySelectorAll("#helix path").length, first: svg.querySelector("#helix path")?.getAttribute("d"),
    rings: svg.querySelectorAll("#helix circle[fill=none]").length, texts: [...svg.querySelectorAll("text")].map((t) => t.textContent),
    box: (({ x, y, width, height }) => ({ x, y, width, height }))(svg.getBoundingClientRect()),
  };
});
const hasInk = async (page) => colours(decodePng(await page.locator("#canvas").screenshot())) > 50;

describe("without WebGL2", () => {
  const open = (options, run) => withPage({ url: server.url, init: `(${noWebGl})()`, ...options }, run);

  test("the figure is an SVG that turns, zooms, reads and drags", () => open({}, async (page) => {
    const drawn = await svgFigure(page);
    assert.ok(drawn, "there is an SVG");
    assert.ok(drawn.strokes > 200, `a path of ${drawn.strokes} strokes`);
    assert.deepEqual(drawn.box, await page.evaluate(() => (({ x, y, width, height }) => ({ x, y, width, height }))(document.getElementById("canvas").getBoundingClientRect())));
    assert.ok(drawn.texts.some((text) => / %$/.test(text)), "with its numbers");

    const at = await middle(page, "figure.helix");
    const start = await camera(page);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 80, at.y + 30, { steps: 5 });
    await page.mouse.up();
    const turned = await changed(page, start);
    assert.notEqual(turned[0], start[0]);
    await settled(page);
    assert.notEqual((await svgFigure(page)).first, drawn.first, "the drawing turns with it");
    await page.mouse.wheel(0, -200);
    assert.ok((await changed(page, turned))[2] > 1, "the wheel zooms");
    await settled(page);

    const spot = await middle(page, "row.90");
    await page.mouse.click(spot.x, spot.y);
    await until(() => state(page), (s) => s.focus.locked);
    assert.ok((await state(page)).focus.position >= 0, "a click reads a position");
    assert.ok((await svgFigure(page)).rings > 0, "and rings it");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Escape");
    assert.equal((await until(() => state(page), (s) => !s.focus.locked)).focus.locked, false);

    const handle = await middle(page, "figure.rows.first");
    await page.mouse.move(handle.x, handle.y);
    await page.mouse.down();
    await page.mouse.move(handle.x + 120, handle.y, { steps: 6 });
    await page.mouse.up();
    await settled(page);
    assert.ok((await result(page)).params.first > 10, "the range can be dragged");
    see("no WebGL2", (await svgFigure(page)).texts.join(" "));
    assert.deepEqual(await notices(page), [], "nothing to apologise for");
  }));

  test("the SVG has the page's colours and follows its theme and its size", () => open({}, async (page) => {
    const texts = () => page.evaluate(() => document.querySelector("#svg-figure text").getAttribute("fill"));
    const dark = await texts();
    await page.locator("#theme").click();
    await page.locator("#theme").click();
    assert.notEqual(await until(texts, (now) => now !== dark), dark);
    await page.setViewportSize({ width: 390, height: 844 });
    const { width } = await until(async () => (await svgFigure(page)).box, (box) => box.width < 400);
    assert.ok(width < 390);
    const box = await until(() => rect(page, "figure"), (now) => Math.abs(now.width - width) < 1);
    assert.ok(Math.abs(box.width - width) < 1, "what is clicked is what is seen");
  }));

  test("a finger turns it, keys show where the focus is", () => open({ hasTouch: true }, async (page) => {
    const start = await camera(page);
    await page.locator("#canvas").focus();
    await page.keyboard.press("d");
    await changed(page, start);
    const ring = await page.evaluate(() => getComputedStyle(document.getElementById("stage")).outlineStyle);
    assert.equal(ring, "solid", "the focus is seen though the canvas is not");
  }));
});

test("a lost context: SVG meanwhile; restored: the canvas draws again", () =>
  withPage({ url: server.url, init: `(${keepContext})()` }, async (page) => {
    assert.equal(await svgFigure(page), null);
    assert.ok(await hasInk(page));
    await page.evaluate(() => loser.loseContext());
    const drawn = await until(() => svgFigure(page), Boolean);
    assert.ok(drawn?.strokes > 200, "the SVG takes over");
    see("WebGL2 context lost", drawn.texts.join(" "));
    const start = await camera(page);
    await page.locator("#canvas").focus();
    await page.keyboard.press("d");
    const turned = await changed(page, start);
    assert.notDeepEqual(turned, start, "input goes on");

    await page.evaluate(() => loser.restoreContext());
    assert.equal(await until(() => svgFigure(page), (svg) => !svg), null, "the SVG goes");
    await settled(page);
    await sleep(200);
    assert.ok(await hasInk(page), "the canvas draws again");
    assert.deepEqual(await camera(page), turned, "nothing is lost");
    await page.evaluate(() => loser.loseContext()); // and once more
    assert.ok(await until(() => svgFigure(page), Boolean));
    await page.evaluate(() => loser.restoreContext());
    assert.equal(await until(() => svgFigure(page), (svg) => !svg), null);
    await sleep(200);
    assert.ok(await hasInk(page));
  }));

// ---- browsers in which nothing can be computed

const gone = {
  "no WebAssembly SIMD": () => { WebAssembly.validate = () => false; },
  "no WebAssembly": () => { delete window.WebAssembly; },
  "no Worker": () => { delete window.Worker; },
  "no module workers": () => { const Whole = Worker; window.Worker = function (address) { return new Whole(address); }; },
  "no module scripts": () => {
    const { createElement } = Document.prototype;
    delete HTMLScriptElement.prototype.noModule;
    void createElement;
  },
};

/** The static page as the visitor meets it. */
async function assertStatic(page, fault) {
  const place = page.locator("#plain");
  await place.waitFor({ state: "visible" });
  const picture = page.locator("#plain img:visible");
  await page.waitForFunction(() => [...document.querySelectorAll("#plain img")].some((i) => i.offsetWidth > 100 && i.naturalWidth > 0));
  assert.equal(await picture.count(), 1, "one picture");
  assert.ok((await picture.getAttribute("alt")).length > 20);
  for (const id of ["#stage", "#controls", "#copy", "#studies"]) assert.ok(!(await page.locator(id).isVisible()), `no dead ${id}`);
  see(fault, await page.locator("#plain-why").innerText());
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, "nothing to scroll sideways");
}

for (const [fault, take] of Object.entries(gone))
  for (const width of [1280, 390])
    test(`${fault}: a static page with a picture, ${width} wide`, () =>
      withPage({ init: `(${take})()`, viewport: { width, height: 800 } }, async (page) => {
        if (fault === "no module scripts") // such a browser does not run scripts of a type it does not know
          await page.route((url) => url.pathname === "/", async (route) => {
            const answer = await route.fetch();
            await route.fulfill({ response: answer, body: (await answer.text()).replaceAll('type="module"', 'type="unknown"') });
          });
        await page.goto(server.url);
        await assertStatic(page, fault);
        assert.ok(!(await page.locator("#plain-again").isVisible()), "another try would not help");
        assert.equal(await page.evaluate(() => window.helixscope), undefined);
      }));

test("no JavaScript at all: the same static page", () =>
  withPage({ javaScriptEnabled: false }, async (page) => {
    await page.goto(server.url);
    await page.locator("#plain").waitFor({ state: "visible" });
    assert.ok(await page.locator("#plain noscript img, #plain img").first().isVisible());
    for (const id of ["#stage", "#controls", "#copy"]) assert.ok(!(await page.locator(id).isVisible()), `no dead ${id}`);
    see("no JavaScript", await page.locator("#plain-why").innerText());
  }));

/** Where position 90 is drawn, from the first frame of another fit to the last. */
async function placesOfRefit(reducedMotion) {
  let places;
  await withPage({ url: server.url, reducedMotion }, async (page) => {
    await page.evaluate(() => {
      window.places_ = new Set();
      const note = () => {
        const at = helixscope.result("position_helix", { arrays: false }).params.first === 60 && helixscope.rect("row.90");
        if (at) places_.add(`${at.x.toFixed(1)} ${at.y.toFixed(1)}`);
      };
      const ask = requestAnimationFrame;
      window.requestAnimationFrame = (draw) => ask((now) => { draw(now); note(); });
    });
    await page.locator("#p-first").fill("60");
    await page.locator("#p-first").press("Enter");
    await settled(page);
    await sleep(700);
    places = await page.evaluate(() => places_.size);
  });
  return places;
}

test("reduced motion: a refit is shown at once; else the picture turns into its new axes", async () => {
  assert.equal(await placesOfRefit("reduce"), 1);
  assert.ok(await placesOfRefit("no-preference") > 1);
});

test("docs/faults.md lists nothing that was not injected here", everySeen);
