// One attention weight by hand: a bar that is pulled changes the prediction, in the link, in the table, by mouse, key and finger.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fingers, phone } from "./fingers.mjs";
import { startServer } from "./servers.mjs";
import { rect, scalars, settled, state, until, useBrowser, withPage } from "./support.mjs";

let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const text = encodeURIComponent(" river stone window captain letter green horse summer river stone window captain letter green horse");
const link = (rest = "") => `${server.url}#v=1&model=minihelix&study=attention_dose&attention_dose.layer=5&attention_dose.head=0&attention_dose.key=7&prompt=${text}${rest}`;
const study = (page) => page.evaluate(() => {
  const found = helixscope.result("attention_dose");
  for (const array of Object.values(found.arrays)) array.data = Array.from(array.data);
  return found;
});
const number = async (page, name) => scalars(await study(page))[name];

/** Where a bar would end: over a key, at a share of the panel's height (its axis and title are below and above). */
async function over(page, key, share) {
  const bar = await rect(page, `row.key.${key}`) ?? await rect(page, `key.${key}`), panel = await rect(page, "figure.row");
  return { x: bar.x + bar.width / 2, y: panel.y + panel.height * (0.85 - 0.75 * share) };
}

test("a pulled bar changes the prediction on the screen; the link gives the same, undo takes it back", () =>
  withPage({ url: link() }, async (page) => {
    const before = await study(page);
    assert.ok(before.scalars.probability.value > 0.9, "the word that followed is predicted");
    assert.match(await page.locator("#title").textContent(), /This attention weight alone takes “ summer” from 0\.0\d % to 99 %/);
    const from = await over(page, 7, 0.9), to = await over(page, 7, 0.1);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (let i = 1; i <= 8; ++i) await page.mouse.move(from.x, from.y + ((to.y - from.y) * i) / 8);
    await page.mouse.up();
    await settled(page);
    const params = (await state(page)).params;
    assert.equal(params.key, "7");
    assert.ok(Number(params.height) < 30, `${params.height} %`);
    const pulled = await until(() => study(page), (now) => now.scalars.probability.value < 0.3);
    assert.ok(pulled.scalars.probability.value < 0.3, `${pulled.scalars.probability.value}`);
    const sum = pulled.arrays.row.data.reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(sum - 1) < 1e-5, "the bars add up to 1");
    assert.match(await page.locator("#lead").textContent(), /as the model is/);
    const address = await until(() => page.url(), (url) => url.includes("height="));

    await withPage({ url: address }, async (fresh) => {
      const there = await study(fresh);
      assert.deepEqual(there.scalars, pulled.scalars);
      assert.deepEqual(there.arrays, pulled.arrays);
    });
    await page.locator("#undo").click();
    await settled(page);
    const undone = await until(() => study(page), (now) => now.params.height === -1);
    assert.deepEqual(undone.arrays, before.arrays, "to the last bit");
  }));

test("the same by keys, and kept as an edit for another study", () =>
  withPage({ url: link() }, async (page) => {
    const field = page.locator("#p-height");
    await field.fill("0");
    await field.press("Enter");
    await settled(page);
    const share = await until(() => number(page, "share"), (now) => now === 0);
    assert.equal(share, 0);
    const there = await number(page, "probability");
    assert.ok(there < 0.01);
    await page.evaluate(() => { document.querySelector("#data").open = true; });
    await page.getByRole("button", { name: /set_pattern:5\.0:14:7:0/ }).click();
    await until(() => state(page), (now) => now.study === "predictions");
    await settled(page);
    const next = await page.evaluate(() => { const { arrays, words } = helixscope.result("predictions"); return [Array.from(arrays.probability.data), words.text.data ?? words.text]; });
    assert.ok(!next[1].includes(" summer") || next[0][next[1].indexOf(" summer")] < 0.01, "the word is gone here too");
  }));

test("the same by a finger", () =>
  withPage({ url: link(), ...phone }, async (page) => {
    const { glide } = await fingers(page);
    await page.locator("#canvas").scrollIntoViewIfNeeded();
    await glide(await over(page, 7, 0.9), await over(page, 7, 0.1));
    const height = await until(async () => Number((await state(page)).params.height), (now) => now >= 0);
    assert.ok(height >= 0 && height < 40, `${height} %`);
    assert.ok(await number(page, "probability") < 0.9);
  }));
