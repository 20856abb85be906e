// Input on the page: mouse, keys and fingers work as the help says, and never change a number that they should not.
/* global looking -- of the page */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertSameResult } from "./compare.mjs";
import { nativeResult } from "./native.mjs";
import { startServer } from "./servers.mjs";
import { plantedFolder } from "./synthetic.mjs";
import { linkOf, middle, rect, result, settled, show, state, until, useBrowser, withPage } from "./support.mjs";

const looked = 90; // a position well inside the planted helix
let server, model;

useBrowser();
before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const onPage = (options, run) => withPage({ url: server.url, ...options }, run);
const camera = async (page) => (await state(page)).camera; // azimuth, elevation, zoom, x, y
const focus = async (page) => (await state(page)).focus;
const link = (page) => page.evaluate(() => location.hash);
const changed = (page, before) => until(() => camera(page), (now) => JSON.stringify(now) !== JSON.stringify(before));

async function drag(page, from, to, { steps = 8, pause = 16, key = null } = {}) {
  if (key) await page.keyboard.down(key);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= steps; ++i) {
    await page.mouse.move(from.x + ((to.x - from.x) * i) / steps, from.y + ((to.y - from.y) * i) / steps);
    await sleep(pause);
  }
  await page.mouse.up();
  if (key) await page.keyboard.up(key);
  await page.evaluate(() => helixscope.settled());
}

/** A place on the helix panel where no position is under the pointer. */
async function emptyPlace(page) {
  const box = await rect(page, "figure.helix");
  return { x: box.x + 12, y: box.y + 12 };
}

test("dragging turns, the wheel zooms, shift shifts, a double click starts afresh; no number moves", () =>
  onPage({}, async (page) => {
    const numbers = JSON.stringify(await result(page));
    const at = await middle(page, "figure.helix");
    const start = await camera(page);

    await drag(page, at, { x: at.x + 120, y: at.y + 40 });
    const turned = await changed(page, start);
    assert.notEqual(turned[0], start[0], "turned sideways");
    assert.notEqual(turned[1], start[1], "turned up or down");
    assert.deepEqual(turned.slice(2), start.slice(2), "nothing but turned");

    await page.mouse.wheel(0, -300);
    const zoomed = await changed(page, turned);
    assert.ok(zoomed[2] > turned[2], "wheel up comes nearer");
    await page.mouse.wheel(0, 600);
    assert.ok((await changed(page, zoomed))[2] < turned[2], "wheel down goes farther");

    const before = await camera(page);
    await drag(page, at, { x: at.x + 60, y: at.y - 30 }, { key: "Shift" });
    const shifted = await changed(page, before);
    assert.deepEqual(shifted.slice(0, 3), before.slice(0, 3), "only shifted");
    assert.ok(shifted[3] > before[3], "to the right");
    assert.notEqual(shifted[4], before[4], "and up");

    const place = await emptyPlace(page);
    await page.mouse.dblclick(place.x, place.y);
    assert.deepEqual(await until(() => camera(page), (c) => c[2] === start[2] && c[0] === start[0]), start);
    assert.equal(JSON.stringify(await result(page)), numbers, "what is looked at stays what it was");
  }));

test("pointing at a position shows its exact numbers; a click holds it, another lets go", () =>
  onPage({}, async (page) => {
    const { points, residual } = (await result(page)).arrays;
    const row = looked - points.first;
    const exact = [...points.data.slice(row * points.shape[1], row * points.shape[1] + 3), residual.data[row]];
    const at = await middle(page, `row.${looked}`);
    await page.mouse.move(at.x - 30, at.y - 30);
    await page.mouse.move(at.x, at.y);
    const tooltip = page.locator("#tooltip");
    await tooltip.waitFor({ state: "visible" });
    const words = await until(() => tooltip.textContent(), (t) => t.includes(String(looked)));
    assert.match(words, new RegExp(`(^|\\D)${looked}(\\D|$)`));
    for (const x of exact) assert.ok(words.includes(x.toFixed(4).replace("-", "−")), `${x.toFixed(4)} in: ${words}`);
    assert.deepEqual(await focus(page), { position: looked, locked: false });
    assert.doesNotMatch(await link(page), /focus=/, "what is only pointed at is not in the link");

    await page.mouse.click(at.x, at.y);
    assert.match(await until(() => link(page), (l) => l.includes("focus=")), new RegExp(`focus=position:${looked}(&|$)`));
    const away = await emptyPlace(page);
    await page.mouse.move(away.x, away.y);
    await page.evaluate(() => helixscope.settled());
    assert.deepEqual(await focus(page), { position: looked, locked: true }, "held while the pointer leaves");
    assert.ok(await tooltip.isVisible());

    await page.mouse.click(at.x, at.y);
    assert.doesNotMatch(await until(() => link(page), (l) => !l.includes("focus=")), /focus=/);
    assert.equal((await focus(page)).locked, false);
  }));

test("dragging an end of the range refits while it moves, and ends on the exact numbers", () =>
  onPage({ reducedMotion: "no-preference" }, async (page) => {
    await page.evaluate(() => {
      window.seen = new Map(); // first row of every result that came, with its share
      const look = () => {
        const found = helixscope.result("position_helix", { arrays: false });
        seen.set(found.params.first, found.scalars.explained_first3.value);
        window.looking = requestAnimationFrame(look);
      };
      look();
    });
    const from = await middle(page, "figure.rows.first");
    const strip = await rect(page, "figure.rows");
    await drag(page, from, { x: from.x + strip.width * 0.4, y: from.y }, { steps: 20, pause: 40 });
    await page.evaluate(() => cancelAnimationFrame(looking));
    await settled(page);
    const seen = await page.evaluate(() => [...seen]);
    const { params } = await state(page);
    const first = Number(params.first);
    assert.ok(first > 60 && first < 160, `first moved to ${first}`);
    const between = seen.filter(([row]) => row > 1 && row < first);
    assert.ok(between.length >= 3, `results followed the drag: ${JSON.stringify(seen)}`);
    assert.ok(new Set(between.map(([, share]) => share)).size >= 3, "and each was computed anew");
    assertSameResult(await result(page), await nativeResult(model.folder, { first, last: params.last }), { label: "after the drag" });
    assert.equal(await page.locator("#p-first").inputValue(), String(first), "the number field follows");
    assert.match(await until(() => link(page), (l) => l.includes(`first=${first}`)), new RegExp(`position_helix\\.first=${first}(&|$)`));

    await page.locator("#undo").click();
    await settled(page);
    assert.equal((await state(page)).params.first, "1", "the whole drag is one step back");
  }));

test("keys walk, turn, zoom, hold and let go; Tab goes on", () =>
  onPage({}, async (page) => {
    const numbers = JSON.stringify(await result(page));
    const press = async (...names) => {
      for (const name of names) await page.keyboard.press(name);
      await page.evaluate(() => helixscope.settled());
    };
    await page.locator("#canvas").focus();
    await press("ArrowRight");
    assert.equal((await focus(page)).position, 1, "from nothing to the first position");
    await press("ArrowRight", "ArrowRight", "ArrowLeft", "Shift+ArrowRight");
    assert.equal((await focus(page)).position, 12);
    await press("PageDown");
    assert.equal((await focus(page)).position, 112);
    await press("End", "ArrowRight");
    assert.equal((await focus(page)).position, 255, "stays on the last");
    await press("Home");
    assert.equal((await focus(page)).position, 1);

    await press("Enter");
    assert.deepEqual(await focus(page), { position: 1, locked: true });
    await press("Escape");
    assert.deepEqual(await focus(page), { position: -1, locked: false });

    for (const [keys, index] of [[["a", "d"], 0], [["w", "s"], 1], [["ArrowUp", "ArrowDown"], 1], [["+", "-"], 2], [["A", "D"], 3], [["W", "S"], 4]]) {
      const start = await camera(page);
      await press(keys[0]);
      const moved = await camera(page);
      const others = moved.map((x, i) => (i === index ? start[i] : x));
      assert.notEqual(moved[index], start[index], `${keys[0]} moves`);
      assert.deepEqual(others, start, `${keys[0]} moves one thing`);
      await press(keys[1]);
      (await camera(page)).forEach((x, i) => assert.ok(Math.abs(x - start[i]) < 1e-9, `${keys[1]} moves back`));
    }
    await press("a", "+", "0");
    assert.deepEqual(await camera(page), [45, 20, 1, 0, 0]);
    assert.equal(JSON.stringify(await result(page)), numbers);

    assert.equal(await page.evaluate(() => document.activeElement.id), "canvas");
    await page.keyboard.press("Tab");
    assert.notEqual(await page.evaluate(() => document.activeElement.id), "canvas", "Tab is not swallowed");
    await page.keyboard.press("Shift+Tab");
    assert.equal(await page.evaluate(() => document.activeElement.id), "canvas", "and back");
  }));

test("text fields keep their keys: digits, Backspace, Delete, Tab", () =>
  onPage({}, async (page) => {
    await page.locator("#canvas").click(); // activates all listeners of the canvas' library
    await show(page, {});
    const field = page.locator("#p-first");
    await field.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("1234");
    assert.equal(await field.inputValue(), "1234");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    assert.equal(await field.inputValue(), "12", "Backspace reaches the field");
    await page.keyboard.press("Home");
    await page.keyboard.press("Delete");
    assert.equal(await field.inputValue(), "2", "Delete reaches the field");
    await page.keyboard.type("1");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.id), "p-last", "Tab goes to the next field");
    await settled(page);
    assert.equal((await state(page)).params.first, "12");
    assertSameResult(await result(page), await nativeResult(model.folder, { first: 12 }), { label: "typed" });
    const before = await camera(page);
    await page.keyboard.type("wasd+-0");
    assert.deepEqual(await camera(page), before, "letters in a field do not turn the figure");
  }));

test("one finger turns, two fingers zoom, a tap reads", () =>
  onPage({ hasTouch: true }, async (page) => {
    const session = await page.context().newCDPSession(page);
    const touch = async (type, points) => {
      await session.send("Input.dispatchTouchEvent", { type, touchPoints: points.map((p, id) => ({ x: p.x, y: p.y, id })) });
      await sleep(25);
    };
    const numbers = JSON.stringify(await result(page));
    const at = await middle(page, "figure.helix");
    const start = await camera(page);
    await touch("touchStart", [at]);
    for (let i = 1; i <= 6; ++i) await touch("touchMove", [{ x: at.x + 15 * i, y: at.y + 6 * i }]);
    await touch("touchEnd", []);
    const turned = await changed(page, start);
    assert.notEqual(turned[0], start[0]);
    assert.deepEqual(turned.slice(2), start.slice(2));
    assert.equal(await page.evaluate(() => scrollY), 0, "the page does not scroll away under the finger");

    const two = (apart) => [{ x: at.x - apart, y: at.y }, { x: at.x + apart, y: at.y }];
    await touch("touchStart", two(40).slice(0, 1));
    await touch("touchStart", two(40));
    for (let apart = 50; apart <= 100; apart += 10) await touch("touchMove", two(apart));
    await touch("touchEnd", two(100).slice(0, 1));
    await touch("touchEnd", []);
    const pinched = await changed(page, turned);
    assert.ok(pinched[2] > turned[2] * 1.8, `fingers apart come nearer: ${pinched[2]} from ${turned[2]}`);
    assert.deepEqual(pinched.slice(0, 2), turned.slice(0, 2), "and do not turn");

    await page.evaluate((to) => helixscope.open(to), linkOf({}, "planted-helix"));
    await settled(page);
    const spot = await middle(page, `row.${looked}`);
    await touch("touchStart", [spot]);
    await touch("touchEnd", []);
    assert.deepEqual(await until(() => focus(page), (f) => f.locked), { position: looked, locked: true }, "a tap holds what is under it");
    assert.equal(JSON.stringify(await result(page)), numbers);
  }));
