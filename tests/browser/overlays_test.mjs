// What lies over the view: dialogs, menus and, on a phone, sheets. All of it closes when another link is entered or another entry of
// the history is gone to, so that the view that was asked for is seen.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { middle, settled, until, useBrowser, withPage } from "./support.mjs";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const first = "#v=1&study=position_helix", second = "#v=1&study=position_norms";
const onPage = (options, run) => withPage({ url: server.url + first, folded: true, ...options }, run);

/** A link that is typed into the address bar, or followed within the page. */
async function enter(page, link) {
  await page.evaluate((to) => { location.hash = to; }, link);
  await settled(page);
}
const back = async (page) => {
  await page.evaluate(() => history.back());
  await settled(page);
};

/** Opens each of them over the page, and says what is open then. */
const overlays = {
  "the list of lessons": ["dialog#lessons-list[open]", (page) => page.locator("#lessons").click()],
  "the dialog of models": ["dialog#models[open]", (page) => page.locator("#model").click()],
  "the palette": ["dialog#palette[open]", (page) => page.keyboard.press("Control+k")],
  "About": ["dialog#about-sheet[open]", (page) => page.locator("#open-about").click()],
  "the menu of exports": ["#menu:not([hidden])", (page) => page.locator("#export").click()],
  "the cards of a group": ["#studies section.chosen", (page) => page.locator("#groups button").first().click()],
};

const closes = async (page, [shown, open], leave, how) => {
  await open(page);
  await page.locator(shown).first().waitFor();
  await leave();
  await until(() => page.locator(shown).count(), (count) => count === 0, 5000).catch(() => assert.fail(`${shown} is still open after ${how}`));
};

test("dialogs and menus close when a link is entered, and by Back", () => onPage({}, async (page) => {
  for (const overlay of Object.values(overlays)) {
    await closes(page, overlay, () => enter(page, second), "another link");
    await closes(page, overlay, () => back(page), "Back");
  }
}));

test("the menu of what can be done in the figure closes too", () => withPage({ url: `${server.url}#v=1&study=attention`, folded: true }, async (page) => {
  await closes(page, ["#acts:not([hidden])", async () => {
    const { x, y } = await middle(page, "head.1.1");
    await page.mouse.click(x, y, { button: "right" });
  }], () => enter(page, second), "another link");
}));

test("on a phone the sheets close too, and the page below them scrolls again", () => withPage({ url: `${server.url}#v=1&study=attention`, folded: true, ...phone }, async (page) => {
  for (const button of ["#open-studies", "#open-prompt"]) {
    await closes(page, [".sheet-open", () => page.locator(button).tap()], () => enter(page, `#v=1&study=attention&prompt=a%20b%20${button.length}`), "another link");
    await closes(page, [".sheet-open", () => page.locator(button).tap()], () => back(page), "Back");
  }
  assert.ok(await page.locator("#shade").isHidden());
}));

test("what is part of the page stays open: the prompt's panel and the explanation", () => withPage({ url: `${server.url}#v=1&study=attention` }, async (page) => {
  await enter(page, "#v=1&study=attention&prompt=a%20b");
  assert.ok(await page.locator("#prompt").isVisible());
  assert.ok(await page.locator("body.explained").count());
}));
