// The view's steps are entries of the browser's history: Back undoes one, Forward makes it again, and the page's own undo and
// redo travel along the same entries.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { startFolders, startServer } from "./servers.mjs";
import { planted, plantedFolder } from "./synthetic.mjs";
import { linkOf, middle, reload, settled, state, until, useBrowser, withPage } from "./support.mjs";

let server, model;

useBrowser();
before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const entries = (page) => page.evaluate(() => history.length);
/** The state as far as a link holds it: a camera's angles are rounded there. */
const view = async (page) => { const now = await state(page); return { ...now, camera: now.camera.map((x) => Math.round(x * 100) / 100) }; };
const address = (page) => page.evaluate(() => location.hash);

async function type(page, id, value) {
  await page.locator(id).fill(value);
  await page.keyboard.press("Tab");
  await settled(page);
}

async function drag(page, from, by, steps = 10) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= steps; ++i) await page.mouse.move(from.x + (by.x * i) / steps, from.y + (by.y * i) / steps);
  await page.mouse.up();
  await page.mouse.move(1, 1); // what the pointer rests on is part of the view, and no step
  await settled(page);
}

/** Steps of every kind, each by a visitor's hand. */
const steps = {
  "a parameter": (page) => type(page, "#p-first", "20"),
  "a preset": async (page) => { await page.locator("#presets button").nth(1).click(); await settled(page); },
  "a turn": async (page) => drag(page, await middle(page, "figure.helix"), { x: 90, y: 20 }),
  "the end of the range, dragged": async (page) => drag(page, await middle(page, "figure.rows.first"), { x: 120, y: 0 }, 25),
  "the theme": async (page) => { await page.locator("#theme").click(); await settled(page); },
  "another study": async (page) => {
    await page.getByRole("button", { name: "Positions", exact: true }).click();
    await page.locator("[data-key='study:sinusoid']").click();
    await settled(page);
  },
};

test("each step is one entry; Back and Forward, undo and redo go over the same views", () =>
  withPage({ url: server.url }, async (page) => {
    const views = [await view(page)], begin = await entries(page);
    for (const [what, make] of Object.entries(steps)) {
      await make(page);
      assert.equal(await entries(page) - begin, views.length, `${what} is one entry`);
      views.push(await view(page));
      assert.notDeepEqual(views.at(-1), views.at(-2), what);
    }
    const names = Object.keys(steps);
    const arrives = async (at, how) => {
      // A browser says that it has gone back before the page has followed.
      await until(() => view(page), (now) => isDeepStrictEqual(now, views[at])).catch(() => {});
      await settled(page);
      assert.deepEqual(await view(page), views[at], `${how} to ${at ? `after ${names[at - 1]}` : "the first view"}`);
      assert.equal(await page.locator("#undo").isDisabled(), at === 0);
      assert.equal(await page.locator("#redo").isDisabled(), at === views.length - 1);
    };
    const ways = {
      "Back and Forward": [() => page.goBack(), () => page.goForward()],
      "undo and redo": [() => page.locator("#undo").click(), () => page.locator("#redo").click()],
      "Back and redo": [() => page.goBack(), () => page.locator("#redo").click()],
      "the keys": [() => page.keyboard.press("Control+z"), () => page.keyboard.press("Control+y")],
    };
    for (const [how, [back, forward]] of Object.entries(ways)) {
      for (let at = views.length - 2; at >= 0; --at) { await back(); await arrives(at, how); }
      for (let at = 1; at < views.length; ++at) { await forward(); await arrives(at, how); }
    }
    assert.equal(await entries(page) - begin, views.length - 1, "going to and fro makes no entries");
    for (let i = 1; i < views.length; ++i) page.keyboard.press("Control+z"); // faster than the browser goes
    await until(() => page.locator("#undo").isDisabled(), Boolean);
    await arrives(0, "many at once");
  }));

test("a step after going back takes the place of what was undone", () =>
  withPage({ url: server.url }, async (page) => {
    const begin = await entries(page);
    for (const first of ["20", "30", "40"]) await type(page, "#p-first", first);
    await page.goBack();
    await settled(page);
    await page.locator("#undo").click();
    await settled(page);
    await type(page, "#p-first", "50");
    assert.equal(await entries(page) - begin, 2);
    assert.ok(await page.locator("#redo").isDisabled());
    await page.goBack();
    await until(() => state(page), (s) => s.params.first === "20");
    await settled(page);
    await page.goForward();
    await until(() => state(page), (s) => s.params.first === "50");
  }));

test("Back leaves the page only from its first view, and Forward comes back to it", () =>
  withPage({ url: server.url }, async (page) => {
    await page.goto("about:blank");
    await page.goto(server.url);
    await page.waitForFunction(() => window.helixscope);
    await settled(page);
    await type(page, "#p-first", "20");
    await page.goBack();
    await until(() => state(page), (s) => s.params.first === "1");
    assert.equal((await state(page)).params.first, "1", "still here");
    await page.goBack();
    assert.equal(page.url(), "about:blank");
    await page.goForward();
    await page.waitForFunction(() => window.helixscope);
    await settled(page);
    await page.goForward();
    assert.equal((await until(() => state(page), (s) => s.params.first === "20")).params.first, "20");
  }));

test("after a reload the view is the same, and undo and Back still lead to those before it", () =>
  withPage({ url: server.url }, async (page) => {
    for (const first of ["20", "30", "40"]) await type(page, "#p-first", first);
    await until(() => address(page), (hash) => hash.includes("first=40"));
    await reload(page);
    const first = async () => { await settled(page); return (await state(page)).params.first; };
    assert.equal(await first(), "40");
    await page.locator("#undo").click();
    assert.equal(await first(), "30");
    await page.goBack();
    assert.equal(await first(), "20");
    await page.locator("#redo").click();
    assert.equal(await first(), "30");
    await type(page, "#p-last", "200"); // a step of this load between those of the last
    await page.goBack();
    await page.goBack();
    assert.equal(await first(), "20");
    await page.goForward();
    assert.equal(await first(), "30");
    await page.goForward();
    assert.deepEqual([await first(), (await state(page)).params.last], ["30", "200"]);
    for (const there of ["30", "20", "1"]) {
      await page.locator("#undo").click();
      assert.equal(await first(), there);
    }
    assert.ok(await page.locator("#undo").isDisabled());
  }));

test("the entry that a drag leaves holds the view before the drag, also for a later visit", () =>
  withPage({ url: server.url }, async (page) => {
    const before = await until(() => address(page), (hash) => hash.includes("model=")), from = await middle(page, "figure.rows.first");
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 60, from.y, { steps: 5 });
    assert.notEqual(await until(() => address(page), (hash) => hash !== before), before, "a reload amid the drag would lose nothing");
    await page.mouse.move(from.x + 120, from.y, { steps: 5 });
    await page.mouse.up();
    await settled(page);
    await reload(page);
    await page.goBack();
    assert.equal((await until(() => state(page), (s) => s.params.first === "1")).params.first, "1");
  }));

test("a link entered into the address is one entry, a broken one too", () =>
  withPage({ url: server.url }, async (page) => {
    await type(page, "#p-first", "20");
    const begin = await entries(page);
    for (const [link, first] of [[linkOf({ first: 33 }, planted.name), "33"], ["#v=1&study=astrology", "1"]]) {
      await page.evaluate((hash) => { location.hash = hash; }, link);
      await until(() => state(page), (now) => now.params.first === first);
      await until(() => address(page), (hash) => hash.startsWith("#v=1&model=planted"));
      await settled(page);
    }
    assert.equal(await entries(page) - begin, 2);
    assert.equal((await state(page)).params.first, "1", "the usual view in place of the broken one");
    for (const first of ["33", "20", "1"]) {
      await page.goBack();
      assert.equal((await until(() => state(page), (s) => s.params.first === first)).params.first, first);
      await settled(page);
    }
    await page.locator("#redo").click();
    assert.equal((await until(() => state(page), (s) => s.params.first === "20")).params.first, "20");
  }));

test("on another page the steps are not that page's history; undo works there", async () => {
  const around = await startFolders({});
  try {
    await withPage({}, async (page) => {
      await page.goto(around.url);
      await page.evaluate((url) => {
        document.body.innerHTML = '<iframe style="width:1200px;height:760px"></iframe>';
        document.querySelector("iframe").src = url;
      }, server.url);
      const frame = await until(() => page.frames().find((f) => f.url().startsWith(server.url)), Boolean);
      await frame.waitForFunction(() => window.helixscope);
      await frame.evaluate(() => helixscope.settled());
      const begin = await entries(page);
      const first = async () => { await frame.evaluate(() => helixscope.settled()); return frame.evaluate(() => helixscope.state().params.first); };
      await frame.evaluate(() => { document.getElementById("settings").open = true; });
      for (const value of ["20", "30"]) {
        await frame.locator("#p-first").fill(value);
        await page.keyboard.press("Tab");
        assert.equal(await first(), value);
      }
      await until(() => frame.evaluate(() => location.hash), (hash) => hash.includes("first=30"));
      assert.equal(await entries(page), begin);
      await frame.locator("#undo").click();
      assert.equal(await first(), "20");
      await frame.locator("#redo").click();
      assert.equal(await first(), "30");
    });
  } finally {
    await around.stop();
  }
});

test("a browser that refuses to write the address keeps the page working, and copying copies the view", () =>
  withPage({
    url: server.url, permissions: ["clipboard-read", "clipboard-write"],
    init: `{ for (const name of ["pushState", "replaceState"]) { const real = History.prototype[name];
      History.prototype[name] = function (...words) { if (window.refusing) throw new DOMException("too often", "SecurityError"); return real.apply(this, words); }; } }`,
  }, async (page) => {
    await page.evaluate(() => { window.refusing = true; });
    await type(page, "#p-first", "20");
    await page.locator("#copy").click();
    assert.match(await until(() => page.evaluate(() => navigator.clipboard.readText()), (text) => text.includes("first=20")), /first=20/);
    await page.evaluate(() => { window.refusing = false; });
    await type(page, "#p-last", "150");
    assert.match(await until(() => address(page), (hash) => hash.includes("last=150")), /first=20&.*last=150/);
  }));
