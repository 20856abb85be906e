// A newcomer's way as a screen reader tells it: at each step everything that takes the focus has a name, the figure has its words and
// its table, and what changes is announced.
/* global heard -- of the page */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { keys } from "./devices.mjs";
import { intervene, newcomer, putText, takeLesson } from "./newcomer.mjs";
import { startServer } from "./servers.mjs";
import { settled, until, useBrowser, withPage } from "./support.mjs";

let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

/** Notes what a screen reader is told of by itself: each new text of a live region. */
function listening() {
  window.heard = [];
  const live = "[aria-live=polite], [role=status], [role=alert], output";
  new MutationObserver((changes) => {
    const regions = new Set();
    for (const { target } of changes) regions.add((target instanceof Element ? target : target.parentElement)?.closest(live));
    for (const region of regions) if (region?.checkVisibility() && region.innerText.trim()) heard.push(region.innerText.replace(/\s+/g, " "));
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

/** Waits until this was announced, and forgets it. */
const announced = async (page, pattern) => {
  const all = await until(() => page.evaluate(() => heard), (list) => list.some((text) => pattern.test(text)));
  assert.ok(all.some((text) => pattern.test(text)), String(pattern));
  await page.evaluate(() => heard.splice(0));
};
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+");

const property = (node, name) => node.properties?.find((each) => each.name === name)?.value.value;
const nameOf = (node) => node.name?.value?.trim() ?? "";

/** The accessibility tree, in which everything that takes the focus, every button and every picture has a name. */
async function tree(session, where) {
  const nodes = (await session.send("Accessibility.getFullAXTree")).nodes.filter((node) => !node.ignored);
  const role = (node) => node.role?.value;
  const needsName = (node) => property(node, "focusable") || ["button", "link", "image", "img", "table", "dialog", "menu"].includes(role(node));
  assert.deepEqual(nodes.filter((node) => needsName(node) && !nameOf(node)).map((node) => `${role(node)} #${node.backendDOMNodeId}`), [], `${where}: without a name`);
  const hasFigure = nodes.find((node) => role(node) === "application");
  if (!hasFigure) return nodes; // a menu or a dialog is in front of it
  assert.ok(nameOf(hasFigure) && nameOf(hasFigure) !== "Figure", `${where}: the figure is called ${nameOf(hasFigure)}`);
  assert.match(hasFigure.description?.value ?? "", /\d.*arrow/s, `${where}: it is told in words, with its keys`);
  return nodes;
}

test("from the opening view to the copied link", () =>
  withPage({ ...newcomer, url: server.url, init: `(${listening})()` }, async (page) => {
    const session = await page.context().newCDPSession(page), shown = (id) => page.locator(id).textContent();
    /** The sentence and the number of what is shown are announced. */
    const told = async () => {
      await settled(page);
      await announced(page, new RegExp(`${escaped(await shown("#title"))}.*${escaped(await shown("#fact-number"))}`, "s"));
    };
    await told();
    await tree(session, "the opening view");

    await keys.press(page.locator("#explain"));
    await keys.press(page.locator("#data summary"));
    await page.locator("#tables table").first().waitFor();
    const tables = (await tree(session, "the table")).filter((node) => node.role.value === "table").map(nameOf);
    assert.ok(tables.some((name) => /By position/.test(name)), String(tables));
    await keys.press(page.locator("#explain"));

    await takeLesson(page, keys, async (where) => {
      const nodes = await tree(session, where);
      if (where.endsWith("open")) {
        const focused = nodes.find((node) => property(node, "focused") && node.role.value === "heading");
        assert.equal(nameOf(focused ?? {}), await shown("#lesson h1"), `${where}: the new step's title has the focus`);
      } else {
        await announced(page, where.endsWith("refused") ? /^Not so\. .{10}/ : /^Right\.|^Your sketch is within/);
      }
    });

    const first = await putText(page, keys);
    await told();
    await tree(session, "the text on the helix");
    await intervene(page, keys, first);
    await tree(session, "the intervention");
    await keys.press(page.locator("#export"));
    await page.locator("#menu [role=menuitem]").first().waitFor();
    const items = (await tree(session, "the menu")).filter((node) => node.role.value === "menuitem");
    assert.ok(items.length >= 5 && items.every(nameOf));
    await page.keyboard.press("Escape");
    await keys.press(page.locator("#copy"));
    await announced(page, /^Copied/);
  }));
