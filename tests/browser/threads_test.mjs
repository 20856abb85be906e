// "Use all cores": switched on, remembered, switched off; the same numbers; and every possible refusal.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { broken, brokenWorker, replies } from "./broken.mjs";
import { faultsOf } from "./faults.mjs";
import { part } from "./files.mjs";
import { site } from "./places.mjs";
import { sendJson, sendRanged, startAnswers, startServer } from "./servers.mjs";
import { notices, open, reload, settled, until, useBrowser, withPage } from "./support.mjs";
import { tiny, tinyFiles, tinyFolder } from "./synthetic.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
const view = `#v=1&model=${tiny.name}&study=predictions`;
let model, server; // the project's own server isolates the page

useBrowser();
before(async () => { model = tinyFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const engine = (page) => page.evaluate(() => helixscope.engine());
const line = (page) => page.locator("#engine-line").innerText();
const box = (page) => page.getByRole("checkbox", { name: "Use all cores" });
const stored = (page) => page.evaluate(() => Object.keys(localStorage).sort());
const workers = (page) => page.evaluate(() => navigator.serviceWorker.getRegistrations().then((all) => all.map((r) => r.scope)));
const flavour = (page, wanted) => until(() => engine(page).catch(() => null), (e) => e?.flavour === wanted);
/** The numbers on the page, to the last bit. */
const numbers = (page) => page.evaluate(() => {
  const { arrays, scalars, params } = helixscope.result("predictions");
  return JSON.stringify({ scalars, params, arrays: Object.fromEntries(Object.entries(arrays).map(([name, a]) => [name, Array.from(a.data)])) });
});
const provenance = (page) => page.locator("#provenance").textContent();

async function optIn(page) {
  await box(page).check();
  const { threads, flavour: now } = await flavour(page, "relaxed-mt");
  assert.equal(now, "relaxed-mt");
  assert.equal(threads, Math.min(await page.evaluate(() => navigator.hardwareConcurrency), 8));
  await until(() => line(page), (text) => text.includes("threads"));
  await settled(page);
  return threads;
}

test("by mouse: all cores, the same numbers, the same link, and the provenance says it", () =>
  withPage({ url: server.url + view }, async (page) => {
    assert.deepEqual(await engine(page).then((e) => [e.flavour, e.threads]), ["relaxed", 1], "never on a first visit");
    assert.ok(!(await stored(page)).includes("helixscope.cores"));
    const [before, link] = [await numbers(page), await page.evaluate(() => location.hash)];
    const threads = await optIn(page);
    assert.equal(await numbers(page), before);
    assert.equal(await page.evaluate(() => location.hash), link, "a link says what is shown, not on what");
    assert.match(await provenance(page), new RegExp(`on relaxed simd128, ${threads} threads`));
    assert.match(await line(page), new RegExp(`Engine: relaxed SIMD, ${threads} threads\\.`));
    await page.locator("#precision").selectOption("q8");
    await settled(page);
    const eight = await numbers(page);
    assert.ok((await stored(page)).includes("helixscope.cores"));
    assert.deepEqual(await workers(page), [], "this host isolates the page by itself");
    assert.deepEqual(await notices(page), []);

    await box(page).uncheck();
    await flavour(page, "relaxed");
    await settled(page);
    assert.equal(await numbers(page), eight, "8 bits too");
    assert.doesNotMatch(await provenance(page), /threads/);
    assert.ok(!(await stored(page)).includes("helixscope.cores"));
    assert.equal((await until(() => page.workers(), (all) => all.length === 1)).length, 1, "its threads are gone");
  }));

test("by keyboard, announced, and remembered at the next visit", () =>
  withPage({ url: server.url + view }, async (page) => {
    await box(page).focus();
    await page.keyboard.press("Space");
    await flavour(page, "relaxed-mt");
    await until(() => line(page), (text) => text.includes("threads"));
    assert.match(await page.getByRole("status").filter({ hasText: "Engine" }).textContent(), /threads/);
    const described = await box(page).getAttribute("aria-describedby");
    assert.match(await page.locator(`#${described}`).textContent(), /faster.*same numbers/);
    await reload(page);
    assert.equal((await engine(page)).flavour, "relaxed-mt");
    assert.ok(await box(page).isChecked());
    await box(page).focus();
    await page.keyboard.press("Space");
    assert.equal((await flavour(page, "relaxed")).threads, 1);
  }));

test("the exported document says on how many threads", () =>
  withPage({ url: server.url + view }, async (page) => {
    const threads = await optIn(page);
    await page.locator("#export").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#menu [role=menuitem]", { hasText: "JSON" }).click()]);
    const document = JSON.parse(readFileSync(await download.path(), "utf8"));
    assert.equal(document.provenance.kernels, `relaxed simd128, ${threads} threads`);
  }));

// ---- hosts that send no headers: the site below a folder, with a model, and nothing else

const types = { html: "text/html; charset=utf-8", js: "text/javascript", mjs: "text/javascript", css: "text/css", wasm: "application/wasm", svg: "image/svg+xml" };

async function plainHost() {
  const files = tinyFiles(), loads = [];
  const list = [{ name: tiny.name, path: `models/${tiny.name}`, files: Object.keys(files), bytes: files["model.safetensors"].length }];
  const host = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    if (!path.startsWith("/some/where/")) return response.writeHead(404).end();
    const name = path.slice("/some/where/".length) || "index.html";
    if (name === "index.html") loads.push(path);
    if (name === "models/index.json") return sendJson(response, list);
    if (name === "other.html" || name === "models/index.html") return response.writeHead(200, { "Content-Type": types.html }).end("<!doctype html><title>another page</title>");
    if (name.startsWith("models/")) return sendRanged(request, response, Buffer.from(files[name.split("/").at(-1)] ?? ""));
    try {
      const bytes = readFileSync(join(site, name));
      response.writeHead(200, { "Content-Type": types[name.split(".").at(-1)] ?? "application/octet-stream", "Content-Length": bytes.length }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => host.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${host.address().port}/some/where/`, loads,
    stop: () => new Promise((done) => { host.close(done); host.closeAllConnections(); }),
  };
}

async function onPlainHost(options, run) {
  const host = await plainHost();
  try {
    await withPage({ url: host.url + view, ...options }, (page) => run(page, host));
  } finally {
    await host.stop();
  }
}

const isolated = (page) => page.evaluate(() => crossOriginIsolated).catch(() => null);

test("a host without headers: one reload, by a service worker for the page's folder alone; given up, it no longer isolates", () =>
  onPlainHost({}, async (page, host) => {
    assert.equal(await isolated(page), false);
    const [before, link] = [await numbers(page), await page.evaluate(() => location.hash)];
    await optIn(page);
    assert.equal(await isolated(page), true);
    assert.equal(host.loads.length, 2, "one reload");
    assert.equal(await page.evaluate(() => location.hash), link, "of the same view");
    assert.equal(await numbers(page), before);
    assert.deepEqual(await workers(page), [host.url]);
    assert.deepEqual(await page.evaluate(() => caches.keys().then((all) => all.filter((key) => !key.includes("helixscope")))), [], "it keeps nothing");
    await open(page, host.url + view);
    assert.equal((await engine(page)).flavour, "relaxed-mt", "the next visit needs no reload");

    await box(page).uncheck();
    await flavour(page, "relaxed");
    await settled(page);
    assert.equal(await numbers(page), before);
    const loads = host.loads.length;
    await reload(page);
    assert.equal(await isolated(page), false);
    assert.equal(host.loads.length, loads + 1);
  }));

test("the service worker isolates the page and leaves other pages below its folder as they are", () =>
  onPlainHost({}, async (page, host) => {
    await optIn(page);
    for (const [path, ours] of [["", true], ["index.html", true], ["index.html?v=1", true], ["other.html", false], ["models/index.html", false]]) {
      const next = await page.context().newPage();
      await next.goto(host.url + path);
      assert.equal(await next.evaluate(() => Boolean(navigator.serviceWorker.controller)), true, "within the scope");
      assert.equal(await isolated(next), ours, path);
      await next.close();
    }
  }));

test("asked for, but this load came past the service worker: said, no reload by itself, the next one brings it", () =>
  onPlainHost({ init: "localStorage.setItem('helixscope.cores', 'all')" }, async (page, host) => {
    see("asked for all cores, but this load is not isolated", await line(page));
    assert.equal((await engine(page)).flavour, "relaxed");
    await until(() => workers(page), (all) => all.length);
    assert.equal(host.loads.length, 1, "no reload by itself");
    await page.waitForFunction(() => caches.match(new URL("kept/isolate", document.baseURI).href).then(Boolean)); // the service worker has noted it
    await reload(page);
    assert.equal((await engine(page)).flavour, "relaxed-mt");
    assert.doesNotMatch(await line(page), /isolation/);
  }));

test("a browser that refuses the service worker: one sentence, nothing remembered, no reload", () =>
  onPlainHost({ init: "ServiceWorkerContainer.prototype.register = async () => { throw new Error('The operation is insecure.'); }" }, async (page, host) => {
    await box(page).click();
    see("the browser refuses the service worker", await until(() => line(page), (text) => /does not let/.test(text)));
    assert.ok(!(await box(page).isChecked()));
    assert.ok(!(await stored(page)).includes("helixscope.cores"));
    assert.equal(host.loads.length, 1);
    assert.equal((await engine(page)).flavour, "relaxed");
  }));

test("a page without https: not offered, and why", () =>
  onPlainHost({ init: "Object.defineProperty(window, 'isSecureContext', { value: false })" }, async (page) => {
    see("the page is not secure", await line(page));
    assert.ok(await box(page).isHidden());
  }));

test("iPhones and iPads: not offered, and why, also where it was remembered", () =>
  withPage({ url: server.url + view, userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15", init: "localStorage.setItem('helixscope.cores', 'all')" },
    async (page) => {
      see("an iPhone or iPad", await line(page));
      assert.ok(await box(page).isHidden());
      assert.equal((await engine(page)).flavour, "relaxed");
    }));

test("in another page's frame: not offered, nothing said, and it works", async () => {
  const host = await plainHost();
  const other = await startAnswers({ current: (request, response) => {
    response.writeHead(200, { "Content-Type": types.html }).end(`<!doctype html><title>Other</title><iframe src="${host.url}${view}" width="1000" height="700"></iframe>`);
    return true;
  } });
  try {
    await withPage({}, async (page) => {
      await page.goto(other.origin);
      const frame = page.frameLocator("iframe");
      await frame.locator("#title").filter({ hasText: " predicts " }).waitFor();
      assert.equal((await frame.locator("#engine-line").innerText()).trim(), "Engine: relaxed SIMD, 1 thread.");
      assert.ok(await frame.getByRole("checkbox", { name: "Use all cores" }).isHidden());
    });
  } finally {
    await other.stop();
    await host.stop();
  }
});

// ---- refusals and failures

const refusals = {
  "the browser refuses the engine's threads": brokenWorker({ begin: "self.Worker = class { constructor() { throw new Error('a worker was refused'); } };" }),
  "the script of the engine's threads does not come": brokenWorker({ begin: `const Worker = self.Worker;
    self.Worker = class extends Worker { constructor(_, options) { super(new URL("not-there.mjs", import.meta.url), options); } };` }),
  "the browser refuses memory for all cores": brokenWorker({ begin: `const Memory = WebAssembly.Memory;
    WebAssembly.Memory = function (d) { if (d.shared) throw new RangeError("could not allocate memory"); return new Memory(d); };` }),
  "the module for all cores is not there (404)": broken(part("engine-relaxed-mt.wasm"), replies.missing),
};

for (const [fault, { inject, mend }] of Object.entries(refusals))
  test(`${fault}: one core, said once`, () =>
    withPage({ url: server.url + view, prepare: inject, allowed: [/Failed to load resource|worker|Worker|ErrorEvent/] }, async (page) => {
      const before = await numbers(page);
      await box(page).check();
      const told = await until(() => notices(page), (all) => all.length);
      assert.equal(told.length, 1, String(told));
      see(fault, told[0]);
      assert.equal((await flavour(page, "relaxed")).threads, 1);
      await settled(page);
      assert.equal(await numbers(page), before);
      assert.match(await line(page), /1 thread\./);
      mend();
      await box(page).uncheck();
      await optIn(page);
    }));

const atFatal = (what) => `
  addEventListener("message", (event) => {
    if (event.data.text?.includes('"type":"run"') && event.data.text.includes('"top":"7"')) ready.then(() => { ${what} });
  });`;
const deaths = {
  "the engine on all cores traps": atFatal("engine._engine_step = () => { throw new WebAssembly.RuntimeError('unreachable'); };"),
  "the engine on all cores does not answer": atFatal("for (;;) ;"),
  "the engine on all cores runs out of memory": atFatal("engine._malloc = () => 0;"),
};

for (const [fault, begin] of Object.entries(deaths))
  test(`${fault}: replaced with all its threads`, () =>
    withPage({ url: server.url + view, init: "localStorage.setItem('helixscope.cores', 'all')", prepare: brokenWorker({ begin }, 1).inject }, async (page) => {
      const { threads } = await engine(page);
      assert.ok(threads > 1);
      const before = await numbers(page);
      await page.locator("#p-top").fill("7");
      await page.locator("#p-top").press("Enter");
      const told = await until(() => notices(page), (all) => all.length);
      see(fault, told[0] ?? "nothing");
      await settled(page);
      assert.deepEqual(await engine(page).then((e) => [e.flavour, e.threads, e.restarts]), ["relaxed-mt", threads, 1]);
      assert.equal((await until(() => page.workers(), (all) => all.length === threads)).length, threads, "the old ones are gone");
      await page.locator("#undo").click();
      await settled(page);
      assert.equal(await numbers(page), before);
    }));

test("an engine on all cores that dies again and again continues on one core", () =>
  withPage({ url: server.url + view, init: "localStorage.setItem('helixscope.cores', 'all')",
    prepare: brokenWorker({ begin: `let many = false;
      addEventListener("message", ({ data }) => { if (data.start) many = data.start.threads > 1; });
      ${atFatal("if (many) engine._engine_step = () => { throw new WebAssembly.RuntimeError('unreachable'); };")}` }).inject }, async (page) => {
    await page.locator("#p-top").fill("7");
    await page.locator("#p-top").press("Enter");
    await flavour(page, "relaxed");
    await settled(page);
    see("the engine on all cores fails again and again", (await notices(page)).find((s) => s.includes("again and again")) ?? "nothing");
    assert.equal((await page.evaluate(() => helixscope.result("predictions", { arrays: false }))).params.top, 7);
  }));

test("docs/faults.md lists nothing that was not injected here", everySeen);
