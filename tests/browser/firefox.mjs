// Firefox for the bench and its test. Headless Firefox has no WebGL2, so it gets a window on a virtual screen.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import puppeteer from "puppeteer-core";
import { firefoxPath, xvfbPath } from "./places.mjs";
import { patience, until } from "./support.mjs";

const needsDisplay = process.platform !== "darwin";
const size = { width: 1280, height: 800 };
const screen = "1400x1000x24"; // the page and the browser's own bars

/** One sentence on what is missing, or null. */
export function whyNoFirefox() {
  if (!firefoxPath) return "Firefox is not installed here (./dev bench --firefox installs it).";
  if (needsDisplay && !xvfbPath) return "Xvfb is not installed here, and Firefox needs a screen (./dev bench --firefox installs it).";
  return null;
}

/**
 * A virtual screen with a free number. The shell in between ends it as soon as the shell's input ends, and so also when this
 * process dies; Firefox ends with its screen. A session of its own keeps the terminal's Ctrl-C from the shell.
 */
async function startScreen() {
  const script = '"$0" -displayfd 3 -screen 0 "$1" -nolisten tcp & exec 3>&-; read end; kill $!; wait';
  const child = spawn("/bin/sh", ["-c", script, xvfbPath, screen], { stdio: ["pipe", "ignore", "ignore", "pipe"], detached: true });
  const ended = new Promise((done) => child.once("exit", done));
  const stop = () => { child.stdin.end(); return ended; };
  const number = await new Promise((done) => createInterface({ input: child.stdio[3] }).once("line", done).once("close", () => done(null)));
  if (number) return { name: `:${number}`, stop };
  await stop();
  throw new Error("Xvfb did not start.");
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
