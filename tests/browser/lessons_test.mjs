// The lessons: every step of every lesson opens, its numbers are known, what it says is so on the models that come with the page,
// a right answer is accepted and a wrong one is not. One lesson by keys, one on a phone; links, history and what is kept.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { part } from "./files.mjs";
import { answers as written, check, isOpen, lessonAt, refused, said, stepThere } from "./lesson_steps.mjs";
import { site } from "./places.mjs";
import { everyVersion, versionOf } from "../../web/lessons/seeds.js";
import { startServer } from "./servers.mjs";
import { middle, quickView, settled, state, until, useBrowser, withPage } from "./support.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const lessons = readdirSync(join(site, "lessons")).filter((file) => file.endsWith(".json") && !file.startsWith("paths."))
  .map((file) => JSON.parse(readFileSync(join(site, "lessons", file), "utf8"))).sort((a, b) => a.number - b.number);
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const onPage = (options, run) => withPage({ url: server.url, folded: true, ...options }, run);
const text = (page, place) => page.locator(place).textContent();
const unknown = (page) => page.locator("#lesson .live.unknown:visible").allTextContents();
/** Opens a lesson from the list. */
async function openLesson(page, title) {
  await page.locator("#lessons").click();
  await page.locator("#lessons-list li button").filter({ hasText: title }).click();
}

async function clickOn(page, id) {
  const at = await middle(page, id);
  await page.mouse.click(at.x, at.y);
  await settled(page);
}

/** Shows what is shown with this edit, or with another parameter. */
const withMore = (page, more) => page.evaluate((part) => helixscope.open(location.hash.replace(/&edit=[^&]*/g, "") + part), more).then(() => settled(page));

/** The answers that are given in the figure: a wrong act, then the right one. */
const acts = {
  "reading/1": [(page) => clickOn(page, "cell.5.4"), (page) => clickOn(page, "cell.10.9")],
  "previous/1": [(page) => clickOn(page, "cell.5.4"), (page) => clickOn(page, "cell.10.9")],
  "previous/2": [(page) => clickOn(page, "head.0.5"), (page) => clickOn(page, "head.4.2")],
  "previous/7": [(page) => clickOn(page, "cell.14.7"), (page) => clickOn(page, "cell.15.8")],
  "break/6": [(page) => withMore(page, "&edit=ablate_head:0.0"), (page) => withMore(page, "&edit=shift_positions:50")],
  "learning/4": [(page) => withMore(page, "&position_emergence.step=20"), (page) => withMore(page, "&position_emergence.step=33")],
};

/** Ways to answer each kind of question: a wrong answer is refused and keeps the answer hidden, the right one opens it. */
const answers = {
  ...written,
  async point(page, at) {
    const [wrong, right] = acts[at];
    await wrong(page);
    await check(page);
    await refused(page, at);
    await right(page);
    await check(page);
  },
};
answers.do = answers.point;

/** Goes through a lesson that is open at its list: each step opens, its numbers are known, right is right and wrong is wrong. */
async function goThrough(page, lesson) {
  await openLesson(page, lesson.title);
  for (const [i, { title, question }] of lesson.steps.entries()) {
    const at = `${lesson.name}/${i + 1}`;
    await stepThere(page, lesson.name, i + 1);
    const known = () => until(() => unknown(page), (list) => list.length === 0);
    assert.equal(await page.locator("#overlay .card").count(), 0, at);
    assert.equal(await text(page, "#lesson h1"), title);
    assert.deepEqual(await known(), [], `${at}: numbers of the text`);
    assert.equal(await page.locator("#lesson .again").isVisible(), false, `${at}: the step's own view is shown`);
    if (question) {
      await check(page);
      assert.match(await until(() => said(page), Boolean), /first|[Pp]rima|zuerst/, `${at}: nothing is no answer`);
      await answers[question.kind](page, at, question);
      assert.equal(await until(() => isOpen(page), (still) => !still), false, `${at}: ${await said(page)}`);
      await settled(page);
    }
    assert.deepEqual(await known(), [], `${at}: numbers behind the answer`);
    assert.equal(await text(page, "#lesson .differs"), "", `${at}: what the text says is so`);
    if (i + 1 < lesson.steps.length) await page.locator("#lesson .foot button", { hasText: "→" }).click();
  }
  assert.equal((await state(page)).lesson, `${lesson.name}/${lesson.steps.length}`);
  const done = await page.evaluate(() => JSON.parse(localStorage.getItem("helixscope.lessons")));
  assert.equal(done[lesson.name].step, lesson.steps.length, "the place is kept");
}

for (const lesson of lessons)
  test(`lesson ${lesson.name}: each step opens, its numbers are known, right is right and wrong is wrong`, () => onPage({ url: server.url + quickView }, (page) => goThrough(page, lesson)));

for (const language of ["it", "de"]) {
  const folder = join(site, "lessons", language), file = readdirSync(folder).find((name) => name.startsWith("helix."));
  const lesson = JSON.parse(readFileSync(join(folder, file), "utf8"));
  test(`lesson helix in ${language}: the same, with a decimal comma`, () => onPage({ url: `${server.url}${quickView}&lang=${language}` }, async (page) => {
    await goThrough(page, lesson);
    assert.match(await text(page, "#lesson .foot"), lesson.title === "L’elica" ? /Consegna le risposte/ : /Antworten abgeben/);
    await page.locator("#lesson .steps button").nth(2).click();
    await stepThere(page, "helix", 3);
    assert.match(await text(page, "#lesson .after"), /\b3,0\d\b/);
    assert.equal(await page.locator("#lesson .mark").count(), 0);
  }));
}

/** Clicks the cell that a question names as right. */
async function pointAt(page, at, { right }) {
  const [, query, key] = /^focus\.query = (\d+) and focus\.key = (\d+)$/.exec(right);
  await clickOn(page, `cell.${query}.${key}`);
  await check(page);
}

const varied = lessons.flatMap(({ name, steps }) => steps.flatMap((step, i) => (step.versions ? [{ name, number: i + 1, step }] : [])));
const seedFor = (name, number, count, version) => Array.from({ length: 200 }, (_, seed) => seed + 1).find((seed) => versionOf(name, number, seed, count) === version);

test("questions with other numbers: each version's numbers are known, what it says is so, and the right answer is right", { timeout: 300_000 }, () => onPage({ url: server.url + quickView }, async (page) => {
  assert.ok(varied.length >= 8, `${varied.length} steps`);
  for (const { name, number, step } of varied)
    for (const [version, { question }] of everyVersion(step).entries()) {
      if (version === 0) continue; // its lesson's own test
      const seed = seedFor(name, number, everyVersion(step).length, version), at = `${name}/${number}, version ${version}`;
      await page.evaluate((hash) => { location.hash = hash; }, `#v=1&lesson=${name}/${number}&seed=${seed}`);
      await page.waitForFunction((wanted) => helixscope.state().seed === wanted, seed);
      await stepThere(page, name, number);
      await until(() => text(page, "#lesson h1"), (title) => title === step.title);
      assert.equal(await until(() => isOpen(page), Boolean), true, at);
      await (question.kind === "point" ? pointAt : written[question.kind])(page, at, question, { tries: false });
      assert.equal(await until(() => isOpen(page), (open) => !open), false, `${at}: ${await said(page)}`);
      await settled(page);
      assert.deepEqual(await until(() => unknown(page), (list) => list.length === 0), [], at);
      assert.equal(await text(page, "#lesson .differs"), "", at);
    }
}));

test("another version of a question is one press away, has a link, and one step back is the first", () => onPage({ url: `${server.url}#v=1&lesson=rope/3` }, async (page) => {
  await stepThere(page, "rope", 3);
  const { question } = lessons.find(({ name }) => name === "rope").steps[2];
  assert.equal(await page.locator("#lesson .other").isVisible(), false, "not before it is answered");
  await written.number(page, "rope/3", question, { tries: false });
  await page.locator("#lesson .other").click();
  const seed = await until(() => state(page).then((s) => s.seed), Boolean);
  await stepThere(page, "rope", 3);
  assert.equal(await until(() => isOpen(page), Boolean), true, "another question is open");
  assert.match(await text(page, "#lesson .asked"), /^Pair (4|8|12) turns by 0\.\d+ radians/);
  assert.match(await until(() => page.evaluate(() => location.hash), (hash) => hash.includes("seed=")), new RegExp(`&lesson=rope/3&seed=${seed}$`));
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => helixscope.state().seed === 0);
  await until(() => text(page, "#lesson .asked"), (asked) => asked.startsWith("Pair 0 turns by 1.000 radians"));
  assert.equal(await isOpen(page), false, "that one is answered");
}));

test("with seed=own each device draws numbers of its own, keeps them, and its links name them", async () => {
  const drawn = [];
  for (const visitor of [1, 2, 3])
    await withPage({ url: `${server.url}#v=1&lesson=rope/3&seed=own`, folded: true }, async (page) => {
      await stepThere(page, "rope", 3);
      const { seed } = await state(page);
      assert.ok(seed >= 1 && seed <= 9999, `visitor ${visitor}: ${seed}`);
      assert.match(await until(() => page.evaluate(() => location.hash), (hash) => /seed=\d/.test(hash)), new RegExp(`seed=${seed}$`));
      await page.evaluate(() => { location.hash = "#v=1&lesson=rope/4&seed=own"; });
      await stepThere(page, "rope", 4);
      assert.equal((await state(page)).seed, seed, "the same on this device");
      drawn.push(seed);
    });
  assert.ok(new Set(drawn).size > 1, drawn.join(", "));
});

test("a step that is opened by its link, before its model is open, has its numbers and the axes of its sketch", () => onPage({ url: `${server.url}#v=1&lesson=reading/5` }, async (page) => {
  await stepThere(page, "reading", 5);
  await until(() => page.locator("#lesson .sketch .axis text").count(), (n) => n >= 5);
  await page.evaluate(() => helixscope.open("#v=1&model=gpt2-positions&study=position_helix"));
  await settled(page);
  await page.evaluate(() => helixscope.open("#v=1&lesson=break/2"));
  await stepThere(page, "break", 2);
  await until(() => page.evaluate(() => helixscope.lesson("tens.probability[1]")), (p) => p > 0.9);
  assert.doesNotMatch(await text(page, "#lesson"), /differs from what this text describes/);
}));

test("a lesson that is not translated is in English, with a mark", () => onPage({ url: `${server.url}#v=1&lang=de&lesson=break/1` }, async (page) => {
  await stepThere(page, "break", 1);
  assert.equal(await text(page, "#lesson .mark"), "auf Englisch");
  assert.equal(await page.locator("#lesson .body").getAttribute("lang"), "en");
  assert.equal(await text(page, "#lesson h1"), lessons.find(({ name }) => name === "break").steps[0].title);
}));

test("a step is a link, one step of the history, and what is kept brings the visitor back", () => onPage({}, async (page) => {
  await page.locator("[data-lesson=helix]").click();
  await stepThere(page, "helix", 1);
  await page.locator("#lesson .steps button").nth(2).click();
  await stepThere(page, "helix", 3);
  const there = await until(() => page.evaluate(() => location.hash), (hash) => hash.includes("helix/3"));
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Control+z");
  await stepThere(page, "helix", 1);
  await page.keyboard.press("Control+Shift+z");
  await stepThere(page, "helix", 3);
  await withPage({ url: server.url + there, folded: true }, async (fresh) => {
    await stepThere(fresh, "helix", 3);
    assert.equal(await text(fresh, "#lesson h1"), await text(page, "#lesson h1"));
    assert.deepEqual((await state(fresh)).params, (await state(page)).params);
    assert.equal(await fresh.locator("#lesson .again").isVisible(), false);
  });

  await withMore(page, "&position_helix.last=99");
  assert.equal(await until(() => page.locator("#lesson .again").isVisible(), Boolean), true, "the visitor has wandered off");
  assert.match(await text(page, "#lesson .differs"), /differs from what this text describes/);
  await page.locator("#lesson .again").click();
  await settled(page);
  assert.equal((await state(page)).params.last, "1023");
  await page.locator("#lesson .again").waitFor({ state: "hidden" });

  await page.locator("#lesson .leave").click();
  await lessonAt(page, "");
  await page.locator("#lesson").waitFor({ state: "hidden" });
  assert.equal((await state(page)).study, "position_helix", "the figure stays");
  await openLesson(page, "The helix");
  await stepThere(page, "helix", 3);
}));

test("a link that names only a step opens it; one that names no lesson says so", async () => {
  await withPage({ url: `${server.url}#v=1&lesson=previous/2`, folded: true }, async (page) => {
    await stepThere(page, "previous", 2);
    assert.equal((await until(() => state(page), ({ study }) => study === "attention")).study, "attention");
  });
  await withPage({ url: `${server.url}#v=1&lesson=nothing/2`, folded: true }, async (page) => {
    assert.match(await until(() => text(page, "#notices"), Boolean), /no lesson “nothing”/);
    assert.equal(await page.locator("#lesson").isVisible(), false);
  });
});

test("by keys: arrows go from step to step, the focus goes to the new step, and the figure keeps its own arrows", () => onPage({}, async (page) => {
  await page.locator("#lessons").focus();
  await page.keyboard.press("Enter");
  await page.locator("#lessons-list li button").filter({ hasText: "The helix" }).press("Enter");
  await stepThere(page, "helix", 1);
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.className || document.activeElement.tagName);
  assert.equal(await until(focused, (id) => id === "lesson-title"), "lesson-title");
  await page.keyboard.press("ArrowRight");
  await stepThere(page, "helix", 2);
  assert.equal(await until(focused, (id) => id === "lesson-title"), "lesson-title");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.type), "radio");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal((await state(page)).lesson, "helix/2", "arrows choose an answer");
  await page.keyboard.press("Enter");
  assert.match(await until(() => said(page), Boolean), /^(Right|Not so)/);
  await page.locator("#canvas").focus();
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.equal((await state(page)).lesson, "helix/2", "the figure's arrows are its own");
}));

test("on a phone the lesson leaves half of the screen to the figure, and axe finds nothing serious there or on a desk", async () => {
  for (const [where, options] of [["on a desk", {}], ["on a phone", { ...phone, colorScheme: "light" }]])
    await withPage({ url: `${server.url}#v=1&lesson=helix/5`, folded: true, ...options }, async (page) => {
      await stepThere(page, "helix", 5);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => `${v.id}: ${v.nodes[0].target}`), [], where);
      if (options !== undefined && where === "on a desk") return;
      const sheet = await page.locator("#lesson").boundingBox();
      assert.ok(sheet.y >= 844 / 2 - 1 && sheet.width === 390, JSON.stringify(sheet));
      for (const row of [1, 500, 1000]) {
        const at = await middle(page, `row.${row}`);
        assert.ok(at.y > 0 && at.y < sheet.y && at.x > 0 && at.x < 390, `row ${row} is at ${at.x}, ${at.y}`);
      }
      await page.locator("#lesson .foot button", { hasText: "Step 6" }).tap();
      await stepThere(page, "helix", 6);
      await page.locator("#lesson .options label").last().tap();
      await page.locator("#lesson .ask button[type=submit]").tap();
      assert.match(await until(() => said(page), Boolean), /^Right/);
      await settled(page);
      assert.equal((await state(page)).params.first, "100");
    });
});

test("a lesson that did not arrive is asked for again by each link that wants it", async () => {
  let asked = 0, there = false;
  const prepare = (page) => page.route(part("lessons/helix.json"), (route) => { ++asked; return there ? route.continue() : route.abort(); });
  await onPage({ prepare, allowed: [/Failed to load resource/] }, async (page) => {
    const enter = (link) => page.evaluate((hash) => { location.hash = hash; }, link);
    const notice = page.locator("#notices p").first();
    await enter("#v=1&study=position_helix&lesson=helix/1");
    await notice.waitFor();
    const before = asked;
    await page.locator("#notices button").click();
    await enter("#v=1&study=position_helix&lesson=helix/2");
    await notice.waitFor();
    assert.equal(asked, before + 1, "asked once more, and once only");
    there = true;
    await enter("#v=1&study=position_norms&lesson=helix/2");
    await page.locator("#lesson:not([hidden])").waitFor();
    assert.equal(asked, before + 2, "by another view of the same step too");
    assert.equal((await state(page)).lesson, "helix/2");
  });
});

test("a page whose lessons do not load says so once, and asks again at the next link", async () => {
  let asked = 0, there = false;
  const prepare = (page) => page.route(part("lessons/lessons.js"), (route) => { ++asked; return there ? route.continue() : route.abort(); });
  await onPage({ prepare, allowed: [/Failed to load resource/] }, async (page) => {
    const enter = (link) => page.evaluate((hash) => { location.hash = hash; }, link);
    await enter("#v=1&study=position_helix&lesson=helix/1");
    await page.locator("#notices p").first().waitFor();
    await page.waitForTimeout(500);
    assert.equal(asked, 1);
    there = true;
    await enter("#v=1&study=position_helix&lesson=helix/2");
    await page.locator("#lesson:not([hidden])").waitFor();
  });
});

for (const [what, file] of [["text", "lessons/helix.json"], ["script", "lessons/lessons.js"]])
  for (const link of ["#v=1&lesson=helix/2", "#v=1&study=position_helix&lesson=helix/2"])
    test(`a page that is opened at a lesson whose ${what} does not arrive asks for it once (${link})`, async () => {
      let asked = 0;
      const prepare = (page) => page.route(part(file), (route) => { ++asked; return route.abort(); });
      await onPage({ prepare, url: server.url + link, allowed: [/Failed to load resource/] }, async (page) => {
        await page.locator("#notices p").first().waitFor();
        await page.waitForTimeout(500);
        assert.equal(asked, 1);
        assert.equal(await page.locator("#notices p").count(), 1);
      });
    });
