// One Chromium for each file, one context for each test, and a check of all errors and warnings of the page.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { chromiumPath } from "./places.mjs";

export const patience = 60_000; // milliseconds for steps that take about a second on an idle machine
const size = { width: 1280, height: 800 };

/** A view for tests that need any: what the page opens on, GPT-2's helix beside 20 random walks, takes three times as long. */
export const quickView = "#v=1&model=gpt2-positions&study=rope";

const flags = [
  "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", // WebGL2 without a graphics card
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--no-first-run",
];

export function launch(more = []) {
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: chromiumPath, headless: true, args: [...flags, ...asRoot, ...more] });
}

let shared;

/**
 * The page is put together without WebGL, which in software takes a third of a visit's time; its canvas is still drawn with it. WebAssembly
 * is optimised only where it runs long: most visits of a test are over before that pays, and it took about a tenth of a test's time.
 */
const forTests = ["--disable-gpu-compositing", "--js-flags=--wasm-tiering-budget=100000000"];

/** Call once in a test file: launches its browser and closes it at the end. */
export function useBrowser() {
  before(async () => { shared = await launch(forTests); });
  after(async () => { await shared?.close(); });
}

/** All errors and warnings of the page, except those that the test expects (`allowed`: patterns). */
function watch(page, allowed) {
  const problems = [];
  const note = (kind, text) => {
    if (!allowed.some((pattern) => pattern.test(text))) problems.push(`${kind}: ${text}`);
  };
  page.on("console", (message) => {
    // Software WebGL warns of its own speed when a picture is taken.
    if (message.type() === "error" || (message.type() === "warning" && !/GPU stall|GL Driver Message/.test(message.text())))
      note(`console ${message.type()}`, `${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => note("uncaught", error.stack || String(error)));
  page.on("crash", () => note("crash", "the page crashed"));
  return problems;
}

/**
 * Runs `test(page)` on a page of its own and fails if the page complained about anything unexpected.
 * Options: `url` (opened and settled first), `allowed` (patterns of expected complaints), `init` (script that runs
 * before the page's own), `offline` (the page may keep itself for use without a network), `prepare(page)` (before it opens), `clock` (the page's timers run as usual, and
 * `page.clock.runFor(milliseconds)` advances them at once), `folded` (what can be folded is, as on a first visit: the prompt, the
 * settings, the explanation and the provenance), and those of a Playwright context.
 */
export async function withPage({ url = null, offline = false, allowed = [], init = null, prepare = null, clock = false, folded = false, ...options }, test) {
  const context = await shared.newContext({ viewport: size, colorScheme: "dark", reducedMotion: "reduce", ...options });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    const problems = watch(page, allowed);
    await page.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) =>
        console.error(`policy violation: ${event.violatedDirective} blocked ${event.blockedURI}`));
    });
    if (!offline)
      await context.addInitScript(() => {
        if (!globalThis.ServiceWorkerContainer) return;
        const { register } = ServiceWorkerContainer.prototype;
        ServiceWorkerContainer.prototype.register = function (script, options) { // not that which keeps the page: it would answer in the test's place
          return options?.updateViaCache ? new Promise(() => {}) : register.call(this, script, options);
        };
      });
    if (!folded)
      await page.addInitScript(() => {
        try {
          for (const part of ["settings", "explanation", "prompt", "about"]) localStorage.setItem(`helixscope.${part}`, "open");
        } catch {
          // A browser that stores nothing: the parts stay collapsed.
        }
      });
    if (clock) await page.clock.install(); // before `init`, so that `init` wraps the functions that the page will use
    if (init) await page.addInitScript(init);
    if (prepare) await prepare(page);
    if (url) await open(page, url);
    await test(page);
    assert.deepEqual(problems, [], "the page complained");
  } finally {
    await context.close();
  }
}

export async function open(page, url) {
  await page.goto(url);
  await page.waitForFunction(() => window.helixscope);
  await settled(page);
}

/** Loads the page again: its scripts may still be on their way when the browser says that it has loaded. */
export async function reload(page) {
  await page.reload();
  await page.waitForFunction(() => window.helixscope);
  await settled(page);
}

/** Waits until the newest result is drawn. */
export async function settled(page) {
  await page.waitForFunction(() => !helixscope.busy(), null, { polling: 20 });
  await page.evaluate(() => helixscope.settled());
}

/** The document of the newest result, with plain arrays. */
export function result(page) {
  return page.evaluate(() => {
    const found = helixscope.result("position_helix");
    for (const array of Object.values(found?.arrays ?? {})) array.data = Array.from(array.data);
    return found;
  });
}

/** The result's scalars as {name: value}. */
export const scalars = (document) => Object.fromEntries(Object.entries(document.scalars).map(([name, s]) => [name, s.value]));

export const state = (page) => page.evaluate(() => helixscope.state());
export const rect = (page, id) =>
  page.evaluate((name) => { const r = helixscope.rect(name); return r && { x: r.x, y: r.y, width: r.width, height: r.height }; }, id);

/** The centre of an item on the canvas, in the viewport. */
export async function middle(page, id) {
  const box = await rect(page, id);
  assert.ok(box, `there is no ${id} on the canvas`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

export const notices = (page) => page.locator("#notices p span").allTextContents();

/** Calls `read()` until its value satisfies `good`, and returns it; fails with the last value if it never does. */
export async function until(read, good, milliseconds = patience) {
  const end = Date.now() + milliseconds;
  for (;;) {
    const value = await read();
    if (good(value)) return value;
    if (Date.now() > end) assert.fail(`waited ${milliseconds / 1000} s in vain for ${good}; the last value: ${JSON.stringify(value)?.slice(0, 2000)}`);
    await sleep(25);
  }
}

/** Waits until all writes to the cache of models are done, which happen a little after the bytes are used. */
export async function keptAll(page, pause = 300) {
  const noted = () => page.evaluate(() => localStorage.getItem("helixscope.kept"));
  for (let last; last !== (last = await noted());) await sleep(pause);
}

/** A link of version 1 with these parameters of the helix. */
export const linkOf = (params = {}, model = "", rest = "") =>
  `#v=1&model=${encodeURIComponent(model)}&study=position_helix` +
  Object.entries(params).map(([key, value]) => `&position_helix.${key}=${value}`).join("") + rest;

/** Sets parameters by opening a link, keeping the model. */
export async function show(page, params) {
  const { model } = await state(page);
  await page.evaluate((link) => helixscope.open(link), linkOf(params, model));
  await settled(page);
}
