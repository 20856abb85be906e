// The numbers on the page equal the native program's, in both flavours of the engine, and the published ones.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertSameResult, numeric } from "./compare.mjs";
import { nativeResult } from "./native.mjs";
import { realModel } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { plantedFolder } from "./synthetic.mjs";
import { result, scalars, show, state, until, useBrowser, withPage } from "./support.mjs";

// The published checkpoint's positions: the published numbers are expected only for these.
const gpt2Positions = "29c69587e2af826b7c159c38620a32e549a925e6d9a0dc37cb563f377f5be772";

const learned = [
  [{ first: 0, last: 1023 }, { explained_first3: 0.9039 }],
  [{ first: 1, last: 1023 }, { explained_first3: 0.9106, components_for_90: 3, turns: 3.02, turns_skipped: 1 }],
  [{ first: 100, last: 1023 }, { explained_first3: 0.9511 }],
  [{ first: 1, last: 99 }, { explained_first3: 0.964 }],
  [{ first: 1, last: 1022 }, {}],
  [{ centre: 0 }, { components_for_90: 4 }],
  [{ group: 10 }, {}],
  [{ last: 99, fit_first: 100, fit_last: 1023 }, {}],
  [{ first: 0, last: 1023, plane: "1,3" }, {}],
];
const sinusoidal = [
  [{ source: "sinusoidal", first: 0 }, { components_for_90: 137 }],
  [{ source: "sinusoidal", first: 0, base: 1000 }, { components_for_90: 153 }],
];
const text = (params) => Object.entries(params).map(([key, value]) => `${key}=${value}`).join(" ");

const natively = new Map(); // both flavours are compared with the same answer
function native(model, params) {
  const key = model + text(params);
  if (!natively.has(key)) natively.set(key, nativeResult(model, params));
  return natively.get(key);
}

function assertPublished(found, expected, label) {
  for (const [name, value] of Object.entries(expected)) {
    const digits = Number.isInteger(value) ? 0 : name === "turns" ? 2 : 4;
    assert.equal(scalars(found)[name].toFixed(digits), value.toFixed(digits), `${label}: ${name}`);
  }
}

async function compareAll(page, model, cases, tolerance, published) {
  for (const [params, expected] of cases) {
    await show(page, params);
    const found = await result(page);
    assertSameResult(found, await native(model, params), { tolerance, label: text(params) });
    if (published) assertPublished(found, expected, text(params));
  }
}

/** The output of C's %.*f, but without minus zero. */
const printed = (value, digits) => (typeof value === "number" ? value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1") : value);

/** All rows of the tables for screen readers, by their titles. */
async function openTables(page) {
  await page.locator("#data summary").click();
  const more = page.locator("#tables .table > button:not([hidden])"); // each goes away once all its rows are shown
  await page.locator("#tables table").first().waitFor();
  while (await more.count()) await more.first().click();
  return page.$$eval("#tables table", (tables) =>
    Object.fromEntries(tables.map((t) => [t.caption.textContent, [...t.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))])));
}

async function assertTables(page, found) {
  const tables = await openTables(page);
  const { points, residual, explained } = found.arrays;
  const width = points.shape[1];
  const coordinates = tables["By position"];
  assert.equal(coordinates?.length, points.shape[0], "a table has one row a position");
  coordinates.forEach((row, i) => {
    const numbers = [...points.data.slice(i * width, (i + 1) * width), residual.data[i]];
    assert.deepEqual(row, [String(points.first + i), ...numbers.map((x) => printed(x, 4))], `row ${i}`);
  });
  const shares = tables["By component"];
  assert.deepEqual(shares.map((row) => row[1]), explained.data.map((x) => printed(x, 4)));
  const s = scalars(found);
  const numbers = Object.fromEntries(tables.Numbers.map(([name, shown]) => [name, shown]));
  assert.equal(numbers["variance in three components"], `${printed(100 * s.explained_first3, 2)} %`);
  assert.equal(numbers["components for 90 % of the variance"], printed(s.components_for_90, 0));
  assert.equal(numbers["turns of the curve"], printed(s.turns, 4));
  assert.equal(numbers["correlation of the third component with the position"], printed(s.along, 4).replace("-", "−"));
}

async function assertCards(page, found) {
  const signs = { true: "✓", false: "✗", null: "·" };
  for (const claim of found.claims) {
    const card = page.locator(`[data-claim="${claim.id}"]`);
    const shown = await until(() => card.textContent(), (words) => words.includes(signs[claim.holds]));
    assert.ok(shown.includes(signs[claim.holds]), `${claim.id} is shown as ${claim.holds}: ${shown}`);
    if (claim.unit === "fraction") assert.ok(shown.includes((claim.here * 100).toFixed(2)), `${claim.id} shows its number: ${shown}`);
  }
  assert.equal(await page.locator("[data-claim]").count(), found.claims.length, "a card for every claim, and no other");
}

useBrowser();

for (const flavour of ["simd", "relaxed"])
  describe(`numbers of GPT-2 small, ${flavour}`, { skip: realModel ? false : "no GPT-2 weights here (set HELIXSCOPE_MODELS to their folder)" }, () => {
    let server;
    before(async () => { server = await startServer([realModel]); });
    after(() => server?.stop());

    test("every row range and setting gives the native program's numbers", () =>
      withPage({ url: `${server.url}?flavour=${flavour}` }, async (page) => {
        assert.equal((await page.evaluate(() => helixscope.engine())).flavour, flavour);
        const first = await result(page);
        const published = first.provenance.tensors["wpe.weight"] === gpt2Positions;
        // Geometry is compiled alike for both.
        await compareAll(page, realModel, flavour === "simd" ? learned : learned.slice(0, 3), 0, published);
        await compareAll(page, realModel, sinusoidal, 1e-9, published);
      }));

    test("every claim that these weights allow has the native program's number and verdict", { skip: flavour === "relaxed" ? false : "geometry is the same in both" }, () =>
      withPage({ url: `${server.url}?flavour=${flavour}#v=1&study=claims` }, async (page) => {
        const found = await page.evaluate(() => {
          const { arrays, words } = helixscope.result("claims");
          const list = (name) => words[name].data ?? words[name];
          return { here: Array.from(arrays.here.data), id: list("id"), verdict: list("verdict"), convention: list("convention") };
        });
        const expected = await nativeResult(realModel, {}, "claims");
        const list = (name) => expected.words[name].data ?? expected.words[name];
        assert.deepEqual(found.id, list("id"));
        assert.deepEqual(found.verdict, list("verdict"));
        found.here.forEach((number, i) => {
          const other = numeric(expected.arrays.here.data[i]);
          assert.ok(Object.is(number, other) || Math.abs(number - other) <= 1e-9 * Math.max(1, Math.abs(other)), `${found.id[i]}: ${number} here and ${other} natively`);
        });
        assert.ok(found.here.filter(Number.isFinite).length > 20, "numbers");
      }));

    test("the tables and the claims say what was computed", () =>
      withPage({ url: `${server.url}?flavour=${flavour}` }, async (page) => {
        const found = await result(page);
        await assertCards(page, found);
        const verdicts = Object.fromEntries(found.claims.map((c) => [c.id, c.holds]));
        if (found.provenance.tensors["wpe.weight"] === gpt2Positions) assert.deepEqual(verdicts, { H1: true, H2: true, H3: true });
        await assertTables(page, found);
        await show(page, { first: 100 });
        await assertCards(page, await result(page));
        await show(page, { source: "sinusoidal", first: 0 });
        await assertCards(page, await result(page));
      }));
  });

describe("numbers of a planted helix", () => {
  let server, model;
  before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
  after(async () => { await server?.stop(); model.remove(); });

  for (const flavour of ["simd", "relaxed"])
    test(`are the native program's, ${flavour}`, () =>
      withPage({ url: `${server.url}?flavour=${flavour}` }, async (page) => {
        assert.equal((await state(page)).model, "planted-helix");
        const cases = [{}, { first: 0, last: 255 }, { first: 10, last: 20 }, { group: 7 }, { centre: 0 }, { last: 99, fit_first: 100, fit_last: 200 }];
        await compareAll(page, model.folder, cases.map((params) => [params, {}]), 0, false);
      }));

  test("its tables and claims say what was computed", () =>
    withPage({ url: server.url }, async (page) => {
      const found = await result(page);
      assert.ok(Math.abs(scalars(found).turns - 2.95) < 0.05, "three turns were planted, less what lies between row 255 and row 0");
      await assertCards(page, found);
      await assertTables(page, found);
    }));
});
