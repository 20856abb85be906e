// Edits without knowing their syntax: the form that makes one; and edits that are typed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { add, choose, edits, field, items, labels, link, model, onPage, preview, problem, prompt, specs, title, useEdits } from "./edits.mjs";
import { cli } from "./places.mjs";
import { tiny } from "./synthetic.mjs";
import { middle, settled, until } from "./support.mjs";

useEdits();

describe("the form", () => {
  test("a kind, its numbers and a sentence become an edit, its chip and its link", () => onPage(async (page) => {
    assert.ok(await page.locator("#add-edit").isHidden());
    await choose(page, "Scale a head");
    assert.equal(await page.locator("#edit-sentence").textContent(), "Multiplies the head's output by a factor: 0 switches the head off, −1 reverses it.");
    assert.deepEqual(await page.locator("#edit-fields label").allTextContents(), ["Layer", "Head", "Factor"]);
    assert.equal(await field(page, "Layer").getAttribute("max"), String(tiny.layers - 1));
    assert.equal(await field(page, "Head").getAttribute("max"), String(tiny.heads - 1));
    await field(page, "Head").fill("2");
    await field(page, "Factor").fill("-1.5");
    assert.equal(await preview(page), "scale_head:1.2:-1.5");
    await add(page);
    assert.deepEqual(await specs(page), ["scale_head:1.2:-1.5"]);
    assert.deepEqual(await labels(page), ["Head 1.2 × −1.5"]);
    assert.match(await until(() => link(page), (l) => l.includes("edit=")), /edit=scale_head:1\.2:-1\.5(&|$)/);
    assert.ok(await page.locator("#add-edit").isVisible(), "another may follow");
    assert.equal(await page.locator("#edit-said").textContent(), "Added: Head 1.2 × −1.5.");
    await page.locator("#undo").click();
    await settled(page);
    assert.deepEqual(await specs(page), []);
  }, "&attention.layer=1"));

  test("every kind can be added as it stands, and the program knows the same ones", () => onPage(async (page) => {
    await page.locator("#open-edit").click();
    const known = JSON.parse(execFileSync(cli, ["edits", "--json"]));
    const kinds = await page.locator("#edit-kind option").evaluateAll((all) => all.map((o) => ({ name: o.value, label: o.textContent, group: o.parentElement.label })));
    assert.deepEqual(kinds, known.map(({ name, label, group }) => ({ name, label, group })));
    for (const { name, label, help } of known) {
      await choose(page, label);
      assert.equal(await page.locator("#edit-sentence").textContent(), help);
      assert.equal((await preview(page)).split(":")[0], name);
      await add(page);
      assert.equal(await problem(page), "", label);
    }
    const all = await edits(page);
    assert.equal(all.length, known.length);
    for (const { spec, problem: wrong, label } of all) assert.ok(!wrong && label !== spec, `${spec}: ${wrong}`);
    const suggested = await page.locator("#edit-forms option").evaluateAll((options) => options.map((o) => [o.value, o.label]));
    assert.equal(suggested.length, known.length);
    for (const [text, label] of suggested) {
      const told = execFileSync(cli, ["logits", "--model", model.folder, "--prompt", prompt, "--edit", text, "--against", "edit=", "--top", "1"]).toString();
      assert.ok(told.length > 0, `${text} (${label}) runs`);
    }
  }, "", { study: "predictions" }));

  test("what may be left out, and a score of −∞", () => onPage(async (page) => {
    await choose(page, "Hide the previous token");
    assert.equal(await preview(page), "mask_previous:0:1");
    await field(page, "Last layer").fill("1");
    await field(page, "Every … tokens").fill("2");
    await page.locator("#edit-fields input[type=checkbox]").check();
    assert.equal(await preview(page), "mask_previous:0-1:2:after");
    await choose(page, "Set one attention score");
    assert.equal(await preview(page), "set_score:0.0:4:3:-inf");
    assert.ok(await field(page, "Score").isDisabled());
    await field(page, "−∞").uncheck();
    assert.equal(await page.evaluate(() => document.activeElement === document.querySelector("#edit-fields .pair input")), true);
    await page.keyboard.type(".5");
    assert.equal(await preview(page), "set_score:0.0:4:3:0.5");
    await choose(page, "Use sinusoidal positions");
    assert.equal(await preview(page), "replace_positions:sinusoidal");
    await field(page, "Base").fill("1000");
    assert.equal(await preview(page), "replace_positions:sinusoidal:1000");
    await choose(page, "Remove the bias of queries or keys");
    assert.equal(await preview(page), "zero_bias:q:0");
    await field(page, "Bias of").selectOption("k");
    assert.equal(await preview(page), "zero_bias:k:0");
    await choose(page, "Average the positions in the residual stream");
    assert.match(await preview(page), /^average_extended:0:\d+$/);
    await add(page);
    assert.equal(await problem(page), "");
    await field(page, "Token id").fill("3");
    assert.match(await preview(page), /^average_extended:0:\d+:3$/);
  }));

  test("fields begin at the head and the tokens on view", () => onPage(async (page) => {
    await choose(page, "Set one attention score");
    const at = await middle(page, "cell.3.1");
    await page.mouse.click(at.x, at.y);
    await until(() => preview(page), (text) => text.includes(":3:1:"));
    assert.equal(await preview(page), "set_score:1.3:3:1:-inf");
    const head = await middle(page, "heads.layer.0.head.2");
    await page.mouse.click(head.x, head.y);
    await settled(page);
    assert.match(await until(() => preview(page), (text) => text.includes("0.2")), /^set_score:0\.2:/);
  }, "&attention.layer=1&attention.head=3"));

  test("a number out of its bounds is refused at its field, and adds nothing", () => onPage(async (page) => {
    await choose(page, "Switch a head off");
    await field(page, "Head").fill("99");
    await field(page, "Head").press("Enter");
    assert.equal(await problem(page), `Head takes a whole number from 0 to ${tiny.heads - 1}.`);
    assert.equal(await field(page, "Head").getAttribute("aria-invalid"), "true");
    await field(page, "Layer").fill("");
    await field(page, "Layer").press("Enter");
    assert.equal(await problem(page), `Layer takes a whole number from 0 to ${tiny.layers - 1}.`);
    assert.deepEqual(await specs(page), []);
    await field(page, "Layer").fill("1");
    await field(page, "Head").fill("1");
    assert.equal(await problem(page), "");
    await field(page, "Head").press("Enter");
    await until(() => specs(page), (all) => all.length === 1);
    assert.deepEqual(await specs(page), ["ablate_head:1.1"]);
  }));
});

describe("typing", () => {
  test("the placeholder is an edit of the open model", () => onPage(async (page) => {
    await page.locator("#open-edit").click();
    await page.locator("#type-edit").click();
    const shown = await page.locator("#new-edit").getAttribute("placeholder");
    assert.match(shown, /^ablate_head:\d\.\d$/);
    await page.keyboard.type(shown);
    await page.keyboard.press("Enter");
    await settled(page);
    assert.deepEqual(await specs(page), [shown]);
    assert.equal((await edits(page))[0].problem, "");
  }));

  test("what is no edit, or none here, is one sentence beside the field, and blocks nothing", () => onPage(async (page) => {
    await page.locator("#open-edit").click();
    await page.locator("#type-edit").click();
    const field_ = page.locator("#new-edit");
    for (const [text, sentence] of [
      ["nonsense", /^There is no edit “nonsense”; there are ablate_head, /],
      ["scale_head:1.1", /does not have the form scale_head:layer\.head:factor\.$/],
      ["ablate_head:4.11", /^The edit “ablate_head:4\.11” names layer 4, but the last one is 1\.$/],
      ["set_score:0.0:40:0:1", /names position 40, but the last token is at 4\.$/],
      ["shift_positions:1000", /puts the last token at position 1004, but this model's last position is/],
    ]) {
      await field_.fill(text);
      await field_.press("Enter");
      assert.match(await problem(page), sentence);
      assert.deepEqual(await specs(page), []);
      assert.equal(await field_.inputValue(), text, "what was typed stays, to be mended");
      assert.equal(await field_.getAttribute("aria-invalid"), "true");
    }
    await field_.fill("no_mask");
    assert.equal(await problem(page), "");
    assert.equal(await page.locator("#edit-sentence").textContent(), "no_mask: Removes the causal mask: every token can attend to every other, later ones included.");
    await field_.press("Enter");
    await settled(page);
    assert.deepEqual(await labels(page), ["No causal mask"]);
    await page.locator("#type-edit").click();
    assert.ok(await page.locator("#edit-kind").isVisible());
  }));

  test("a link with an edit that cannot run opens; its chip says why and can be switched off", () => onPage(async (page) => {
    await page.locator("#overlay .card").waitFor();
    assert.match(await page.locator("#overlay .card").textContent(), /names head 40/);
    assert.equal(await items(page).count(), 3);
    assert.match(await items(page).nth(1).getAttribute("class"), /bad/);
    assert.match(await items(page).nth(1).getAttribute("title"), /names head 40/);
    assert.match(await items(page).nth(2).getAttribute("title"), /There is no edit “nonsense”/);
    await items(page).nth(1).getByRole("checkbox").uncheck();
    await settled(page);
    assert.ok(await page.locator("#overlay .card").isHidden());
    assert.deepEqual(await specs(page), ["ablate_head:0.1", "!ablate_head:0.40", "!nonsense"]);
    assert.match(await title(page), /with 1 edit$/);
  }, "&edit=ablate_head:0.1&edit=ablate_head:0.40&edit=!nonsense"));
});
