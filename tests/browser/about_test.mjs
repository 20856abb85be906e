// The About sheet: by keyboard and by the palette; its notices; the open view as a citation. And the fonts, under their own names.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { manifest } from "./files.mjs";
import { startServer } from "./servers.mjs";
import { quickView, settled, useBrowser, withPage } from "./support.mjs";

let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const version = /project\(helixscope VERSION ([\d.]+)/.exec(readFileSync(new URL("../../CMakeLists.txt", import.meta.url), "utf8"))[1];
const address = process.env.HELIXSCOPE_ADDRESS ?? ""; // of the published page, where the site was built for one
const shown = (page) => page.locator("#about-sheet").isVisible();

/** The fields of the only entry of a BibTeX text. */
function entry(text) {
  assert.match(text, /^@misc\{[a-z-]+,\n( {2}\w+ += \{.*\},\n)+\}\n$/);
  return Object.fromEntries([...text.matchAll(/^ {2}(\w+) += \{(.*)\},$/gm)].map(([, key, value]) => [key, value]));
}

test("the sheet opens and closes by keyboard, and leads to the notices of every work", () => withPage({ url: server.url + quickView }, async (page) => {
  await page.locator("#open-about").focus();
  await page.keyboard.press("Enter");
  assert.ok(await shown(page));
  assert.match(await page.locator("#about-version").textContent(), new RegExp(`^${version}(, commit [0-9a-f]{12}\\+?)?$`));
  assert.ok(await page.locator("#about-sources a").count() >= 5);
  assert.equal(await page.locator("#about-address").isVisible(), Boolean(address));
  const notice = await (await fetch(await page.locator("#notice").evaluate((link) => link.href))).text();
  for (const work of ["helixscope", "Dear ImGui", "Eigen", "JSON for Modern C++", "utf8proc", "Unicode", "Emscripten", "musl", "libc++", "compiler-rt", "dlmalloc", "GLFW", "IBM Plex", "OPEN FONT LICENSE", "GPT-2 small", "minihelix", "https://mozilla.org/MPL/2.0/"])
    assert.ok(notice.toLowerCase().includes(work.toLowerCase()), work);
  await page.keyboard.press("Escape");
  assert.ok(!await shown(page));
  assert.equal(await page.evaluate(() => document.activeElement.id), "open-about", "the focus is back");
}));

test("the palette finds it, and cites the open view", () => withPage({ url: server.url + quickView }, async (page) => {
  await page.evaluate(() => helixscope.open("#v=1&study=position_helix&position_helix.first=100"));
  await settled(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("cite");
  await page.keyboard.press("Enter");
  assert.ok(await shown(page));
  assert.equal(await page.evaluate(() => document.activeElement.id), "citation");
  const { provenance } = await page.evaluate(() => { const { provenance } = helixscope.result("position_helix", { arrays: false }); return { provenance }; });
  const { author, title, year, note, url, urldate } = entry(await page.locator("#citation").inputValue());
  assert.equal(author, "{The helixscope authors}");
  assert.match(title, /^\{helixscope: .+\}$/);
  assert.equal(url, await page.evaluate((given) => new URL(location.hash, given || location.href).href, address));
  assert.match(url, /position_helix\.first=100/);
  assert.match(urldate, /^\d{4}-\d\d-\d\d$/);
  assert.equal(year, urldate.slice(0, 4));
  assert.ok(note.includes(`helixscope ${version}`), note);
  assert.ok(provenance.sha256.length >= 12 && note.includes(provenance.sha256), note);
  assert.ok(note.includes(`model ${provenance.model}`) && note.includes("rows 100..1023"), note);
}));

/** The page as it is built with $HELIXSCOPE_ADDRESS. */
const published = (place) => (page) => page.route((url) => url.pathname === "/", async (route) => {
  const response = await route.fetch();
  await route.fulfill({ response, body: (await response.text()).replace(/id="about-address" href="[^"]*"/, `id="about-address" href="${place}"`) });
});

test("a published page names its address, also in citations made elsewhere", () =>
  withPage({ url: server.url, prepare: published("https://example.org/helix/") }, async (page) => {
    await page.locator("#open-about").click();
    assert.equal(await page.locator("#about-address").textContent(), "https://example.org/helix/");
    const { url } = entry(await page.locator("#citation").inputValue());
    assert.equal(url, await page.evaluate(() => `https://example.org/helix/${location.hash}`));
  }));

test("the citation can be copied, and selected where the browser does not allow that", () => withPage({ url: server.url + quickView }, async (page) => {
  await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { if (window.refused) throw new Error("refused"); window.copied = text; }; });
  await page.locator("#open-about").click();
  const text = await page.locator("#citation").inputValue();
  await page.locator("#copy-citation").click();
  await page.getByText("Copied.").waitFor();
  assert.equal(await page.evaluate(() => window.copied), text);
  await page.evaluate(() => { window.refused = true; });
  await page.locator("#copy-citation").click();
  await page.getByText("Selected").waitFor();
  assert.equal(await page.locator("#citation").evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd)), text);
}));

test("on a phone it is in reach", () => withPage({ url: server.url, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "light" }, async (page) => {
  await page.locator("#open-about").tap();
  assert.ok(await shown(page));
  const box = await page.locator("#about-sheet").boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.height <= 844, JSON.stringify(box));
  await page.locator("#close-about").tap();
  assert.ok(!await shown(page));
}));

test("the fonts load, under names of their own", () => withPage({ url: server.url + quickView }, async (page) => {
  await page.evaluate(() => document.fonts.ready);
  const faces = await page.evaluate(() => [...document.fonts].filter((face) => face.status === "loaded").map((face) => `${face.family.replaceAll('"', "")} ${face.weight}`));
  assert.ok(faces.includes("Helixscope Sans 400"), String(faces));
  for (const file of ["HelixscopeSans-Regular", "HelixscopeSans-SemiBold", "HelixscopeMono-Regular"]) {
    const font = Buffer.from(await (await fetch(new URL(manifest().files[`fonts/${file}.ttf`].file, server.url))).arrayBuffer());
    const names = namesIn(font);
    for (const [number, text] of names) if (number !== 0) assert.doesNotMatch(text, /plex/i, `${file}, name ${number}`);
    assert.match(names.get(0), /IBM Corp/, "the copyright notice stays");
    assert.match(names.get(1), /^Helixscope (Sans|Mono)/);
    assert.equal(names.get(6), file);
    await page.evaluate(async ([name, address]) => { await new FontFace(name, `url(${address})`).load(); }, [file, new URL(manifest().files[`fonts/${file}.ttf`].file, server.url).href]);
  }
}));

/** The texts of a font's table of names, by number. */
function namesIn(font) {
  const count = font.readUInt16BE(4), at = Array.from({ length: count }, (_, i) => 12 + 16 * i).find((entry) => font.toString("latin1", entry, entry + 4) === "name");
  const table = font.subarray(font.readUInt32BE(at + 8)), begin = table.readUInt16BE(4);
  return new Map(Array.from({ length: table.readUInt16BE(2) }, (_, i) => {
    const record = 6 + 12 * i, from = begin + table.readUInt16BE(record + 10);
    return [table.readUInt16BE(record + 6), Buffer.from(table.subarray(from, from + table.readUInt16BE(record + 8))).swap16().toString("utf16le")];
  }));
}
