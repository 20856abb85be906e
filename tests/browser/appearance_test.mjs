// The page follows the visitor's system settings: larger text, zoom at 200 %, forced colours, more contrast, reduced motion; and a
// screen reader announces each result once.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { decodePng } from "./pictures.mjs";
import { startServer } from "./servers.mjs";
import { planted, plantedFolder } from "./synthetic.mjs";
import { launch, linkOf, middle, open, settled, show, state, useBrowser, withPage } from "./support.mjs";

let server, model;
useBrowser();
before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const onPage = (options, run) => withPage({ url: server.url, ...options }, run);
const style = (page, selector, name) => page.locator(selector).first().evaluate((e, key) => getComputedStyle(e)[key], name);
const sizeOf = async (page, selector) => parseFloat(await style(page, selector, "fontSize"));

/** The canvas' normal font size: that of most texts in the figure when it is saved as drawn. */
async function canvasLetters(page) {
  await page.locator("#export").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#menu [role=menuitem]:not(.opens)").first().click()]);
  const svg = await readFile(await download.path(), "utf8");
  const sizes = [...svg.matchAll(/font-size="([\d.]+)"/g)].map((m) => Number(m[1]));
  const count = (size) => sizes.filter((other) => other === size).length;
  return sizes.sort((a, b) => count(b) - count(a))[0];
}

/** A test on a page of a browser with this text size; browsers' default is 16. */
async function withLetters(size, options, run) {
  const browser = await launch([`--blink-settings=defaultFontSize=${size}`]);
  try {
    const page = await browser.newPage({ reducedMotion: "reduce", colorScheme: "dark", ...options });
    await open(page, server.url);
    await run(page);
  } finally {
    await browser.close();
  }
}

/** Nothing wider than the screen, and no text cut off or lying over its neighbour. */
async function assertWhole(page, width) {
  const found = await page.evaluate(() => {
    const shown = [...document.querySelectorAll("button, label, legend, select, h1, h2, summary, .brand, .claim, aside p, #provenance")]
      .filter((e) => e.checkVisibility() && !e.classList.contains("hidden") && !e.closest(".scroll, #about:not([open])")); // which is one line
    const name = (e) => e.id || e.textContent.trim().slice(0, 30) || e.tagName;
    const cut = shown.filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline" && getComputedStyle(e).overflowX !== "visible").map(name);
    const over = [];
    for (const [i, a] of shown.entries())
      for (const b of shown.slice(i + 1)) {
        if (a.contains(b) || b.contains(a) || a.closest("#bar, nav") || b.closest("#bar, nav")) continue;
        const [p, q] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
        if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1) over.push(`${name(a)} / ${name(b)}`);
      }
    const wide = shown.filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map(name);
    return { page: document.documentElement.scrollWidth, cut, over, wide };
  });
  assert.deepEqual(found, { page: width, cut: [], over: [], wide: [] });
}

describe("larger letters", () => {
  test("of half as much again: page and canvas grow, nothing is cut off or scrolls sideways", async () => {
    let usual;
    await onPage({}, async (page) => {
      usual = { brand: await sizeOf(page, ".brand"), title: await sizeOf(page, "#title"), control: await sizeOf(page, "#p-first"), canvas: await canvasLetters(page) };
    });
    assert.equal(usual.canvas, 12);
    await withLetters(24, { viewport: { width: 1280, height: 800 } }, async (page) => {
      const grown = { brand: await sizeOf(page, ".brand"), title: await sizeOf(page, "#title"), control: await sizeOf(page, "#p-first"), canvas: await canvasLetters(page) };
      for (const [what, size] of Object.entries(usual)) assert.ok(Math.abs(grown[what] / size - 1.5) < 0.01, `${what}: ${size} became ${grown[what]}`);
      await page.locator("#settings summary").click();
      await page.locator("#controls button", { hasText: "More" }).click();
      await page.locator("#axes-keep").check();
      await settled(page);
      await assertWhole(page, 1280);
    });
  });

  test("on a phone", () => withLetters(24, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, async (page) => {
    await page.locator("#settings summary").tap();
    await page.locator("#controls button", { hasText: "More" }).tap();
    await page.locator("#axes-keep").tap();
    await settled(page);
    await assertWhole(page, 390);
    const bar = await page.locator("#bar").boundingBox();
    assert.ok(bar.height < 80, "the bar stays one row");
    for (const button of await page.locator("#bar button").all()) assert.ok((await button.boundingBox()).width >= 44);
    assert.deepEqual(await page.locator("#bar").evaluate((e) => [...e.querySelectorAll(".word")].filter((w) => w.textContent && !w.closest("button").checkVisibility())), []);
  }));

  test("set while the page is open", () => onPage({}, async (page) => {
    await page.evaluate(() => { document.documentElement.style.fontSize = "21px"; });
    await page.evaluate(() => helixscope.settled());
    assert.equal(await canvasLetters(page), 18);
  }));
});

for (const [what, viewport] of [["640 × 400, which is 1280 × 800 at 200 %", { width: 640, height: 400 }], ["a low window", { width: 1280, height: 400 }]])
  test(`${what}: whole, and the figure no higher than what is seen at once`, () =>
    onPage({ viewport }, async (page) => {
      await page.locator("#controls button", { hasText: "More" }).click();
      await page.locator("#axes-keep").check();
      await settled(page);
      await assertWhole(page, viewport.width);
      const stage = await page.locator("#stage").boundingBox();
      assert.ok(stage.height >= 259 && stage.height <= viewport.height, `${stage.height} high`);
      for (const control of await page.locator("#controls :is(input, select, button):visible").all()) {
        await control.scrollIntoViewIfNeeded();
        await control.click({ trial: true }); // nothing lies over it
      }
    }));

// ---- colours

/** Pixels of the canvas as "r,g,b" with how many there are. */
async function pixels(page) {
  await page.mouse.move(1, 1);
  const { data, channels } = decodePng(await page.locator("#canvas").screenshot());
  const found = new Map();
  for (let at = 0; at < data.length; at += channels) {
    const key = `${data[at]},${data[at + 1]},${data[at + 2]}`;
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return found;
}

/** A system colour, blended with its background. */
const system = (page, name) => page.evaluate((colour) => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.forcedColorAdjust = "none";
  const read = (value) => {
    probe.style.color = value;
    return getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
  };
  const [ground, [red, green, blue, opacity = 1]] = [read("Canvas"), read(colour)];
  probe.remove();
  return [red, green, blue].map((x, i) => Math.round(x * opacity + ground[i] * (1 - opacity))).join();
}, name);

const near = (found, colour) => {
  const wanted = colour.split(",").map(Number);
  let count = 0;
  for (const [key, n] of found) if (key.split(",").every((x, i) => Math.abs(Number(x) - wanted[i]) <= 2)) count += n;
  return count;
};

describe("the visitor's own colours", () => {
  for (const colorScheme of ["dark", "light"])
    test(`${colorScheme}: the canvas is drawn in them, and follows when they change`, () =>
      onPage({ forcedColors: "active", colorScheme }, async (page) => {
        const [ground, letters, highlight] = await Promise.all(["Canvas", "CanvasText", "Highlight"].map((name) => system(page, name)));
        assert.notEqual(ground, letters);
        const found = await pixels(page);
        const [most] = [...found].sort(([, a], [, b]) => b - a)[0];
        assert.equal(most, ground, "the ground");
        assert.ok(near(found, letters) > 100, "the letters");
        assert.ok(near(found, highlight) > 2000, "the bars that matter");
        await page.emulateMedia({ forcedColors: "none" });
        await page.evaluate(() => helixscope.settled());
        const [after] = [...(await pixels(page))].sort(([, a], [, b]) => b - a)[0];
        assert.equal(after, colorScheme === "dark" ? "13,17,23" : "246,248,250", "the page's own again");
      }));

  test("what is chosen, pressed, unavailable and in focus is told apart without grounds of our own", () =>
    onPage({ forcedColors: "active" }, async (page) => {
      const looks = (selector) => page.locator(selector).first().evaluate((e) => {
        const s = getComputedStyle(e);
        return { color: s.color, ground: s.backgroundColor, edge: `${s.borderLeftWidth} ${s.borderLeftStyle} ${s.borderLeftColor}`, weight: s.fontWeight };
      });
      const [highlight, grey] = await page.evaluate(() => ["Highlight", "GrayText"].map((name) => {
        const e = document.body.appendChild(document.createElement("i"));
        e.style.forcedColorAdjust = "none";
        e.style.color = name;
        const { color } = getComputedStyle(e);
        e.remove();
        return color;
      }));
      assert.equal((await looks("#studies [aria-current=page]")).ground, highlight, "the open study");
      const [chosen, other] = [await looks("#presets [aria-pressed=true]"), await looks("#presets [aria-pressed=false]")];
      assert.notEqual(chosen.edge, other.edge, "the chosen preset has an edge");
      assert.match(chosen.edge, /^[3-9]px solid/);
      assert.equal((await looks("#undo")).color, grey, "what cannot be done");
      assert.equal((await looks("#copy")).ground, highlight, "what is offered first");
      for (const selector of ["#export", "#model", ".claim", "#p-first", "#p-source"])
        assert.match((await looks(selector)).edge, /^1px solid/, `${selector} has an edge`);
      await page.locator("#model").click();
      assert.match((await looks("dialog [aria-pressed=true]")).edge, /^3px solid/, "the open model");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Tab");
      const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outline);
      assert.match(ring, /solid/);
      assert.ok(ring.includes(highlight), `the focus: ${ring}`);
    }));
});

test("more contrast: stronger lines and quiet texts, on the canvas too", async () => {
  const contrast = (a, b) => {
    const light = (text) => text.match(/[\d.]+/g).slice(0, 3).map((x) => Number(x) / 255)
      .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)).reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  for (const colorScheme of ["dark", "light"])
    await onPage({ contrast: "more", colorScheme, url: server.url + linkOf({ first: 100 }, planted.name) }, async (page) => {
      const ground = await style(page, "html", "backgroundColor");
      const quiet = await style(page, "#subtitle", "color"), line = await style(page, "#p-first", "borderLeftColor");
      assert.ok(contrast(quiet, ground) >= 7, `texts ${contrast(quiet, ground)}`);
      assert.ok(contrast(line, ground) >= 3, `edges ${contrast(line, ground)}`);
      assert.ok(near(await pixels(page), line.match(/\d+/g).join()) > 300, "the canvas draws what lies outside the range with them");
    });
});

test("without motion nothing moves by itself, with it only a little", async () => {
  const moving = (page) => page.evaluate(() => {
    document.querySelector("#open-studies").click();
    const all = [...document.querySelectorAll("body *")].map((e) => getComputedStyle(e));
    return { transitions: all.filter((s) => s.transitionDuration.split(", ").some((t) => parseFloat(t) > 0)).length, animations: document.getAnimations().length };
  });
  const viewport = { width: 390, height: 844 };
  await onPage({ viewport, reducedMotion: "reduce" }, async (page) => assert.deepEqual(await moving(page), { transitions: 0, animations: 0 }));
  await onPage({ viewport, reducedMotion: "no-preference" }, async (page) => {
    const found = await moving(page);
    assert.ok(found.transitions > 0 && found.animations > 0, "there is something to leave out");
  });
});

// ---- the grid

/** The places of the page's parts, in the window's coordinates; `seen`: down to where the window, or the bar at its end, is. */
const places = (page) => page.evaluate(() => {
  const place = (id) => {
    const { left, top, right, bottom, width, height } = document.getElementById(id).getBoundingClientRect();
    return { left, top, right, bottom, width, height };
  };
  const all = Object.fromEntries(["title", "fact", "rail", "leads", "figure", "figure-tables", "stage", "presets", "tools", "about"].map((id) => [id, place(id)]));
  return { ...all, seen: innerHeight - (parseFloat(document.documentElement.style.getPropertyValue("--bar")) || 0), letters: parseFloat(getComputedStyle(document.documentElement).fontSize) };
});

describe("one grid for every study", () => {
  let bundled;
  before(async () => { bundled = await startServer([], { bundled: true }); });
  after(() => bundled?.stop());

  const desk = { width: 1280, height: 800 }, large = { width: 1920, height: 1080 }, phone = { width: 390, height: 844 };

  /** Calls `look(id, at)` on the opening view of each study, or of some, folded as on a first visit; `at(size)`: its places there. */
  const onStudies = (look, some = null) => withPage({ url: bundled.url, folded: true, viewport: desk }, async (page) => {
    const every = await page.evaluate(() => [...document.querySelectorAll("#studies [data-key^='study:']")].map((card) => card.dataset.key.slice(6)));
    for (const id of some ?? every) {
      await page.evaluate((study) => helixscope.open(`#v=1&study=${study}`), id);
      await settled(page);
      await look(id, async (size) => {
        await page.setViewportSize(size);
        await page.evaluate(() => helixscope.settled());
        return places(page);
      });
      await page.setViewportSize(desk);
    }
  });

  function assertDesk(id, at) {
    const end = at["figure-tables"].height ? at["figure-tables"].bottom : at.figure.bottom;
    assert.ok(end - at.figure.top >= 559.5, `${id}: ${end - at.figure.top} high`);
    assert.ok(at.rail.right <= at.figure.left && at.rail.width >= 280, `${id}: the rail is beside the figure`);
    assert.ok(at.leads.bottom <= at.seen, `${id}: its next steps end at ${at.leads.bottom}`);
    if (!at["figure-tables"].height) assert.ok(at.about.bottom <= at.seen, `${id}: what is below it ends at ${at.about.bottom}`);
  }

  function assertPhone(id, at) {
    assert.ok(at.title.top >= 0 && at.title.bottom <= at.stage.top, `${id}: the title`);
    assert.ok(at.fact.bottom <= at.stage.top, `${id}: the number`);
    assert.ok(at.stage.top <= at.seen * 0.4, `${id}: the figure begins at ${at.stage.top}`);
    assert.ok(at.presets.top >= at.stage.bottom || !at.presets.height, `${id}: then its views`);
  }

  test("the figure is at least 560 high at 1280 × 800, the rail beside it and nothing cut; on a phone it begins in the upper half", () =>
    onStudies(async (id, at) => {
      assertDesk(id, await at(desk));
      assertPhone(id, await at(phone));
    }));

  test("in a larger window the figure grows, and so do its letters and the page's", () =>
    onStudies(async (id, at) => {
      const usual = await at(desk), grown = await at(large);
      assert.ok(grown.stage.height >= usual.stage.height + 200, `${id}: ${usual.stage.height} became ${grown.stage.height}`);
      assert.ok(grown.stage.width >= usual.stage.width * 1.4, `${id}: ${usual.stage.width} became ${grown.stage.width}`);
      assert.ok(Math.abs(grown.letters / usual.letters - 8 / 7) < 0.01, `${id}: letters of ${grown.letters}`);
    }, ["position_helix", "predictions", "spectrum"]));
});

test("what failed stands where notices stand, and the numbers of the question before it are dimmed until it is taken back", () =>
  onPage({ url: server.url + linkOf({}, "atlantis") }, async (page) => {
    const dimmed = async () => Number(await style(page, "#fact", "opacity")) < 0.6;
    const notice = await page.locator("#notices p").boundingBox(), stage = await page.locator("#stage").boundingBox();
    assert.ok(notice.y >= stage.y + stage.height, "a notice is below the figure");
    assert.equal(await dimmed(), false);
    await page.evaluate((link) => helixscope.open(link), linkOf({ first: 200, last: 100 }, planted.name));
    const card = page.locator("#overlay .card[role=alert]");
    await card.waitFor();
    assert.ok((await card.boundingBox()).y >= stage.y, "so is what failed");
    assert.ok(await dimmed(), "the numbers are those of before");
    await card.getByRole("button", { name: "Dismiss" }).click();
    assert.ok(await dimmed(), "also when the sentence is sent away");
    await show(page, { first: 10 });
    assert.equal(await dimmed(), false);
  }));

// ---- what is said

test("each result is said once, when it has settled, and never during a drag", () =>
  onPage({ clock: true }, async (page) => {
    await page.waitForFunction(() => document.querySelector("#summary").textContent);
    await page.evaluate(() => {
      const place = document.querySelector("#summary");
      window.said = [];
      new MutationObserver(() => said.push(place.textContent)).observe(place, { childList: true, characterData: true, subtree: true });
    });
    const said = async () => {
      await settled(page);
      await page.clock.runFor(400);
      return page.evaluate(() => said.splice(0));
    };
    assert.equal(await page.locator("#summary").getAttribute("aria-live"), "polite");
    await show(page, { first: 40 });
    const once = await said();
    assert.equal(once.length, 1, String(once));
    assert.match(once[0], /Positions 40 to 255/);

    await page.locator("#canvas").press("d");
    await page.locator("#canvas").press("ArrowRight");
    assert.deepEqual(await said(), [], "turning and walking are no results");

    const from = await middle(page, "figure.rows.first");
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (let i = 1; i <= 10; ++i) {
      await page.mouse.move(from.x + 20 * i, from.y);
      if (i !== 5) continue;
      await settled(page);
      await page.clock.runFor(600); // a pause long enough for a result to settle
    }
    await settled(page);
    await page.clock.runFor(500);
    assert.notEqual((await state(page)).params.first, "40", "it is being dragged");
    assert.deepEqual(await page.evaluate(() => said), [], "while it is held nothing is said");
    await page.mouse.up();
    const dragged = await said();
    assert.equal(dragged.length, 1, String(dragged));
    const { first } = (await state(page)).params;
    assert.match(dragged[0], new RegExp(`Positions ${first} to`));
  }));

test("a long name of a model stays inside its chip", () =>
  onPage({ url: null, viewport: { width: 390, height: 844 } }, async (page) => {
    const long = "a-model-with-a-name-that-is-much-too-long-for-any-phone-there-is";
    await open(page, server.url + linkOf({}, planted.name));
    await page.evaluate((name) => { document.querySelector("#model .name").textContent = name; }, long);
    const chip = await page.locator("#model").boundingBox();
    assert.ok(chip.x >= 0 && chip.x + chip.width <= 390, JSON.stringify(chip));
    const facts = await page.locator("#model i").boundingBox();
    assert.ok(facts.width > 20 && facts.x + facts.width <= chip.x + chip.width, "what is read of it can be read");
  }));
