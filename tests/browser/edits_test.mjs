// Edits without knowing their syntax: a form, chips, one switch for the run without them, a head switched off by a click; and
// edits that are typed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { phone } from "./fingers.mjs";
import { cli } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { tiny, tinyFolder } from "./synthetic.mjs";
import { middle, rect, settled, state, until, useBrowser, withPage } from "./support.mjs";

const prompt = "the cat on the cat";
let server, model;
useBrowser();
before(async () => { model = tinyFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const hash = (rest = "", study = "attention") => `#v=1&model=${tiny.name}&study=${study}&prompt=${encodeURIComponent(prompt)}${rest}`;
const onPage = (run, rest = "", options = {}) => withPage({ url: server.url + hash(rest, options.study), ...options }, run);
const edits = async (page) => (await state(page)).subject.edits;
const specs = async (page) => (await edits(page)).map(({ spec, on }) => (on ? "" : "!") + spec);
const link = (page) => page.evaluate(() => location.hash);
const items = (page) => page.locator("#edit-list li");
const labels = (page) => page.locator("#edit-list li .label").allTextContents();
const field = (page, label) => page.locator("#edit-fields").getByLabel(label, { exact: true });
const problem = async (page) => (await page.locator("#edit-problem").isVisible() ? page.locator("#edit-problem").textContent() : "");
const preview = (page) => page.locator("#edit-text").textContent();
const view = (page, name) => page.locator("#edit-view").getByRole("radio", { name, exact: true });
const pattern = (page, of = "attention") => page.evaluate((name) => Array.from(helixscope.result(name).arrays.pattern.data), of);
const title = (page) => page.locator("#title").textContent();

/** Opens the form by mouse and picks a kind. */
async function choose(page, name) {
  if (await page.locator("#add-edit").isHidden()) await page.locator("#open-edit").click();
  await page.locator("#edit-kind").selectOption({ label: name });
  await settled(page); // the figure has moved down
}

async function add(page) {
  await page.locator("#add-edit button[type=submit]").click();
  await settled(page);
}

/** How well each segment's name can be read on its ground, {name: contrast}, by the formula of WCAG 2. */
const contrasts = (page) => page.locator("#edit-view label").evaluateAll((all) => {
  const channels = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor, alpha = channels(colour)[3] ?? 1;
      if (alpha === 1) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  return Object.fromEntries(all.map((label) => {
    const span = label.querySelector("span"), [a, b] = [light(getComputedStyle(span).color), light(ground(span))].sort((x, y) => y - x);
    return [label.textContent, (a + 0.05) / (b + 0.05)];
  }));
});

for (const [where, options] of [["the pointer", {}], ["a tap", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }]])
  for (const colorScheme of ["dark", "light"])
    test(`the chosen segment stays readable under ${where}, ${colorScheme}`, () => onPage(async (page) => {
      const readable = async (when) => {
        for (const [name, contrast] of Object.entries(await contrasts(page))) assert.ok(contrast >= 4.5, `${name} has a contrast of ${contrast.toFixed(2)} ${when}`);
      };
      await choose(page, "Scale a head");
      await add(page);
      for (const name of ["Baseline", "Edited", "Difference", "Both"]) {
        const label = page.locator("#edit-view label", { hasText: name });
        if (options.hasTouch) await label.tap();
        else await label.click(); // and the pointer stays there
        await settled(page);
        assert.ok(await view(page, name).isChecked());
        await readable(`with ${name} chosen`);
        if (options.hasTouch) continue;
        for (const other of await page.locator("#edit-view label").all()) {
          await other.hover();
          await readable(`with ${name} chosen and the pointer on ${await other.textContent()}`);
        }
      }
    }, "", { colorScheme, ...options }));

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

describe("the chips", () => {
  test("are switched and removed by keys, in their order, each with its name", () => onPage(async (page) => {
    const chip = (name) => page.getByRole("checkbox", { name, exact: true });
    assert.deepEqual(await labels(page), ["Head 0.1 × 3", "No positions", "Head 1.2 off"]);
    await chip("No positions").focus();
    await page.keyboard.press("Space");
    await settled(page);
    assert.deepEqual(await specs(page), ["scale_head:0.1:3", "!zero_positions", "ablate_head:1.2"]);
    assert.ok(await chip("No positions").evaluate((e) => e === document.activeElement), "who switches stays there");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Remove: No positions");
    await page.keyboard.press("Enter");
    await settled(page);
    assert.deepEqual(await specs(page), ["scale_head:0.1:3", "ablate_head:1.2"]);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Remove: Head 1.2 off");
    await chip("Head 0.1 × 3").uncheck();
    await settled(page);
    assert.match(await until(() => link(page), (l) => l.includes("!scale")), /edit=!scale_head:0\.1:3&edit=ablate_head:1\.2/);
  }, "&edit=scale_head:0.1:3&edit=zero_positions&edit=ablate_head:1.2"));
});

describe("the switch", () => {
  test("shows the run with the edits, without, and what they change; in the link, undone, as the fold has it", () => onPage(async (page) => {
    assert.ok(await page.locator("#edit-view").isHidden(), "there is nothing to compare");
    await choose(page, "Remove positions");
    await add(page);
    assert.ok(await page.locator("#edit-view").isVisible());
    assert.ok(await view(page, "Edited").isChecked());
    const edited = await title(page);
    assert.match(edited, /, with 1 edit$/);

    await view(page, "Difference").check();
    await settled(page);
    assert.match(await until(() => link(page), (l) => l.includes("compare=")), /&compare=difference&against=edit%3D(&|$)/);
    assert.match(await title(page), / → /);
    const change = (await pattern(page)).map((x, i) => ({ x, i })), without = await pattern(page, "against");
    assert.ok(change.some(({ x, i }) => Math.abs(x - without[i]) > 1e-3), "positions do something");
    assert.equal(await page.locator("#compare").evaluate((e) => e.open), false, "the fold need not open for what the switch says");
    assert.equal(await page.locator("#compare-with").inputValue(), "edit=");
    assert.equal(await page.locator("#compare-mode").inputValue(), "difference");

    await view(page, "Baseline").focus();
    await page.keyboard.press("Space");
    await settled(page);
    assert.match(await until(() => link(page), (l) => l.includes("compare=other")), /&edit=zero_positions.*&compare=other&against=edit%3D(&|$)/);
    assert.doesNotMatch(await title(page), /edit/);
    await page.locator("#canvas").hover(await over(page, "cell.4.1"));
    const words = await until(() => page.locator("#tooltip").textContent(), (t) => t.includes("query 4"));
    assert.ok(words.includes(without[4 * 5 + 1].toFixed(4)), words);
    assert.equal(await page.locator("#compare-mode").inputValue(), "other");

    await view(page, "Both").check();
    await settled(page);
    assert.ok(await rect(page, "figure.against.pattern"));
    await view(page, "Edited").check();
    await settled(page);
    assert.doesNotMatch(await until(() => link(page), (l) => !l.includes("compare")), /compare|against/);
    assert.equal(await title(page), edited);
    await page.locator("#undo").click();
    await settled(page);
    assert.ok(await view(page, "Both").isChecked());
    await page.locator("#undo").click();
    await settled(page);
    assert.ok(await view(page, "Baseline").isChecked());
    await until(() => link(page), (l) => l.includes("compare=other"));

    await page.reload();
    await page.waitForFunction(() => window.helixscope);
    await settled(page);
    assert.ok(await view(page, "Baseline").isChecked());
    await items(page).first().getByRole("button").click();
    await settled(page);
    assert.ok(await page.locator("#edit-view").isHidden());
    assert.doesNotMatch(await until(() => link(page), (l) => !l.includes("compare")), /compare|against/);
  }));

  test("a cell of the difference says what it is the difference of", () => onPage(async (page) => {
    const edited = await pattern(page), without = await pattern(page, "against"), i = 4 * 5 + 2;
    await page.locator("#canvas").hover(await over(page, "cell.4.2"));
    const words = await until(() => page.locator("#tooltip").textContent(), (t) => t.includes("query 4"));
    assert.ok(words.includes(`No positions: attention  ${edited[i].toFixed(4)}`), words);
    assert.ok(words.includes(`As it is: attention  ${without[i].toFixed(4)}`), words);
  }, "&edit=zero_positions&compare=difference&against=edit%3D"));

  test("the arrows walk through it, as through any choice of one", () => onPage(async (page) => {
    await view(page, "Edited").focus();
    await page.keyboard.press("ArrowRight");
    await until(() => state(page), (s) => s.compare === "difference");
    await settled(page);
    assert.ok(await view(page, "Difference").evaluate((e) => e === document.activeElement));
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    assert.equal((await until(() => state(page), (s) => s.compare === "other")).compare, "other");
  }, "&edit=no_mask"));

  test("another comparison is none of its four", () => onPage(async (page) => {
    assert.equal(await page.locator("#edit-view :checked").count(), 0);
    assert.ok(await page.locator("#compare").evaluate((e) => e.open));
    await view(page, "Edited").check();
    await settled(page);
    assert.equal((await state(page)).compare, "none");
  }, "&edit=no_mask&compare=difference&against=edit%3Dzero_positions"));
});

describe("a head", () => {
  test("is switched off by a click where it is shown, says so, and is switched on again", () => onPage(async (page) => {
    const button = page.locator("#switch-head"), subtitle = page.locator("#subtitle");
    assert.equal(await button.textContent(), "Switch head 0.0 off");
    const head = await middle(page, "heads.layer.1.head.2");
    await page.mouse.click(head.x, head.y);
    await settled(page);
    assert.equal(await until(() => button.textContent(), (t) => t.includes("1.2")), "Switch head 1.2 off");
    await button.click();
    await settled(page);
    assert.deepEqual(await specs(page), ["ablate_head:1.2"]);
    assert.deepEqual(await labels(page), ["Head 1.2 off"]);
    assert.match(await subtitle.textContent(), /^Head 1\.2 is switched off by an edit: its pattern is computed, but its output is set to 0\./);
    assert.equal(await button.textContent(), "Switch head 1.2 on again");
    await items(page).first().getByRole("checkbox").uncheck();
    await settled(page);
    assert.equal(await button.textContent(), "Switch head 1.2 off");
    await button.click();
    await settled(page);
    assert.deepEqual(await specs(page), ["ablate_head:1.2"], "the one that was off, not a second one");
    await button.click();
    await settled(page);
    assert.deepEqual(await specs(page), []);
    assert.doesNotMatch(await subtitle.textContent(), /switched off/);
  }));

  test("is the one whose profile the heads' own study shows", () => onPage(async (page) => {
    const button = page.locator("#switch-head");
    const number = /^Switch head (\d\.\d) off$/.exec(await button.textContent())[1];
    await button.click();
    await settled(page);
    assert.deepEqual(await specs(page), [`ablate_head:${number}`]);
    assert.match(await page.locator("#title").textContent(), /with 1 edit$/);
  }, "", { study: "head_taxonomy" }));

  test("there is none where the figure is about no head", () =>
    onPage(async (page) => assert.ok(await page.locator("#switch-head").isHidden()), "", { study: "predictions" }));
});

for (const width of [320, 390]) test(`on a phone ${width} wide all of it fits, and each target is large enough for a finger`, () => onPage(async (page) => {
  const assertFits = async (when) => {
    const found = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth,
      wide: [...document.querySelectorAll("#edits *")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth).map((e) => e.id || e.textContent),
      small: [...document.querySelectorAll("#edits :is(button, select, label)")].filter((e) => e.checkVisibility()).map((e) => [e.textContent, e.getBoundingClientRect()])
        .filter(([, r]) => r.height < 43.5 || r.width < 43.5).map(([text, r]) => `${text}: ${r.width} × ${r.height}`),
    }));
    assert.deepEqual(found, { page: width, wide: [], small: [] }, when);
  };
  await assertFits("with chips");
  await page.locator("#open-edit").tap();
  for (const label of await page.locator("#edit-kind option").allTextContents()) {
    await page.locator("#edit-kind").selectOption({ label });
    await assertFits(label);
  }
  await page.locator("#type-edit").tap();
  await assertFits("typed");
  await page.locator("#edit-view label", { hasText: "Difference" }).tap();
  await settled(page);
  assert.equal((await state(page)).compare, "difference");
  await items(page).first().locator("button").tap();
  await until(() => specs(page), (all) => all.length === 1);
}, "&edit=set_score:1.2:4:3:-inf&edit=mask_previous:0-1:2:after", { ...phone, viewport: { width, height: 740 } }));

/** The position of an item on the canvas, for hover(). */
async function over(page, id) {
  const at = await middle(page, id), canvas = await page.locator("#canvas").boundingBox();
  return { position: { x: at.x - canvas.x, y: at.y - canvas.y } };
}
