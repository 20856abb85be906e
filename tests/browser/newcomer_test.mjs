// A newcomer's whole way, by mouse and by keys: a lesson with a wrong answer and right ones, a text of their own on the helix, one
// intervention, the link, the same in a browser that has never been here, the picture, and the script in Python, run.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { answers, check, refused, stepThere } from "./lesson_steps.mjs";
import { hasNumpy, python, root, site } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { middle, settled, state, until, useBrowser, withPage } from "./support.mjs";

const file = readdirSync(join(site, "lessons")).find((name) => name.startsWith("helix."));
const lesson = JSON.parse(readFileSync(join(site, "lessons", file), "utf8"));
const models = { minihelix: join(root, "assets/models/minihelix"), "gpt2-positions": join(root, "assets/models/gpt2-positions") };
let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const specs = async (page) => (await state(page)).subject.edits.map((edit) => edit.spec);
const press = { mouse: (at) => at.click(), keys: (at) => at.press("Enter") };

/** The text goes to a later place on the helix: its label is dragged, or the slider moved. */
const moveText = {
  async mouse(page) {
    const [from, over, to] = await Promise.all(["row.4", "row.60", "row.120"].map((row) => middle(page, row)));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (const at of [over, to]) await page.mouse.move(at.x, at.y, { steps: 8 });
    await page.mouse.up();
  },
  async keys(page) {
    await page.locator("#say-shift").focus();
    for (let k = 0; k < 3; ++k) await page.keyboard.press("PageUp");
  },
};

/** A position is pinned and taken to another row of the helix, or averaged with its neighbour. */
const intervene = {
  async mouse(page, first) {
    const at = await middle(page, `helix.position.${first + 4}`);
    await page.mouse.click(at.x, at.y);
    const { focus } = await until(() => state(page), (now) => now.focus.locked); // this one or its neighbour: they are a pixel apart
    const from = await middle(page, `helix.position.${focus.position}`), to = await middle(page, `helix.position.${first + 44}`);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 10 });
    await page.mouse.up();
    return /replace_position:\d+:\d+/;
  },
  async keys(page, first) {
    await page.locator("#canvas").focus();
    for (let at = -1, presses = 0; at < first + 2; at = (await state(page)).focus.position) {
      assert.ok(++presses < 200, `the focus stays at ${at}`);
      await page.keyboard.press(first + 2 - at >= 100 && at >= 0 ? "PageDown" : "ArrowRight");
    }
    await page.keyboard.press("Enter");
    await page.keyboard.press("Alt+Shift+ArrowRight");
    return /average_positions:\d+:\d+/;
  },
};

/** What the export menu gives under this name, as a file of this browser. */
async function exported(page, name) {
  await page.locator("#export").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#menu [role=menuitem]", { hasText: name }).click()]);
  return download.path();
}

/** The picture without its metadata, which name the camera's link. */
const picture = async (page) => readFileSync(await exported(page, "SVG"), "utf8").replace(/<metadata.*?<\/metadata>/s, "");

/** The lesson to its end: the wrong options of its second step are tried, everything else is right at once. */
async function takeLesson(page, hand) {
  await press[hand](page.locator("#leads [data-lesson=helix]"));
  for (const [i, { question }] of lesson.steps.entries()) {
    const at = `helix/${i + 1}`;
    await stepThere(page, "helix", i + 1);
    if (i === 0) {
      await page.locator("#lesson .typed input").fill("5");
      await check(page);
      await refused(page, at);
    }
    await answers[question.kind](page, at, question, i === 1);
    await page.locator("#lesson .after").waitFor();
    await settled(page);
    if (i + 1 < lesson.steps.length) await press[hand](page.locator("#lesson .foot button", { hasText: `Step ${i + 2}` }));
  }
  await press[hand](page.locator("#lesson .leave"));
  await page.locator("#lesson").waitFor({ state: "hidden" });
}

for (const hand of Object.keys(press))
  test(`from the opening view to a script that agrees, by ${hand}`, () =>
    withPage({ url: server.url, folded: true, permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
      await takeLesson(page, hand);
      await press[hand](page.locator("#presets [data-key='preset:default']"));
      await settled(page);

      await page.locator("#say-text").fill("In the morning they went to the old house");
      await settled(page);
      await moveText[hand](page);
      await settled(page);
      const [, shift] = /shift_positions:(\d+)/.exec((await until(() => specs(page), (list) => list.length)).join()) ?? [];
      assert.ok(Number(shift) > 0, "the text is elsewhere");
      const kind = await intervene[hand](page, Number(shift));
      assert.match((await until(() => specs(page), (list) => list.length === 2)).join(), kind);
      await settled(page);

      await press[hand](page.locator("#copy"));
      const link = await until(() => page.evaluate(() => navigator.clipboard.readText()), (text) => text.includes("shift_positions"));
      const [title, shown, drawn] = [await page.locator("#title").textContent(), await state(page), await picture(page)];
      await withPage({ url: link, folded: true }, async (fresh) => {
        assert.equal(await until(() => fresh.locator("#title").textContent(), (text) => text === title), title);
        const there = await state(fresh);
        for (const part of ["study", "model", "params", "subject", "camera"]) assert.deepEqual(there[part], shown[part], part);
        assert.equal(await until(() => picture(fresh), (now) => now === drawn), drawn, "the same picture");
      });

      const script = await exported(page, "Python");
      if (!hasNumpy()) return console.log("numpy is not here: the script is not run");
      const ran = spawnSync(python, [script, models[shown.model]], { encoding: "utf8" });
      assert.equal(ran.status, 0, ran.stderr);
      assert.match(ran.stdout, /All numbers agree\./);
    }));
