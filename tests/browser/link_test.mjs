// A link is the whole state: the page shows it, reports its errors, and keeps the address bar up to date.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { difference, decodePng } from "./pictures.mjs";
import { startServer } from "./servers.mjs";
import { planted, plantedFolder } from "./synthetic.mjs";
import { linkOf, middle, notices, open, reload, result, settled, state, until, useBrowser, withPage } from "./support.mjs";

let server, model;

useBrowser();
before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const everything = linkOf({ first: 10, last: 200, group: 3, centre: 0 }, planted.name,
  "&view.camera=120.5,-35,1.5,0.1,-0.2&view.axes=2,3,4&view.map=cividis&focus=position:50&theme=light");
const address = (page) => page.evaluate(() => location.hash);
const addressWith = (page, part) => until(() => address(page), (hash) => hash.includes(part));

/** Opens a link like a new visitor: with a load of the page. */
async function load(page, hash) {
  await page.goto("about:blank");
  await open(page, server.url + hash);
}

async function picture(page) {
  await page.evaluate(() => document.activeElement?.blur()); // the focus ring is not part of the view
  const shot = async () => decodePng(await page.locator("#canvas").screenshot());
  let last = await shot();
  for (let i = 0; i < 20; ++i) { // until fonts and layout have settled
    const next = await shot();
    if (difference(last, next, 0) === 0) return next;
    last = next;
  }
  return last;
}

test("a link opened elsewhere gives the same state, numbers and picture; copying gives that link", async () => {
  const there = {};
  await withPage({ url: server.url + everything, permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    assert.deepEqual(await notices(page), []);
    const s = await state(page);
    assert.equal(s.model, planted.name);
    assert.deepEqual(s.camera, [120.5, -35, 1.5, 0.1, -0.2]);
    assert.deepEqual(s.axes, [2, 3, 4]);
    assert.deepEqual([s.map, s.theme, s.focus], ["cividis", "light", { position: 50, locked: true }]);
    assert.deepEqual([s.params.first, s.params.last, s.params.group, s.params.centre], ["10", "200", "3", "0"]);
    // One manual change, so that the page has made the copied link from its state.
    await page.locator("#canvas").focus();
    await page.keyboard.press("d");
    await page.locator("#copy").click();
    there.link = await until(() => page.evaluate(() => navigator.clipboard.readText()), (text) => text.includes("view.camera=125.5"));
    assert.equal(there.link, await page.evaluate(() => location.href));
    Object.assign(there, { state: await state(page), result: await result(page), picture: await picture(page) });
  });
  await withPage({ url: there.link }, async (page) => {
    assert.deepEqual(await state(page), there.state);
    assert.deepEqual(await result(page), there.result);
    const apart = difference(await picture(page), there.picture);
    assert.ok(apart < 0.001, `the picture differs in ${(apart * 100).toFixed(2)} % of its pixels`);
  });
});

test("the address bar follows, undo and redo go back and forth, a reload changes nothing", () =>
  withPage({ url: server.url }, async (page) => {
    const change = async (id, value) => {
      await page.locator(id).fill(value);
      await page.keyboard.press("Tab");
      await settled(page);
    };
    const params = async () => { await settled(page); const { first, last } = (await state(page)).params; return [first, last]; };
    await addressWith(page, "model=");
    assert.ok(await page.locator("#redo").isDisabled());
    await change("#p-first", "20");
    await change("#p-last", "150");
    assert.match(await addressWith(page, "last=150"), /position_helix\.first=20&position_helix\.last=150/);

    await page.locator("#undo").click();
    assert.deepEqual(await params(), ["20", "1023"]);
    await page.locator("#canvas").focus();
    await page.keyboard.press("Control+z");
    assert.deepEqual(await params(), ["1", "1023"]);
    await page.locator("#redo").click();
    assert.deepEqual(await params(), ["20", "1023"]);
    await page.locator("#canvas").focus();
    await page.keyboard.press("Control+Shift+Z");
    assert.deepEqual(await params(), ["20", "150"]);
    assert.ok(await page.locator("#redo").isDisabled());
    assert.equal((await result(page)).params.last, 150, "and the numbers are those");

    await addressWith(page, "last=150");
    const before = { state: await state(page), result: await result(page), address: await address(page) };
    await reload(page);
    assert.deepEqual({ state: await state(page), result: await result(page), address: await address(page) }, before);
  }));

const malformed = [
  "#hello", // no key
  "#=3", // no name
  "#study=position_helix", // no version
  "#v=one&study=position_helix",
  "#v=2&model=&study=position_helix", // of a newer page
  "#v=1&study=astrology",
  "#v=1&model=%ZZ&study=position_helix", // a broken escape
  "#v=1&model=%FF%FE&study=position_helix", // not UTF-8
  "#v=1&study=position_helix&position_helix.first=ten",
  "#v=1&study=position_helix&position_helix.first=1e999",
  "#v=1&study=position_helix&position_helix.plane=1,2,3",
  "#v=1&study=position_helix&view.camera=1,2",
  "#v=1&study=position_helix&view.axes=1,1,2",
  "#v=1&study=position_helix&view.map=%3Cimg%20src=x%20onerror=alert(1)%3E",
  "#v=1&study=position_helix&focus=position:-3",
  `#v=1&study=${"x".repeat(20_000)}`,
];

test("malformed links show the default view and one sentence why", () =>
  withPage({ url: server.url }, async (page) => {
    const aboutLink = async () => (await notices(page)).filter((sentence) => sentence.startsWith("This link"));
    const usual = { state: await state(page), result: await result(page) };
    for (const [i, link] of malformed.entries()) {
      const label = link.slice(0, 80);
      // A quarter of them as a page is loaded, the others pasted into the running page.
      if (i % 4) {
        await page.evaluate((hash) => { location.hash = hash; }, link);
        await until(aboutLink, (list) => list.length > 0);
        await settled(page);
      } else {
        await load(page, link);
      }
      const told = await until(aboutLink, (list) => list.length > 0);
      assert.equal(told.length, 1, `${label}: ${told}`);
      assert.match(told[0], /^This link could not be read: .{3,200}\.$/, label);
      assert.deepEqual({ state: await state(page), result: await result(page) }, usual, label);
      assert.ok(!(await addressWith(page, "v=1&model=planted")).includes("astrology"), `${label}: the address is that of what is shown`);
      await page.locator("#notices button").click();
      assert.deepEqual(await until(aboutLink, (list) => !list.length), [], "a notice can be dismissed");
    }
  }));

test("a link of a hundred thousand parts is one sentence, loaded or pasted, and the page goes on", () =>
  withPage({ url: server.url }, async (page) => {
    const aboutLink = async () => (await notices(page)).filter((sentence) => sentence.startsWith("This link"));
    const told = async () => assert.match((await until(aboutLink, (list) => list.length)).join(),
      /^This link could not be read: it has 100,003 parts, and at most 2,000 are read\. /);
    for (const part of ["edit=x", "later=1", "theme=dark"]) {
      const link = `#v=1&model=${planted.name}&study=position_helix${`&${part}`.repeat(100_000)}`;
      if (part === "edit=x") {
        await load(page, link);
        await told();
        await page.locator("#notices button").click();
      }
      await page.evaluate((hash) => { location.hash = hash; }, link);
      await told();
      await page.evaluate((hash) => { location.hash = hash; }, linkOf({ first: 30 }, planted.name));
      await until(() => result(page), (r) => r?.params.first === 30);
      assert.equal((await result(page)).params.first, 30);
    }
  }));

test("nine hundred unknown keys are one notice", () =>
  withPage({ url: server.url + linkOf({}, planted.name, Array.from({ length: 900 }, (_, i) => `&later${i}=1`).join("")) }, async (page) => {
    assert.deepEqual(await notices(page), ["This page does not know “later0”, “later1”, “later2” and 897 more and has left them in the link unused."]);
  }));

test("numbers out of range are moved into it, unknown keys are kept, and both are told", () =>
  withPage({ url: server.url + linkOf({ group: 9999 }, planted.name, "&lesson=one/2&view.camera=400,95,1,0,0") }, async (page) => {
    const s = await state(page);
    assert.equal(s.params.group, "512");
    assert.deepEqual(s.camera.slice(0, 2), [40, 90]);
    const told = await notices(page);
    assert.ok(told.some((sentence) => sentence.includes("9999") && sentence.includes("512")), String(told));
    assert.ok(told.some((sentence) => sentence.includes("lesson")), String(told));
    await page.locator("#p-first").fill("5");
    await page.keyboard.press("Tab");
    assert.match(await addressWith(page, "first=5"), /lesson=one\/2/, "a key of another version survives a change");
  }));

test("what the engine remarks on a range stands beside the figure", () =>
  withPage({ url: server.url + linkOf({ last: 999 }, planted.name) }, async (page) => {
    const beside = await page.locator("#notes").textContent();
    assert.match(beside, /255/);
    assert.match(beside, /999/, "the range is shorter than asked for");
  }));

test("a link to a model that is not here says so and shows one that is", () =>
  withPage({ url: server.url + linkOf({ first: 9 }, "atlantis") }, async (page) => {
    assert.equal((await state(page)).model, planted.name);
    assert.equal((await state(page)).params.first, "9");
    assert.ok((await notices(page)).some((sentence) => sentence.includes("atlantis") && sentence.includes(planted.name)));
  }));

test("a link pasted into the running page is shown, and a range without rows is told", () =>
  withPage({ url: server.url }, async (page) => {
    await page.evaluate((hash) => { location.hash = hash; }, linkOf({ first: 30, last: 60 }, planted.name));
    await until(() => state(page), (s) => s.params.first === "30");
    await settled(page);
    assert.equal((await result(page)).arrays.points.shape[0], 31);
    await middle(page, "row.45");
    await page.evaluate((hash) => { location.hash = hash; }, linkOf({ first: 200, last: 100 }, planted.name));
    const card = page.locator("#overlay [role=alert]");
    await card.waitFor();
    assert.match(await card.textContent(), /200.*\./);
    await page.evaluate((hash) => { location.hash = hash; }, linkOf({}, planted.name));
    await card.waitFor({ state: "hidden" });
    await settled(page);
    assert.equal((await result(page)).arrays.points.shape[0], 255);
  }));
