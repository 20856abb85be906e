// The prompt: typed text becomes tokens and numbers, is one step of the history, and is in the link.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startFaultServer, startServer } from "./servers.mjs";
import { tiny, tinyFile, tinyFiles, tinyFolder } from "./synthetic.mjs";
import { reload, settled, state, until, useBrowser, withPage } from "./support.mjs";

let server, model;
useBrowser();
before(async () => { model = tinyFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const linkOf = (study, rest = "") => `#v=1&model=${tiny.name}&study=${study}${rest}`;
const onPage = (study, options, run, rest = "") => withPage({ url: server.url + linkOf(study, rest), ...options }, run);
const chips = (page) => page.locator("#tokens .token");
const texts = (page) => chips(page).evaluateAll((all) => all.map((e) => e.textContent));
const result = (page, study) => page.evaluate((id) => helixscope.result(id, { arrays: false }), study);
const link = (page) => page.evaluate(() => location.hash);

async function type(page, text) {
  await page.locator("#prompt").fill("");
  await page.locator("#prompt").pressSequentially(text, { delay: 5 });
  await settled(page);
}

test("a study of weights shows no prompt, a study of the prompt does", () =>
  onPage("position_helix", {}, async (page) => {
    assert.ok(await page.locator("#subject").isHidden());
    await page.getByRole("button", { name: "Text", exact: true }).click();
    await page.locator("[data-key='study:tokens']").click();
    await settled(page);
    assert.ok(await page.locator("#prompt").isVisible());
    assert.match(await page.locator("#prompt").inputValue(), /Hello my name is Adam/, "its first preset");
    assert.ok(await page.locator("#edits").isHidden(), "nothing runs that could be edited");
    await page.getByRole("button", { name: "Heads", exact: true }).click();
    await page.locator("[data-key='study:attention']").click();
    await settled(page);
    assert.ok(await page.locator("#edits").isVisible());
  }));

test("typing makes tokens and numbers as it goes, one step of the history, and a link", () =>
  onPage("tokens", {}, async (page) => {
    await type(page, "the cat on the cat");
    assert.deepEqual(await until(() => texts(page), (t) => t.length === 5), ["the", "·cat", "·on", "·the", "·cat"]);
    assert.equal((await result(page, "tokens")).scalars.count.value, 5);
    assert.match(await page.locator("#token-count").textContent(), /^5 of 128 tokens$/);
    assert.ok(await page.locator("#undo").isDisabled(), "not yet a step");
    await page.locator("#prompt").press("Control+Enter");
    assert.match(await until(() => link(page), (l) => l.includes("the%20cat%20on%20the%20cat")), /prompt=the%20cat%20on%20the%20cat/);
    await page.locator("#undo").click();
    await settled(page);
    assert.match(await page.locator("#prompt").inputValue(), /The cat sat/);
    await page.locator("#redo").click();
    await settled(page);
    assert.equal(await page.locator("#prompt").inputValue(), "the cat on the cat");
  }));

test("what rests is a step by itself, and so is what one leaves", () =>
  onPage("tokens", {}, async (page) => {
    await type(page, "on");
    assert.ok(await until(() => page.locator("#undo").isEnabled(), Boolean), "after a moment");
    await type(page, "on on");
    await page.locator("#canvas").focus();
    assert.match(await until(() => link(page), (l) => l.includes("on%20on")), /prompt=on%20on/);
  }));

test("letters of other scripts, emoji and line ends are shown, each part of a letter as its bytes", () =>
  onPage("tokens", {}, async (page) => {
    await page.locator("#prompt").fill("שלום 🙂\n<|endoftext|>");
    await settled(page);
    const document_ = await result(page, "tokens");
    const shown = await until(() => texts(page), (t) => t.length === document_.scalars.count.value);
    assert.ok(shown.includes("⏎"), shown.join(" "));
    assert.ok(shown.some((t) => t.includes("\\x")), "a byte that is no letter");
    assert.ok(!document_.tokens.some((t) => t.text === "<|endoftext|>"), "ordinary text");
    assert.equal(await page.locator("#prompt").evaluate((e) => getComputedStyle(e).direction), "rtl");
    assert.equal(Buffer.from(document_.tokens.map((t) => t.bytes).join(""), "hex").toString(), "שלום 🙂\n<|endoftext|>");
  }));

test("BOS stands in front, is said, and changes what runs", () =>
  onPage("tokens", {}, async (page) => {
    const before = await chips(page).count();
    await page.locator("#bos").check();
    await settled(page);
    assert.equal(await until(() => chips(page).count(), (n) => n > before), before + 1);
    assert.equal(await chips(page).first().textContent(), "<|endoftext|>");
    assert.match(await until(() => link(page), (l) => l.includes("bos=1")), /bos=1/);
    await page.locator("#undo").click();
    await settled(page);
    assert.equal(await page.locator("#bos").isChecked(), false);
  }));

test("tokens by id come from the link, and give way to a text", () =>
  onPage("tokens", {}, async (page) => {
    assert.ok(await page.locator("#prompt").isHidden());
    assert.match(await page.locator("#by-id-text").textContent(), /^3 token ids: 5, 6, 7$/);
    assert.equal(await until(() => chips(page).count(), (n) => n === 3), 3);
    await page.locator("#prompt-by-text").click();
    await settled(page);
    assert.ok(await page.locator("#prompt").isVisible());
    assert.doesNotMatch(await until(() => link(page), (l) => !l.includes("tokens=")), /tokens=/);
  }, "&tokens=5,6,7"));

test("a token lights in the strip and on the canvas; keys walk, Enter holds", () =>
  onPage("attention", {}, async (page) => {
    await chips(page).nth(3).hover();
    assert.deepEqual((await until(() => state(page), (s) => s.focus.position === 3)).focus, { position: 3, locked: false });
    await chips(page).nth(3).click();
    assert.match(await until(() => link(page), (l) => l.includes("focus")), /focus=position:3(&|$)/);
    assert.match(await chips(page).nth(3).getAttribute("class"), /here.*locked|locked.*here/);
    await chips(page).nth(3).click();
    await until(() => state(page), (s) => !s.focus.locked);
    await chips(page).nth(0).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    assert.deepEqual((await until(() => state(page), (s) => s.focus.locked)).focus, { position: 2, locked: true });
    assert.equal(await page.evaluate(() => document.activeElement.dataset.at), "2", "the focus stays on the token");
    await page.keyboard.press("Escape");
    assert.equal((await until(() => state(page), (s) => !s.focus.locked)).focus.locked, false);
    assert.equal(await page.locator("#tokens [tabindex='0']").count(), 1, "one stop for Tab");
  }));

test("predictions are made after the token that is chosen", () =>
  onPage("predictions", {}, async (page) => {
    await chips(page).nth(2).click();
    await settled(page);
    assert.equal((await result(page, "predictions")).scalars.position.value, 2);
    assert.match(await chips(page).nth(2).getAttribute("class"), /chosen/);
    const rows = page.locator("#tables table", { has: page.locator("th", { hasText: "rank" }) }).locator("tbody tr");
    await page.locator("#data summary").click();
    assert.equal(await until(() => rows.count(), (n) => n === 10), 10);
    assert.match(await rows.first().textContent(), /^1/);
  }));

test("edits of a link are listed, and what is switched or removed changes the numbers", () =>
  onPage("predictions", {}, async (page) => {
    const items = page.locator("#edit-list li");
    assert.deepEqual(await items.evaluateAll((all) => all.map((e) => e.dataset.spec)), ["ablate_head:1.2", "zero_positions"]);
    assert.equal(await items.nth(1).locator("input").isChecked(), false);
    const plain = async () => (await result(page, "predictions")).scalars.entropy_nats.value;
    const cut = await plain();
    await items.nth(0).locator("input").uncheck();
    await settled(page);
    assert.notEqual(await plain(), cut);
    assert.match(await until(() => link(page), (l) => l.includes("!ablate")), /edit=!ablate_head:1\.2&edit=!zero_positions/);
    await items.nth(1).getByRole("button").click();
    await settled(page);
    assert.deepEqual((await state(page)).subject.edits.map(({ spec, on }) => [spec, on]), [["ablate_head:1.2", false]]);
  }, "&edit=ablate_head:1.2&edit=!zero_positions"));

test("beside a thousand tokens a key changes its own tokens' chips and no other", () =>
  onPage("tokens", {}, async (page) => {
    const field = page.locator("#prompt"), tokens = 960; // all of them shown
    await field.fill("a ".repeat(tokens / 2));
    await settled(page);
    assert.equal(await chips(page).count(), tokens);
    await page.evaluate(() => {
      globalThis.changed = 0;
      new MutationObserver((all) => { for (const { addedNodes, removedNodes } of all) globalThis.changed += addedNodes.length + removedNodes.length; })
        .observe(document.getElementById("tokens"), { childList: true });
    });
    const keys = 10;
    await field.press("End");
    for (let i = 0; i < keys; ++i) {
      await field.press("b");
      await settled(page);
    }
    assert.ok(await chips(page).count() > tokens);
    const changed = await page.evaluate(() => globalThis.changed);
    assert.ok(changed >= keys && changed <= 4 * keys, `${changed} chips for ${keys} keys`);
  }));

test("a text of a hundred thousand tokens is shown in parts, with how many are left out", () =>
  withPage({ url: server.url + linkOf("tokens", "&tokens.position=0") }, async (page) => {
    await page.locator("#prompt").fill("a ".repeat(50_000)); // two tokens each
    const count = await until(() => page.locator("#token-count").textContent(), (text) => /100000/.test(text));
    assert.match(count, /100000/);
    await settled(page);
    assert.equal(await chips(page).count(), 1001);
    assert.equal(await chips(page).last().textContent(), "99,000 tokens more");
    await chips(page).last().click();
    assert.deepEqual([await chips(page).first().textContent(), await chips(page).last().textContent()], ["1,000 tokens before", "98,000 tokens more"]);
    await page.locator("#tokens [data-at='1000']").focus();
    await page.keyboard.press("End");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.at), "99999");
    await page.keyboard.press("Home");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.at), "0");
    await page.locator("#prompt").fill("a b");
    await until(() => chips(page).count(), (n) => n < 10);
    assert.ok(await chips(page).count() < 10);
  }));

test("a text longer than the model reads is said; its last tokens are kept at a click, undone, and in the link", () =>
  onPage("predictions", {}, async (page) => {
    const asked = page.locator("#overlay .card"), shown = await page.locator("#tokens .token").count();
    await page.locator("#prompt").fill("cat ".repeat(199) + "the");
    await asked.waitFor();
    assert.match(await asked.innerText(), /^The prompt has 200 tokens and this model reads at most 128\./);
    assert.equal(await page.locator("#tokens .token").count(), shown, "what was shown stays");
    await page.getByRole("button", { name: "Keep the last 128 tokens" }).click();
    await settled(page);
    assert.ok(await asked.isHidden());
    assert.equal(await page.locator("#token-count").textContent(), "128 of 128 tokens");
    const kept = await result(page, "predictions");
    assert.deepEqual(kept.notes, ["The prompt has 200 tokens and this model reads at most 128: its first 72 are left out."]);
    assert.match(await page.locator("#notes").innerText(), /its first 72 are left out/);
    assert.equal((await page.locator("#prompt").inputValue()).length, 799, "the text is left as it was typed");
    await page.locator("#undo").click();
    await asked.waitFor();
    await page.locator("#redo").click();
    await settled(page);
    assert.match(await until(() => link(page), (l) => l.includes("keep=last")), /&keep=last/);
    await reload(page);
    assert.deepEqual((await result(page, "predictions")).notes, kept.notes);
  }));

test("a phone does not zoom into the field, and the page does not grow wider than it", () =>
  onPage("attention", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, async (page) => {
    assert.ok(parseFloat(await page.locator("#prompt").evaluate((e) => getComputedStyle(e).fontSize)) >= 16);
    assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth));
  }));

test("the prompt is one line until it is opened, and stays as it was left; a study of one token shows its tokens", () =>
  onPage("attention", { folded: true }, async (page) => {
    const line = page.locator("#open-prompt"), field = page.locator("#prompt");
    assert.ok(await field.isHidden());
    assert.match(await line.innerText(), /^Prompt\s+The cat sat[^]*\s\d+ of 128 tokens/);
    await line.click();
    assert.equal(await line.getAttribute("aria-expanded"), "true");
    assert.equal(await page.evaluate(() => document.activeElement.id), "prompt");
    assert.ok(await chips(page).first().isVisible());
    await reload(page);
    assert.ok(await field.isVisible(), "as it was left");
    await line.click();
    assert.ok(await field.isHidden());
    await page.evaluate(() => localStorage.clear());
    await page.evaluate((link) => helixscope.open(link), linkOf("predictions"));
    await settled(page);
    assert.ok(await chips(page).first().isVisible(), "a token is chosen here");
  }));

test("on a phone the prompt opens as a sheet above the bar, beside which the figure follows; a tap outside and Escape close it", () =>
  onPage("predictions", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, async (page) => {
    const line = page.locator("#open-prompt"), panel = page.locator("#prompt-panel");
    assert.ok(await panel.isHidden(), "until it is asked for");
    await line.tap();
    const sheet = await panel.boundingBox(), bar = await page.locator("#bar").boundingBox();
    assert.ok(sheet.x === 0 && sheet.width === 390 && sheet.y > 100 && Math.abs(sheet.y + sheet.height - bar.y) < 1.5, JSON.stringify([sheet, bar]));
    const field = await page.locator("#prompt").boundingBox();
    assert.ok(field.y >= sheet.y && field.height >= 40, "the text is seen");
    await chips(page).nth(2).tap();
    await settled(page);
    assert.equal((await result(page, "predictions")).scalars.position.value, 2);
    assert.ok(await panel.isVisible(), "one may choose another");
    await page.touchscreen.tap(195, 60);
    assert.ok(await panel.isHidden());
    await line.tap();
    await page.keyboard.press("Escape");
    assert.ok(await panel.isHidden());
    assert.equal(await page.evaluate(() => document.activeElement.id), "open-prompt");
  }));

test("where the prompt is empty, the page asks for a text", () =>
  onPage("predictions", { folded: true }, async (page) => {
    await page.locator("#overlay .card").getByRole("button", { name: "Type a text" }).click();
    assert.equal(await page.evaluate(() => document.activeElement.id), "prompt");
    await page.keyboard.type("the cat");
    await settled(page);
    assert.ok(await page.locator("#overlay .card").isHidden());
  }, "&prompt="));

async function withoutVocabulary(hash, run) {
  const bare = tinyFolder(["vocab.json"]);
  const other = await startServer([bare.folder]);
  try {
    await withPage({ url: other.url + hash }, run);
  } finally {
    await other.stop();
    bare.remove();
  }
}

test("files beside the weights: one sentence says which is missing", () =>
  withoutVocabulary(linkOf("tokens"), async (page) => {
    await page.locator("#overlay .card").waitFor();
    assert.match(await page.locator("#overlay .card").textContent(), new RegExp(`${tiny.name} has no vocab\\.json beside its weights`));
  }));

test("without a vocabulary tokens are shown by their ids", () =>
  withoutVocabulary(linkOf("attention", "&tokens=5,17,3"), async (page) => {
    assert.deepEqual(await until(() => texts(page), (t) => t.length === 3), ["5", "17", "3"]);
    assert.match(await chips(page).nth(1).getAttribute("title"), /id 17, no vocabulary/);
  }));

test("a file that the server does not give is named with its answer", async () => {
  const files = tinyFiles();
  const answer = { current: (request, response, path) => {
    if (path === "/models/index.json")
      return response.end(JSON.stringify([{ name: tiny.name, path: "models/t/", files: Object.keys(files), bytes: files["model.safetensors"].length }])), true;
    if (path.endsWith("merges.txt")) return response.writeHead(500).end(), true;
    const content = files[path.split("/").pop()];
    return content ? (response.end(content), true) : false;
  } };
  const faulty = await startFaultServer(answer);
  try {
    await withPage({ url: faulty.url + linkOf("tokens"), allowed: [/500/] }, async (page) => {
      await page.locator("#overlay .card").waitFor();
      assert.match(await page.locator("#overlay .card").textContent(), /merges\.txt of tiny-gpt2 could not be read: the server answered 500/);
    });
  } finally {
    await faulty.stop();
  }
});

test("weights of the same name as others have files of their own, or none", async () => {
  const none = await startServer([]), folder = mkdtempSync(join(tmpdir(), "helixscope-picked-"));
  const files = { ...tinyFiles(), "b/model.safetensors": tinyFile(tiny, 12) };
  mkdirSync(join(folder, "b"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  utimesSync(join(folder, "b/model.safetensors"), 1, 1); // both are of one size
  const pick = async (page, ...names) => {
    await page.locator("#model").click();
    await page.locator("#models input[type=file]").setInputFiles(names.map((name) => join(folder, name)));
    await settled(page);
  };
  const failure = (page) => page.locator("#overlay .card").textContent();
  try {
    await withPage({ url: `${none.url}#v=1&model=&study=tokens` }, async (page) => {
      await pick(page, "model.safetensors", "vocab.json", "merges.txt", "config.json");
      const whole = await until(() => chips(page).count(), (n) => n > 5);
      await pick(page, "model.safetensors"); // the same weights, so the files that came with them still belong to them
      assert.equal(await until(() => chips(page).count(), (n) => n === whole), whole);
      assert.ok(await page.locator("#overlay .card").isHidden(), "nothing has failed");
      await pick(page, "b/model.safetensors");
      assert.match(await until(() => failure(page), (text) => /no (vocab\.json|merges\.txt)/.test(text)), /no (vocab\.json|merges\.txt) beside its weights/);
    });
  } finally {
    await none.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("picked files open together, and what was left out is added later", async () => {
  const none = await startServer([]), folder = mkdtempSync(join(tmpdir(), "helixscope-picked-"));
  const files = tinyFiles();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const pick = async (page, ...names) => {
    await page.locator("#model").click();
    await page.locator("#models input[type=file]").setInputFiles(names.map((name) => join(folder, name)));
    await settled(page);
  };
  try {
    await withPage({ url: `${none.url}#v=1&model=&study=tokens` }, async (page) => {
      await pick(page, "vocab.json");
      assert.match(await page.locator("#models-refused").textContent(), /^vocab\.json is no model, but belongs to one/);
      await page.keyboard.press("Escape");
      await pick(page, "model.safetensors");
      assert.match(await page.locator("#overlay .card").textContent(), /no (vocab\.json|merges\.txt) beside its weights/);
      await pick(page, "vocab.json", "merges.txt", "config.json");
      assert.ok((await until(() => chips(page).count(), (n) => n > 0)) > 5);
    });
  } finally {
    await none.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Puts a text on the clipboard, as a visitor does who copies it elsewhere, and pastes it into a field. */
async function paste(page, place, text) {
  await page.evaluate((content) => {
    const elsewhere = document.body.appendChild(Object.assign(document.createElement("textarea"), { value: content }));
    elsewhere.select();
    document.execCommand("copy");
    elsewhere.remove();
  }, text);
  await page.locator(place).focus();
  for (const keys of ["Control+a", "Control+v"]) await page.keyboard.press(keys);
}

test("a text that is too long to paste is cut off, and the page says so and goes on", () =>
  onPage("tokens", { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await paste(page, "#prompt", "cat on the mat. ".repeat(65_536)); // 1 MB
    await settled(page);
    assert.equal((await page.locator("#prompt").inputValue()).length, 100_000);
    assert.deepEqual(await page.locator("#notices p span").allTextContents(), ["A prompt has at most 100,000 characters: the rest of the text was left out."]);
    await page.keyboard.press("Control+z");
    assert.match(await page.locator("#prompt").inputValue(), /^The cat sat/, "the field undoes it");
  }));
