// The rows of the bench in headless Chromium: the first visit, sizes, the hand, the exact spectrum, memory.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { benchForward } from "./bench_forward.mjs";
import { carried, carries, dragged, draggedLink, milestones, refits, turning, typed, typedLink, watchFirstFrame, watchFrames } from "./bench_hand.mjs";
import { asJson, goals, median, remark, report } from "./bench_report.mjs";
import { numpyTimes } from "./bench_numpy.mjs";
import { builtFile } from "./files.mjs";
import { startServer } from "./servers.mjs";
import { launch, linkOf, middle, open, settled, state } from "./support.mjs";

const visits = 9, fits = 5, drags = 200;
const windowOpens = 1500; // milliseconds for which a new window is busy; a visitor's window is open before the click

// ---- a first visit

async function visit(browser, url, watch = watchFirstFrame) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const bodies = [];
  page.on("requestfinished", (request) => bodies.push(request.sizes().then((s) => ({ url: request.url(), bytes: s.responseBodySize }), () => null)));
  await page.addInitScript(watch);
  await page.waitForTimeout(windowOpens);
  await open(page, url);
  if (watch === watchFirstFrame) await page.waitForFunction(() => performance.getEntriesByName("first-frame").length);
  const [result, frame] = await milestones(page);
  await settled(page);
  return { context, page, result, frame, bodies: (await Promise.all(bodies)).filter(Boolean) };
}

async function firstVisits(browser, url, where) {
  const seen = [];
  for (let i = 0; i < visits; ++i) {
    const one = await visit(browser, url);
    seen.push(one);
    await one.context.close();
  }
  report(where, "first helix, result", "ms", median(seen.map((v) => v.result)), goals.firstHelix);
  report(where, "first helix, drawn", "ms", median(seen.map((v) => v.frame)), goals.firstHelix);
  return seen[0].bodies;
}

function sizes(where, bodies) {
  const packed = (name) => gzipSync(readFileSync(builtFile(name)), { level: 9 }).length;
  const raw = (name) => readFileSync(builtFile(name)).length;
  for (const [name, goal] of [["ui.wasm", goals.ui], [`engine-${where.flavour}.wasm`, goals.engine]]) {
    report(where, `${name} raw`, "bytes", raw(name));
    report(where, `${name} gzip`, "bytes", packed(name), goal);
  }
  let all = 0, small = 0;
  for (const { url: address, bytes } of bodies) {
    all += bytes;
    const name = new URL(address).pathname.slice(1) || "index.html";
    try { small += packed(name); } catch { small += bytes; } // the model's bytes do not compress
  }
  report(where, `first visit, ${bodies.length} requests, raw`, "bytes", all);
  report(where, "first visit, with a host that gzips", "bytes", small);
  report(where, "first visit, of which weights", "bytes",
    bodies.filter((b) => b.url.endsWith(".safetensors")).reduce((sum, b) => sum + b.bytes, 0));
}

// ---- the exact spectrum, beside numpy

/** From a change to the exact spectrum, drawn. */
async function exactFits(page) {
  const { model } = await state(page);
  const taken = [];
  for (let i = 0; i < fits; ++i) {
    const link = linkOf({ first: 1 + (i % 2) }, model); // back and forth: the engine keeps only the last fit
    taken.push(await page.evaluate(async (to) => {
      const start = performance.now();
      helixscope.open(to);
      while (helixscope.busy()) await new Promise((next) => setTimeout(next, 1));
      return performance.now() - start;
    }, link));
  }
  return median(taken);
}

function besideNumpy(where, exact, numpy) {
  report(where, "exact spectrum, change to drawn", "ms", exact, numpy && numpy.eigh * goals.geometry);
  if (!numpy) return;
  report(where, "exact spectrum / numpy eigh, one thread", "ratio", exact / numpy.eigh, goals.geometry);
  report(where, "exact spectrum / numpy svd, one thread", "ratio", exact / numpy.svd, goals.geometry);
}

// ---- memory

async function heap(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

async function growth(page, where) {
  const at = await middle(page, "figure.helix");
  const dragOnce = async (i) => {
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 20 + (i % 7) * 5, at.y + 10);
    await page.mouse.up();
  };
  for (let i = 0; i < 20; ++i) await dragOnce(i); // warm-up: everything that is allocated once exists now
  const before = await heap(page);
  for (let i = 0; i < drags; ++i) await dragOnce(i);
  await settled(page);
  report(where, "JS heap before", "bytes", before);
  report(where, `JS heap growth over ${drags} drags`, "bytes", Math.max((await heap(page)) - before, 0));
}

// ---- the model that comes with the page

async function bundled(browser) {
  const server = await startServer([], { bundled: true }), where = { browser: "chromium", flavour: "as chosen" };
  const firstResults = async (hash, picture) => {
    const taken = [];
    for (let i = 0; i < visits; ++i) {
      const one = await visit(browser, server.url + hash, picture ? watchFirstFrame : () => {});
      taken.push(picture ? one.frame : one.result);
      await one.context.close();
    }
    return median(taken);
  };
  try {
    report(where, "opening page, first picture drawn", "ms", await firstResults("", true), goals.firstHelix);
    report(where, "minihelix, the whole model, first prediction", "ms", await firstResults("#v=1&model=&study=predictions&prompt=Once%20upon%20a", false), goals.whole);
    const { page, context } = await visit(browser, server.url + draggedLink);
    await dragged(page, where);
    await context.close();
    const box = await visit(browser, server.url + typedLink);
    await typed(box.page, where);
    await box.context.close();
    for (const carry of carries) {
      const by = await visit(browser, server.url + carry.link);
      await carried(by.page, where, carry);
      await by.context.close();
    }
  } finally {
    await server.stop();
  }
}

// ---- all of it

async function measure(browser, server, flavour, numpy) {
  const url = `${server.url}?flavour=${flavour}`, where = { browser: "chromium", flavour };
  sizes(where, await firstVisits(browser, url, where));
  const turned = await visit(browser, url, watchFrames);
  await turning(turned.page, where);
  await turned.context.close();
  const { page, context } = await visit(browser, url);
  await refits(page, where);
  besideNumpy(where, await exactFits(page), numpy);
  const { memory } = await page.evaluate(() => helixscope.engine());
  report(where, "engine memory", "bytes", memory, goals.memory);
  if (flavour === "relaxed") await growth(page, where); // the page's own memory does not depend on the engine's flavour
  await context.close();
}

function tellNumpy(numpy) {
  if (!asJson) return remark(`numpy on ${numpy.blas}, one thread: pca by eigh ${numpy.eigh.toFixed(1)} ms, by svd ${numpy.svd.toFixed(1)} ms`);
  for (const name of ["eigh", "svd"])
    remark("", { engine: `numpy, ${numpy.blas}`, threads: 1, work: `pca by ${name}`, ms: Number(numpy[name].toPrecision(4)) });
}

/** The page's own rows; `folder` holds the model that `server` serves. */
async function pageRows(browser, server, folder) {
  const numpy = numpyTimes(folder);
  if (numpy) tellNumpy(numpy);
  for (const flavour of ["relaxed", "simd"]) await measure(browser, server, flavour, numpy);
  await bundled(browser);
}

/** All rows of Chromium, or those of the page or of the forward pass. */
export async function benchChromium(server, folder, { rounds, only }) {
  const browser = await launch();
  try {
    if (only !== "--forward") await pageRows(browser, server, folder);
    if (only !== "--page") await benchForward(browser, rounds);
  } finally {
    await browser.close();
  }
}
