// A phone in one hand: no sideways scrolling, every target large enough for a finger, the actions within reach at the lower edge.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fingers } from "./fingers.mjs";
import { startServer } from "./servers.mjs";
import { planted, plantedFolder } from "./synthetic.mjs";
import { linkOf, settled, state, until, useBrowser, withPage } from "./support.mjs";

const finger = 44; // CSS pixels a target needs on either side
const touch = { hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
const upright = { "320 wide": [320, 640], "360 wide": [360, 740], "390 wide": [390, 844] };
const onItsSide = { "on its side": [844, 390] };
const phones = { ...upright, ...onItsSide };
const typical = { "390 wide": upright["390 wide"], "320 wide": upright["320 wide"], ...onItsSide };
const tablet = { "a tablet": [820, 1180] };

let server, model;
useBrowser();
before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

function onDevice([width, height], run, options = {}) {
  return withPage({ url: server.url, viewport: { width, height }, ...touch, ...options }, run);
}

const box = (page, selector) => page.locator(selector).first().evaluate((e) => {
  const { left, top, right, bottom, width, height } = e.getBoundingClientRect();
  return { left, top, right, bottom, width, height };
});
const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
const within = (inner, [width, height], what) => assert.ok(
  inner.left >= 0 && inner.top >= 0 && inner.right <= width + 0.5 && inner.bottom <= height + 0.5, `${what} is on screen: ${JSON.stringify(inner)}`);
const focused = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
const expanded = (page) => page.locator("#open-studies").getAttribute("aria-expanded");

/** A phone shrinks a page that is wider than the screen, so the requested width counts, not the resulting one. */
async function assertNoSideways(page, width, when) {
  const found = await page.evaluate((limit) => ({
    page: document.documentElement.scrollWidth, seen: innerWidth,
    wide: [...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > limit + 1 && !e.closest(".scroll"))
      .map((e) => `${e.tagName}#${e.id}`),
  }), width);
  assert.deepEqual(found, { page: width, seen: width, wide: [] }, when);
}

/** Opens everything that can be collapsed. */
async function openAll(page) {
  await page.locator("#controls button", { hasText: "More" }).tap();
  await page.locator("#axes-keep").tap();
  await settled(page);
  for (const id of ["#data", "#help"]) await page.locator(`${id} summary`).tap();
  await page.locator("#tables table").first().waitFor();
}

/** What a finger presses, with its size; fields also with the size of their letters. */
const targets = (page) => page.evaluate(() => {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility());
  const labels = shown("#controls label").filter((l) => l.querySelector("[type=checkbox], [type=radio]"));
  const others = shown("button, summary, #controls select, #controls [type=number], #controls [type=range]");
  return [...labels, ...others].map((e) => {
    const { width, height } = e.getBoundingClientRect();
    return { what: e.id || e.getAttribute("aria-label") || e.textContent, width, height,
      letters: e.matches("select, [type=number]") ? parseFloat(getComputedStyle(e).fontSize) : null };
  });
});

function assertForFingers(all) {
  assert.ok(all.length >= 20, `${all.length} targets`);
  for (const t of all) {
    assert.ok(t.width >= finger - 0.5 && t.height >= finger - 0.5, `${t.what}: ${t.width} × ${t.height}`);
    if (t.letters !== null) assert.ok(t.letters >= 16, `${t.what}: letters of ${t.letters} pixels`);
  }
}

for (const [what, size] of Object.entries({ ...phones, ...tablet }))
  test(`${what}: nothing to scroll sideways, folded or not; controls are large enough for a finger, and fields do not make the phone zoom`, () =>
    onDevice(size, async (page) => {
      await assertNoSideways(page, size[0], "as it opens");
      await openAll(page);
      await assertNoSideways(page, size[0], "with everything open");
      assertForFingers(await targets(page));
      await page.locator("#p-source").selectOption("sinusoidal"); // another figure, another parameter
      await settled(page);
      await assertNoSideways(page, size[0], "with another figure");
    }));

for (const [what, size] of Object.entries(typical)) {
  describe(what, () => {
    test("as it opens", (t) => onDevice(size, async (page) => {
      await t.test("the header keeps the name and what is open, whole; the figure is seen at once and leaves room to scroll by", async () => {
        const stage = await box(page, "#stage"), bar = await box(page, "#bar");
        assert.ok(stage.height >= 259, `${stage.height} high`);
        assert.ok(stage.height <= Math.max(260, bar.top - 40) + 0.5, `${stage.height} of ${bar.top}`);
        const brand = await box(page, ".brand"), chip = await box(page, "#model");
        within(brand, size, "the name");
        within(chip, size, "the model");
        assert.ok(!overlap(brand, chip));
        const facts = page.locator("#model i");
        assert.match(await facts.innerText(), /f32|positions only/, "what there is of it");
        const inside = await box(page, "#model i");
        assert.ok(inside.left >= chip.left && inside.right <= chip.right + 0.5 && inside.bottom <= chip.bottom, "is not cut off");
        assert.ok(await facts.evaluate((e) => e.scrollWidth <= e.clientWidth + 1 || getComputedStyle(e).display === "inline"));
        const header = await box(page, "header");
        assert.ok(header.bottom <= 70, `the header leaves room: ${header.bottom}`);
      });

      await t.test("the bar lies within reach of the thumb and covers nothing", async () => {
        const bar = await box(page, "#bar");
        const buttons = [];
        for (const id of ["open-studies", "undo", "redo", "theme", "export", "copy"]) {
          const place = await box(page, `#${id}`);
          assert.ok(place.width >= finger && place.height >= finger, `${id}: ${place.width} × ${place.height}`);
          within(place, size, id);
          assert.ok(place.top >= (size[1] * 2) / 3, `${id} is in the lower third`);
          for (const [other, there] of buttons) assert.ok(!overlap(place, there), `${id} lies over ${other}`);
          buttons.push([id, place]);
        }
        const rows = new Set(buttons.map(([, place]) => Math.round(place.bottom)));
        assert.equal(rows.size, 1, "one row");
        assert.ok(bar.height < 80, `${bar.height} high`);
        await page.evaluate(() => scrollTo(0, 1e6));
        const last = await box(page, "#help");
        assert.ok(last.bottom <= bar.top, "the end of the page can be read above it");
      });
    }));

    test("the studies open as a sheet above the bar; a choice, Escape and a tap outside close it", () => onDevice(size, async (page) => {
      const button = page.locator("#open-studies"), sheet = page.locator("#studies");
      assert.ok(await sheet.isHidden());
      assert.equal(await expanded(page), "false");
      const open = async () => {
        await button.tap();
        assert.ok(await sheet.isVisible());
        assert.equal(await expanded(page), "true");
        assert.ok(await page.evaluate(() => document.querySelector("#studies").contains(document.activeElement)), "the focus goes in");
      };
      const closed = async (how) => {
        assert.ok(await sheet.isHidden(), `${how} closes it`);
        assert.equal(await expanded(page), "false");
        assert.equal(await focused(page), "open-studies", "the focus comes back");
      };

      await open();
      const bar = await box(page, "#bar"), place = await box(page, "#studies");
      within(place, size, "the sheet");
      assert.ok(place.bottom <= bar.top + 1, "above the bar");
      await page.keyboard.press("Escape");
      await closed("Escape");

      await open();
      const camera = (await state(page)).camera;
      await page.touchscreen.tap(size[0] / 2, place.top / 2);
      await closed("a tap outside");
      assert.deepEqual(await state(page).then((s) => [s.camera, s.focus.position]), [camera, -1], "and does nothing else");

      await open();
      await button.tap();
      await closed("its button");

      await open();
      const choice = sheet.locator(".card").nth(1);
      assert.ok((await choice.boundingBox()).height >= finger);
      await choice.tap();
      await closed("a choice");
      await settled(page);
      assert.equal((await state(page)).study, "position_emergence", "and is what is shown");
    }));

    test("the export menu opens upwards and stays on screen; so does the dialog", () => onDevice(size, async (page) => {
      await page.locator("#export").tap();
      const button = await box(page, "#export"), menu = await box(page, "#menu");
      within(menu, size, "the menu");
      assert.ok(menu.bottom <= button.top, "above its button");
      const last = page.locator("#menu [role=menuitem]").last();
      await last.scrollIntoViewIfNeeded();
      within(await last.evaluate((e) => { const { left, top, right, bottom } = e.getBoundingClientRect(); return { left, top, right, bottom }; }), size, "its last entry");
      await page.keyboard.press("Escape");
      await page.locator("#model").tap();
      within(await box(page, "#models"), size, "the dialog");
      for (const entry of await page.locator("#models button").all()) assert.ok((await entry.boundingBox()).height >= finger);
    }));

    test("what failed is seen without looking for it", () => onDevice(size, async (page) => {
      await page.evaluate((link) => helixscope.open(link), linkOf({ first: 200, last: 100 }, planted.name));
      const card = page.locator("#overlay .card[role=alert]");
      await card.waitFor();
      const clear = (await box(page, "#bar")).top;
      within(await box(page, "#overlay .card"), [size[0], clear], "the sentence");
      const dismiss = card.getByRole("button", { name: "Dismiss" });
      assert.ok((await dismiss.boundingBox()).height >= finger);
      await page.evaluate(() => scrollTo(0, 1e6));
      await page.evaluate(() => document.querySelector("#controls").scrollIntoView({ block: "end", behavior: "instant" }));
      const figure = await box(page, "#stage");
      assert.ok((await box(page, "#overlay .card")).top >= figure.bottom, "where there is room for both it covers nothing");
      await dismiss.tap();
      await card.waitFor({ state: "hidden" });
    }));

    test("what a tap reads stays on screen", () => onDevice(size, async (page) => {
      await page.locator("#canvas").scrollIntoViewIfNeeded();
      const clear = (await box(page, "#bar")).top;
      const seen = () => page.evaluate((end) => Array.from({ length: 85 }, (_, i) => 1 + 3 * i).map((row) => {
        const { x, y } = helixscope.rect(`row.${row}`);
        return { row, x: x + 3, y: y + 3 };
      }).filter(({ y }) => y > 6 && y < end - 6), clear);
      const read = async ({ row, x, y }) => {
        await page.touchscreen.tap(x, y);
        await until(() => state(page), (s) => s.focus.locked);
        await page.evaluate(() => helixscope.settled());
        const shown = await box(page, "#tooltip");
        within(shown, [size[0], clear], `what is said of ${row}`);
        assert.ok(shown.width > 40);
        await page.locator("#canvas").evaluate((e) => e.focus({ preventScroll: true }));
        await page.keyboard.press("Escape");
      };
      const by = (places, key) => places.sort((a, b) => a[key] - b[key]);
      const places = await seen();
      for (const place of [by(places, "x")[0], places.at(-1), by(places, "y")[0], places.at(-1)]) await read(place);
      await page.evaluate((y) => scrollBy(0, y), by(places, "y")[0].y + 10); // the figure's upper end is off the screen now
      await read(by(await seen(), "y")[0]);
    }));
  });
}

const swiped = { ...typical, "a desk at 200 %": [683, 384] };

for (const [what, size] of Object.entries(swiped))
  test(`${what}: the sheet of studies scrolls, by finger and by keys, to every study, and the page behind stays`, () => onDevice(size, async (page) => {
    await page.evaluate(() => scrollTo({ top: 30, behavior: "instant" }));
    const behind = await page.evaluate(() => scrollY);
    await page.locator("#open-studies").tap();
    const sheet = await box(page, "#studies"), cards = page.locator("#studies .card"), count = await cards.count();
    assert.ok(count >= 26, `${count} studies`);
    const names = await page.evaluate(() => [...document.querySelectorAll("#studies .card")].map((card) => card.dataset.key));
    /** The studies whose card is whole in the sheet, where it is not covered by anything. */
    const inSight = () => page.evaluate(({ top, bottom }) => [...document.querySelectorAll("#studies .card")].filter((card) => {
      const place = card.getBoundingClientRect(), x = place.left + place.width / 2, y = place.top + place.height / 2;
      return place.top >= top - 1 && place.bottom <= bottom + 1 && card.contains(document.elementFromPoint(x, y));
    }).map((card) => card.dataset.key), sheet);

    const { glide } = await fingers(page), seen = new Set(), x = size[0] / 2, half = (sheet.bottom - sheet.top) / 2;
    const place = () => page.evaluate(() => document.querySelector("#studies").scrollTop);
    for (let last = -1, now = await place(); now !== last; last = now, now = await place()) {
      for (const name of await inSight()) seen.add(name);
      await glide({ x, y: sheet.bottom - 12 }, { x, y: sheet.bottom - half }, 6, 150);
    }
    assert.deepEqual(names.filter((name) => !seen.has(name)), [], "all can be swiped into sight");
    assert.equal(await page.evaluate(() => scrollY), behind);
    await glide({ x, y: sheet.bottom - 12 }, { x, y: sheet.top + 30 }); // at the end of the list
    await glide({ x, y: 20 }, { x, y: 150 }); // beside the sheet
    assert.equal(await page.evaluate(() => scrollY), behind, "the page behind stays");

    if (await page.locator("#studies").isHidden()) await page.locator("#open-studies").tap();
    await page.locator("#studies .card").first().evaluate((card) => { card.blur(); card.focus(); }); // it may have it already, and be swiped away
    for (const name of names) {
      assert.equal(await page.evaluate(() => document.activeElement.dataset.key), name);
      assert.ok((await until(inSight, (list) => list.includes(name))).includes(name), `${name} is in sight when it has the focus`);
      await page.keyboard.press("Tab");
    }
    assert.ok(await page.locator("#studies").isHidden(), "Tab leads out of it");
    await page.evaluate(() => scrollTo({ top: 60, behavior: "instant" }));
    assert.ok(await page.evaluate(() => scrollY) > behind, "and the page scrolls again");

    await page.locator("#open-studies").tap();
    const last = cards.last();
    await last.scrollIntoViewIfNeeded();
    await last.tap();
    await settled(page);
    assert.equal(`study:${(await state(page)).study}`, names.at(-1));
  }));

for (const [what, size] of Object.entries(typical))
  test(`${what}: the header offers to find anything`, () => onDevice(size, async (page) => {
    const find = await box(page, "#find");
    within(find, size, "find");
    assert.ok(find.width >= finger && find.height >= finger, `${find.width} × ${find.height}`);
    for (const other of [".brand", "#model"]) assert.ok(!overlap(find, await box(page, other)), other);
    await page.locator("#find").tap();
    await page.keyboard.type("sinusoidal encoding");
    await page.locator("#palette-list [role=option]", { hasText: "Study" }).first().tap();
    await settled(page);
    assert.equal((await state(page)).study, "sinusoid");
  }));

test("a next step opens its study at the top, and by key the focus is not lost", async () => {
  const bundled = await startServer([], { bundled: true });
  const top = (page) => page.evaluate(() => [scrollY, document.querySelector("main").scrollTop, document.querySelector("#rail").scrollTop]);
  try {
    for (const options of [{ viewport: { width: 390, height: 844 }, ...touch }, { viewport: { width: 1280, height: 800 } }])
      await withPage({ url: bundled.url, ...options }, async (page) => {
        for (const way of ["by hand", "by key"]) {
          await page.evaluate(() => helixscope.open("#v=1&study=position_helix"));
          await settled(page);
          const lead = page.locator("#leads [data-lead]").nth(1); // of another study
          await lead.scrollIntoViewIfNeeded();
          if (way === "by key") {
            await lead.focus();
            await page.keyboard.press("Enter");
          } else {
            await (options.hasTouch ? lead.tap() : lead.click());
          }
          await until(() => state(page), (s) => s.study !== "position_helix");
          await settled(page);
          assert.deepEqual(await top(page), [0, 0, 0], `${options.viewport.width} wide, ${way}`);
          if (way === "by key") assert.equal(await focused(page), "canvas");
        }
      });
  } finally {
    await bundled.stop();
  }
});

test("turned on its side while the studies are open, the page is whole", () =>
  onDevice([390, 844], async (page) => {
    await page.locator("#open-studies").tap();
    await page.setViewportSize({ width: 1200, height: 844 });
    await page.evaluate(() => helixscope.settled());
    assert.ok(await page.locator("#open-studies").isHidden());
    assert.ok(await page.locator("#studies").isHidden(), "the groups stand at the top");
    assert.ok(await page.locator("#shade").isHidden(), "and nothing lies over it");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.evaluate(() => helixscope.settled());
    assert.ok(await page.locator("#studies").isHidden());
  }));

test("a tap on a next step shows the new view from its top: the title, the number and the figure", () => onDevice(upright["390 wide"], async (page) => {
  const steps = page.locator("#leads-list button:not(.lesson)");
  for (let i = 0; i < await steps.count(); ++i) {
    await page.evaluate((link) => helixscope.open(link), linkOf({}, planted.name));
    await settled(page);
    await steps.nth(i).scrollIntoViewIfNeeded();
    await page.evaluate(() => scrollBy(0, 300));
    await steps.nth(i).tap();
    await settled(page);
    for (const place of ["#title", "#fact"]) within(await box(page, place), upright["390 wide"], place);
    assert.ok((await box(page, "#stage")).top < 300, "the figure is seen");
  }
}));

test("on the way back from a next step the view before it is seen from its top, in the same study too", () => withPage({ url: server.url, viewport: { width: 390, height: 844 }, ...touch, folded: true }, async (page) => {
  const top = async () => Math.round((await box(page, "#title")).top), first = await top();
  await page.locator("[data-lead='sinusoid']").tap();
  await settled(page);
  assert.equal(await top(), first);
  await page.locator("#leads-list button").last().scrollIntoViewIfNeeded();
  assert.notEqual(await top(), first);
  await page.goBack();
  await settled(page);
  assert.equal(await until(top, (now) => now === first, 5000), first);
}));

test("a finger on a button marks the button's own shape, no rectangle around it", () => withPage({ url: server.url, viewport: { width: 390, height: 844 }, ...touch }, async (page) => {
  const button = page.locator("#open-studies"), style = (name) => button.evaluate((e, property) => getComputedStyle(e).getPropertyValue(property), name);
  const opacity = () => style("opacity");
  assert.equal(await style("-webkit-tap-highlight-color"), "rgba(0, 0, 0, 0)");
  const at = await box(page, "#open-studies");
  assert.equal(await opacity(), "1");
  await page.mouse.move((at.left + at.right) / 2, (at.top + at.bottom) / 2);
  await page.mouse.down();
  assert.ok(Number(await opacity()) < 1, "pressed");
  await page.mouse.up();
}));
