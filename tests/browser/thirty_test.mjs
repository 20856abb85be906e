// A class of thirty on one server, all at once: a few of them in browsers of their own, the others asking for the same files in the same
// order, since thirty browsers need thirty computers. What each one's first visit gets, and that a second visit costs nothing.
import assert from "node:assert/strict";
import { createServer, request as ask } from "node:http";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { keptAll, settled, until, useBrowser, withPage } from "./support.mjs";

const visitors = 30, browsers = 3;
const view = "#v=1&model=gpt2-positions&study=position_helix";
const asksOnly = ["", "index.html", "isolation_worker.js", "models/index.json"]; // what may have changed; the names of all others have a hash
const visitorOf = (headers) => Number(/visitor=(\d+)/.exec(headers.cookie ?? "")?.[1]);
let server, counter, url;
/** What the server has sent to whom: [{visitor, path, headers, status, bytes}]. */
const sent = [];

useBrowser();
before(async () => {
  server = await startServer([], { bundled: true });
  counter = createServer(({ method, url: path, headers }, response) => {
    const entry = { visitor: visitorOf(headers), path: path.slice(1).replace(/\?.*/, ""), headers, status: 0, bytes: 0 };
    sent.push(entry);
    ask(new URL(path, server.url), { method, headers }, (answer) => {
      entry.status = answer.statusCode;
      response.writeHead(answer.statusCode, answer.headers);
      answer.on("data", (part) => { entry.bytes += part.length; });
      answer.pipe(response);
    }).on("error", () => response.destroy()).end();
  });
  await new Promise((done) => counter.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${counter.address().port}/`;
});
after(async () => { counter?.close(); counter?.closeAllConnections(); await server?.stop(); });

const of = (visitor) => sent.filter((entry) => entry.visitor === visitor);
const isKept = (page) => until(() => page.evaluate(async () => {
  for (const name of await caches.keys())
    if (await (await caches.open(name)).match(new URL("index.html", location.href).href)) return true;
  return false;
}), Boolean);
const bytesOf = (list) => list.reduce((total, { bytes }) => total + bytes, 0);
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;

/** Opens the page and waits for its first picture, which is of the helix; returns after how many milliseconds. What makes it exact is not awaited. */
async function visit(page) {
  await page.goto(url + view);
  await page.waitForFunction(() => window.helixscope?.result("position_helix", { arrays: false })?.provenance.model === "gpt2-positions", null, { polling: 50 });
  return page.evaluate(async () => {
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    return performance.now();
  });
}

/** A visitor's two visits in a browser: {first, second}, in milliseconds to the picture. */
async function visitTwice(visitor) {
  const asked = [], seen = { first: 0, second: 0 };
  const prepare = async (page) => {
    await page.context().addCookies([{ name: "visitor", value: String(visitor), url }]);
    page.context().on("request", (each) => asked.push(each.url()));
  };
  await withPage({ offline: true, folded: true, prepare }, async (page) => {
    seen.first = await visit(page);
    await settled(page); // the model that reads the text begins to arrive after the first picture
    await isKept(page);
    await keptAll(page);
    const before = of(visitor).length;
    await page.goto("about:blank");
    seen.second = await visit(page);
    const again = await until(() => of(visitor).slice(before), (list) => list.every(({ status }) => status));
    assert.ok(again.length > 0, "it asks whether there is a newer version");
    assert.deepEqual(again.filter(({ status, bytes }) => status !== 304 || bytes > 0), [], `visitor ${visitor}: the second visit costs nothing`);
    assert.deepEqual(again.filter(({ path }) => !asksOnly.includes(path)), []);
  });
  const own = new URL(url).origin;
  assert.deepEqual(asked.filter((each) => !each.startsWith(`${own}/`) && !/^(blob|data|about):/.test(each)), [], "nobody else is asked");
  return seen;
}

/** What a browser asked for at a first visit, asked for again in another visitor's name, six requests at a time as browsers do. */
async function askLike(first, visitor) {
  const left = [...first];
  const one = async () => {
    for (let entry; (entry = left.shift()); ) {
      const headers = Object.fromEntries(Object.entries(entry.headers).filter(([name]) => /^(accept|accept-encoding|range)$/.test(name)));
      const answer = await fetch(url + entry.path, { headers: { ...headers, cookie: `visitor=${visitor}` } });
      await answer.arrayBuffer();
      assert.equal(answer.status, entry.status, entry.path);
    }
  };
  await Promise.all(Array.from({ length: 6 }, one));
}

test("thirty visitors at once: each gets all of the page, those with browsers see the helix, and a second visit transfers nothing", async (t) => {
  const alone = await visitTwice(1), pattern = of(1).filter(({ status }) => status !== 304);
  assert.ok(pattern.some(({ path }) => path.endsWith(".wasm")), "the first visit's requests are known");
  t.diagnostic(`one alone sees the helix after ${seconds(alone.first)}; the server sent it ${(bytesOf(of(1)) / 1e6).toFixed(2)} MB in ${pattern.length} answers`);
  const start = performance.now(), others = Array.from({ length: visitors - 1 }, (_, i) => i + 2);
  const all = await Promise.all(others.map((visitor) => (visitor <= browsers ? visitTwice(visitor) : askLike(pattern, visitor))));
  const seen = all.filter(Boolean), slowest = (name) => seconds(Math.max(...seen.map((one) => one[name])));
  t.diagnostic(`among ${visitors - 1} at once: the helix after ${slowest("first")}, at a second visit after ${slowest("second")}; all of it took ${seconds(performance.now() - start)}`);
  assert.deepEqual(sent.filter(({ status }) => status >= 400), [], "nothing is missing");
  assert.ok(sent.every(({ visitor }) => visitor > 0), "all requests are known");
  for (const visitor of others.slice(browsers - 1)) assert.equal(bytesOf(of(visitor)), bytesOf(pattern), `visitor ${visitor} got the same`);
});
