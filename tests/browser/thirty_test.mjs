// A class of thirty on one server: what the last of them waits for, and what each one's second visit costs. Three visit at a time, for
// this machine has two cores where a class has thirty computers; the server is the same one for all, and each browser is new.
import assert from "node:assert/strict";
import { createServer, request as ask } from "node:http";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { keptAll, settled, until, useBrowser, withPage } from "./support.mjs";

const visitors = 30, row = 10, together = 3; // a row of them is a test, so that none takes minutes
const view = "#v=1&model=gpt2-positions&study=position_helix";
const asksOnly = ["", "index.html", "isolation_worker.js", "models/index.json"]; // what may have changed; the names of all others have a hash
let server, counter, url;
/** What the server has sent to whom: [{visitor, path, status, bytes}]. */
const sent = [];

useBrowser();
before(async () => {
  server = await startServer([], { bundled: true });
  counter = createServer(({ method, url: path, headers }, response) => {
    const [, visitor] = /visitor=(\d+)/.exec(headers.cookie ?? "") ?? [];
    const entry = { visitor: Number(visitor), path: path.slice(1).replace(/\?.*/, ""), status: 0, bytes: 0 };
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

const isKept = (page) => until(() => page.evaluate(async () => {
  for (const name of await caches.keys())
    if (await (await caches.open(name)).match(new URL("index.html", location.href).href)) return true;
  return false;
}), Boolean);
const sum = (list) => list.reduce((total, { bytes }) => total + bytes, 0);

/** Opens the page and waits for its first picture, which is of the helix; returns after how many milliseconds. What makes it exact is not awaited. */
async function visit(page) {
  await page.goto(url + view);
  await page.waitForFunction(() => window.helixscope?.result("position_helix", { arrays: false })?.provenance.model === "gpt2-positions", null, { polling: 50 });
  return page.evaluate(async () => {
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    return performance.now();
  });
}

/** One visitor's two visits: {first, second}, in milliseconds to the picture. */
async function visitTwice(visitor) {
  const mine = () => sent.filter((entry) => entry.visitor === visitor);
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
    const before = mine().length;
    await page.goto("about:blank");
    seen.second = await visit(page);
    const again = await until(() => mine().slice(before), (list) => list.every(({ status }) => status));
    assert.ok(again.length > 0, "it asks whether there is a newer version");
    assert.deepEqual(again.filter(({ status, bytes }) => status !== 304 || bytes > 0), [], `visitor ${visitor}: the second visit costs nothing`);
    assert.deepEqual(again.filter(({ path }) => !asksOnly.includes(path)), []);
  });
  const own = new URL(url).origin;
  assert.deepEqual(asked.filter((each) => !each.startsWith(`${own}/`) && !/^(blob|data|about):/.test(each)), [], "nobody else is asked");
  return seen;
}

/** The visits of a row, some at a time. */
async function visitAll(first) {
  const all = [];
  for (let k = first; k < first + row; k += together) {
    const some = Array.from({ length: Math.min(together, first + row - k) }, (_, i) => visitTwice(k + i));
    all.push(...await Promise.all(some));
  }
  return all;
}

for (let first = 1; first <= visitors; first += row)
  test(`visitors ${first} to ${first + row - 1} of thirty see the helix, and their second visit transfers nothing`, async (t) => {
    const start = performance.now(), before = sent.length, all = await visitAll(first), mine = sent.slice(before);
    assert.deepEqual(mine.filter(({ status }) => status >= 400), [], "nothing is missing");
    assert.ok(mine.every(({ visitor }) => visitor > 0), "all requests are known");
    const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;
    const slowest = (name) => seconds(Math.max(...all.map((one) => one[name])));
    t.diagnostic(`the last of them sees the helix ${seconds(all.at(-1).first)} after it opened the page (the slowest: ${slowest("first")}), with ${together} at a time`);
    t.diagnostic(`a second visit shows it after ${slowest("second")} at most; these ${2 * row} visits took ${seconds(performance.now() - start)}`);
    t.diagnostic(`the server sent ${(sum(mine) / row / 1e6).toFixed(2)} MB to each at the first visit, and nothing at the second`);
  });
