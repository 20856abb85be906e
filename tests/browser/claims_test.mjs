// The claims page: every claim has a verdict or names what it needs, and its row leads to the view with that number.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { found as axeFinds } from "./axe.mjs";
import { startServer } from "./servers.mjs";
import { settled, state, until, useBrowser, withPage } from "./support.mjs";

let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const page_of = (rest) => `${server.url}#v=1&study=claims${rest}`;
const open = (run, rest = "") => withPage({ url: page_of(rest) }, run);
const table = "#figure-tables tbody tr";

/** The table's rows as {id, study, link, verdict, needs, here}. */
const rowsOf = (page) => page.evaluate(() => {
  const { arrays, words } = helixscope.result("claims");
  const list = (name) => words[name].data ?? words[name];
  return list("id").map((id, i) => ({
    id, study: list("study")[i], link: list("link")[i], verdict: list("verdict")[i], needs: list("needs")[i], here: arrays.here.data[i],
  }));
});

// One page for all of them: to judge every claim takes the engine longest of all, and a slow machine more than a test usually gets.
test("the table of claims", { timeout: 420_000 }, (t) => open(async (page) => {
  await t.test("a card for each claim that is not waiting for weights, with its numbers, by text; a card leads to its view", async () => {
    const found = await rowsOf(page), known = found.filter(({ verdict, here }) => verdict !== "not tested" || Number.isFinite(here));
    const cards = page.locator("#figure-tables .row-card");
    assert.equal(await until(() => cards.count(), (n) => n >= known.length - 1), known.length);
    assert.match(await page.locator("#figure-tables h3").first().innerText(), /helix \(A\. Yedidia, 2023\)\s*judged here: \d, of these hold: \d/);
    const first = cards.filter({ hasText: "H1" }).first();
    assert.match(await first.innerText(), /✓ holds\s+H1\s+.*90 %.*\s+text 90\.00 %\s+here 91\.06 %/s);
    const dots = await first.evaluate((card) => [".tick", ".dot"].map((mark) => card.querySelector(mark).getBoundingClientRect().x));
    assert.ok(dots[0] < dots[1], "the dot is to the right of the text's tick");
    const waiting = page.locator("#figure-tables .missing li");
    assert.equal(await waiting.count(), found.length - known.length);
    const before = await page.evaluate(() => history.length);
    await first.getByRole("button").click();
    await until(() => state(page), (now) => now.study === "position_helix");
    assert.ok((await page.evaluate(() => history.length)) > before);
    await page.locator("#undo").click();
    await until(() => state(page), (now) => now.study === "claims");
    await settled(page);
    await page.getByRole("button", { name: "Table", exact: true }).click();
    assert.equal(await cards.count(), 0);
  });

  await t.test("every claim is judged, shown or names what it needs, within a minute", async () => {
    const found = await rowsOf(page);
    assert.ok(found.length > 15, `${found.length} rows`);
    for (const { id, verdict, needs } of found) {
      assert.ok(["holds", "does not hold", "shown", "about another model", "not tested"].includes(verdict), `${id}: ${verdict}`);
      assert.ok(verdict !== "not tested" || needs !== "", `${id} needs nothing`);
      assert.ok(needs === "" || ["not tested", "about another model"].includes(verdict), `${id} is judged and needs ${needs}`);
    }
    // Of GPT-2 small only the positions are here: a claim about it needs the rest, or some tensors of it.
    for (const { id, needs, verdict } of found.filter((row) => row.id !== "H4"))
      if (verdict === "not tested") assert.match(needs, /^(the whole checkpoint|wte\.weight|h\.[\w.]+(, h\.[\w.]+)*( and \d+ more tensors)?)$/, id);
    assert.equal(found.find(({ id }) => id === "H4").needs, "the 9 models that its link names");
    assert.equal(found.find(({ id }) => id === "H1").verdict, "holds");
    assert.equal(found.find(({ id }) => id === "F11").here, 153);
    assert.equal(await page.locator(table).count(), found.length);
    assert.match(await page.locator("#title").textContent(), /^\d+ of the \d+ claims that can be judged here hold$/);
  });

  await t.test("each row leads to the view in which its number stands", async () => {
    const found = await rowsOf(page), elsewhere = new Set(), visited = new Set();
    for (let i = 0; i < found.length; ++i) {
      const { id, study, here, verdict } = found[i];
      if (verdict === "not tested" || !Number.isFinite(here)) continue;
      if (verdict === "about another model" && elsewhere.has(study)) continue; // one of each study: they are shown, not judged
      if (verdict === "about another model") elsewhere.add(study);
      if (visited.has(study)) continue; // one of each study: that further rows lead to their numbers is tested without a browser
      visited.add(study);
      if (visited.size % 3 !== 1) continue; // and of every third: the way back, to a table of all claims, takes long
      await page.locator(table).nth(i).locator("button").first().click();
      await until(() => state(page), (now) => now.study === study);
      await settled(page);
      const there = await until(() => page.evaluate(([name, claim]) => helixscope.result(name, { arrays: false })?.claims.find((c) => c.id === claim) ?? null, [study, id]), (c) => c);
      assert.ok(there, `${id} is not judged where its row leads`);
      assert.equal(there.here, here, id);
      await page.locator("#undo").click();
      await until(() => state(page), (now) => now.study === "claims");
      await settled(page);
      await until(() => page.locator(table).count(), (n) => n === found.length);
    }
  });

  await t.test("axe finds nothing serious, as cards and as a table, in both themes", async () => {
    for (const [form, colorScheme] of [["Table", "dark"], ["Cards", "light"]]) {
      await page.emulateMedia({ colorScheme });
      await page.getByRole("button", { name: form, exact: true }).click();
      await settled(page);
      assert.deepEqual(await axeFinds(page), [], `${form}, ${colorScheme}`);
    }
    await page.getByRole("button", { name: "Table", exact: true }).click();
  });

  await t.test("a filter leaves its rows, and is in the link", async () => {
    const all = await rowsOf(page), wanted = all.filter(({ verdict }) => verdict === "about another model").length;
    await page.locator("#controls select").nth(1).selectOption("elsewhere");
    assert.equal(await until(() => page.locator(table).count(), (n) => n === wanted), wanted);
    await settled(page);
    assert.match(await page.evaluate(() => location.hash), /claims\.holds=elsewhere/);
  });

  await t.test("a row opened by key does not lose the focus", async () => {
    await page.locator(table).nth(2).locator("button").first().focus();
    await page.keyboard.press("Enter");
    await until(() => state(page), (now) => now.study !== "claims");
    await settled(page);
    assert.equal(await page.evaluate(() => document.activeElement.id), "canvas", "it is on the figure that was opened");
  });
}));

test("one claim under every convention, from its card and as a link", () => withPage({ url: `${server.url}#v=1&study=position_helix&position_helix.source=sinusoidal&position_helix.first=0&position_helix.base=1000` }, async (page) => {
  await page.locator('[data-key="conventions:F11"]').click();
  await until(() => state(page), (now) => now.study === "claims");
  await settled(page);
  assert.equal(await until(() => page.locator(table).count(), (n) => n === 6), 6);
  assert.match(await page.locator("#title").textContent(), /of 6 conventions give the text's 153/);
  assert.match(await page.evaluate(() => location.hash), /claims\.conventions=F11/);
}));
