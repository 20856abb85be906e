// A long-lived page: two tabs, back and forward, reload, a pasted link, hidden for a while and shown again.
/* global framesWhileHidden:writable, hide_ -- of the page */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { faultsOf } from "./faults.mjs";
import { startServer } from "./servers.mjs";
import { plantedFolder } from "./synthetic.mjs";
import { linkOf, middle, notices, open, reload, result, settled, state, until, useBrowser, withPage } from "./support.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
let server, model;

useBrowser();
before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const link = (page) => page.evaluate(() => location.hash);
const first = async (page) => (await result(page)).params.first;
const typeFirst = async (page, value) => {
  await page.locator("#p-first").fill(String(value));
  await page.locator("#p-first").press("Enter");
  await settled(page);
};
/** Puts a link into the address bar, as a paste does. */
const paste = (page, hash) => page.evaluate((to) => { location.href = to; }, hash);
const isFirst = async (page, value) => {
  assert.equal(await until(() => first(page), (now) => now === value), value);
  await settled(page);
};

test("two tabs of one browser work side by side and do not mix", () =>
  withPage({ url: server.url }, async (page) => {
    const other = await page.context().newPage();
    await open(other, server.url);
    await typeFirst(page, 20);
    await typeFirst(other, 40);
    await page.bringToFront();
    assert.equal(await first(page), 20);
    assert.equal(await first(other), 40);
    assert.match(await link(page), /first=20/);
    assert.match(await link(other), /first=40/);
    await other.close();
    await typeFirst(page, 25);
    assert.equal(await first(page), 25, "the other one goes, this one stays");
    see("two tabs", await page.locator("#title").innerText());
  }));

test("a link pasted into the running page, then back and forward", () =>
  withPage({ url: server.url }, async (page) => {
    await typeFirst(page, 15);
    await until(() => link(page), (hash) => /first=15/.test(hash));
    await paste(page, linkOf({ first: 33 }, "planted-helix"));
    await isFirst(page, 33);
    await typeFirst(page, 34);
    await until(() => link(page), (hash) => /first=34/.test(hash));
    await page.goBack();
    await isFirst(page, 33);
    await page.locator("#canvas").focus();
    for (const key of ["d", "d", "d"]) await page.keyboard.press(key); // the address is about to be rewritten …
    await page.goForward(); // … when the visitor leaves it
    await isFirst(page, 34);
    await sleep(400);
    assert.match(await link(page), /first=34/, "the view that was left is not written over this one");
    assert.equal((await page.evaluate(() => helixscope.engine())).restarts, 0);
    see("back and forward", await page.locator("#title").innerText());

    await paste(page, "#v=1&study=nonsense&position_helix.first=x");
    await until(() => notices(page), (list) => list.length);
    assert.ok((await notices(page)).length, "a broken one says so");
    await page.goBack();
    await isFirst(page, 34);
  }));

test("reload brings the same view, the newest", () =>
  withPage({ url: server.url }, async (page) => {
    await typeFirst(page, 21);
    await page.locator("#canvas").focus();
    await page.keyboard.press("d");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    const before = await state(page);
    await until(() => link(page), (hash) => /first=21/.test(hash) && hash.includes("focus=") && hash.includes("view.camera=")); // it follows a little later
    await reload(page);
    assert.deepEqual(await state(page), before);
    see("reload", await page.locator("#title").innerText());
  }));

test("away to another page and back: the same view", () =>
  withPage({ url: server.url }, async (page) => {
    await typeFirst(page, 22);
    await until(() => link(page), (hash) => /first=22/.test(hash));
    await page.goto("about:blank");
    await page.goBack();
    await page.waitForFunction(() => window.helixscope);
    await settled(page);
    assert.equal(await first(page), 22);
    const start = (await state(page)).camera;
    await page.locator("#canvas").focus();
    await page.keyboard.press("d");
    assert.notDeepEqual(await until(async () => (await state(page)).camera, (c) => c[0] !== start[0]), start, "and it is alive");
  }));

/** Lets the test control the visibility, because headless browsers never hide a page. */
function hideable() {
  let hidden = false;
  Object.defineProperty(Document.prototype, "hidden", { get: () => hidden });
  Object.defineProperty(Document.prototype, "visibilityState", { get: () => (hidden ? "hidden" : "visible") });
  const ask = window.requestAnimationFrame.bind(window), waiting = [];
  window.framesWhileHidden = 0;
  window.requestAnimationFrame = (draw) => (hidden ? (++framesWhileHidden, waiting.push(draw), 0) : ask(draw));
  window.hide_ = (yes) => {
    hidden = yes;
    document.dispatchEvent(new Event("visibilitychange"));
    if (!yes) for (const draw of waiting.splice(0)) ask(draw);
  };
}

test("hidden for a minute and shown again: nothing happens meanwhile, then all is there", () =>
  withPage({ url: server.url, init: `(${hideable})()` }, async (page) => {
    const at = await middle(page, "figure.helix");
    await page.mouse.move(at.x, at.y);
    await page.evaluate(() => hide_(true));
    await page.evaluate((to) => helixscope.open(to), linkOf({ first: 44 }, "planted-helix")); // requested before, answered while the page is hidden
    await until(() => page.evaluate(() => helixscope.result("position_helix").params.first), (n) => n === 44);
    assert.equal(await page.evaluate(() => framesWhileHidden), 0, "no frames while hidden");
    // A minute passes for the page's timers and clocks at once.
    const session = await page.context().newCDPSession(page);
    await session.send("Page.setWebLifecycleState", { state: "frozen" });
    await sleep(4000);
    await session.send("Page.setWebLifecycleState", { state: "active" });
    await page.evaluate(() => hide_(false));
    await settled(page);
    assert.equal(await first(page), 44);
    assert.equal((await page.evaluate(() => helixscope.engine())).restarts, 0, "the engine was not mistaken for dead");
    assert.match(await until(() => page.locator("#summary").textContent(), (said) => /44 to/.test(said)), /44 to/);
    const start = (await state(page)).camera;
    await page.locator("#canvas").focus();
    await page.keyboard.press("d");
    assert.notDeepEqual(await until(async () => (await state(page)).camera, (c) => c[0] !== start[0]), start);
    see("hidden and shown again", await page.locator("#title").innerText());
  }));

test("docs/faults.md lists nothing that was not injected here", everySeen);
