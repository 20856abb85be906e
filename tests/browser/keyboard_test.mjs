// Without a mouse: every control can be reached and shows its focus, the focus is never lost, and what the keys find is read out.
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sendJson, sendRanged, startFaultServer, startServer } from "./servers.mjs";
import { planted, plantedFile, plantedFolder } from "./synthetic.mjs";
import { linkOf, notices, result, settled, show, state, until, useBrowser, withPage } from "./support.mjs";

const other = "another-helix"; // the same numbers under a second name
let server, model, second;
useBrowser();
before(async () => {
  [model, second] = [plantedFolder(), plantedFolder()];
  renameSync(join(second.folder, `${planted.name}.safetensors`), join(second.folder, `${other}.safetensors`));
  server = await startServer([model.folder, second.folder]);
});
after(async () => { await server?.stop(); model.remove(); second.remove(); });

const onPage = (options, run) => withPage({ url: server.url, ...options }, run);
const camera = async (page) => (await state(page)).camera;
const drawn = (page) => page.evaluate(() => helixscope.settled());

/** A name for the focused element that tests can use. */
const focused = (page) => page.evaluate(() => {
  const e = document.activeElement;
  return e.id || e.dataset.key || e.getAttribute("aria-label") || e.textContent.trim() || e.tagName.toLowerCase();
});

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
  await drawn(page);
}

/** Numbers all interactive elements in page order; of radio buttons only the chosen one. */
const countUsable = (page) => page.evaluate(() => {
  const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")].filter((e) =>
    e.checkVisibility() && !e.disabled && (e.tabIndex >= 0 || e.matches("a, button, input, select, textarea, summary")) && !(e.type === "radio" && !e.checked));
  all.forEach((e, i) => { e.dataset.stop = i; });
  return all.length;
});

/** The focus: which of those elements has it, how it is marked, and whether it is visible. */
const lookAtFocus = (page) => page.evaluate(() => {
  const e = document.activeElement;
  if (e === document.body) return null;
  const style = getComputedStyle(e), { left, top, right, bottom } = e.getBoundingClientRect();
  const seen = [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5]].some(([x, y]) => {
    const found = document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y);
    return found && (e.contains(found) || found.contains(e) && found.closest("label, .scroll, #figure"));
  });
  return { stop: Number(e.dataset.stop ?? -1), what: e.id || e.dataset.key || e.textContent.slice(0, 30), seen,
    ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && style.outlineColor !== "rgba(0, 0, 0, 0)" };
});

async function walk(page) {
  const count = await countUsable(page), order = [];
  await page.locator(".skip").focus(); // the first of all
  for (let i = 0; i < count + 5; ++i) {
    if (i) await page.keyboard.press("Tab");
    await page.waitForTimeout(20); // until it has scrolled there
    const at = await lookAtFocus(page);
    if (!at || at.stop === order[0]) break;
    assert.ok(at.stop >= 0, `${at.what} is a stop, and a control that can be used`);
    assert.ok(at.ring, `${at.what} shows that it has the focus`);
    assert.ok(at.seen, `${at.what} is not hidden under something`);
    order.push(at.stop);
  }
  return { count, order };
}

for (const [what, viewport] of [["a wide page", { width: 1280, height: 800 }], ["a page at 200 %", { width: 640, height: 400 }]])
  test(`Tab reaches every control of ${what}, in the order of the page, and each shows it`, () =>
    onPage({ viewport, url: server.url + linkOf({ fit_first: 1 }, "atlantis") }, async (page) => { // a notice is there too
      await page.locator("#controls button", { hasText: "More" }).click();
      for (const id of ["#data", "#help"]) await page.locator(`${id} summary`).click();
      await page.locator("#p-last").fill("250");
      await press(page, "Enter"); // something to undo
      await settled(page);
      const { count, order } = await walk(page);
      assert.ok(count >= 25, `${count} controls`);
      assert.deepEqual(order, Array.from({ length: count }, (_, i) => i));
    }));

test("the skip link leads to the figure and leaves the address alone", () =>
  onPage({ url: server.url + linkOf({ first: 30 }, planted.name) }, async (page) => {
    const address = await page.evaluate(() => location.hash);
    await page.keyboard.press("Tab");
    assert.equal(await focused(page), "Skip to the figure");
    await press(page, "Enter");
    assert.equal(await focused(page), "canvas");
    await settled(page);
    assert.equal(await page.evaluate(() => location.hash), address);
    assert.equal((await state(page)).params.first, "30");
  }));

test("what Tab leads to is never hidden under the bar", () =>
  onPage({ viewport: { width: 390, height: 600 } }, async (page) => {
    await page.locator("#p-first").focus();
    await page.evaluate(() => {
      const { bottom } = document.querySelector("#p-last").getBoundingClientRect();
      scrollBy({ top: bottom - innerHeight + 10, behavior: "instant" }); // on screen, but where the bar is
    });
    await page.keyboard.press("Tab");
    assert.equal(await focused(page), "p-last");
    const field = await page.locator("#p-last").boundingBox(), bar = await page.locator("#bar").boundingBox();
    assert.ok(field.y + field.height <= bar.y, `${field.y + field.height} of ${bar.y}`);
  }));

test("the focus stays where one works: a preset, a study, undo to the end, what is dismissed", () =>
  onPage({ url: server.url + linkOf({}, "atlantis") }, async (page) => {
    assert.equal((await notices(page)).length, 1);
    await page.locator("#notices button").focus();
    await press(page, "Enter");
    assert.equal((await notices(page)).length, 0);
    assert.equal(await focused(page), "canvas", "what is dismissed hands over to the figure");

    await page.locator("#presets button").nth(1).focus();
    const preset = await focused(page);
    await press(page, "Enter");
    await settled(page);
    assert.equal((await state(page)).params.first, "0");
    assert.equal(await page.locator("#presets [aria-pressed=true]").textContent(), "All rows", "the list is another one");
    assert.equal(await focused(page), preset);
    await page.keyboard.press("Tab");
    assert.notEqual(await focused(page), preset, "and goes on from there");

    await page.locator("#groups [aria-current]").focus();
    await press(page, "Enter");
    assert.match(await focused(page), /^study:/, "the cards are open");
    await press(page, "Enter");
    await settled(page);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.group), "Positions", "a choice leads back");

    await page.locator("#undo").focus();
    await press(page, "Enter", "Enter");
    await settled(page);
    assert.ok(await page.locator("#undo").isDisabled());
    assert.equal(await focused(page), "redo", "nothing more to undo: the other way");
    await press(page, "Enter", "Enter");
    await settled(page);
    assert.equal(await focused(page), "undo");
  }));

test("a parameter that goes away under the focus hands over to the figure", () =>
  onPage({}, async (page) => {
    await page.locator("#p-source").selectOption("sinusoidal");
    await settled(page);
    await page.locator("#p-base").focus();
    await page.evaluate((link) => helixscope.open(link), linkOf({}, planted.name));
    await settled(page);
    assert.ok(await page.locator("#p-base").isHidden());
    assert.equal(await focused(page), "canvas");
  }));

test("what failed stands below the figure, not over it, and can be sent away", () =>
  onPage({}, async (page) => {
    const before = await page.locator("#stage").boundingBox();
    await page.evaluate((link) => helixscope.open(link), linkOf({ first: 200, last: 100 }, planted.name));
    const card = page.locator("#overlay .card[role=alert]");
    await card.waitFor();
    await drawn(page);
    const stage = await page.locator("#stage").boundingBox(), place = await card.boundingBox();
    assert.ok(place.y >= stage.y + stage.height, "it covers nothing");
    assert.ok(place.height < 60, `slim: ${place.height}`);
    assert.ok(Math.abs(place.y + place.height - before.y - before.height) < 2, "and takes its room from the figure's lower edge");
    await card.getByRole("button", { name: "Dismiss" }).focus();
    await press(page, "Enter");
    assert.ok(await card.isHidden());
    assert.equal(await focused(page), "canvas");
    assert.equal((await page.locator("#stage").boundingBox()).height, before.height);
  }));

test("trying again keeps the focus on the page, and Tab finds the button when it fails again", async () => {
  const bytes = plantedFile(), name = `${planted.name}.safetensors`;
  const answer = { whole: false };
  const faulty = await startFaultServer({ current: (request, response, path) => {
    if (path.endsWith("index.json")) return sendJson(response, [{ name: planted.name, path: "models/planted/", files: [name], bytes: bytes.length, sha256: "" }]);
    return answer.whole ? sendRanged(request, response, bytes, '"whole"') : response.writeHead(500).end("broken");
  } });
  try {
    await withPage({ url: faulty.url, allowed: [/Failed to load resource/] }, async (page) => {
      const again = page.getByRole("button", { name: "Try again" });
      await again.focus();
      await press(page, "Enter");
      await settled(page);
      assert.ok(await again.isVisible(), "it failed again");
      if ((await focused(page)) !== "again") {
        assert.equal(await focused(page), "canvas");
        await page.keyboard.press("Tab");
      }
      assert.equal(await focused(page), "again");
      answer.whole = true;
      await press(page, "Enter");
      await until(() => result(page), (r) => r?.complete);
      await settled(page);
      assert.equal(await focused(page), "canvas", "the button is gone: the figure is what it brought");
    });
  } finally {
    await faulty.stop();
  }
});

test("the rows of a table are one stop of the tab key; arrows, Home and End walk them, and Enter follows one", async () => {
  const bundled = await startServer([], { bundled: true });
  await withPage({ url: `${bundled.url}#v=1&study=verification`, folded: true }, async (page) => {
    const row = () => page.evaluate(() => document.activeElement?.closest("tbody") && document.activeElement.textContent);
    const names = await until(() => page.locator("#figure-tables tbody button.link").allTextContents(), (all) => all.length > 5);
    assert.equal(await page.locator("#figure-tables tbody button.link[tabindex='0']").count(), 1);
    await page.locator("#figure-tables thead button").last().focus();
    const walked = [];
    for (const key of ["Tab", "ArrowDown", "ArrowDown", "ArrowUp", "End", "ArrowDown", "Home"]) {
      await page.keyboard.press(key);
      walked.push(await row());
    }
    assert.deepEqual(walked, [names[0], names[1], names[2], names[1], names.at(-1), names.at(-1), names[0]]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    assert.equal(await row(), null, "Tab leaves the table");
    await page.keyboard.press("Shift+Tab");
    assert.equal(await row(), names[1], "and comes back to the row that it left");
    await page.locator("#figure-tables input[type=search]").fill(names[3]);
    await until(() => page.locator("#figure-tables tbody button.link").count(), (count) => count === 1);
    assert.equal(await page.locator("#figure-tables tbody button.link[tabindex='0']").count(), 1, "a row that is left is the stop");
    await page.locator("#figure-tables tbody button.link").focus();
    await page.keyboard.press("Enter");
    assert.notEqual((await until(() => state(page), ({ study }) => study !== "verification")).study, "verification");
  });
  await bundled.stop();
});

test("the export menu: arrows, Home, End, Escape, Tab", () =>
  onPage({}, async (page) => {
    await page.locator("#export").focus();
    await press(page, "Enter");
    const items = page.locator("#menu [role=menuitem]"), count = await items.count();
    const at = () => items.evaluateAll((all) => all.indexOf(document.activeElement));
    for (const [key, place] of [["End", count - 1], ["ArrowDown", 0], ["ArrowUp", count - 1], ["Home", 0], ["ArrowDown", 1]]) {
      await page.keyboard.press(key);
      assert.equal(await at(), place, key);
      assert.ok((await lookAtFocus(page)).ring, "each entry shows it");
    }
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#menu").isHidden());
    assert.equal(await focused(page), "export");
    await press(page, "Enter");
    await page.keyboard.press("Tab");
    assert.ok(await page.locator("#menu").isHidden());
    assert.equal(await focused(page), "copy", "Tab goes on from the button");
  }));

test("the dialog of models: begins at the open one, holds the focus, gives it back", () =>
  onPage({ url: server.url + linkOf({}, other) }, async (page) => {
    await page.locator("#model").focus();
    await press(page, "Enter");
    const dialog = page.locator("#models");
    assert.ok(await dialog.isVisible());
    assert.match(await focused(page), new RegExp(`^${other}`), "not the first: the open one");
    for (let i = 0; i < 8; ++i) {
      await page.keyboard.press("Tab");
      assert.ok(await page.evaluate(() => document.activeElement === document.body || document.querySelector("#models").contains(document.activeElement)), "nothing behind it");
    }
    await page.keyboard.press("Escape");
    assert.ok(await dialog.isHidden());
    assert.equal(await focused(page), "model");
    await press(page, "Enter", "Enter"); // opens the group, and chooses the open study
    assert.ok(await dialog.isHidden());
    await settled(page);
    assert.equal(await focused(page), "model");
  }));

test("on a narrow page the study list opens, leads back and is left by keys alone", () =>
  onPage({ viewport: { width: 390, height: 844 } }, async (page) => {
    const expanded = () => page.locator("#open-studies").getAttribute("aria-expanded");
    await page.locator("#open-studies").focus();
    await press(page, "Enter");
    assert.match(await focused(page), /^study:/);
    assert.ok((await lookAtFocus(page)).ring);
    const study = await focused(page);
    await page.keyboard.press("Tab");
    assert.match(await focused(page), /^study:/);
    assert.notEqual(await focused(page), study);
    await page.keyboard.press("Escape");
    assert.equal(await focused(page), "open-studies");
    assert.equal(await expanded(), "false");
    await press(page, "Enter", "Tab", "Enter");
    await settled(page);
    assert.equal((await state(page)).study, study.slice(6) === "position_helix" ? "position_emergence" : "position_models", "a choice");
    assert.equal(await focused(page), "open-studies");
    await press(page, "Enter");
    for (let i = 0; i < 40 && (await focused(page)) !== "canvas"; ++i) await page.keyboard.press("Tab");
    assert.equal(await focused(page), "canvas", "it holds nobody");
    assert.equal(await expanded(), "false", "and does not stay in the way");
  }));

test("the canvas: keys turn and zoom it, and walking is read out once a step", () =>
  onPage({ clock: true }, async (page) => {
    await page.evaluate(() => {
      window.said = [];
      new MutationObserver(() => said.push(document.querySelector("#reading").textContent)).observe(document.querySelector("#reading"), { childList: true, characterData: true, subtree: true });
    });
    const said = () => page.evaluate(() => said.splice(0));
    await page.locator("#canvas").focus();
    const start = await camera(page);
    await press(page, "d");
    const turned = await camera(page);
    assert.notEqual(turned[0], start[0], "turned");
    await press(page, "+");
    assert.ok((await camera(page))[2] > turned[2], "nearer");
    await page.clock.runFor(400);
    assert.deepEqual(await said(), [], "turning has nothing to say");

    const { points } = (await result(page)).arrays;
    for (const [key, position] of [["ArrowRight", 1], ["ArrowRight", 2], ["Shift+ArrowRight", 12]]) {
      await press(page, key);
      await page.clock.runFor(400);
      const words = await said();
      assert.equal(words.length, 1, `one sentence for one step: ${JSON.stringify(words)}`);
      assert.match(words[0], new RegExp(`^position ${position}\\b`));
      const row = position - points.first;
      assert.ok(words[0].includes(points.data[row * points.shape[1]].toFixed(4).replace("-", "−")), words[0]);
    }
    for (let i = 0; i < 5; ++i) await page.keyboard.press("ArrowRight");
    await page.clock.runFor(500);
    const hurried = await said();
    assert.ok(hurried.length <= 2, `in a hurry only where it ends: ${hurried}`);
    assert.match(hurried.at(-1), /^position 17\b/);
    await press(page, "Escape");
    assert.equal(await page.locator("#reading").textContent(), "", "nothing is held, nothing is said");
    await said();

    for (const row of [90, 120]) {
      const at = await page.evaluate((n) => { const r = helixscope.rect(`row.${n}`); return [r.x + 3, r.y + 3]; }, row);
      await page.mouse.move(...at);
      await page.mouse.move(at[0] + 1, at[1]);
      await until(() => state(page), (s) => s.focus.position >= 0);
      await page.clock.runFor(300);
    }
    assert.deepEqual((await said()).filter(Boolean), [], "what the pointer passes over is not read out");
  }));

test("the canvas says what it is, and its description tells the numbers and the keys", () =>
  onPage({}, async (page) => {
    const session = await page.context().newCDPSession(page);
    const { root } = await session.send("DOM.getDocument");
    const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#canvas" });
    const { nodes } = await session.send("Accessibility.getPartialAXTree", { nodeId, fetchRelatives: false });
    const node = nodes.find((n) => n.role?.value === "application");
    assert.ok(node, "an application: the keys are its own");
    assert.equal(node.name.value, await page.locator("#title").textContent());
    await page.waitForFunction(() => document.querySelector("#summary").textContent);
    const { nodes: [told] } = await session.send("Accessibility.getPartialAXTree", { nodeId, fetchRelatives: false });
    assert.match(told.description.value, /Positions 1 to 255: three components/);
    assert.match(told.description.value, /Left and right arrows walk/, "also while the help is folded");
    assert.equal(await page.locator("#canvas").getAttribute("aria-roledescription"), "interactive figure");
  }));

test("everything has a name of its own, without the mouse's hints", () =>
  onPage({}, async (page) => {
    await page.locator("#controls button", { hasText: "More" }).click();
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const kinds = new Set(["button", "link", "textbox", "spinbutton", "combobox", "checkbox", "radio", "slider", "menuitem", "application", "navigation", "form", "complementary", "region"]);
    const found = nodes.filter((n) => !n.ignored && kinds.has(n.role?.value));
    const nameless = found.filter((n) => !n.name?.value?.trim()).map((n) => n.role.value);
    assert.ok(found.length >= 25, `${found.length} things`);
    assert.deepEqual(nameless, []);
    const spin = Object.fromEntries(found.filter((n) => n.role.value === "spinbutton").map((n) => [n.name.value, n.description?.value ?? ""]));
    assert.match(spin.Rows, /first position/, "named by what stands beside it, explained by its hint");
    assert.match(spin["Average by"], /mean/);
    assert.ok(found.filter((n) => n.role.value === "slider").every((n) => /\(slider\)$/.test(n.name.value)));
    assert.equal(nodes.filter((n) => n.role?.value === "main").length, 1);
    const headings = nodes.filter((n) => n.role?.value === "heading").map((n) => n.name.value);
    for (const one of ["Explanation", "Claims of the source"]) assert.ok(headings.includes(one), String(headings));
  }));

test("the table: all its rows on request, and the reader stays where they read while numbers change", () =>
  onPage({}, async (page) => {
    await page.locator("#data summary").focus();
    await press(page, "Enter");
    assert.match(await page.locator("#data summary").innerText(), /rows 1 to 255/);
    const coordinates = page.locator("#tables .scroll", { has: page.locator("th", { hasText: "PC1" }) });
    const all = page.locator("#tables .table > button:not([hidden])").first();
    await all.focus();
    await press(page, "Enter");
    assert.equal(await coordinates.locator("tbody tr").count(), 255);
    assert.ok(await coordinates.evaluate((e) => document.activeElement === e), "the button is gone: the table has the focus");
    await coordinates.evaluate((e) => { e.scrollTop = 700; });

    await show(page, { first: 5 });
    assert.equal(await coordinates.locator("tbody td").first().textContent(), "5", "another result");
    assert.match(await page.locator("#data summary").innerText(), /rows 5 to 255/);
    assert.equal(await coordinates.locator("tbody tr").count(), 251, "still all of them");
    assert.equal(await coordinates.evaluate((e) => e.scrollTop), 700, "at the same place");
    assert.ok(await coordinates.evaluate((e) => document.activeElement === e), "with the same focus");
  }));
