// Firefox for the bench and the tests. Headless Firefox has no WebGL2, so it gets a window on a virtual screen.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import puppeteer from "puppeteer-core";
import { firefoxPath, xvfbPath } from "./places.mjs";
import { needsDisplay, startScreen } from "./screens.mjs";
import { patience, until } from "./support.mjs";

const size = { width: 1280, height: 800 };

/** One sentence on what is missing, or null. */
export function whyNoFirefox() {
  if (!firefoxPath) return "Firefox is not installed here (./dev test firefox installs both).";
  if (needsDisplay && !xvfbPath) return "Xvfb is not installed here, and Firefox needs a screen (./dev test firefox installs both).";
  return null;
}

function startFirefox(display, prefs) {
  const env = { ...process.env, LIBGL_ALWAYS_SOFTWARE: "1" };
  if (display) Object.assign(env, { DISPLAY: display, MOZ_ENABLE_WAYLAND: "0" });
  return puppeteer.launch({
    browser: "firefox", executablePath: firefoxPath, headless: false, env, timeout: 2 * patience,
    extraPrefsFirefox: { "webgl.force-enabled": true, ...prefs }, // WebGL2 without a graphics card
  });
}

/** {browser, close()}; `prefs` as in about:config. */
export async function launchFirefox(prefs = {}) {
  const display = needsDisplay ? await startScreen() : null;
  try {
    const browser = await startFirefox(display?.name, prefs);
    return { browser, close: async () => { try { await browser.close(); } finally { await display?.stop(); } } };
  } catch (error) {
    await display?.stop();
    throw error;
  }
}

/** A page of a new profile, settled: {page, context}. `init` runs before the page's own scripts. */
export async function openInFirefox(browser, url, { init = null, prepare = null } = {}) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport(size);
  if (init) await page.evaluateOnNewDocument(init);
  prepare?.(page);
  await page.goto(url);
  await until(() => page.evaluate(() => Boolean(window.helixscope)), Boolean, patience);
  await page.evaluate(() => helixscope.settled());
  return { page, context };
}

export const enough = 2 * patience; // milliseconds for a test that takes ten seconds on an idle machine

/** Where everything goes that is not on this machine: to a port at which nobody answers. */
const noNetwork = {
  "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9, "network.proxy.ssl": "127.0.0.1",
  "network.proxy.ssl_port": 9, "network.proxy.allow_hijacking_localhost": true, "network.proxy.no_proxies_on": "",
};

const savesTo = (folder) => ({ "browser.download.folderList": 2, "browser.download.dir": folder, "browser.download.useDownloadDir": true, "browser.download.alwaysOpenPanel": false });

/** All that the page complains about. */
function watch(page) {
  const problems = [];
  page.on("console", (message) => { if (["error", "warn"].includes(message.type())) problems.push(`console ${message.type()}: ${message.text()}`); });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error}`));
  return problems;
}

/**
 * Call once in a `describe`: launches its Firefox and closes it at the end. What it returns runs `test(page)` on a page of its own,
 * settled, and fails if the page complained. `offline`: without a network; `downloads`: the folder that takes what the page saves;
 * `prepare(page)`: before the page opens.
 */
export function useFirefox({ offline = false, downloads = null } = {}) {
  let firefox;
  const prefs = { "ui.prefersReducedMotion": 1, ...(offline ? noNetwork : {}), ...(downloads ? savesTo(downloads) : {}) };
  before(async () => { firefox = await launchFirefox(prefs); }, { timeout: enough });
  after(() => firefox?.close());
  return async (url, test, { prepare = null } = {}) => {
    let problems = [];
    const { page, context } = await openInFirefox(firefox.browser, url, { prepare: (opened) => { problems = watch(opened); prepare?.(opened); } });
    try {
      await test(page);
      assert.deepEqual(problems, [], "the page complained");
    } finally {
      await context.close();
    }
  };
}

/** Presses what a selector finds, as a visitor would: the first that is visible. */
export const press = (page, selector) => page.locator(selector).setTimeout(patience).click();

export const textOf = (page, selector) => page.$eval(selector, (element) => element.textContent);

/** Answers a lesson's question for a number as the visitor's own run has it. */
export async function answerNumber(page, { answer }) {
  const right = await until(() => page.evaluate((expression) => helixscope.lesson(expression), answer), (value) => typeof value === "number");
  await page.locator("#lesson .typed input").fill(String(Number(right.toPrecision(4))));
  await press(page, "#lesson .ask button[type=submit]");
  assert.match(await until(() => textOf(page, "#lesson .said"), Boolean), /^Right/);
}
