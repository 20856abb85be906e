// The first minute: the real helix without a click, the visitor's text on it, and the next steps.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fingers, phone } from "./fingers.mjs";
import { startServer } from "./servers.mjs";
import { middle, settled, state, until, useBrowser, withPage } from "./support.mjs";

let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const first = (run, options = {}) => withPage({ url: server.url, folded: true, ...options }, run);
const link = (page) => page.evaluate(() => location.hash);
const text = (page, id) => page.locator(id).textContent();

test("a first visit sees GPT-2 small's helix, its number and that the claims hold", () => first(async (page) => {
  assert.equal((await state(page)).model, "gpt2-positions");
  assert.match(await text(page, "#model"), /GPT-2 small.*positions only.*3\.1 MB/);
  assert.match(await text(page, "#title"), /helix/);
  assert.equal(await text(page, "#fact-number"), "91.06 %");
  const found = await page.evaluate(() => helixscope.result("position_helix"));
  assert.equal(found.scalars.explained_first3.value.toFixed(4), "0.9106");
  assert.equal(found.scalars.turns.value.toFixed(2), "3.02");
  for (const id of ["H1", "H2", "H3"]) assert.equal(found.claims.find((c) => c.id === id).holds, true, id);
  assert.match(await text(page, "#verdict"), /3 claims of the source hold/);
  assert.equal(await page.locator("#explanation").isVisible(), false, "the evidence is one click away");
  await page.locator("#verdict").click();
  assert.ok(await page.locator("#claims [data-claim=H1]").isVisible());
  assert.match(await text(page, "#notes .source"), /Source: A\. Yedidia, .*2023/);
  assert.equal(await page.locator("#controls").isVisible(), false, "settings are folded");
  assert.equal(await page.locator("#say-text").inputValue(), (await state(page)).subject.prompt);
  assert.equal(await until(() => text(page, "#say-range"), (t) => t.includes("of minihelix")), "positions 0 to 20 of the 512 of minihelix");
}));

test("on a phone the whole helix is in the first screen", () => first(async (page) => {
  for (const row of [1, 300, 600, 1022]) {
    const at = await middle(page, `row.${row}`), bar = await page.locator("#bar").boundingBox();
    assert.ok(at.x > 0 && at.x < 390 && at.y > 0 && at.y < bar.y, `row ${row} is at ${at.x}, ${at.y}`);
  }
}, phone));

test("a text of several lines keeps them in the box below the helix, and the page sends no forms", () =>
  first(async (page) => {
    const box = page.locator("#say-text");
    await until(() => box.inputValue(), (value) => value === "one\ntwo");
    const low = (await box.boundingBox()).height;
    await box.press("ControlOrMeta+Home");
    await box.press("X");
    assert.equal((await until(() => state(page), ({ subject }) => subject.prompt.startsWith("X"))).subject.prompt, "Xone\ntwo");
    await box.press("Shift+Enter");
    assert.equal((await until(() => state(page), ({ subject }) => subject.prompt.includes("X\n"))).subject.prompt, "X\none\ntwo");
    assert.ok((await box.boundingBox()).height > low, "the box grows");
    await box.press("Enter");
    assert.match(await until(() => text(page, "#say-answer"), (t) => t.includes("minihelix")), /minihelix/);
    assert.equal((await state(page)).subject.prompt, "X\none\ntwo", "Enter asks, and adds nothing");

    await page.evaluate(() => {
      const form = document.createElement("form");
      form.action = "https://elsewhere.invalid/";
      document.body.append(form);
      window.stopped = new Promise((done) => addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective)));
      form.submit();
    });
    assert.equal(await page.evaluate(() => window.stopped), "form-action");
  }, { url: `${server.url}#v=1&model=&study=position_helix&prompt=one%0Atwo`, allowed: [/form-action|policy violation/] }));

test("a text is typed, dragged along the helix by mouse and keys, predicted, and restored by its link", () => first(async (page) => {
  await page.locator("#say-text").fill("In the morning they went to the old house");
  await settled(page);
  assert.match(await until(() => text(page, "#say-range"), (t) => /to 8\b/.test(t)), /positions 0 to 8/);
  assert.match(await until(() => text(page, "#say-answer"), (t) => t.includes("minihelix")), /minihelix/);

  const from = await middle(page, "row.4"), over = await middle(page, "row.60"), to = await middle(page, "row.120");
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (const at of [over, to]) await page.mouse.move(at.x, at.y, { steps: 8 });
  await page.mouse.up();
  await settled(page);
  const shift = Number(/shift_positions:(\d+)/.exec((await state(page)).subject.edits[0].spec)[1]);
  assert.ok(Math.abs(shift - 116) < 12, `shifted by ${shift}`);
  assert.deepEqual((await state(page)).camera, [45, 20, 1, 0, 0], "the helix has not turned");

  await page.locator("#say-shift").focus();
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.match(await until(() => link(page), (h) => h.includes(`shift_positions:${shift + 1}`)), new RegExp(`edit=shift_positions:${shift + 1}(&|$)`));
  assert.match(await text(page, "#say-range"), new RegExp(`positions ${shift + 1} to ${shift + 9}`));
  const answer = await text(page, "#say-answer"), copied = page.url();
  await withPage({ url: copied, folded: true }, async (fresh) => {
    assert.equal(await until(() => text(fresh, "#say-answer"), (t) => t === answer), answer);
    assert.equal(await fresh.locator("#say-shift").inputValue(), String(shift + 1));
  });

  await page.locator("#undo").click();
  await settled(page);
  assert.match(await until(() => link(page), (h) => h.includes(`shift_positions:${shift}`)), new RegExp(`shift_positions:${shift}(&|$)`));
}));

test("a finger drags the text too", () => first(async (page) => {
  await page.locator("#say-next").tap();
  await until(() => text(page, "#say-answer"), (t) => t.includes("minihelix"));
  await settled(page); // the answer's lines move the figure
  await page.locator("#canvas").scrollIntoViewIfNeeded();
  await (await fingers(page)).glide(await middle(page, "row.5"), await middle(page, "row.100"));
  assert.match(await until(() => link(page), (h) => h.includes("shift_positions")), /shift_positions:\d+/);
}, phone));

test("beyond the model's last position the answer says so, and the helix stays", () => withPage({ url: `${server.url}#v=1&model=gpt2-positions&study=position_helix&prompt=the%20old%20house&edit=shift_positions:900` }, async (page) => {
  assert.equal(await until(() => text(page, "#say-answer"), (t) => t.length > 0), "minihelix ends at position 511: move left.");
  assert.equal(await page.locator("#say-shift").getAttribute("max"), "511");
  assert.equal(await text(page, "#fact-number"), "91.06 %");
}));

test("studies open from cards, and are found by their words", () => first(async (page) => {
  await page.getByRole("button", { name: "Heads", exact: true }).click();
  const card = page.locator("#studies .chosen [data-key='study:attention']");
  assert.match(await card.textContent(), /Which earlier tokens/);
  await page.keyboard.press("Escape");
  assert.equal(await card.isVisible(), false);
  await page.getByRole("button", { name: "Heads", exact: true }).click();
  await card.click();
  await settled(page);
  assert.equal((await state(page)).study, "attention");
  assert.equal((await state(page)).model, "minihelix", "on a model that can run text");
  assert.match(await text(page, "#runs-on"), /This runs on minihelix/);

  await page.keyboard.press("Control+k");
  await page.keyboard.type("first 100");
  await until(() => page.locator("#palette-list").textContent(), (t) => /first 100/i.test(t));
  await page.locator("#palette-input").fill("H6");
  await page.keyboard.press("Enter");
  await settled(page);
  const { study, params, model } = await state(page);
  assert.deepEqual([study, params.last, model], ["position_helix", "99", "gpt2-positions"]);
}));

test("“reset” finds the way back to the page as it opens; the theme stays, and so does the step back", () => first(async (page) => {
  const changed = "#v=1&model=minihelix&study=predictions&edit=no_mask&prompt=mine&theme=light";
  await page.evaluate((link) => helixscope.open(link), changed);
  await settled(page);
  const before = await state(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("reset");
  await page.locator("#palette-list [role=option]", { hasText: "Start again" }).waitFor();
  await page.keyboard.press("Enter");
  await settled(page);
  const { study, model, subject, theme } = await state(page);
  assert.deepEqual([study, model, subject.edits, theme], ["position_helix", "gpt2-positions", [], "light"]);
  await page.goBack();
  await settled(page);
  assert.deepEqual(await state(page), before);
}));

test("each way on leads to another picture", () => first(async (page) => {
  assert.match(await page.locator("#leads button").first().textContent(), /^Start the lesson: The helix/);
  const leads = await page.locator("#leads [data-lead]").count();
  assert.equal(leads, 4);
  const seen = new Set([await text(page, "#title")]);
  for (let i = 0; i < leads; ++i) {
    await page.evaluate(() => helixscope.open(""));
    await settled(page);
    await page.locator("#leads [data-lead]").nth(i).click();
    await settled(page);
    assert.equal(await page.locator("#overlay .card").count(), 0, await text(page, "#overlay"));
    seen.add(await text(page, "#title"));
  }
  assert.equal(seen.size, leads + 1, [...seen].join(" | "));
}));

test("nobody has touched it: it turns, and is idle again within ten seconds; a touch stops it where it is", () => withPage({ url: server.url, reducedMotion: "no-preference" }, async (page) => {
  const place = () => page.evaluate(() => { const r = helixscope.rect("row.300"); return [r.x, r.y]; });
  const before = await place();
  const moved = await until(place, ([x]) => Math.abs(x - before[0]) > 4);
  assert.ok(Math.abs(moved[0] - before[0]) > 4, "it turns");
  const box = await page.evaluate(() => helixscope.rect("figure.helix"));
  await page.mouse.click(box.x + 20, box.y + 20);
  await until(async () => (await state(page)).camera[0], (azimuth) => azimuth !== 45);
  await settled(page);
  const stopped = await place();
  await page.waitForTimeout(300);
  assert.deepEqual(await place(), stopped);
  assert.notDeepEqual((await state(page)).camera, [45, 20, 1, 0, 0], "what is seen is what the link says");
}));

test("a view of words that the positions alone cannot give is a click from a model that can", () => first(async (page) => {
  await page.locator('[data-key="preset:sum"]').click();
  await page.locator('[data-key="use minihelix"]').click();
  assert.equal((await until(() => state(page), (now) => now.model === "minihelix")).params.of, "sum");
  await settled(page);
  assert.match(await until(() => text(page, "#title"), (title) => /near tokens/.test(title)), /near tokens are more alike/);
}, { url: `${server.url}#v=1&study=position_cosine` }));
