// The engine's worker dies, runs out of memory, falls silent or never starts: it is replaced, nothing is lost, and the page says so
// in one sentence.
/* global pings_:writable -- of the page */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { broken, brokenWorker, replies } from "./broken.mjs";
import { faultsOf } from "./faults.mjs";
import { part } from "./files.mjs";
import { startServer } from "./servers.mjs";
import { plantedFolder } from "./synthetic.mjs";
import { notices, result, settled, show, state, until, useBrowser, withPage } from "./support.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
let server, model;

useBrowser();
before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const fatal = 66; // a run with this first row ends a worker that a test has prepared for it

const atFatal = (what) => `
  const listen = self.onmessage;
  self.onmessage = (event) => {
    if (event.data.text?.includes('"type":"run"') && event.data.text.includes('"first":"${fatal}"')) ready.then(() => { ${what} });
    return listen(event);
  };`;

const deaths = {
  "the engine traps": atFatal("engine._engine_step = () => { throw new WebAssembly.RuntimeError('unreachable'); };"),
  "the engine runs out of memory": atFatal("engine._malloc = () => 0;"),
  "the engine does not answer": atFatal("for (;;) ;"),
};

const sentences = async (page) => (await notices(page)).filter((s) => /engine/i.test(s));
const card = (page) => page.locator("#overlay .card");

for (const [fault, end] of Object.entries(deaths))
  test(`${fault}: replaced, with one sentence, and everything is as it was`, () =>
    withPage({ url: server.url, prepare: brokenWorker({ end }, 1).inject }, async (page) => {
      await show(page, { first: 20 });
      const before = await result(page);
      await page.locator("#p-first").fill(String(fatal));
      await page.locator("#p-first").press("Enter");
      const told = await until(() => sentences(page), (list) => list.length);
      assert.equal(told.length, 1, String(told));
      see(fault, told[0]);
      await settled(page);
      assert.equal((await page.evaluate(() => helixscope.engine())).restarts, 1);
      assert.equal((await result(page)).params.first, fatal, "the new one does what the old one was asked for");
      assert.equal((await state(page)).params.first, String(fatal));
      await page.locator("#undo").click();
      await settled(page);
      assert.deepEqual(await result(page), before, "and goes on with the same numbers");
    }));

test("an engine that fails again and again: said, what was shown stays, other work goes on", () =>
  withPage({ url: server.url, prepare: brokenWorker({ end: deaths["the engine traps"] }).inject }, async (page) => {
    await show(page, { first: 20 });
    const before = await result(page);
    await page.locator("#p-first").fill(String(fatal));
    await page.locator("#p-first").press("Enter");
    await card(page).waitFor();
    see("the engine fails again and again", await card(page).innerText());
    assert.deepEqual(await result(page), before, "the last numbers stay");
    assert.ok((await page.evaluate(() => helixscope.engine())).restarts <= 4, "it does not go on for ever");
    await page.locator("#undo").click();
    await settled(page);
    assert.equal((await result(page)).params.first, 20, "a run that does no harm gets an engine again");
    assert.ok(!(await card(page).isVisible()), "and the sentence goes");
  }));

test("a memory that really cannot grow ends in the same sentence", () =>
  withPage({ url: server.url, prepare: brokenWorker({ end: `
    WebAssembly.Memory.prototype.grow = () => { throw new RangeError("Maximum memory size exceeded"); };
    ${atFatal("let last = 0; for (let p; (p = engine._malloc(1 << 15)); ) last = p; engine._free(last);")}` }, 1).inject }, async (page) => {
    await page.locator("#p-first").fill(String(fatal));
    await page.locator("#p-first").press("Enter");
    const told = await until(() => sentences(page), (list) => list.length);
    see("the engine runs out of memory", told[0] ?? "nothing");
    await settled(page);
    assert.equal((await result(page)).params.first, fatal);
  }));

/** The engine's script of another version, which provides other functions to its module. */
const otherVersion = () => {
  let times = 0, old = 0;
  return {
    inject: (page) => page.route(part("engine-*.mjs"), async (route) => {
      if (route.request().url().endsWith("?old") || ++times <= old || old < 0) return route.continue();
      const own = `./${new URL(route.request().url()).pathname.split("/").pop()}?old`;
      await route.fulfill({ contentType: "text/javascript", body: `import create, { pair } from ${JSON.stringify(own)};
        export { pair };
        export default (options) => create({ ...options, instantiateWasm: (imports, done) => options.instantiateWasm({}, done) });` });
    }),
    from: (start) => { old = start; },
    mend: () => { old = -1; },
  };
};

test("an update under the open page gives the engine's two parts different versions: said, with what to do", () => {
  const script = otherVersion(), worker = brokenWorker({ end: deaths["the engine traps"] });
  script.from(1); // the running engine is consistent
  return withPage({ url: server.url, prepare: async (page) => { await script.inject(page); await worker.inject(page); } }, async (page) => {
    await show(page, { first: 20 });
    const before = await result(page);
    await page.locator("#p-first").fill(String(fatal));
    await page.locator("#p-first").press("Enter");
    await card(page).waitFor();
    see("the page is updated on its server while it is open, and the engine has to be started anew", await card(page).innerText());
    assert.deepEqual(await result(page), before, "the last numbers stay");
    script.mend();
    worker.mend();
    await card(page).getByRole("button", { name: "Try again" }).click();
    await until(() => result(page), (r) => r.params.first === fatal);
    assert.equal((await result(page)).params.first, fatal, "and goes on when both are of one version");
  });
});

test("a new engine is put together of a script and a module that were asked for together", () =>
  withPage({ url: server.url, prepare: brokenWorker({ end: deaths["the engine traps"] }, 1).inject }, async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.locator("#p-first").fill(String(fatal));
    await page.locator("#p-first").press("Enter");
    await until(() => result(page), (r) => r?.params.first === fatal);
    assert.ok(asked.some((url) => /engine-.*\.wasm$/.test(url)), `the module too: ${asked}`);
  }));

const engineModule = part("engine-*.wasm"), engineScript = part("engine-*.mjs");
const cannotStart = {
  "the engine's script is not there (404)": broken(part("engine/worker.js"), replies.missing),
  "the engine's module is not there (404)": broken(engineModule, replies.missing),
  "the server fails at the engine's module (500)": broken(engineModule, replies.failing),
  "a sign-in page in place of the engine's module": broken(engineModule, replies.signIn),
  "the engine's module is cut": broken(engineModule, replies.cut(10_000, { "content-type": "application/wasm" })),
  "the connection breaks at the engine's module": broken(engineModule, replies.reset),
  "the engine's other script is not there (404)": broken(engineScript, replies.missing),
  "a sign-in page in place of the engine's other script": broken(engineScript, replies.signIn),
  "the engine's other script is cut": broken(engineScript, replies.cut(3000)),
  "the engine's other script is another one": broken(engineScript, (route) => route.fulfill({ contentType: "text/javascript", body: "export const other = 1;" })),
  "the engine's other script fails": broken(engineScript, (route) => route.fulfill({ contentType: "text/javascript", body: "AAAA" })),
};

for (const [fault, { inject, mend }] of Object.entries(cannotStart))
  test(`${fault}: one sentence and another try`, () =>
    withPage({ prepare: inject, allowed: [/Failed to load resource|engine|worker|CompileError|Unexpected|MIME type|AAAA/] }, async (page) => {
      await page.goto(server.url);
      await card(page).waitFor();
      see(fault, await card(page).innerText());
      mend();
      await card(page).getByRole("button", { name: "Try again" }).click();
      await settled(page);
      assert.ok((await result(page)).complete, "the second try brings the numbers");
      assert.ok(!(await card(page).isVisible()));
    }));

test("a host that does not know the module's media type still serves it", () =>
  withPage({ url: server.url, prepare: (page) => page.route("**/*.wasm", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, headers: { ...answer.headers(), "content-type": "application/octet-stream" } });
  }), allowed: [/wasm streaming compile failed|falling back|MIME/] }, async (page) => assert.ok((await result(page)).complete)));

test("a page that is idle for a while asks the engine nothing", () =>
  withPage({ url: server.url, init: `(${countPings})()`, clock: true }, async (page) => {
    const asked = async (milliseconds) => {
      const before = await page.evaluate(() => pings_);
      await page.clock.runFor(milliseconds);
      await sleep(50); // a delayed response
      return (await page.evaluate(() => pings_)) - before;
    };
    assert.equal(await until(() => asked(1000), (n) => n === 0), 0);
    assert.equal(await asked(60_000), 0, "no question on an idle page");
    await show(page, { first: 30 });
    assert.ok(await page.evaluate(() => pings_) > 0, "but when there is work");
  }));

test("a page that was frozen keeps its engine", () =>
  withPage({ url: server.url }, async (page) => {
    const session = await page.context().newCDPSession(page);
    await page.locator("#p-first").fill("30");
    await page.locator("#p-first").press("Enter");
    await session.send("Page.setWebLifecycleState", { state: "frozen" });
    await sleep(5000);
    await session.send("Page.setWebLifecycleState", { state: "active" });
    await settled(page);
    assert.equal((await result(page)).params.first, 30);
    assert.equal((await page.evaluate(() => helixscope.engine())).restarts, 0);
  }));

function countPings() {
  window.pings_ = 0;
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message?.ping) ++pings_;
    return post.call(this, message, ...rest);
  };
}

test("docs/faults.md lists nothing that was not injected here", everySeen);
