// What a visitor meets while the site is updated: pages, files and caches of two versions in every mixture, and parts that a proxy
// spoils on the way. `docs/faults.md` says what the page then shows.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { extname } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { brokenWorker } from "./broken.mjs";
import { faultsOf } from "./faults.mjs";
import { sourceName } from "./files.mjs";
import { notices, open, quickView, settled, state, until, useBrowser, withPage } from "./support.mjs";
import { nextVersion, thisVersion, types } from "./versions.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
const complaints = [/Failed to load|could not|Could not|net::|wasm|WebAssembly|MIME|Unexpected|SyntaxError|LoadError|module script|OTS|decode|fetch|missing|illegal|Invalid|unterminated/i];

const first = thisVersion(), second = nextVersion(first);

/** What the server has: `files`, the page that a cache of the visitor's holds, and what is spoilt: source name -> answer(response, bytes). */
const host = { files: first, cachedPage: null, spoilt: new Map() };
let server, url;
useBrowser();
before(async () => {
  server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname).slice(1) || "index.html";
    const bytes = path === "index.html" && host.cachedPage && request.headers["cache-control"] !== "no-cache" && request.headers["cache-control"] !== "max-age=0" ? host.cachedPage : host.files.get(path);
    const spoil = host.spoilt.get(sourceName(path));
    if (spoil) return spoil(response, bytes, path, request);
    if (!bytes) return response.writeHead(404).end("not found");
    response.writeHead(200, { "Content-Type": types[extname(path)] ?? "application/octet-stream", "Content-Length": bytes.length }).end(bytes);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${server.address().port}/`;
});
after(() => { server?.close(); server?.closeAllConnections(); });
beforeEach(() => Object.assign(host, { files: first, cachedPage: null, spoilt: new Map() }));

const spoilings = {
  "is not there (404)": (response) => response.writeHead(404).end("not found"),
  "is a web page": (response) => response.writeHead(200, { "Content-Type": types[".html"] }).end("<!doctype html><title>Sign in</title>"),
  "is cut": (response, bytes, path) => response.writeHead(200, { "Content-Type": types[extname(path)] }).end(bytes.subarray(0, bytes.length >> 1)),
};

const build = (page) => page.locator("meta[name=helixscope-build]").getAttribute("content");
const buildOf = (files) => /helixscope-build" content="(\w+)"/.exec(files.get("index.html"))[1];
const plain = (page) => page.locator("#plain-why").innerText();
const card = (page) => page.locator("#overlay [role=alert]");
const view = "#v=1&model=gpt2-positions&study=position_norms&position_norms.last=700";
/** What is shown: its parameters and whether it is complete. */
const shown = (page) => page.evaluate(() => { const { params, complete } = helixscope.result(helixscope.state().study); return { params, complete }; });
const lesson = "order";
const isLive = async (page) => {
  await page.waitForFunction(() => window.helixscope);
  await settled(page);
  assert.ok((await shown(page)).complete);
  assert.ok(!(await page.locator("#plain").isVisible()));
};
const fresh = (run) => withPage({ allowed: complaints }, run);

test("the two versions have no file in common but those that keep their names, and both work", () => {
  const common = [...second.keys()].filter((path) => first.has(path));
  assert.deepEqual(common.sort(), ["_headers", "index.html", "isolation_worker.js", "models/index.json"]);
  host.files = second;
  return withPage({ url }, async (page) => {
    assert.equal(await build(page), buildOf(second));
    await isLive(page);
  });
});

describe("a page that is open while its site is updated", () => {
  test("goes on with what it has; what is gone is said in one sentence, and a reload keeps the view", () =>
    withPage({ url: url + view, allowed: complaints }, async (page) => {
      host.files = second;
      await page.locator("#p-first").fill("20");
      await page.locator("#p-first").press("Enter");
      await until(() => shown(page), (r) => r.params.first === 20 && r.complete);
      assert.ok(!(await page.locator("#newer").isVisible()), "nothing is missing yet");
      await page.locator("#lessons, [data-lesson]").first().click();
      await page.locator("#newer").waitFor();
      see("the site is updated under an open page, and a part that it needs is gone", await page.locator("#newer").innerText());
      const before = await state(page);
      await page.locator("#newer button").click();
      await until(() => build(page).catch(() => ""), (text) => text === buildOf(second));
      assert.equal(await build(page), buildOf(second));
      await isLive(page);
      const now = await state(page);
      assert.deepEqual([now.study, now.params, now.model], [before.study, before.params, before.model]);
    }));

  test("asks its server once, however much fails", () =>
    withPage({ url: url + view, allowed: complaints }, async (page) => {
      let asked = 0;
      page.on("request", (request) => { if (new URL(request.url()).pathname === "/") ++asked; });
      host.files = new Map([...first].filter(([path]) => !path.startsWith("lessons/")));
      for (let i = 0; i < 3; ++i) await page.evaluate((name) => helixscope.open(`${location.hash}&lesson=${name}/1`), ["order", "waves", "helix"][i]);
      await until(() => notices(page), (list) => list.length);
      assert.equal(asked, 1);
      assert.ok(!(await page.locator("#newer").isVisible()), "the server's page is this one");
    }));
});

describe("an older page out of a cache, whose files are gone from the server", () => {
  for (const part of ["start/boot.js", "start/main.js", "ui.mjs", "ui.wasm", "ui_rest.wasm"])
    test(`${part} is gone: said, and another try brings the new version`, () => fresh(async (page) => {
      host.files = new Map([...second, ...[...first].filter(([path]) => path !== "index.html" && sourceName(path) !== part)]);
      host.files.set("index.html", second.get("index.html"));
      host.cachedPage = first.get("index.html");
      await page.goto(url + view);
      await page.locator("#plain").waitFor();
      if (part !== "start/boot.js") { // which is the one that would look
        await until(() => plain(page), (text) => /updated/.test(text));
        see("an older page out of a cache, whose files are gone from the server", await plain(page));
        host.cachedPage = null; // a reload asks the server
        await page.locator("#plain-again").click();
      } else {
        assert.match(await plain(page), /did not arrive whole/);
        host.cachedPage = null;
        await page.reload();
      }
      await until(() => build(page).catch(() => ""), (text) => text === buildOf(second));
      await isLive(page);
      assert.equal((await shown(page)).params.last, 700);
    }));

  test("the engine's files are gone: said beside the picture's place", () => fresh(async (page) => {
    host.files = new Map([...second, ...[...first].filter(([path]) => path !== "index.html" && !/^engine-/.test(path))]);
    host.cachedPage = first.get("index.html");
    await page.goto(url + view);
    await card(page).waitFor();
    await page.locator("#newer").waitFor();
    host.cachedPage = null;
    await page.locator("#newer button").click();
    await until(() => build(page).catch(() => ""), (text) => text === buildOf(second));
    await isLive(page);
  }));
});

describe("contents of the other version under this version's names", () => {
  const otherContents = (name) => [...second].find(([path]) => sourceName(path) === name)[1];
  const mix = (name) => host.spoilt.set(name, (response, bytes, path) =>
    response.writeHead(200, { "Content-Type": types[extname(path)] }).end(otherContents(name)));

  for (const name of ["ui.mjs", "ui.wasm", "ui_rest.wasm"])
    test(`${name}: noticed and said, and mended by another try`, () => fresh(async (page) => {
      mix(name);
      await page.goto(url);
      await page.locator("#plain").waitFor();
      see("ui.wasm does not belong to ui.mjs", await plain(page));
      host.spoilt.clear();
      await page.locator("#plain-again").click();
      await isLive(page);
    }));

  for (const name of ["engine-relaxed.mjs", "engine-relaxed.wasm"])
    test(`${name}: noticed and said, and mended by another try`, () => fresh(async (page) => {
      mix(name);
      await page.goto(url + quickView);
      await card(page).waitFor();
      see("the engine's module does not belong to its script", await card(page).innerText());
      host.spoilt.clear();
      await page.reload();
      await isLive(page);
    }));

  test("an engine whose studies are not the page's: noticed and said", () =>
    withPage({ allowed: complaints, prepare: brokenWorker({ begin: `
      const post = self.postMessage.bind(self);
      self.postMessage = (message, ...rest) => post(message?.text?.includes('"hello"') ? { ...message, text: message.text.replace(/("schema":\\s*")[^"]*/, "$1other") } : message, ...rest);
    ` }).inject }, async (page) => {
      await page.goto(url);
      see("the engine's studies are not the page's", (await until(() => notices(page), (list) => list.length)).join("\n"));
    }));

  test("a module that cannot be linked to its script: said", () => fresh(async (page) => {
    host.spoilt.set("ui.mjs", (response, bytes, path, request) => {
      response.writeHead(200, { "Content-Type": types[".mjs"] });
      response.end(request.url.endsWith("?own") ? bytes : `import create, { pair } from "./${path}?own";
        export { pair };
        export default (options) => create({ ...options, instantiateWasm: (imports, done) => options.instantiateWasm({}, done) });`);
    });
    await page.goto(url);
    await page.locator("#plain").waitFor();
    see("ui.wasm does not belong to ui.mjs", await plain(page));
  }));
});

describe("a part that a proxy spoils", () => {
  const parts = { "start/main.js": plain, "ui.mjs": plain, "words/program.en.txt": plain, "engine/worker.js": (page) => card(page).innerText() };
  for (const [name, text] of Object.entries(parts))
    for (const [what, spoil] of Object.entries(spoilings))
      test(`${name} ${what}: one sentence`, () => fresh(async (page) => {
        host.spoilt.set(name, spoil);
        await page.goto(url + quickView);
        await (text === plain ? page.locator("#plain") : card(page)).waitFor();
        see(`${name} ${what}`, await text(page));
      }));

  for (const name of ["lessons/lessons.js", `lessons/${lesson}.json`])
    for (const [what, spoil] of Object.entries(spoilings))
      test(`${name} ${what}: one sentence, and the next try works`, () => fresh(async (page) => {
        host.spoilt.set(name, spoil);
        await open(page, url + quickView);
        const start = () => page.evaluate((link) => helixscope.open(link), `${quickView}&lesson=${lesson}/1`);
        await start();
        see(`${name === "lessons/lessons.js" ? name : "a lesson's text"} ${what}`, (await until(() => notices(page), (list) => list.length)).join("\n"));
        host.spoilt.clear();
        await page.evaluate((link) => helixscope.open(link), quickView);
        await settled(page); // whoever leaves a lesson and comes back asks again
        await start();
        await page.locator("#lesson").waitFor();
      }));
});

test("docs/faults.md lists nothing that was not injected here", everySeen);
