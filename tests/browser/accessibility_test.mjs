// Every study on the models that come with the page (the table of claims in claims_test.mjs): it has a result, and axe-core finds
// no serious problem, on a desktop and on a phone, in both themes. And formulas as MathML.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import subsetFont from "subset-font";
import { found } from "./axe.mjs";
import { meant, saidElement, withoutNumbers } from "./formulas.mjs";
import { startServer } from "./servers.mjs";
import { colours, decodePng } from "./pictures.mjs";
import { settled, useBrowser, withPage } from "./support.mjs";

const structures = new Map(Object.entries(meant).map(([text, structure]) => [withoutNumbers(text), withoutNumbers(structure)]));
let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

/** The menu's studies but the table of claims, which runs all others once more: its own test asks axe. */
const ids = (page) => page.evaluate(() => [...document.querySelectorAll("#studies [data-key^='study:']")].map((card) => card.dataset.key.slice(6)).filter((id) => id !== "claims"));

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

/** Formulas are MathML, of a height one can read, say the same as text, and mean what the table says; each root is drawn. */
async function assertFormulas(page, id) {
  await page.evaluate(`window.saidElement = ${saidElement}`);
  const shown = await page.locator("#notes .equation").evaluateAll((all) => all.map((p) => ({
    text: p.textContent,
    parts: [...p.querySelectorAll("math")].map((m) => ({ alt: m.getAttribute("alttext"), height: m.getBoundingClientRect().height, said: window.saidElement(m) })),
    roots: [...p.querySelectorAll("msqrt")].map((root) => root.firstElementChild.getBoundingClientRect().left - root.getBoundingClientRect().left),
  })));
  for (const { text, parts, roots } of shown) {
    assert.ok(parts.length, `${id}: ${text} is not typeset`);
    for (const { alt, height, said } of parts) {
      assert.ok(height > 10, `${id}: ${alt} is ${height} px high`);
      const found = structures.get(withoutNumbers(alt.replace(/,$/, "")));
      assert.ok(found, `${id}: the table of formulas lacks ${alt}`);
      assert.equal(withoutNumbers(said.replace(/ ,$/, "")), found, `${id}: ${alt}`);
    }
    for (const room of roots) assert.ok(room >= 5, `${id}: a root of ${text} has ${room} px for its sign`);
  }
}

// What depends on the theme is the colours, what depends on the size is where things are: two pages see both of each.
for (const [where, options] of Object.entries(places))
  test(`axe finds nothing serious on any study ${where}, and its formulas are typeset`, () =>
    withPage({ url: server.url, ...options }, async (page) => {
      const problems = [];
      await onEachStudy(page, async (id) => {
        for (const line of await found(page)) problems.push(`${id}: ${line}`);
        await assertFormulas(page, id);
      });
      assert.deepEqual(problems, []);
    }));

test("dialogs and menus too", () => withPage({ url: server.url }, async (page) => {
  for (const [opener, closer] of [["#model", "Escape"], ["#find", "Escape"], ["#export", "Escape"], ["#open-about", "Escape"]]) {
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

/** Before the page's own scripts: formulas are set in a font that has letters and no radical. */
async function withoutRadical(page) {
  const whole = readFileSync(createRequire(import.meta.url).resolve("@expo-google-fonts/ibm-plex-sans/400Regular/IBMPlexSans_400Regular.ttf"));
  const letters = await subsetFont(whole, "ABCabcdhjkpqvxyz0123456789()|=+−Σ", { targetFormat: "sfnt" });
  await page.addInitScript((font) => {
    document.fonts.add(new FontFace("Letters", Uint8Array.from(atob(font), (c) => c.charCodeAt(0)).buffer));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("math { font-family: Letters !important; }");
    document.adoptedStyleSheets = [sheet];
  }, letters.toString("base64"));
}

/** The room of each root for its sign, and whether the page's style draws it. */
const roots = (page) => page.locator("#notes msqrt").evaluateAll((all) => all.map((root) =>
  ({ room: root.firstElementChild.getBoundingClientRect().left - root.getBoundingClientRect().left, ours: root.classList.contains("drawn") })));

test("a root is drawn once: by the browser where its font has the sign, else by the page", async () => {
  const url = `${server.url}#v=1&study=position_norms`;
  await withPage({ url, prepare: withoutRadical }, async (page) => {
    const [{ room, ours }] = await roots(page);
    assert.ok(ours && room > 5 && room < 15, `${room} px, ours: ${ours}`);
    const root = page.locator("#notes msqrt").first();
    await root.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await root.boundingBox();
    const ink = async (clip) => colours(decodePng(await page.screenshot({ clip })));
    assert.ok(await ink({ x, y, width: room, height }) > 3, "its sign");
    assert.ok(await ink({ x: x + room + 2, y: y - 1, width: width - room - 4, height: 3 }) > 1, "and its line");
  });
  await withPage({ url }, async (page) => {
    for (const { room } of await roots(page)) assert.ok(room > 5 && room < 15, `${room} px: not both`);
  });
});
