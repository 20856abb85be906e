// The page without a network after the first visit, and what a second visit costs.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { extname } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { keptAll, open, result, settled, state, until, useBrowser, withPage } from "./support.mjs";
import { nextVersion, thisVersion, types } from "./versions.mjs";

const first = thisVersion(), second = nextVersion(first);
/** `down`: the host answers nothing. `sent`: [{path, status, bytes}] of what it has answered. */
const host = { files: first, down: false, sent: [] };
let server, url;
useBrowser();
before(async () => {
  server = createServer((request, response) => {
    if (host.down) return request.socket.destroy();
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname).slice(1) || "index.html", bytes = host.files.get(path);
    const answer = (status, headers = {}, body = Buffer.alloc(0)) => {
      host.sent.push({ path, status, bytes: body.length });
      response.writeHead(status, headers).end(body);
    };
    if (!bytes) return answer(404);
    const tag = `"${createHash("sha256").update(bytes).digest("hex")}"`;
    const headers = { "Content-Type": types[extname(path)] ?? "application/octet-stream", ETag: tag,
      "Cache-Control": /[./][0-9a-f]{10}[./]/.test(path) ? "public, max-age=31536000, immutable" : "no-cache" };
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (request.headers["if-none-match"] === tag) answer(304, headers);
    else if (from) answer(206, { ...headers, "Content-Range": `bytes ${from}-${Math.min(to, bytes.length - 1)}/${bytes.length}` }, bytes.subarray(Number(from), Number(to) + 1));
    else answer(200, headers, bytes);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${server.address().port}/`;
});
after(() => { server?.close(); server?.closeAllConnections(); });
beforeEach(() => Object.assign(host, { files: first, down: false, sent: [] }));

const view = "#v=1&model=gpt2-positions&study=position_helix";
const build = (page) => page.locator("meta[name=helixscope-build]").getAttribute("content");
const buildOf = (files) => /helixscope-build" content="(\w+)"/.exec(files.get("index.html"))[1];
/** The versions of the page that are kept whole. */
const kept = (page) => page.evaluate(async () => {
  const found = [];
  for (const name of (await caches.keys()).filter((each) => each.startsWith("helixscope-page")).sort()) {
    const whole = await (await caches.open(name)).match(new URL("index.html", location.href).href);
    if (whole) found.push(/helixscope-build" content="(\w+)"/.exec(await whole.text())[1]);
  }
  return found;
});
const isKept = async (page, version) => {
  const found = await until(() => kept(page), (list) => list.includes(buildOf(version)));
  assert.ok(found.includes(buildOf(version)), "the page is kept");
  await keptAll(page);
};
const isLive = async (page) => {
  await settled(page);
  const found = await result(page);
  assert.ok(found.complete);
  assert.equal(found.provenance.model, "gpt2-positions");
};
const broken = [/Failed to load resource|net::/];

test("a second visit without a network shows the helix and a lesson", () =>
  withPage({ url: url + view, offline: true, allowed: broken }, async (page) => {
    await isKept(page, first);
    const before = await result(page);
    host.down = true;
    const next = await page.context().newPage();
    await open(next, url + view);
    await isLive(next);
    assert.deepEqual((await result(next)).scalars, before.scalars);
    await next.evaluate((link) => helixscope.open(link), `${view}&lesson=helix/1`);
    await next.locator("#lesson").waitFor();
    assert.match((await state(next)).lesson ?? "", /^helix/);
    assert.equal(await next.evaluate(() => document.fonts.ready.then((fonts) => [...fonts].filter((f) => f.status === "error").length)), 0, "with its letters");
  }));

test("a second visit transfers nothing but questions whether something has changed", () =>
  withPage({ url: url + view, offline: true }, async (page) => {
    await isKept(page, first);
    host.sent = [];
    await page.goto("about:blank");
    await open(page, url + view);
    await isLive(page);
    assert.deepEqual(host.sent.filter(({ bytes }) => bytes > 0), []);
    const asked = [...new Set(host.sent.map(({ path }) => path))];
    assert.deepEqual(asked.filter((path) => !["index.html", "isolation_worker.js", "models/index.json"].includes(path)), []);
  }));

test("a newer version waits for the pages of the older one, online and offline", () =>
  withPage({ url: url + view, offline: true, allowed: broken }, async (page) => {
    await isKept(page, first);
    host.files = second;
    const next = await page.context().newPage();
    await open(next, url + view);
    assert.equal(await build(next), buildOf(second), "a visit gets what its server has");
    await next.evaluate(() => navigator.serviceWorker.getRegistration().then((made) => made.update()));
    await isKept(next, second);
    assert.deepEqual((await kept(next)).sort(), [buildOf(first), buildOf(second)].sort(), "the older one is still in use");
    await next.close();
    host.down = true;
    await page.reload();
    await page.waitForFunction(() => window.helixscope);
    assert.equal(await build(page), buildOf(first), "whole, without a network");
    await isLive(page);
    await page.goto("about:blank"); // the last page of the older version is closed
    await until(async () => {
      await open(page, url + view);
      const now = await build(page);
      if (now !== buildOf(second)) await page.goto("about:blank");
      return now;
    }, (now) => now === buildOf(second));
    assert.equal(await build(page), buildOf(second));
    await isLive(page);
    assert.deepEqual(await until(() => kept(page), (list) => list.length === 1), [buildOf(second)], "the older one is gone");
  }));

test("a browser that refuses, and a device without room, leave the page as it is", async () => {
  const refuse = "ServiceWorkerContainer.prototype.register = async () => { throw new Error('The operation is insecure.'); }";
  await withPage({ url: url + view, offline: true, init: refuse }, isLive);
  await withPage({ offline: true, allowed: [/quota|Quota/] }, async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(url).origin, quotaSize: 1e6 });
    await open(page, url + view);
    await isLive(page);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await page.reload();
    await page.waitForFunction(() => window.helixscope);
    await isLive(page);
    assert.deepEqual(await kept(page), []);
  });
});

test("the page can be installed: its manifest names icons that are there", () => {
  const page = first.get("index.html").toString(), path = /rel="manifest" href="([^"]+)"/.exec(page)[1];
  const manifest = JSON.parse(first.get(path));
  assert.ok(manifest.name && manifest.start_url && manifest.display === "standalone");
  assert.ok(manifest.icons.some(({ sizes }) => sizes === "512x512") && manifest.icons.some(({ sizes }) => sizes === "192x192"));
  for (const { src } of manifest.icons) assert.ok(first.has(src), src);
});
