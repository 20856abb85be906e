// The shipped page in headless Chromium, measured: ./dev bench [--model FOLDER] [--json]
// Each row has its goal and the part of it that is reached (1 or more: met). Only ratios within one run compare.
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { hasNumpy, python, realModel, site } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { launch, linkOf, middle, open, rect, settled, state } from "./support.mjs";
import { plantedFolder } from "./synthetic.mjs";

// docs: first helix within a second; a refit within 50 ms; 4 ms a frame; modules of 700 and 500 kB; 250 MB of memory;
// geometry at most three times what LAPACK takes natively.
const goals = { firstHelix: 1000, refit: 50, frame: 4, ui: 700e3, engine: 500e3, memory: 250e6, geometry: 3 };
const visits = 5, moves = 40, fits = 5, drags = 200;

const options = process.argv.slice(2);
if (options.includes("--help")) {
  console.log("./dev bench [--model FOLDER] [--json]\nMeasures the built page in headless Chromium; --json prints one object a line.");
  process.exit(0);
}
const asJson = options.includes("--json");
const modelAt = options.indexOf("--model");
const chosen = modelAt >= 0 ? options[modelAt + 1] : realModel;

const sorted = (values) => [...values].sort((a, b) => a - b);
const quantile = (values, q) => sorted(values)[Math.min(values.length - 1, Math.floor(q * values.length))];
const median = (values) => quantile(values, 0.5);

/** One row. `unit` is "ms", "bytes" or "ratio"; smaller is better, so the part of the goal reached is goal / value. */
function report(flavour, work, unit, value, goal = null) {
  const ofLimit = goal === null ? null : goal / Math.max(value, 1e-9);
  if (asJson) {
    const round = (x) => (x === null ? null : Number(x.toPrecision(4)));
    console.log(JSON.stringify({ engine: "helixscope", flavour, precision: "f32", threads: 1, work, [unit]: round(value), of_limit: round(ofLimit) }));
    return;
  }
  const text = (x) => (unit === "bytes" ? `${(x / 1000).toFixed(0)} kB` : unit === "ms" ? `${x.toFixed(1)} ms` : x.toFixed(2));
  const verdict = goal === null ? "" : `goal ${text(goal).padStart(9)}   ${ofLimit.toFixed(2)} of it${ofLimit >= 1 ? "" : "  MISSED"}`;
  console.log(`${flavour.padEnd(8)} ${work.padEnd(42)} ${text(value).padStart(10)}   ${verdict}`);
}

// ---- a first visit

/** Notes when the frame that draws the first result has been handed to the browser. */
function watchFirstFrame() {
  const mark = performance.mark.bind(performance);
  performance.mark = (name, ...rest) => {
    if (name === "first-result") requestAnimationFrame(() => setTimeout(() => mark("first-frame")));
    return mark(name, ...rest);
  };
}

/** Times every frame, and within it every call into WebGL: software drawing is slow, and not the page's doing. */
function watchFrames() {
  window.frames_ = []; // {all, driver} in milliseconds
  let driver = 0;
  const calls = WebGL2RenderingContext.prototype;
  for (const name of Object.getOwnPropertyNames(calls)) {
    const { value } = Object.getOwnPropertyDescriptor(calls, name);
    if (typeof value !== "function") continue;
    calls[name] = function (...rest) {
      const start = performance.now();
      try { return value.apply(this, rest); } finally { driver += performance.now() - start; }
    };
  }
  const ask = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => ask((now) => {
    driver = 0;
    const start = performance.now();
    draw(now);
    frames_.push({ all: performance.now() - start, driver });
  });
}

async function visit(browser, url, watch = watchFirstFrame) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const bodies = [];
  page.on("requestfinished", (request) => bodies.push(request.sizes().then((s) => ({ url: request.url(), bytes: s.responseBodySize }), () => null)));
  await page.addInitScript(watch);
  await open(page, url);
  if (watch === watchFirstFrame) await page.waitForFunction(() => performance.getEntriesByName("first-frame").length);
  const at = await page.evaluate(() => ["first-result", "first-frame"].map((name) => performance.getEntriesByName(name)[0]?.startTime));
  await settled(page);
  return { context, page, result: at[0], frame: at[1], bodies: (await Promise.all(bodies)).filter(Boolean) };
}

async function firstVisits(browser, url, flavour) {
  const seen = [];
  for (let i = 0; i < visits; ++i) {
    const one = await visit(browser, url);
    seen.push(one);
    await one.context.close();
  }
  report(flavour, "first helix, result", "ms", median(seen.map((v) => v.result)), goals.firstHelix);
  report(flavour, "first helix, drawn", "ms", median(seen.map((v) => v.frame)), goals.firstHelix);
  return seen[0].bodies;
}

function sizes(flavour, bodies) {
  const packed = (name) => gzipSync(readFileSync(join(site, name)), { level: 9 }).length;
  const raw = (name) => readFileSync(join(site, name)).length;
  for (const [name, goal] of [["ui.wasm", goals.ui], [`engine-${flavour}.wasm`, goals.engine]]) {
    report(flavour, `${name} raw`, "bytes", raw(name));
    report(flavour, `${name} gzip`, "bytes", packed(name), goal);
  }
  let all = 0, small = 0;
  for (const { url: address, bytes } of bodies) {
    all += bytes;
    const name = new URL(address).pathname.slice(1) || "index.html";
    try { small += packed(name); } catch { small += bytes; } // the model's bytes do not get smaller
  }
  report(flavour, `first visit, ${bodies.length} requests, raw`, "bytes", all);
  report(flavour, "first visit, with a host that gzips", "bytes", small);
  report(flavour, "first visit, of which weights", "bytes",
    bodies.filter((b) => b.url.endsWith(".safetensors")).reduce((sum, b) => sum + b.bytes, 0));
}

// ---- under the hand

async function orbit(browser, url, flavour) {
  const { page, context } = await visit(browser, url, watchFrames);
  const at = await middle(page, "figure.helix");
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.evaluate(() => { frames_.length = 0; });
  for (let i = 1; i <= 100; ++i) await page.mouse.move(at.x + 150 * Math.sin(i / 8), at.y + 40 * Math.sin(i / 5));
  await page.mouse.up();
  const times = (await page.evaluate(() => frames_)).filter((f) => f.driver > 0); // those that drew
  const ours = times.map((f) => f.all - f.driver);
  report(flavour, "frame while turning, without WebGL, median", "ms", median(ours), goals.frame);
  report(flavour, "frame while turning, without WebGL, p95", "ms", quantile(ours, 0.95), goals.frame);
  const all = await page.evaluate(() => helixscope.frameTimes());
  report(flavour, "frame while turning, with WebGL, p95", "ms", quantile(all.slice(-times.length), 0.95));
  await context.close();
}

/** Milliseconds from each move of the range's end to the numbers fitted to it, and to the frame that shows them. */
async function refits(page, flavour) {
  await page.evaluate(() => {
    window.moved = 0;
    addEventListener("pointermove", (event) => { moved = event.timeStamp; }, true);
    const first = () => helixscope.result("position_helix", { arrays: false }).params.first;
    window.drawnAfter = (last) => new Promise((done) => {
      const look = () => {
        if (first() === last) return setTimeout(look, 1);
        const fitted = performance.now() - moved;
        requestAnimationFrame(() => setTimeout(() => done({ first: first(), fitted, drawn: performance.now() - moved })));
      };
      look();
    });
  });
  const strip = await rect(page, "figure.rows");
  const at = await middle(page, "figure.rows.first");
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  const taken = [];
  let last = Number((await state(page)).params.first);
  const step = (strip.width * 0.5) / moves;
  for (let i = 1; i <= moves; ++i) {
    const waiting = page.evaluate((from) => drawnAfter(from), last);
    await page.mouse.move(at.x + step * i, at.y);
    taken.push(await waiting);
    last = taken.at(-1).first;
  }
  await page.mouse.up();
  await settled(page);
  for (const [what, times] of [["numbers", taken.map((t) => t.fitted)], ["drawn helix", taken.map((t) => t.drawn)]]) {
    report(flavour, `slider to refitted ${what}, median`, "ms", median(times), goals.refit);
    report(flavour, `slider to refitted ${what}, p95`, "ms", quantile(times, 0.95), goals.refit);
  }
}

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

async function heap(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

async function growth(page, flavour) {
  const at = await middle(page, "figure.helix");
  const dragOnce = async (i) => {
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 20 + (i % 7) * 5, at.y + 10);
    await page.mouse.up();
  };
  for (let i = 0; i < 20; ++i) await dragOnce(i); // what is made once is there now
  const before = await heap(page);
  for (let i = 0; i < drags; ++i) await dragOnce(i);
  await settled(page);
  report(flavour, "JS heap before", "bytes", before);
  report(flavour, `JS heap growth over ${drags} drags`, "bytes", Math.max((await heap(page)) - before, 0));
}

// ---- beside numpy

/** wpe of a model folder as float32 rows without row 0: {bytes, rows, columns}. */
function positions(folder) {
  const name = readdirSync(folder).find((f) => f.endsWith(".safetensors"));
  const file = openSync(join(folder, name), "r");
  const read = (count, at) => {
    const buffer = Buffer.alloc(count);
    readSync(file, buffer, 0, count, at);
    return buffer;
  };
  const length = Number(read(8, 0).readBigUInt64LE());
  const header = JSON.parse(read(length, 8));
  const tensor = header["wpe.weight"] ?? header["transformer.wpe.weight"];
  const [rows, columns] = tensor.shape;
  const bytes = read((rows - 1) * columns * 4, 8 + length + tensor.data_offsets[0] + columns * 4);
  closeSync(file);
  return tensor.dtype === "F32" ? { bytes, rows: rows - 1, columns } : null;
}

function numpyTimes(folder) {
  if (!hasNumpy()) return null;
  const data = positions(folder);
  if (!data) return null;
  const place = mkdtempSync(join(tmpdir(), "helixscope-bench-"));
  try {
    writeFileSync(join(place, "rows"), data.bytes);
    const script = join(dirname(fileURLToPath(import.meta.url)), "bench_reference.py");
    return JSON.parse(execFileSync(python, [script, join(place, "rows"), data.rows, data.columns]));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function besideNumpy(flavour, exact, numpy) {
  report(flavour, "exact spectrum, change to drawn", "ms", exact, numpy && numpy.eigh * goals.geometry);
  if (!numpy) return;
  report(flavour, "exact spectrum / numpy eigh, one thread", "ratio", exact / numpy.eigh, goals.geometry);
  report(flavour, "exact spectrum / numpy svd, one thread", "ratio", exact / numpy.svd, goals.geometry);
}

// ---- all of it

async function measure(browser, server, flavour, numpy) {
  const url = `${server.url}?flavour=${flavour}`;
  const bodies = await firstVisits(browser, url, flavour);
  sizes(flavour, bodies);
  await orbit(browser, url, flavour);
  const { page, context } = await visit(browser, url);
  await refits(page, flavour);
  besideNumpy(flavour, await exactFits(page), numpy);
  const { memory } = await page.evaluate(() => helixscope.engine());
  report(flavour, "engine memory", "bytes", memory, goals.memory);
  if (flavour === "relaxed") await growth(page, flavour); // the page's own memory: the engine has no part in it
  await context.close();
}

const own = chosen ? null : plantedFolder();
const folder = chosen ?? own.folder;
if (!asJson) console.log(own ? "no GPT-2 here: a small planted helix of 256 positions instead, so the times say little" : `model: ${folder}`);
const server = await startServer([folder]);
const browser = await launch();
try {
  const numpy = numpyTimes(folder);
  if (numpy && asJson) for (const name of ["eigh", "svd"]) console.log(JSON.stringify({ engine: `numpy, ${numpy.blas}`, threads: 1, work: `pca by ${name}`, ms: Number(numpy[name].toPrecision(4)) }));
  else if (numpy) console.log(`numpy on ${numpy.blas}, one thread: pca by eigh ${numpy.eigh.toFixed(1)} ms, by svd ${numpy.svd.toFixed(1)} ms`);
  for (const flavour of ["relaxed", "simd"]) await measure(browser, server, flavour, numpy);
} finally {
  await browser.close();
  await server.stop();
  own?.remove();
}
