// The page in another language: by the link, by the menu, by the browser's languages; what stays in English, and what links keep.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { notices, settled, state, until, useBrowser, withPage } from "./support.mjs";

let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const text = (page, place) => page.locator(place).textContent();
const languageOf = (page) => page.evaluate(() => document.documentElement.lang);
const hash = (page) => page.evaluate(() => location.hash);
const ready = async (page) => {
  await page.waitForFunction(() => window.helixscope);
  await settled(page);
};

test("a link names the language, keeps it when the view changes, and the page says nothing of it", () => withPage({ url: `${server.url}#v=1&lang=de` }, async (page) => {
  assert.equal(await languageOf(page), "de");
  assert.equal(await text(page, "#copy"), "Link kopieren");
  assert.equal(await page.locator("#prompt").getAttribute("placeholder"), "Text eingeben, den das Modell lesen soll");
  assert.match(await text(page, "#groups"), /Positionen.*Köpfe.*Lektionen/s);
  assert.equal(await page.locator("#presets button").first().textContent(), "Ohne Zeile 0");
  assert.match(await text(page, "#leads"), /Lektion beginnen: Die Helix.*Gelernt oder entworfen\?/s);
  assert.match(await text(page, "#claims .claim:first-of-type .verdict"), /^[✓✗] trifft (nicht )?zu$/);
  assert.match(await text(page, "#claims .claim:first-of-type .numbers"), /Text: 90,00 %.*hier: 91,06 %/);
  assert.equal(await text(page, "#claims .claim:first-of-type button"), "Unter jeder Konvention");
  assert.equal(await page.locator("#claims .claim [lang=en]").first().textContent(), "A three-dimensional subspace explains 90 % of the variance.");
  assert.deepEqual(await notices(page), []);
  const found = `${await text(page, "#title")} ${await text(page, "#fact")}`;
  assert.match(found, /\d,\d/, "findings have a decimal comma");
  assert.doesNotMatch(found, /\d\.\d/);
  await page.evaluate(() => helixscope.open("#v=1&study=position_helix&position_helix.first=100"));
  await settled(page);
  await until(() => hash(page), (link) => /position_helix\.first=100.*&lang=de$/.test(link));
  assert.equal(await page.locator("#title").getAttribute("lang"), null, "findings are in German");
  assert.equal(await page.locator("#provenance").getAttribute("lang"), "en");
  assert.match(await page.locator("#model").textContent(), /3,1 MB/, "numbers have a decimal comma");
  await page.locator("#copy").click();
  assert.match(await hash(page), /&lang=de$/);
  await page.evaluate(() => { location.hash = "#v=1&study=spectrum&lang=it"; });
  await until(() => languageOf(page).catch(() => ""), (code) => code === "it");
  await ready(page);
  assert.equal((await state(page)).study, "spectrum", "another link, another language");
}));

/** Every text and title of the settings, the views, the next steps and the form of edits. */
const textsOf = (page) => page.evaluate(() => ["controls", "presets", "leads", "add-edit"].flatMap((id) => {
  const place = document.getElementById(id), walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) found.push(walker.currentNode.data.trim());
  return [...found, ...[...place.querySelectorAll("[title], [label]")].flatMap((element) => [element.title, element.label ?? ""])];
}));

/** The words of a study and those that studies share, by their ids. */
async function wordsOf(study, language) {
  const files = await Promise.all([`src/studies/words.${language}.md`, `src/studies/${study}/words.${language}.md`].map((path) => readFile(path, "utf8")));
  return Object.fromEntries(files.flatMap((file) => file.split(/^## /m).slice(1).map((part) => {
    const [id, ...lines] = part.trim().split("\n");
    return [id, lines.join(" ").trim()];
  })));
}

test("settings, views, next steps and edits speak it too", () => withPage({ url: `${server.url}#v=1&model=minihelix&study=head_taxonomy&lang=it` }, async (page) => {
  for (const study of ["head_taxonomy", "position_helix", "subspace_overlap"]) {
    const [english, italian] = await Promise.all(["en", "it"].map((language) => wordsOf(study, language)));
    const inEnglish = new Set(Object.entries(english).filter(([id, text]) => italian[id] && italian[id] !== text).map(([, text]) => text)), inItalian = new Set(Object.values(italian));
    await page.evaluate((id) => helixscope.open(`#v=1&model=minihelix&study=${id}`), study);
    await settled(page);
    const texts = await textsOf(page);
    assert.deepEqual(texts.filter((one) => inEnglish.has(one) && !inItalian.has(one)), [], `${study}: in English`);
    assert.ok(texts.filter((one) => inItalian.has(one)).length > 20, `${study}: in Italian`);
  }
  assert.equal(await page.locator("#edit-kind optgroup").first().getAttribute("label"), "Teste");
}));

test("the browser's language is used and no link names it", () => withPage({ url: server.url, locale: "it-IT" }, async (page) => {
  assert.equal(await languageOf(page), "it");
  assert.equal(await page.locator("#language").inputValue(), "it");
  assert.equal(await text(page, "#copy"), "Copia link");
  await page.locator("#copy").click();
  assert.doesNotMatch(await hash(page), /lang=/);
}));

test("the menu changes the language, keeps the view and is remembered", () => withPage({ url: `${server.url}#v=1&study=position_helix&position_helix.first=100`, folded: true }, async (page) => {
  assert.equal(await languageOf(page), "en");
  await page.locator("#language").selectOption("it");
  await until(() => languageOf(page).catch(() => ""), (code) => code === "it");
  await ready(page);
  assert.equal((await state(page)).params.first, "100");
  assert.match(await hash(page), /&lang=it$/);
  assert.equal(await page.locator("#language optgroup").getAttribute("label"), "Tabelle e convenzioni sono in inglese");
  await page.goto("about:blank");
  await page.goto(server.url);
  await ready(page);
  assert.equal(await languageOf(page), "it", "remembered");
  await page.goto("about:blank");
  await page.goto(`${server.url}#v=1&lang=en`);
  await ready(page);
  assert.equal(await text(page, "#copy"), "Copy link", "a link comes before what is remembered");
}));

test("a language that the page does not have: one sentence, the browser's language, and the link stays", () => withPage({ url: `${server.url}#v=1&lang=eo` }, async (page) => {
  assert.equal(await languageOf(page), "en");
  assert.match(await until(async () => (await notices(page)).join(), Boolean), /does not speak the language “eo”/);
  assert.match(await until(() => hash(page), (link) => link.includes("study=")), /&lang=eo$/);
}));

test("words that do not arrive leave the page in English, and it says so", () =>
  withPage({ url: `${server.url}#v=1&lang=de`, allowed: [/words\/de\./, /Failed to load/], prepare: (page) => page.route("**/words/de.*", (route) => route.abort()) }, async (page) => {
    assert.equal(await text(page, "#copy"), "Copy link");
    assert.match(await until(async () => (await notices(page)).join(), Boolean), /words in Deutsch could not be loaded/);
  }));

test("tables and exports have a decimal point in every language", () => withPage({ url: `${server.url}#lang=de` }, async (page) => {
  assert.deepEqual(await notices(page), [], "the language alone is a link");
  await page.locator("#export").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#menu button", { hasText: ", CSV" }).first().click()]);
  const csv = await readFile(await download.path(), "utf8");
  assert.match(csv, /\d\.\d/);
  assert.doesNotMatch(csv, /"\d+,\d+"/);
}));

test("what one sees at first fits in Italian and German, on a desk and on a phone", async () => {
  for (const lang of ["it", "de"])
    for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }])
      await withPage({ url: `${server.url}#v=1&study=attention&edit=ablate_head:0.1&lang=${lang}`, viewport, folded: true }, async (page) => {
        await page.locator("#open-edit").click();
        const cut = await page.evaluate(() => [...document.querySelectorAll("header button, #bar button, main button, #doors select")].filter((e) => e.getClientRects().length && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).textOverflow !== "ellipsis").map((e) => e.id || e.textContent));
        assert.deepEqual(cut, [], `${lang} ${viewport.width}`);
        const wide = await page.evaluate(() => [...document.querySelectorAll("#subject *")].filter((e) => e.getClientRects().length && !e.matches(".hidden, .hidden *") && e.getBoundingClientRect().right > document.querySelector("#subject").getBoundingClientRect().right + 1).map((e) => e.id || e.textContent));
        assert.deepEqual(wide, [], `${lang} ${viewport.width}: within the column`);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${lang} ${viewport.width}: no sideways scrolling`);
      });
});
