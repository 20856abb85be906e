// Memory over an hour of dragging in Chromium: the page must not leak while it is used.
/* global memories_, results_:writable, gc -- of the page */
import { readFileSync } from "node:fs";
import { goals, remark, report } from "./bench_report.mjs";
import { part } from "./files.mjs";
import { launch, middle, open, rect, settled } from "./support.mjs";

// Constant use is about one drag every three seconds with some twenty moves each: 1,200 drags an hour. Here they follow each
// other as fast as the page draws them, so the simulated hour takes less than an hour.
const drags = 1200, steps = 20, warmUp = 60, samples = 10;
const where = { browser: "chromium", flavour: "relaxed" };

// ---- measurements from outside the page

/** Records the memory of every module that is created. Runs in the page and in its worker, before their own scripts. */
function keepMemories() {
  self.memories_ = [];
  const keep = (made) => {
    memories_.push(...Object.values((made.instance ?? made).exports).filter((thing) => thing instanceof WebAssembly.Memory));
    return made;
  };
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const make = WebAssembly[name];
    WebAssembly[name] = (...rest) => make(...rest).then(keep);
  }
}

/**
 * {size, touched} of the newest module: its memory, and the highest address ever written. A leak fills the module's reserve long
 * before the memory itself has to grow.
 */
function moduleMemory() {
  const words = new Uint32Array(memories_.at(-1).buffer);
  let end = words.length;
  while (end && !words[end - 1]) --end;
  return { size: words.byteLength, touched: end * 4 };
}

function countResults() {
  window.results_ = 0;
  window.Worker = class extends Worker {
    constructor(...rest) {
      super(...rest);
      this.addEventListener("message", ({ data }) => { if (data.text?.includes('"type":"result"')) ++results_; });
    }
  };
}

async function openWatched(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(keepMemories);
  await page.addInitScript(countResults);
  await page.route(part("engine/worker.js"), async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `(${keepMemories})();\n${await response.text()}` });
  });
  await open(page, `${url}?flavour=${where.flavour}`);
  // Chromium requests the icon again whenever the address is rewritten, and keeps a record of each request for the browser
  // driver: with an icon, the test would measure the driver.
  await page.evaluate(() => document.querySelector("link[rel=icon]")?.remove());
  return page;
}

/** Resident bytes of a process; null where there is no /proc. */
function resident(pid) {
  try {
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
  } catch {
    return null;
  }
}

/** The resident bytes of the process of this kind with the most CPU time: a browser keeps spare processes. */
async function busiest(whole, type) {
  const { processInfo } = await whole.send("SystemInfo.getProcessInfo");
  const [most] = processInfo.filter((p) => p.type === type).sort((a, b) => b.cpuTime - a.cpuTime);
  return most ? resident(most.id) : null;
}

const kinds = {
  heap: { title: "JS heap", unit: "bytes", goal: goals.heapGrowth },
  nodes: { title: "DOM nodes", unit: "count", goal: goals.nodeGrowth }, // a list that appears or disappears changes the count by a few
  listeners: { title: "event listeners", unit: "count", goal: goals.growth },
  engine: { title: "engine memory", unit: "bytes", goal: goals.growth },
  engineTouched: { title: "engine memory ever written", unit: "bytes", goal: goals.heapGrowth },
  ui: { title: "ui memory", unit: "bytes", goal: goals.growth },
  uiTouched: { title: "ui memory ever written", unit: "bytes", goal: goals.heapGrowth },
  // These include the browser's own allocators and caches, so they have no goal.
  renderer: { title: "renderer process", unit: "bytes", goal: null },
  gpu: { title: "GPU process", unit: "bytes", goal: null },
};

async function collectGarbage(page, session) {
  for (let i = 0; i < 3; ++i) { // one round of garbage collection may make more objects collectable
    await session.send("HeapProfiler.collectGarbage");
    await page.workers()[0].evaluate(() => gc());
  }
}

/** One number for each of `kinds`, after garbage collection; null for what cannot be measured here. */
async function sample(page, session, whole) {
  await page.mouse.move(5, 5); // point at nothing, because a tooltip has nodes of its own
  await page.evaluate(() => helixscope.settled());
  await collectGarbage(page, session);
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
  const { memory, restarts } = await page.evaluate(() => helixscope.engine());
  if (restarts) throw new Error("the engine was restarted: the numbers of two engines cannot be compared");
  const engine = await page.workers()[0].evaluate(moduleMemory), ui = await page.evaluate(moduleMemory);
  return {
    heap: usedSize, nodes, listeners: jsEventListeners, engine: memory, engineTouched: engine.touched, ui: ui.size, uiTouched: ui.touched,
    renderer: await busiest(whole, "renderer"), gpu: await busiest(whole, "GPU"),
  };
}

// ---- interaction

/** Drags along a path of `steps` places and releases; waits until the page has finished all work that follows. */
async function drag(page, from, path) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= steps; ++i) {
    const { x, y } = path(i / steps);
    await page.mouse.move(x, y); // returns once the page has handled it, once a frame, so no move is lost
  }
  await page.mouse.up();
  await page.evaluate(() => helixscope.settled());
}

async function turn(page, i) {
  const at = await middle(page, "figure.helix");
  const width = 80 + (i % 7) * 10, height = 20 + (i % 5) * 10;
  await drag(page, at, (t) => ({ x: at.x + width * Math.sin(6 * t), y: at.y + height * Math.sin(4 * t) }));
}

/** Drags the range's first row to somewhere in the first half, and the next time back to the start. */
async function moveRange(page, i) {
  const at = await middle(page, "figure.rows.first");
  const strip = await rect(page, "figure.rows");
  const to = i % 2 ? strip.x : strip.x + strip.width * (0.3 + 0.02 * (i % 10));
  await drag(page, at, (t) => ({ x: at.x + (to - at.x) * t, y: at.y }));
}

/** Range and figure in turn. */
const dragOnce = (page, i) => (i % 2 ? turn(page, i >> 1) : moveRange(page, i >> 1));

// ---- the whole measurement

/** Least-squares slope of `values` over `at`. */
function slope(at, values) {
  const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
  const x = mean(at), y = mean(values);
  return at.reduce((sum, a, i) => sum + (a - x) * (values[i] - y), 0) / at.reduce((sum, a) => sum + (a - x) ** 2, 0);
}

function tell(done, now) {
  const number = ([kind, value]) => `${kinds[kind].title} ${kinds[kind].unit === "bytes" ? `${(value / 1000).toFixed(0)} kB` : value}`;
  remark(`after ${String(done).padStart(4)} drags: ${Object.entries(now).filter(([, value]) => value !== null).map(number).join(", ")}`,
    { ...where, work: `hour: after ${done} drags`, ...now });
}

function reportGrowth(at, taken) {
  for (const [kind, { title, unit, goal }] of Object.entries(kinds)) {
    const values = taken.map((one) => one[kind]);
    if (values.includes(null)) continue;
    report(where, `hour: ${title}, growth`, unit, values.at(-1) - values[0], goal);
    report(where, `hour: ${title}, per 1,000`, unit, slope(at, values) * 1000);
  }
}

async function soak(page, browser) {
  const session = await page.context().newCDPSession(page), whole = await browser.newBrowserCDPSession();
  for (let i = 0; i < warmUp; ++i) await dragOnce(page, i); // warm-up: everything that is allocated once exists now
  const at = [], taken = [];
  const note = async (done) => {
    at.push(done);
    taken.push(await sample(page, session, whole));
    tell(done, taken.at(-1));
  };
  await page.evaluate(() => { results_ = 0; });
  const start = performance.now();
  await note(0);
  for (let i = 0; i < drags; ++i) {
    await dragOnce(page, i);
    if ((i + 1) % (drags / samples) === 0) await note(i + 1);
  }
  report(where, `hour: ${drags} drags took`, "ms", performance.now() - start);
  report(where, "hour: results that came meanwhile", "count", await page.evaluate(() => results_));
  reportGrowth(at, taken);
}

export async function benchHour(server) {
  const browser = await launch(["--js-flags=--expose-gc"]);
  try {
    const page = await openWatched(browser, server.url);
    await settled(page);
    await soak(page, browser);
  } finally {
    await browser.close();
  }
}
