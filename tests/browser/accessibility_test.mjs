// Every study on the models that come with the page: it has a result, and axe-core finds no serious problem, on a desktop and
// on a phone, in both themes. And formulas as MathML.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { settled, useBrowser, withPage } from "./support.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const source = readFileSync(new URL("../../web/shell/formula.js", import.meta.url), "utf8").replace("export function", "function");
const serious = ["serious", "critical"];
let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const ids = (page) => page.evaluate(() => [...document.querySelectorAll("#studies [data-key^='study:']")].map((card) => card.dataset.key.slice(6)));

/** axe's findings, a line for each rule: where, and what is wrong. */
async function found(page) {
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter((v) => serious.includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(" ")} (${n.failureSummary.split("\n").at(-1).trim()})`).join("; ")}`);
}

const places = {
  "on a desk, dark": { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  "on a phone, light": { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "light" },
};

/** The models that come with the page; some studies read no weights. */
const bundled = ["gpt2-positions", "minihelix", ""];

/** Calls `look(id)` on each study's opening view, which shows a result and no card in its place. */
async function onEachStudy(page, look) {
  const all = await ids(page);
  assert.ok(all.length >= 10, String(all));
  for (const id of all) {
    await page.evaluate((study) => helixscope.open(`#v=1&study=${study}`), id);
    await settled(page);
    assert.equal(await page.locator("#overlay .card").count(), 0, `${id}: ${await page.locator("#overlay").textContent()}`);
    assert.ok(bundled.includes(await page.evaluate((study) => helixscope.result(study).provenance.model, id)), id);
    await look(id);
  }
}

/** Formulas are MathML, of a height one can read, and say the same as text. */
async function assertFormulas(page, id) {
  for (const [alt, height, shown] of await page.locator("#notes .equation").evaluateAll((all) => all.map((p) =>
    [[...p.querySelectorAll("math")].map((m) => m.getAttribute("alttext")).join(" "), p.querySelector("math")?.getBoundingClientRect().height ?? 0, p.textContent]))) {
    assert.ok(alt, `${id}: ${shown} is not typeset`);
    assert.ok(height > 10, `${id}: ${alt} is ${height} px high`);
    const bare = (text) => text.replace(/[\s_^()/√,\-−]/g, "").normalize("NFKC");
    assert.equal(bare(shown), bare(alt), id);
  }
}

// What depends on the theme is the colours, what depends on the size is where things are: two pages see both of each.
for (const [where, options] of Object.entries(places))
  test(`axe finds nothing serious on any study ${where}, and its formulas are typeset`, () =>
    withPage({ url: server.url, ...options }, async (page) => {
      await page.evaluate(axe);
      const problems = [];
      await onEachStudy(page, async (id) => {
        for (const line of await found(page)) problems.push(`${id}: ${line}`);
        await assertFormulas(page, id);
      });
      assert.deepEqual(problems, []);
    }));

test("dialogs and menus too", () => withPage({ url: server.url }, async (page) => {
  await page.evaluate(axe);
  for (const [opener, closer] of [["#model", "Escape"], ["#find", "Escape"], ["#export", "Escape"]]) {
    await page.locator(opener).click();
    assert.deepEqual(await found(page), [], opener);
    await page.keyboard.press(closer);
  }
  await page.getByRole("button", { name: "Heads", exact: true }).click();
  assert.deepEqual(await found(page), [], "cards");
}));

test("formulas hold the numbers of what is shown", () => withPage({ url: server.url }, async (page) => {
  await page.evaluate(() => helixscope.open("#v=1&study=tokens&prompt=the%20old%20house"));
  await settled(page);
  const token = await page.evaluate(() => helixscope.result("tokens").arrays.id.data[2]);
  assert.match(await page.locator("#notes math").first().getAttribute("alttext"), new RegExp(`= wte\\[${token}\\] \\+ wpe\\[2\\]$`));
}));

test("what is no formula stays as it is written", () => withPage({ url: server.url }, async (page) => {
  // The page's scripts are joined into one, so the function is brought along.
  const kinds = await page.evaluate(`${source}
    ["a / b + √(c)", "x)", "a /", "(", "", "²", "xᵢ² = ½·y^(2i/d)", "p = 1,  q = 2"].map((text) =>
      formula(text).filter((part) => part !== " ").map((part) => part.nodeName ?? part).join("|"))`);
  assert.deepEqual(kinds, ["math", "x)", "a /", "(", "math", "math", "math", "math|math"]);
}));
