// WebKit for the tests: WebKitGTK's small browser, driven by the W3C's WebDriver protocol. Its engine is that of Safari, its window,
// graphics and network are not.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before } from "node:test";
import { webkitDriverPath, xvfbPath } from "./places.mjs";
import { startScreen } from "./screens.mjs";
import { patience, until } from "./support.mjs";

const size = { width: 1280, height: 800 }; // of the page
const wordOf = { Control: "\uE009", Delete: "\uE017", ArrowRight: "\uE014", ArrowLeft: "\uE012", PageDown: "\uE00F", Enter: "\uE007", Tab: "\uE004" };

/** The browser that the driver opens; it lies beside the library. */
const browserPath = () => ["/usr/lib", ...["x86_64", "aarch64"].map((machine) => `/usr/lib/${machine}-linux-gnu`)]
  .filter(existsSync).flatMap((folder) => readdirSync(folder).filter((name) => /^webkit2?gtk-[\d.]+$/.test(name)).map((name) => join(folder, name, "MiniBrowser")))
  .find(existsSync) ?? null;

/** One sentence on what is missing, or null. */
export function whyNoWebKit() {
  if (!webkitDriverPath || !browserPath()) return "WebKitGTK's driver is not installed here (./dev test webkit installs it on Debian).";
  return xvfbPath ? null : "Xvfb is not installed here, and WebKit needs a screen (./dev test webkit installs both).";
}

const freePort = () => new Promise((done) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    server.close(() => done(port));
  });
});

/** A page with the part of a browser's interface that the tests' helpers use. */
class Page {
  constructor(call) {
    this.call = call;
    this.mouse = { move: (x, y) => this.#pointer({ type: "pointerMove", duration: 0, x: Math.round(x), y: Math.round(y) }), down: () => this.#pointer({ type: "pointerDown", button: 0 }), up: () => this.#pointer({ type: "pointerUp", button: 0 }) };
    this.keyboard = { down: (key) => this.#keys(key, "keyDown"), up: (key) => this.#keys(key, "keyUp"), press: (key) => this.#keys(key, "keyDown", "keyUp") };
  }

  #pointer(action) { return this.call("POST", "/actions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions: [action] }] }); }
  #keys(key, ...types) { return this.call("POST", "/actions", { actions: [{ type: "key", id: "keys", actions: types.map((type) => ({ type, value: wordOf[key] ?? key })) }] }); }

  /** The value of a function that is called in the page, or what its promise gives. */
  async evaluate(act, ...of) {
    const script = `const done = arguments[arguments.length - 1]; new Promise((next) => next((${act}).apply(null, arguments[0]))).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value, error } = await this.call("POST", "/execute/async", { script, args: [of] });
    if (error) throw new Error(error);
    return value;
  }

  async #element(selector) {
    return Object.values(await this.call("POST", "/element", { using: "css selector", value: selector }))[0];
  }

  /** What is in view, as a PNG. */
  async screenshot() { return Buffer.from(await this.call("GET", "/screenshot"), "base64"); }

  async press(selector) { return this.call("POST", `/element/${await this.#element(selector)}/click`, {}); }
  async type(selector, text) { return this.call("POST", `/element/${await this.#element(selector)}/value`, { text }); }
  url() { return this.call("GET", "/url"); }
  async goto(url) { await this.call("POST", "/url", { url }); }
  focus(selector) { return this.evaluate((place) => document.querySelector(place).focus(), selector); }
}

/** Asks the driver; an error is what it says. */
async function ask(address, method, body) {
  const answer = await fetch(address, { method, body: body && JSON.stringify(body), headers: { "content-type": "application/json" } }), { value } = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${new URL(address).pathname}: ${value.error}: ${value.message}`);
  return value;
}

/** {page, close()} of a new profile. */
async function openWebKit() {
  const screen = await startScreen(), port = await freePort(), address = `http://127.0.0.1:${port}`;
  const driver = spawn(webkitDriverPath, [`--port=${port}`, "--host=127.0.0.1"], { env: { ...process.env, DISPLAY: screen.name, LIBGL_ALWAYS_SOFTWARE: "1", GDK_BACKEND: "x11" }, stdio: "ignore" });
  const ended = new Promise((done) => driver.once("exit", done));
  let session = "";
  const close = async () => {
    if (session) await ask(session, "DELETE").catch(() => {}); // it may have gone with the window
    driver.kill();
    await ended;
    await screen.stop();
  };
  try {
    await until(() => ask(`${address}/status`, "GET").then(({ ready }) => ready, () => false), Boolean);
    const { sessionId } = await ask(`${address}/session`, "POST", { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary: browserPath(), args: ["--automation", "--private"] } } } });
    session = `${address}/session/${sessionId}`;
    const page = new Page((method, path, body) => ask(session + path, method, body));
    await page.call("POST", "/timeouts", { script: patience, pageLoad: patience, implicit: 0 });
    await page.call("POST", "/window/rect", size);
    const [width, height] = await page.evaluate(() => [innerWidth, innerHeight]);
    await page.call("POST", "/window/rect", { width: 2 * size.width - width, height: 2 * size.height - height }); // with the window's own bars
    return { page, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Call once in a `describe`: what it returns runs `test(page)` on a page that is opened anew and settled, and fails if a script of the
 * page failed. All share one profile.
 */
export function useWebKit() {
  let webkit;
  before(async () => { webkit = await openWebKit(); }, { timeout: 2 * patience });
  after(() => webkit?.close());
  return async (url, test) => {
    const { page } = webkit;
    await page.goto("about:blank"); // so that a link that differs in its fragment alone opens the page anew
    await page.goto(url);
    await page.evaluate(() => {
      window.failures = [];
      addEventListener("error", ({ message }) => { if (!message.startsWith("ResizeObserver loop")) window.failures.push(message); }); // that is no failure
      addEventListener("unhandledrejection", ({ reason }) => window.failures.push(String(reason)));
    });
    await until(() => page.evaluate(() => Boolean(window.helixscope)), Boolean);
    await page.evaluate(() => helixscope.settled());
    await test(page);
    const failures = await page.evaluate(() => window.failures);
    if (failures.length) throw new Error(`Scripts failed: ${failures.join("; ")}`);
  };
}
