// The teacher's page: its address, its paths, answers and handouts that the page's own engine works out, and the answers of a class.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { packed } from "../../web/lessons/answers.js";
import { builtFile } from "./files.mjs";
import { site } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { state, until, useBrowser, withPage } from "./support.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const rope = JSON.parse(readFileSync(builtFile("lessons/rope.json"), "utf8"));
let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const onPage = (hash, options, run) => withPage({ url: server.url + hash, folded: true, ...options }, run);
const there = (page) => page.locator("#teach h2").first().waitFor();

async function serious(page, place) {
  await page.addScriptTag({ content: axe });
  const { violations } = await page.evaluate((where) => window.axe.run(where), place);
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
}

test("it opens by its address and from the list of lessons, and gives the view back as it was", () => onPage("#v=1&model=&study=position_norms", { bypassCSP: true }, async (page) => {
  const link = await page.evaluate(() => location.hash);
  await page.locator("#lessons").click();
  await page.locator("#lessons-list button", { hasText: "For teachers" }).click();
  await there(page);
  assert.equal(await page.evaluate(() => location.hash), "#teach");
  assert.deepEqual(await page.locator("#teach .path h3").allTextContents().then((all) => all.map((t) => t.split(":")[0])), ["10 minutes", "30 minutes", "90 minutes"]);
  assert.equal(await page.locator("#teach details.lesson").count(), readdirSync(join(site, "lessons")).filter((file) => file.endsWith(".json") && !file.startsWith("paths.")).length);
  assert.equal(await page.evaluate(() => document.querySelector("main").inert && document.querySelector("header").inert), true);
  const rows = await page.locator("#teach tbody tr").evaluateAll((all) => all.map((row) => [row.cells[0].textContent, row.cells[2].textContent, row.cells[3].textContent]));
  assert.ok(rows.length > 20);
  assert.ok(rows.some(([, needs, offline]) => needs === "the table of positions" && offline === "yes"));
  assert.deepEqual(await serious(page, "#teach"), []);
  await page.keyboard.press("Escape");
  await page.locator("#teach").waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => location.hash), link);
  assert.equal((await state(page)).study, "position_norms");
}));

test("opened cold it leads to steps, and its button to the figure", () => onPage("#teach", {}, async (page) => {
  await there(page);
  await page.locator("#teach .path a").first().click();
  await page.waitForFunction(() => helixscope.state().lesson === "helix/3");
  await page.locator("#teach").waitFor({ state: "hidden" });
  await page.evaluate(() => { location.hash = "#teach"; });
  await page.locator("#teach").waitFor();
  await page.locator("#teach .top button.primary").click();
  await page.locator("#teach").waitFor({ state: "hidden" });
  assert.match(await page.evaluate(() => location.hash), /^#v=1/);
}));

test("answers, what pupils get wrong and pictures are worked out here; a handout prints alone; the view comes back", () => onPage("#teach", { bypassCSP: true }, async (page) => {
  await there(page);
  const was = await page.evaluate(() => JSON.stringify(helixscope.state()));
  await page.evaluate(() => { window.print = () => { window.printed = true; }; });
  const lesson = page.locator("#teach details[data-lesson=rope]");
  await lesson.locator("summary").click();
  await lesson.locator(".buttons .primary").click();
  await lesson.locator(".step .picture svg").nth(rope.steps.length - 1).waitFor();
  const text = await lesson.locator(".steps").textContent();
  assert.doesNotMatch(text, /…/, "every number is known");
  assert.equal(await lesson.locator("dt", { hasText: "What pupils get wrong" }).count(), rope.steps.length);
  assert.equal(await page.evaluate(() => JSON.stringify(helixscope.state())), was);
  const ids = await page.evaluate(() => [...document.querySelectorAll("#teach [id]")].map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length, "names in pictures are their own");
  assert.deepEqual(await serious(page, "#teach details[data-lesson=rope]"), []);
  await lesson.locator(".buttons button", { hasText: "handout" }).click();
  assert.equal(await page.evaluate(() => window.printed), true);
  await page.emulateMedia({ media: "print" });
  assert.equal(await lesson.locator(".handout .paper").first().isVisible(), true);
  assert.equal(await lesson.locator(".handout .picture > svg").count() + await lesson.locator(".handout .small", { hasText: /^The figure of step \d\.$/ }).count(), rope.steps.length);
  assert.equal(await lesson.locator(".steps").isVisible(), false, "the answers are not on it");
  assert.equal(await page.locator("#teach .paths").isVisible(), false);
  assert.ok(await lesson.locator(".handout .line").count() >= rope.steps.length, "space to write");
  await page.emulateMedia({ media: "screen" });
}));

test("a handout says where the lesson is, has room for each kind of answer, prints a picture once, and cuts nothing", () => onPage("#teach", {}, async (page) => {
  await there(page);
  await page.evaluate(() => { window.print = () => {}; });
  const lesson = page.locator("#teach details[data-lesson=helix]"), { steps } = JSON.parse(readFileSync(builtFile("lessons/helix.json"), "utf8"));
  await lesson.locator("summary").click();
  await lesson.locator(".buttons .primary").click();
  await lesson.locator(".buttons button:not(:disabled)", { hasText: "handout" }).click();
  await page.setViewportSize({ width: 680, height: 1017 }); // A4 within its margins
  await page.emulateMedia({ media: "print" });
  assert.equal(await lesson.locator(".head .small").textContent(), `On a screen: ${server.url}#v=1&lesson=helix/1`);
  assert.ok(await lesson.locator(".head .qr svg").isVisible());
  const papers = await lesson.locator(".paper").evaluateAll((all) => all.map((paper) => ({
    title: paper.querySelector("h3").textContent, picture: paper.querySelectorAll(".picture svg").length, same: /The figure of step \d/.test(paper.textContent),
    boxes: paper.querySelectorAll(".boxes li").length, lines: paper.querySelectorAll(".line").length, unit: paper.querySelector(".line")?.textContent ?? "",
    axes: [...paper.querySelectorAll(".axes text")].map((one) => one.textContent), given: paper.querySelectorAll(".axes circle").length,
    within: [...paper.querySelectorAll("*")].every((one) => one.closest(".picture svg") || one.getBoundingClientRect().right <= document.documentElement.clientWidth + 1), high: paper.getBoundingClientRect().height,
  })));
  for (const [i, { title, question }] of steps.entries()) {
    const paper = papers[i], at = `step ${i + 1}`;
    assert.equal(paper.title, `${i + 1}. ${title}`);
    assert.equal(paper.picture + Number(paper.same), 1, `${at}: a picture, or where it is`);
    assert.ok(paper.within, `${at}: within the sheet`);
    assert.ok(paper.high < 1017, `${at}: on one sheet`);
    if (question.kind === "choose") assert.deepEqual([paper.boxes, paper.lines], [question.options.length, 1], at);
    else if (question.kind === "sketch") assert.ok(paper.given === 1 && paper.axes.includes(`${question.x} →`) && paper.axes.includes(`↑ ${question.y}`), `${at}: ${paper.axes}`);
    else assert.deepEqual([paper.lines, paper.unit], [2, question.unit ?? ""], at);
  }
  assert.ok(papers.filter(({ picture }) => picture).length < papers.length, "the same picture is not printed twice");
  const pdf = (await page.pdf({ format: "A4" })).toString("latin1"), pages = pdf.match(/\/Type\s*\/Page\b(?!s)/g).length;
  assert.ok(pages >= 3 && pages <= 6, `${pages} sheets`);
  await page.emulateMedia({ media: "screen" });
}));

test("a pupil hands in, by touch; the teacher reads the link, and thirty more, in one table", () => onPage("#v=1&lesson=rope/1", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, async (page) => {
  await page.locator("#lesson .options input").first().waitFor();
  await page.waitForFunction((expression) => helixscope.lesson(expression) !== undefined, rope.steps[0].question.options[0].right);
  const right = [];
  for (const option of rope.steps[0].question.options) right.push(await page.evaluate((expression) => helixscope.lesson(expression), option.right));
  const wrong = right.indexOf(false), good = right.indexOf(true);
  for (const at of [wrong, good]) {
    await page.locator("#lesson .options label").nth(at).tap();
    await page.locator("#lesson .ask [type=submit]").tap();
    await until(() => page.locator("#lesson .said").textContent(), (t) => t.startsWith(at === good ? "Right" : "Not so"));
  }
  await page.locator("#lesson .steps button").nth(rope.steps.length - 1).tap();
  await page.locator("#lesson .foot button", { hasText: "Hand in" }).tap();
  await page.locator("#hand-in-name").fill("=Ada");
  const link = await page.locator("#hand-in-link").inputValue();
  assert.match(link, /#answers=[\w-]+$/);
  const download = page.waitForEvent("download");
  await page.locator("#hand-in button", { hasText: "Save a file" }).tap();
  const file = await (await download).path();

  await withPage({ url: link, folded: true }, async (desk) => {
    await desk.locator("#class-answers tbody tr").waitFor();
    assert.equal(await desk.locator("#class-answers tbody th").textContent(), "Pupil 1", "nobody is named unasked");
    const cell = await desk.locator("#class-answers tbody td").first().textContent();
    assert.equal(cell, `${String.fromCharCode(65 + wrong)} → ✓ (2 tries)`);
    const others = Array.from({ length: 29 }, (_, i) => `${server.url}#${packed({ lesson: "rope", who: `n${i}`, link: "", answers: [{ step: 1, version: 0, first: 1 + (i % 3), last: good + 1, tries: 2, how: "right" }, { step: 3, version: i % 2 ? 2 : 0, first: i < 28 ? 10 + i / 10 : 1e9, last: 20, tries: 3, how: "shown" }] })}`);
    await desk.locator("#class-text").fill([...others, others[0], "https://example.org/", `${server.url}#answers=AAAA`, `${server.url}#answers=AAAB`].join("\n"));
    await desk.locator("#class-answers button", { hasText: "Add the links" }).click();
    assert.equal(await desk.locator("#class-answers tbody tr").count(), 30);
    assert.equal(await desk.locator("#class-answers .said").textContent(),
      "29 added. 1 was here already. This is neither a link nor a file with answers. These answers are not whole: a part was lost on the way. (2 times)");
    const folder = mkdtempSync(join(tmpdir(), "helixscope-answers-")), big = join(folder, "big.txt");
    writeFileSync(big, "A".repeat(300_000));
    await desk.locator("#class-files").setInputFiles([file, big]);
    await until(() => desk.locator("#class-answers .said").textContent(), (t) => t.startsWith("0 added"));
    rmSync(folder, { recursive: true });
    assert.match(await desk.locator("#class-answers .said").textContent(), /^0 added\. 1 was here already\. big\.txt is too large for answers\.$/);
    await until(() => desk.locator("#class-answers rect.true").count(), (n) => n >= 2);
    assert.match(await desk.locator("#class-answers figure").first().textContent(), new RegExp(`True: ${String.fromCharCode(65 + good)}`));
    assert.match(await desk.locator("#class-answers figure svg").first().getAttribute("aria-label"), /\(right\)/);
    const charts = await until(() => desk.locator("#class-answers figure").allTextContents(), (all) => all.filter((t) => t.includes("True:")).length >= 3);
    assert.match(charts[1], /^3\. Many hands again \(0\).*True: 6\.28 positions/s, "one histogram for each version that was asked, with its own true value");
    assert.match(charts[2], /^3\. Many hands again \(8\).*True: 62\.83 positions/s);
    await desk.locator("#class-answers [type=checkbox]").check();
    assert.equal(await desk.locator("#class-answers tbody th").first().textContent(), "=Ada");
    const saving = desk.waitForEvent("download");
    await desk.locator("#class-answers button", { hasText: "CSV" }).click();
    const csv = readFileSync(await (await saving).path(), "utf8").trim().split("\r\n");
    assert.equal(csv.length, 1 + 1 + 29 * 2);
    assert.match(csv[1], /^"'=Ada","rope","1",/, "a spreadsheet does not run it");
    const drawn = csv.map((line) => line.split(",")).filter((cells) => cells[0] === '"n1"' && cells[2] === '"3"').map((cells) => [cells[4], Number(JSON.parse(cells.at(-1))).toFixed(2)]);
    assert.deepEqual(drawn, [['"8"', "62.83"]], "what was drawn, and the true value of that");
    await desk.locator("#class-answers button", { hasText: "Remove all" }).click();
    assert.equal(await desk.locator("#class-answers tbody tr").count(), 0);
  });
}));
