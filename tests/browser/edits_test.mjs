// Edits that were made: chips, one switch for the run without them, a head switched off by a click.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { add, choose, items, labels, link, onPage, pattern, specs, title, useEdits, view } from "./edits.mjs";
import { phone } from "./fingers.mjs";
import { middle, rect, reload, settled, state, until } from "./support.mjs";

useEdits();

/** How well each segment's name can be read on its ground, {name: contrast}, by the formula of WCAG 2. */
const contrasts = (page) => page.locator("#edit-view label").evaluateAll((all) => {
  const channels = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor, alpha = channels(colour)[3] ?? 1;
      if (alpha === 1) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  return Object.fromEntries(all.map((label) => {
    const span = label.querySelector("span"), [a, b] = [light(getComputedStyle(span).color), light(ground(span))].sort((x, y) => y - x);
    return [label.textContent, (a + 0.05) / (b + 0.05)];
  }));
});

for (const [where, options] of [["the pointer", {}], ["a tap", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }]])
  for (const colorScheme of ["dark", "light"])
    test(`the chosen segment stays readable under ${where}, ${colorScheme}`, () => onPage(async (page) => {
      const readable = async (when) => {
        for (const [name, contrast] of Object.entries(await contrasts(page))) assert.ok(contrast >= 4.5, `${name} has a contrast of ${contrast.toFixed(2)} ${when}`);
      };
      await choose(page, "Scale a head");
      await add(page);
      for (const name of ["Baseline", "Edited", "Difference", "Both"]) {
        const label = page.locator("#edit-view label", { hasText: name });
        if (options.hasTouch) await label.tap();
        else await label.click(); // and the pointer stays there
        await settled(page);
        assert.ok(await view(page, name).isChecked());
        await readable(`with ${name} chosen`);
        if (options.hasTouch) continue;
        for (const other of await page.locator("#edit-view label").all()) {
          await other.hover();
          await readable(`with ${name} chosen and the pointer on ${await other.textContent()}`);
        }
      }
    }, "", { colorScheme, ...options }));

describe("the chips", () => {
  test("are switched and removed by keys, in their order, each with its name", () => onPage(async (page) => {
    const chip = (name) => page.getByRole("checkbox", { name, exact: true });
    assert.deepEqual(await labels(page), ["Head 0.1 × 3", "No positions", "Head 1.2 off"]);
    await chip("No positions").focus();
    await page.keyboard.press("Space");
    await settled(page);
    assert.deepEqual(await specs(page), ["scale_head:0.1:3", "!zero_positions", "ablate_head:1.2"]);
    assert.ok(await chip("No positions").evaluate((e) => e === document.activeElement), "who switches stays there");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Remove: No positions");
    await page.keyboard.press("Enter");
    await settled(page);
    assert.deepEqual(await specs(page), ["scale_head:0.1:3", "ablate_head:1.2"]);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Remove: Head 1.2 off");
    await chip("Head 0.1 × 3").uncheck();
    await settled(page);
    assert.match(await until(() => link(page), (l) => l.includes("!scale")), /edit=!scale_head:0\.1:3&edit=ablate_head:1\.2/);
  }, "&edit=scale_head:0.1:3&edit=zero_positions&edit=ablate_head:1.2"));
});

describe("the switch", () => {
  test("shows the run with the edits, without, and what they change; in the link, undone, as the fold has it", () => onPage(async (page) => {
    assert.ok(await page.locator("#edit-view").isHidden(), "there is nothing to compare");
    await choose(page, "Remove positions");
    await add(page);
    assert.ok(await page.locator("#edit-view").isVisible());
    assert.ok(await view(page, "Edited").isChecked());
    const edited = await title(page);
    assert.match(edited, /, with 1 edit$/);

    await view(page, "Difference").check();
    await settled(page);
    assert.match(await until(() => link(page), (l) => l.includes("compare=")), /&compare=difference&against=edit%3D(&|$)/);
    assert.match(await title(page), / → /);
    const change = (await pattern(page)).map((x, i) => ({ x, i })), without = await pattern(page, "against");
    assert.ok(change.some(({ x, i }) => Math.abs(x - without[i]) > 1e-3), "positions do something");
    assert.equal(await page.locator("#compare").evaluate((e) => e.open), false, "the fold need not open for what the switch says");
    assert.equal(await page.locator("#compare-with").inputValue(), "edit=");
    assert.equal(await page.locator("#compare-mode").inputValue(), "difference");

    await view(page, "Baseline").focus();
    await page.keyboard.press("Space");
    await settled(page);
    assert.match(await until(() => link(page), (l) => l.includes("compare=other")), /&edit=zero_positions.*&compare=other&against=edit%3D(&|$)/);
    assert.doesNotMatch(await title(page), /edit/);
    await page.locator("#canvas").hover(await over(page, "cell.4.1"));
    const words = await until(() => page.locator("#tooltip").textContent(), (t) => t.includes("query 4"));
    assert.ok(words.includes(without[4 * 5 + 1].toFixed(4)), words);
    assert.equal(await page.locator("#compare-mode").inputValue(), "other");

    await view(page, "Both").check();
    await settled(page);
    assert.ok(await rect(page, "figure.against.pattern"));
    await view(page, "Edited").check();
    await settled(page);
    assert.doesNotMatch(await until(() => link(page), (l) => !l.includes("compare")), /compare|against/);
    assert.equal(await title(page), edited);
    await page.locator("#undo").click();
    await settled(page);
    assert.ok(await view(page, "Both").isChecked());
    await page.locator("#undo").click();
    await settled(page);
    assert.ok(await view(page, "Baseline").isChecked());
    await until(() => link(page), (l) => l.includes("compare=other"));

    await reload(page);
    assert.ok(await view(page, "Baseline").isChecked());
    await items(page).first().getByRole("button").click();
    await settled(page);
    assert.ok(await page.locator("#edit-view").isHidden());
    assert.doesNotMatch(await until(() => link(page), (l) => !l.includes("compare")), /compare|against/);
  }));

  test("a cell of the difference says what it is the difference of", () => onPage(async (page) => {
    const edited = await pattern(page), without = await pattern(page, "against"), i = 4 * 5 + 2;
    await page.locator("#canvas").hover(await over(page, "cell.4.2"));
    const words = await until(() => page.locator("#tooltip").textContent(), (t) => t.includes("query 4"));
    assert.ok(words.includes(`No positions: attention  ${edited[i].toFixed(4)}`), words);
    assert.ok(words.includes(`As it is: attention  ${without[i].toFixed(4)}`), words);
  }, "&edit=zero_positions&compare=difference&against=edit%3D"));

  test("the arrows walk through it, as through any choice of one", () => onPage(async (page) => {
    await view(page, "Edited").focus();
    await page.keyboard.press("ArrowRight");
    await until(() => state(page), (s) => s.compare === "difference");
    await settled(page);
    assert.ok(await view(page, "Difference").evaluate((e) => e === document.activeElement));
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    assert.equal((await until(() => state(page), (s) => s.compare === "other")).compare, "other");
  }, "&edit=no_mask"));

  test("another comparison is none of its four", () => onPage(async (page) => {
    assert.equal(await page.locator("#edit-view :checked").count(), 0);
    assert.ok(await page.locator("#compare").evaluate((e) => e.open));
    await view(page, "Edited").check();
    await settled(page);
    assert.equal((await state(page)).compare, "none");
  }, "&edit=no_mask&compare=difference&against=edit%3Dzero_positions"));
});

describe("a head", () => {
  test("is switched off by a click where it is shown, says so, and is switched on again", () => onPage(async (page) => {
    const button = page.locator("#switch-head"), subtitle = page.locator("#subtitle");
    assert.equal(await button.textContent(), "Switch head 0.0 off");
    const head = await middle(page, "heads.layer.1.head.2");
    await page.mouse.click(head.x, head.y);
    await settled(page);
    assert.equal(await until(() => button.textContent(), (t) => t.includes("1.2")), "Switch head 1.2 off");
    await button.click();
    await settled(page);
    assert.deepEqual(await specs(page), ["ablate_head:1.2"]);
    assert.deepEqual(await labels(page), ["Head 1.2 off"]);
    assert.match(await subtitle.textContent(), /^Head 1\.2 is switched off by an edit: its pattern is computed, but its output is set to 0\./);
    assert.equal(await button.textContent(), "Switch head 1.2 on again");
    await items(page).first().getByRole("checkbox").uncheck();
    await settled(page);
    assert.equal(await button.textContent(), "Switch head 1.2 off");
    await button.click();
    await settled(page);
    assert.deepEqual(await specs(page), ["ablate_head:1.2"], "the one that was off, not a second one");
    await button.click();
    await settled(page);
    assert.deepEqual(await specs(page), []);
    assert.doesNotMatch(await subtitle.textContent(), /switched off/);
  }));

  test("is the one whose profile the heads' own study shows", () => onPage(async (page) => {
    const button = page.locator("#switch-head");
    const number = /^Switch head (\d\.\d) off$/.exec(await button.textContent())[1];
    await button.click();
    await settled(page);
    assert.deepEqual(await specs(page), [`ablate_head:${number}`]);
    assert.match(await page.locator("#title").textContent(), /with 1 edit$/);
  }, "", { study: "head_taxonomy" }));

  test("there is none where the figure is about no head", () =>
    onPage(async (page) => assert.ok(await page.locator("#switch-head").isHidden()), "", { study: "predictions" }));
});

for (const width of [320, 390]) test(`on a phone ${width} wide all of it fits, and each target is large enough for a finger`, () => onPage(async (page) => {
  const assertFits = async (when) => {
    const found = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth,
      wide: [...document.querySelectorAll("#edits *")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth).map((e) => e.id || e.textContent),
      small: [...document.querySelectorAll("#edits :is(button, select, label)")].filter((e) => e.checkVisibility()).map((e) => [e.textContent, e.getBoundingClientRect()])
        .filter(([, r]) => r.height < 43.5 || r.width < 43.5).map(([text, r]) => `${text}: ${r.width} × ${r.height}`),
    }));
    assert.deepEqual(found, { page: width, wide: [], small: [] }, when);
  };
  await assertFits("with chips");
  await page.locator("#open-edit").tap();
  for (const label of await page.locator("#edit-kind option").allTextContents()) {
    await page.locator("#edit-kind").selectOption({ label });
    await assertFits(label);
  }
  await page.locator("#type-edit").tap();
  await assertFits("typed");
  await page.locator("#edit-view label", { hasText: "Difference" }).tap();
  await settled(page);
  assert.equal((await state(page)).compare, "difference");
  await items(page).first().locator("button").tap();
  await until(() => specs(page), (all) => all.length === 1);
}, "&edit=set_score:1.2:4:3:-inf&edit=mask_previous:0-1:2:after", { ...phone, viewport: { width, height: 740 } }));

/** The position of an item on the canvas, for hover(). */
async function over(page, id) {
  const at = await middle(page, id), canvas = await page.locator("#canvas").boundingBox();
  return { position: { x: at.x - canvas.x, y: at.y - canvas.y } };
}
