// Links that show less of the page: a figure in a page of another origin, parts left out, a fixed theme; and the builder of such links.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { site } from "./places.mjs";
import { startAnswers, startServer } from "./servers.mjs";
import { settled, state, until, useBrowser, withPage } from "./support.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const view = "#v=1&model=&study=attention&prompt=one%20two%20three%20one%20two&edit=no_mask";
let server, other;
const answer = { current: null };
useBrowser();
before(async () => {
  server = await startServer([], { bundled: true });
  other = await startAnswers(answer);
});
after(async () => { await server?.stop(); await other?.stop(); });

const onPage = (hash, options, run) => withPage({ url: server.url + hash, folded: true, ...options }, run);
const visible = (page, selector) => page.locator(selector).first().isVisible();

test("in a page of another origin the figure stands alone, and makes no entries in that page's history", () => withPage({}, async (page) => {
  answer.current = (_, response) => {
    response.writeHead(200, { "Content-Type": "text/html" }).end(`<!doctype html><title>A course</title><iframe src="${server.url}#v=1&amp;model=&amp;study=position_helix&amp;embed=1&amp;theme=light" width="800" height="560"></iframe>`);
    return true;
  };
  await page.goto(`${other.origin}/`);
  const frame = page.frames()[1] ?? await page.waitForEvent("frameattached");
  await frame.waitForFunction(() => window.helixscope);
  await frame.evaluate(() => helixscope.ready);
  for (const gone of ["header", "#tools", "#about", "#explain", "#leads", "#subject"]) assert.equal(await frame.locator(gone).isVisible(), false, gone);
  for (const there of ["h1", "#fact-number", "#canvas", "#embed-foot"]) assert.equal(await frame.locator(there).first().isVisible(), true, there);
  const entries = await page.evaluate(() => history.length);
  await frame.locator("#canvas").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await frame.waitForFunction(() => helixscope.state().focus.locked);
  await frame.evaluate(() => helixscope.settled());
  assert.equal(await page.evaluate(() => history.length), entries);
  const link = await frame.locator("#embed-foot a").getAttribute("href");
  assert.match(link, /study=position_helix/);
  assert.match(link, /focus=position/);
  assert.doesNotMatch(link, /embed/);
  assert.equal(await frame.locator("#embed-foot a").getAttribute("target"), "_blank");
  const box = await frame.evaluate(() => ({ page: document.scrollingElement.scrollHeight - innerHeight, canvas: document.getElementById("canvas").clientHeight }));
  assert.ok(box.page <= 1 && box.canvas > 300, JSON.stringify(box));
}));

const parts = {
  menu: ["#groups", "#find"], model: ["#model"], prompt: ["#open-prompt"], edits: ["#edits"], settings: ["#settings"], compare: ["#compare"],
  presets: ["#presets"], explanation: ["#explain"], leads: ["#leads"], lesson: ["#lessons"], share: ["#export", "#copy"], theme: ["#theme"],
};

test("a link leaves out each part it names, and no other", () => onPage(view, {}, async (page) => {
  for (const [name, places] of Object.entries(parts)) for (const place of places) assert.equal(await visible(page, place), true, `${place} without hide=${name}`);
  for (const name of Object.keys(parts)) {
    await page.evaluate((link) => helixscope.open(link), `${view}&hide=${name}`);
    await page.waitForFunction((part) => document.body.dataset.hide === part, name);
    for (const [others, places] of Object.entries(parts)) for (const place of places) {
      const inside = (name === "prompt" || name === "edits") && others !== name; // beside each other in one place
      if (!inside) assert.equal(await visible(page, place), others !== name && !(name === "menu" && others === "lesson"), `${place} with hide=${name}`);
    }
  }
  await page.evaluate((link) => helixscope.open(link), `${view}&hide=menu`);
  await page.waitForFunction(() => document.body.dataset.hide === "menu");
  await page.keyboard.press("Control+k");
  assert.equal(await visible(page, "#palette"), false, "the palette is a menu, too");
  assert.match(await until(() => page.evaluate(() => location.hash), (hash) => /&hide=menu/.test(hash)), /&hide=menu$/, "what is left out stays so in the link");
}));

test("the builder's link, by keyboard, shows the same in a fresh browser", () => onPage("#v=1&model=&study=position_helix&position_helix.first=100", {}, async (page) => {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("QR code");
  await page.keyboard.press("Enter");
  await page.locator("#share[open]").waitFor();
  await page.locator("#share-hidden input[value=settings]").focus();
  await page.keyboard.press("Space");
  await page.locator("#share-theme").focus();
  await page.keyboard.press("l"); // light
  await page.locator("#share-fixed").focus();
  await page.keyboard.press("Space");
  const address = await page.locator("#share-link").inputValue();
  assert.match(address, /#v=1&model=[^&]*&study=position_helix&position_helix\.first=100&theme=light&hide=settings,theme$/);
  assert.match(await page.locator("#share .qr svg path").getAttribute("d"), /^M4 4h1v1h-1z/, "a code with its corner");
  assert.equal(await visible(page, "#share-frame"), false);
  await page.locator("#share input[value=embed]").focus();
  await page.keyboard.press("Space");
  assert.match(await page.locator("#share-code").inputValue(), /^<iframe src="http[^"]+&amp;embed=1&amp;hide=settings,theme" width="800" height="560" style="border: 0" title="[^"]+" loading="lazy"><\/iframe>$/);
  await page.locator("#share input[value=page]").focus();
  await page.keyboard.press("Space");
  assert.equal(await page.locator("#share-link").inputValue(), address);
  const { params, model, study } = await state(page), title = await page.locator("h1").first().textContent();
  await withPage({ url: address, folded: true }, async (fresh) => {
    const there = await state(fresh);
    assert.deepEqual([there.params, there.model, there.study, there.theme], [params, model, study, "light"]);
    assert.equal(await fresh.locator("h1").first().textContent(), title);
    assert.equal(await visible(fresh, "#settings"), false);
    assert.equal(await visible(fresh, "#theme"), false);
    assert.equal(await fresh.evaluate(() => document.documentElement.dataset.theme), "light");
  });
  await page.keyboard.press("Escape");
  assert.equal(await visible(page, "#share"), false);
}));

test("a step of a lesson has a link of at most 120 characters, which opens the step", () => onPage("#v=1&lesson=rope/2", {}, async (page) => {
  await page.locator("#lesson h1").waitFor();
  await page.waitForFunction(() => helixscope.state().study !== "position_helix");
  await settled(page);
  await page.locator("#export").click();
  await page.locator("#menu button").first().click();
  await page.locator("#share[open]").waitFor();
  assert.equal(await page.locator("#share-short").isChecked(), true);
  await page.locator("#share-hidden input[value=settings]").check();
  await page.locator("#share-hidden input[value=model]").check();
  await page.locator("#share-fixed").check();
  await page.locator("#share-theme").selectOption("dark");
  const hash = new URL(await page.locator("#share-link").inputValue()).hash;
  assert.equal(hash, "#v=1&theme=dark&lesson=rope/2&hide=model,settings,theme");
  const names = readdirSync(join(site, "lessons")).filter((file) => file.endsWith(".json") && !file.startsWith("paths.")).map((file) => file.replace(/\..*$/, ""));
  for (const name of names) assert.ok(hash.replace("rope", name).length <= 121, name);
  const { study, params } = await state(page);
  await withPage({ url: server.url + hash, folded: true }, async (fresh) => {
    await fresh.locator("#lesson h1").waitFor();
    const there = await until(() => state(fresh), (s) => s.study === study);
    assert.deepEqual([there.study, there.params, there.lesson], [study, params, "rope/2"]);
  });
  await page.locator("#share-short").uncheck();
  assert.match(await page.locator("#share-link").inputValue(), /&study=/);
  await page.locator("#share-own").check();
  assert.equal(new URL(await page.locator("#share-link").inputValue()).hash, "#v=1&theme=dark&lesson=rope/2&hide=model,settings,theme&seed=own", "no view of its own: each device has that of its numbers");
  assert.equal(await page.locator("#share-short").isDisabled(), true);
}));

test("nothing serious is wrong with the builder for assistive technology, on a phone too", () => onPage("#v=1&model=&study=position_helix", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, bypassCSP: true }, async (page) => {
  await page.locator("#export").tap();
  await page.locator("#menu button").first().tap();
  await page.locator("#share[open]").waitFor();
  await page.locator("#share input[value=embed]").tap();
  await page.locator("#share-frame").waitFor();
  const box = await page.locator("#share").evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
  assert.ok(box <= 0, "nothing sticks out");
  await page.addScriptTag({ content: axe });
  const { violations } = await page.evaluate(() => window.axe.run("#share"));
  assert.deepEqual(violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
}));
