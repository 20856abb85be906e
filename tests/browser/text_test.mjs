// A text in the model: its tokens and their numbers, the prediction after it, and the effect of edits on that.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { middle, settled, state, until, useBrowser, withPage } from "./support.mjs";

let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const view = (study, rest = "") => `${server.url}#v=1&model=minihelix&study=${study}&prompt=In%20the%20morning%20they%20went${rest}`;
const result = (page, study) => page.evaluate((id) => {
  const found = helixscope.result(id);
  for (const array of Object.values(found.arrays)) array.data = Array.from(array.data);
  return found;
}, study);
const clickOn = async (page, id) => {
  const at = await middle(page, id);
  await page.mouse.click(at.x, at.y);
  await settled(page);
};

test("a click on a token shows its merges and the two rows that stand for it", () => withPage({ url: view("tokens") }, async (page) => {
  const all = await result(page, "tokens");
  assert.equal(all.scalars.position.value, all.arrays.id.data.length - 1, "the last one, until one is chosen");
  await clickOn(page, "tokens.position.2");
  const { arrays, words } = await until(() => result(page, "tokens"), (r) => r.scalars.position.value === 2);
  assert.equal((await state(page)).params.position, "2");
  assert.equal(arrays.sum.data.length, 256);
  arrays.sum.data.forEach((sum, i) => assert.equal(sum, arrays.wte.data[i] + arrays.wpe.data[i]));
  assert.match(words.merge.data.at(-1), /→ “ morning”$/);
  const merges = /The merges that made “ morning” at position 2/;
  assert.match(await until(() => page.locator("#figure-tables").innerText(), (text) => merges.test(text)), merges);
  assert.match(await until(() => page.evaluate(() => location.hash), (hash) => hash.includes("position=2")), /tokens\.position=2/);
}));

test("a click on a predicted token appends it, undo takes it back", () => withPage({ url: view("predictions") }, async (page) => {
  const [first] = (await result(page, "predictions")).words.text.data;
  await clickOn(page, "next.item.0");
  const prompt = async () => (await state(page)).subject.prompt;
  assert.equal(await until(prompt, (now) => now !== "In the morning they went"), `In the morning they went${first}`);
  assert.equal(await until(() => page.locator("#prompt").inputValue(), (now) => now.endsWith(first)), `In the morning they went${first}`);
  const next = await until(() => result(page, "predictions"), (r) => r.scalars.position.value === 5);
  assert.notEqual(next.words.text.data[0], first);
  await page.locator("#undo").click();
  assert.equal(await until(prompt, (now) => now === "In the morning they went"), "In the morning they went");
}));

test("a temperature flattens the prediction, and the title says so", () => withPage({ url: view("predictions", "&predictions.temperature=4") }, async (page) => {
  assert.match(await page.locator("#title").textContent(), /at temperature 4/);
  assert.ok((await result(page, "predictions")).arrays.probability.data[0] < 0.2);
}));

test("beside a head, an edit says what it changes in the prediction", () => withPage({ url: view("attention", "&edit=zero_positions") }, async (page) => {
  assert.match(await until(() => page.locator("#answer-said").textContent(), (t) => t.includes("predicts")), /minihelix predicts .*with 1 edit/);
  const entries = page.locator("#answer-next tbody tr");
  assert.equal(await until(() => entries.count(), (n) => n === 5), 5);
  assert.match(await entries.first().textContent(), /%\s*([+−]\d+\.\d|±0\.0|–)/);
  const changes = (await entries.locator("i").allTextContents()).map((t) => Math.abs(Number(t.replace("−", "-"))));
  assert.deepEqual(changes, [...changes].sort((a, b) => b - a), "the largest change first");
  await page.evaluate(() => helixscope.open(location.hash.replace(/&edit=[^&]*/, "")));
  await page.locator("#answer").waitFor({ state: "hidden" });
}));
