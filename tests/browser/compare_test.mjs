// Comparison of two states: the effect of an edit on an attention pattern, in links, on the page and in exports.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { tiny, tinyFolder } from "./synthetic.mjs";
import { rect, settled, state, until, useBrowser, withPage } from "./support.mjs";

const prompt = "the cat on the cat";
let server, model;
useBrowser();
before(async () => { model = tinyFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const link = (rest = "") => `${server.url}#v=1&model=${tiny.name}&study=attention&prompt=${encodeURIComponent(prompt)}${rest}`;
const hash = (page) => page.evaluate(() => location.hash);
const pattern = (page, of) => page.evaluate((name) => Array.from(helixscope.result(name).arrays.pattern.data), of);

/** The cells of every table of the page, as numbers where they are numeric. */
const cells = (page) => page.evaluate(() => {
  document.querySelector("#data").open = true;
  return new Promise((done) => setTimeout(() => done([...document.querySelectorAll("#tables td")].map((td) => Number(td.textContent.replace("−", "-")))), 300));
});

async function exported(page, end) {
  await page.locator("#export").click();
  const entries = page.locator("#menu [role=menuitem]:not(.opens)");
  for (const [i, words] of (await entries.allTextContents()).entries()) {
    if (!words.includes(end)) continue;
    const [download] = await Promise.all([page.waitForEvent("download"), entries.nth(i).click()]);
    return readFileSync(await download.path()).toString();
  }
  throw new Error(`nothing to export is called ${end}`);
}

test("a link opens the difference of a pattern with and without positions", () =>
  withPage({ url: link("&compare=difference&against=edit%3Dzero_positions") }, async (page) => {
    const { compare, against } = await state(page);
    assert.deepEqual([compare, against], ["difference", "edit=zero_positions"]);
    await until(() => hash(page), (h) => h.includes("&compare=difference&against=edit%3Dzero_positions"));
    const with_ = await pattern(page, "attention"), without = await pattern(page, "against");
    const difference = with_.map((x, i) => x - without[i]);
    assert.ok(Math.max(...difference.map(Math.abs)) > 1e-4, "positions do something");
    const shown = await cells(page);
    const printed = difference.filter((x) => Math.abs(x) > 5e-4);
    for (const x of printed) assert.ok(shown.some((y) => Math.abs(x - y) < 6e-5), `${x} is in the table`);
    assert.ok(shown.some((x) => x < 0), "what has become less is below zero");
    const svg = await exported(page, "SVG");
    assert.ok(svg.includes("compare=difference") && svg.includes("against=edit%3Dzero_positions"), "the picture says what it is of");
    assert.match(await exported(page, "CSV"), /,-0\.\d/);
  }));

test("the control compares, shows both beside each other, and lets go", () =>
  withPage({ url: link("&edit=scale_head:0.0:3") }, async (page) => {
    await page.locator("#compare summary").click();
    assert.equal(await page.locator("#compare-how").isVisible(), false);
    await page.locator("#compare-with").selectOption({ label: "without edits" });
    await settled(page);
    assert.equal((await until(() => state(page), (s) => s.against === "edit=")).compare, "difference");
    await page.locator("#compare-mode").selectOption("beside");
    await settled(page);
    assert.match(await until(() => hash(page), (h) => h.includes("compare=beside")), /compare=beside&against=edit%3D(&|$)/);
    const own = await rect(page, "figure.pattern"), other = await rect(page, "figure.against.pattern");
    assert.ok(own && other && (other.x >= own.x + own.width - 1 || other.y >= own.y + own.height - 1), "two matrices, neither over the other");

    await page.locator("#compare-with").selectOption({ label: "another prompt…" });
    await page.locator("#compare-text").fill("the cat");
    await page.keyboard.press("Enter");
    await until(() => hash(page), (h) => h.includes("against=prompt%3Dthe%2520cat"));
    await settled(page);
    assert.equal((await pattern(page, "against")).length, 4);
    await page.locator("#compare-mode").selectOption("difference");
    await settled(page);
    assert.match(await until(() => page.locator("#compare-problem").textContent(), (t) => t.length > 0), /pattern/);
    assert.ok(await rect(page, "figure.pattern"), "the main side is there");

    await page.locator("#compare-with").selectOption({ label: "nothing" });
    await settled(page);
    assert.doesNotMatch(await until(() => hash(page), (h) => !h.includes("compare")), /compare|against/);
    await page.locator("#undo").click();
    await settled(page);
    await until(() => hash(page), (h) => h.includes("compare=difference"));
  }));

test("a state that is kept stays what it was while the other goes on", () =>
  withPage({ url: link() }, async (page) => {
    await page.locator("#compare summary").click();
    await page.locator("#compare-with").selectOption({ label: "this state, saved as it is now" });
    await settled(page);
    const kept = await pattern(page, "against");
    await page.evaluate(() => helixscope.open(location.hash.replace("&study=attention", "&study=attention&attention.head=1")));
    await settled(page);
    assert.deepEqual(await pattern(page, "against"), kept);
    assert.notDeepEqual(await pattern(page, "attention"), kept);
  }));
