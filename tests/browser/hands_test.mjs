// Interventions by hand: a cell of a pattern, heads of a map, a position on the helix, a patch from the other side. Each is an
// edit in the link, changes the prediction on the screen, and undo takes it back to the last bit.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fingers, phone } from "./fingers.mjs";
import { startServer } from "./servers.mjs";
import { middle, settled, state, until, useBrowser, withPage } from "./support.mjs";

let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const text = encodeURIComponent("The king gave the sword to the soldier. The king gave the");
const link = (study, rest = "") => `${server.url}#v=1&model=minihelix&study=${study}&prompt=${text}${rest}`;
const attention = (rest = "") => link("attention", `&attention.layer=4&attention.head=6${rest}`);
const numbers = (page, study) => page.evaluate((id) => {
  const found = helixscope.result(id);
  return found && Object.fromEntries(Object.entries(found.arrays).map(([name, array]) => [name, Array.from(array.data)]));
}, study);
const specs = async (page) => (await state(page)).subject.edits.filter(({ on }) => on).map(({ spec }) => spec);
const edited = (page, ...wanted) => until(() => specs(page), (now) => JSON.stringify(now) === JSON.stringify(wanted));
const change = (page) => page.locator("#answer-next tbody tr").first();
const clickOn = async (page, id) => {
  const at = await middle(page, id);
  await page.mouse.click(at.x, at.y);
  await settled(page);
  return at;
};
const pull = async (page, from, to) => {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= 6; ++i) await page.mouse.move(from.x + ((to.x - from.x) * i) / 6, from.y + ((to.y - from.y) * i) / 6);
};

test("a cell is dragged along its row: the pattern and the prediction follow, the link gives the same, undo takes it back", () =>
  withPage({ url: attention() }, async (page) => {
    const before = await numbers(page, "attention"), n = Math.sqrt(before.pattern.length);
    const from = await clickOn(page, "pattern.query.4.key.2");
    assert.ok((await state(page)).focus.locked);
    await pull(page, from, await middle(page, "pattern.query.4.key.1"));
    assert.deepEqual(await edited(page, "move_attention:4.6:4:2:1"), ["move_attention:4.6:4:2:1"], "while it is dragged");
    await page.mouse.up();
    await settled(page);
    const moved = await numbers(page, "attention"), row = moved.pattern.slice(4 * n, 5 * n);
    assert.equal(row[2], 0);
    assert.ok(row[1] > 0.5 && before.pattern[4 * n + 1] < 0.1, "the weight is in the other cell");
    assert.ok(Math.abs(row.reduce((a, b) => a + b) - 1) < 1e-5);
    assert.deepEqual(moved.was, before.pattern, "and what it was is kept as a ghost");
    assert.match(await change(page).textContent(), /“.+”.*%.*%.*[+−]\d/);
    assert.match(await page.locator("#answer-next p").textContent(), /KL divergence at least 0\.\d+ nats/);
    assert.match(await page.locator("#edit-list").textContent(), /Head 4\.6: query 4 attends to 1 instead of 2/);
    const address = await until(() => page.url(), (url) => url.includes("edit="));
    await withPage({ url: address }, async (fresh) => assert.deepEqual(await numbers(fresh, "attention"), moved));
    await page.locator("#undo").click();
    await edited(page);
    await settled(page);
    assert.deepEqual((await numbers(page, "attention")).pattern, before.pattern, "to the last bit");
  }));

test("the same by keys: arrows choose a cell, with Alt they carry it; logits have a chosen token as zero", () =>
  withPage({ url: attention() }, async (page) => {
    await page.locator("#canvas").focus();
    await clickOn(page, "pattern.query.4.key.2");
    await page.keyboard.press("Alt+ArrowLeft");
    assert.deepEqual(await edited(page, "move_attention:4.6:4:2:1"), ["move_attention:4.6:4:2:1"]);
    await page.keyboard.press("Alt+ArrowLeft");
    assert.deepEqual(await edited(page, "move_attention:4.6:4:2:0"), ["move_attention:4.6:4:2:0"], "one edit, not two");
    await settled(page);
    assert.equal((await state(page)).focus.key, 2, "the arrows without Alt still walk");
    const name = change(page).locator("button");
    await name.click();
    assert.match(await change(page).textContent(), /0\.00\s*0\.00/, "its logit is zero in both runs");
    assert.equal(await page.locator("#answer-next th").nth(1).textContent(), "logit");
  }));

test("the same by a finger: a tap, then a drag of that cell; elsewhere the page scrolls", () =>
  withPage({ url: attention(), ...phone }, async (page) => {
    const { glide } = await fingers(page);
    await page.locator("#canvas").scrollIntoViewIfNeeded();
    const at = await middle(page, "pattern.query.4.key.2");
    await page.touchscreen.tap(at.x, at.y);
    await until(() => state(page), (now) => now.focus.locked);
    await settled(page);
    await glide(await middle(page, "pattern.query.4.key.2"), await middle(page, "pattern.query.4.key.0"));
    assert.deepEqual(await edited(page, "move_attention:4.6:4:2:0"), ["move_attention:4.6:4:2:0"]);
  }));

test("heads are switched off and doubled: by key, from the menu, and all that are dragged over", () =>
  withPage({ url: attention() }, async (page) => {
    const at = await middle(page, "heads.layer.4.head.6");
    await page.mouse.move(at.x, at.y);
    await until(() => state(page), (now) => now.focus.layer === 4 || now.focus.position === -1);
    await page.locator("#canvas").focus();
    await page.keyboard.press("Delete");
    assert.deepEqual(await edited(page, "ablate_head:4.6"), ["ablate_head:4.6"]);
    await page.keyboard.press("2");
    assert.deepEqual(await edited(page, "scale_head:4.6:2"), ["scale_head:4.6:2"]);
    await page.keyboard.press("2");
    assert.deepEqual(await edited(page), []);

    const menu = page.getByRole("menu");
    await page.mouse.click(at.x, at.y, { button: "right" });
    await menu.waitFor();
    assert.equal(await menu.getAttribute("aria-label"), "layer 4, head 6");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.deepEqual(await edited(page, "scale_head:4.6:2"), ["scale_head:4.6:2"]);
    await menu.waitFor({ state: "hidden" });
    await page.locator("#undo").click();
    await edited(page);

    await pull(page, await middle(page, "heads.layer.0.head.0"), await middle(page, "heads.layer.1.head.1"));
    await page.mouse.up();
    await menu.waitFor();
    assert.equal(await menu.getAttribute("aria-label"), "4 selected");
    await page.getByRole("menuitemcheckbox", { name: /Switch off/ }).click();
    const four = ["ablate_head:0.0", "ablate_head:0.1", "ablate_head:1.0", "ablate_head:1.1"];
    assert.deepEqual(await edited(page, ...four), four);
    await page.locator("#undo").click();
    assert.deepEqual(await edited(page), [], "one step");
    await page.mouse.click(at.x, at.y, { button: "right" });
    await menu.waitFor();
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "hidden" });
    assert.equal(await page.evaluate(() => document.activeElement.id), "canvas");
  }));

test("a finger that rests on a head opens its menu", () =>
  withPage({ url: link("head_taxonomy"), ...phone, clock: true }, async (page) => {
    const { rest } = await fingers(page);
    await page.locator("#canvas").scrollIntoViewIfNeeded();
    await rest(await middle(page, "heads.layer.4.head.6"), 600);
    await page.getByRole("menuitemcheckbox", { name: /Switch off/ }).tap();
    assert.deepEqual(await edited(page, "ablate_head:4.6"), ["ablate_head:4.6"]);
    assert.equal((await state(page)).params.layer, "-1", "no tap");
  }));

test("a position of the text is dragged to another row of the helix, and averaged with its neighbours", () =>
  withPage({ url: `${server.url}#v=1&model=gpt2-positions&study=position_helix&prompt=${text}&edit=shift_positions:200` }, async (page) => {
    await until(() => numbers(page, "text"), (found) => found?.id ?? found?.token);
    await settled(page);
    assert.ok(await page.locator("#edits").isHidden(), "the slider shows where the text is");
    const before = await numbers(page, "text");
    const from = await clickOn(page, "helix.position.204");
    await until(() => state(page), (now) => now.focus.locked && now.focus.position === 204);
    await pull(page, from, await middle(page, "helix.position.240"));
    await page.mouse.up();
    await settled(page);
    const [first, second] = await specs(page);
    assert.match(first, /^replace_position:204:2[34]\d$/);
    assert.equal(second, "shift_positions:200", "the text stays where it is");
    assert.match(await page.locator("#edit-list").textContent(), /Position 204 replaced by 2/);
    assert.match(await change(page).textContent(), /“.+”.*%.*%/, "the prediction's change is beside it");
    const address = await until(() => page.url(), (url) => url.includes("replace_position"));
    const moved = await numbers(page, "text");
    assert.notDeepEqual(moved, before);
    await withPage({ url: address }, async (fresh) => {
      const there = await until(() => numbers(fresh, "text"), (found) => found?.probability);
      assert.deepEqual(there, moved);
    });
    await page.locator("#canvas").focus();
    await page.keyboard.press("Alt+Shift+ArrowRight");
    assert.ok((await until(() => specs(page), (now) => now.length === 3))[0].startsWith("average_positions:204:20"));
    await page.locator("#undo").click();
    await page.locator("#undo").click();
    await edited(page, "shift_positions:200");
    await settled(page);
    assert.deepEqual(await until(() => numbers(page, "text"), (now) => JSON.stringify(now) === JSON.stringify(before)), before);
  }));

const onHelix = () => `${server.url}#v=1&model=gpt2-positions&study=position_helix&prompt=${text}&edit=shift_positions:200`;
const ready = async (page) => {
  await until(() => numbers(page, "text"), (found) => found?.id ?? found?.token);
  await settled(page);
  return numbers(page, "text");
};
/** The edit is told and in the link, which gives the same numbers; undo takes it back to the last bit. */
const toldLinkedUndone = async (page, spec, before) => {
  await settled(page);
  const [, first, last] = /^average_positions:(\d+):(\d+)$/.exec(spec).map(Number);
  assert.match(await page.locator("#edit-list").textContent(), new RegExp(`Positions ${first} to ${last} averaged`));
  const address = await until(() => page.url(), (url) => url.includes(spec));
  const there = await numbers(page, "text");
  assert.notDeepEqual(there, before);
  await withPage({ url: address }, async (fresh) => {
    assert.deepEqual(await until(() => numbers(fresh, "text"), (found) => JSON.stringify(found) === JSON.stringify(there)), there);
  });
  await page.locator("#undo").click();
  await edited(page, "shift_positions:200");
  await settled(page);
  assert.deepEqual(await until(() => numbers(page, "text"), (now) => JSON.stringify(now) === JSON.stringify(before)), before);
};

test("Shift and drag from one position of the text to another averages them, without pinning", () =>
  withPage({ url: onHelix() }, async (page) => {
    const before = await ready(page), camera = (await state(page)).camera;
    await page.keyboard.down("Shift");
    await pull(page, await middle(page, "helix.position.204"), await middle(page, "helix.position.240"));
    assert.match((await until(() => specs(page), (now) => now.length === 2))[0], /^average_positions:20\d:2[34]\d$/, "while it is dragged");
    await page.mouse.up();
    await page.keyboard.up("Shift");
    const [spec, shift] = await specs(page);
    assert.equal(shift, "shift_positions:200", "the text stays where it is");
    assert.deepEqual((await state(page)).camera, camera);
    await toldLinkedUndone(page, spec, before);
  }));

test("two fingers on the text: apart they zoom, together they average the positions between them", () =>
  withPage({ url: onHelix(), ...phone }, async (page) => {
    const before = await ready(page), { pinch, together } = await fingers(page);
    await page.locator("#canvas").scrollIntoViewIfNeeded();
    const zoom = async () => (await state(page)).camera[2];
    const far = await zoom();
    for (let i = 0; i < 2; ++i) await pinch(await middle(page, "helix.position.206"), 16, 64);
    assert.ok(await zoom() > far * 6, "apart");
    assert.deepEqual(await specs(page), ["shift_positions:200"]);
    const near = (await state(page)).camera;
    const from = await middle(page, "helix.position.203"), to = await middle(page, "helix.position.208");
    assert.ok(Math.hypot(from.x - to.x, from.y - to.y) > 40, "near enough for two fingers");
    const wanted = ["average_positions:203:208", "shift_positions:200"];
    await together(from, to, 0.7, async () => assert.deepEqual(await edited(page, ...wanted), wanted, "before they are lifted"));
    assert.deepEqual(await edited(page, ...wanted), wanted);
    assert.deepEqual((await state(page)).camera, near, "the camera stays");
    assert.equal(await page.evaluate(() => visualViewport.scale), 1);
    await toldLinkedUndone(page, wanted[0], before);
  }));

test("a patch takes the other side's values in a comparison, from a link; without another side it says so", () =>
  withPage({ url: link("predictions", "&edit=patch:blocks.5.hook_resid_post:13&compare=beside&against=edit%3Dzero_positions") }, async (page) => {
    await settled(page);
    const sides = await page.evaluate(() => helixscope.result("predictions").arrays.probability.data.length);
    assert.ok(sides > 0);
    const panels = await page.evaluate(() => [helixscope.rect("figure.next"), helixscope.rect("figure.against.next")].map(Boolean));
    assert.deepEqual(panels, [true, true]);
    const patched = (await numbers(page, "predictions")).probability;
    await page.evaluate(() => helixscope.open(location.hash.replace(/&edit=[^&]*/, "&edit=zero_positions").replace(/&compare=.*/, "")));
    await settled(page);
    assert.deepEqual((await numbers(page, "predictions")).probability, patched, "the stream at the end decides the prediction");
    await page.evaluate(() => helixscope.open(location.hash.replace(/&edit=[^&]*/, "&edit=patch:blocks.5.hook_resid_post:13")));
    const said = await until(() => page.locator("#overlay, #notices").allTextContents(), (all) => all.join("").includes("comparison"));
    assert.match(said.join(""), /compare with another text or other edits first/);
  }));
