// Generation, its stop button, 8 bits and the engine checks on the page, with a complete tiny model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { tiny, tinyFolder } from "./synthetic.mjs";
import { notices, reload, scalars, settled, state, until, useBrowser, withPage } from "./support.mjs";

let server, model;
useBrowser();
before(async () => { model = tinyFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

const linkOf = (study, rest = "") => `#v=1&model=${tiny.name}&study=${study}${rest}`;
const onPage = (study, options, run, rest = "") => withPage({ url: server.url + linkOf(study, rest), ...options }, run);
const result = (page, study) => page.evaluate((id) => helixscope.result(id, { arrays: true }), study);
const link = (page) => page.evaluate(() => location.hash);

test("a text is continued token by token, shown in the strip, and is in the link", () =>
  onPage("continuation", {}, async (page) => {
    const first = await result(page, "continuation");
    assert.equal(first.scalars.written.value, 20);
    assert.equal(first.tokens.length, first.scalars.prompt_tokens.value + 20);
    assert.equal(await page.locator("#tokens .token").count(), first.tokens.length);
    assert.match(await page.locator("#title").textContent(), / continues: /);
    assert.equal(await page.locator("#tokens .token.made").count(), 20, "told apart from the prompt");
    assert.match(await page.locator("#tokens .token").last().getAttribute("title"), /^generated, /);
    await page.locator("#p-choice").selectOption("sampled");
    await settled(page);
    const drawn = await result(page, "continuation");
    assert.match(await until(() => link(page), (l) => l.includes("choice")), /continuation\.choice=sampled/);
    await reload(page);
    assert.deepEqual((await result(page, "continuation")).arrays.token.data, drawn.arrays.token.data, "the seed is in the link");
  }));

test("sliders whose least value is 0 move, and give whole numbers", () =>
  onPage("continuation", {}, async (page) => {
    for (const label of ["Top k", "Seed"]) {
      const slider = page.getByRole("slider", { name: `${label} (slider)` });
      assert.equal(await slider.inputValue(), "0", label);
      await slider.fill("0.5");
      await settled(page);
      assert.deepEqual(await notices(page), [], label);
    }
    const { params } = await result(page, "continuation");
    assert.ok(params.top_k > 10 && params.top_k < 100 && params.seed > 100 && params.seed < 10_000, JSON.stringify(params));
    assert.equal(await page.locator("#p-top_k").inputValue(), String(params.top_k));
  }, "&continuation.choice=sampled"));

test("writing can be stopped, and what was written stays", () =>
  onPage("tokens", {}, async (page) => {
    // A tiny model writes faster than a test can click, so a script in the page clicks as soon as there is something to stop. If
    // a run finishes between two checks, another text is generated.
    await page.evaluate((to) => new Promise((done) => {
      let seed = 0;
      const write = () => helixscope.open(`${to}&continuation.choice=sampled&continuation.seed=${++seed}`);
      write();
      const timer = setInterval(() => {
        const result = helixscope.result("continuation", { arrays: false });
        if (result?.params.seed !== seed) return;
        if (result.complete) return write();
        clearInterval(timer);
        document.getElementById("stop").click();
        done();
      }, 1);
    }), linkOf("continuation", "&continuation.count=100"));
    await settled(page);
    assert.equal(await page.evaluate(() => helixscope.busy()), false);
    const chips = await page.locator("#tokens .token").count();
    const { tokens } = await result(page, "continuation");
    assert.ok(chips > 0 && tokens.length >= chips - 1);
    assert.ok(await page.locator("#work").isHidden());
    assert.match(await page.locator("#notes").textContent(), /Stopped before its end/);
    await page.locator("#prompt").fill("the cat");
    await settled(page);
    assert.equal((await result(page, "continuation")).complete, true, "the next run goes on as ever");
  }));

test("8 bits are chosen beside the prompt, move the numbers a little, and are in the link", () =>
  onPage("predictions", {}, async (page) => {
    const floats = await result(page, "predictions");
    await page.locator("#precision").selectOption("q8");
    await settled(page);
    const eight = await result(page, "predictions");
    assert.match(eight.provenance.precision, /8-bit integers/);
    assert.notDeepEqual(eight.arrays.logit.data, floats.arrays.logit.data);
    assert.ok(Math.abs(eight.arrays.logit.data[0] - floats.arrays.logit.data[0]) < 0.2);
    assert.match(await until(() => link(page), (l) => l.includes("precision")), /precision=q8/);
    assert.equal((await state(page)).subject.precision, "q8");
    await page.locator("#undo").click();
    await settled(page);
    assert.deepEqual((await result(page, "predictions")).arrays.logit.data, floats.arrays.logit.data);
    assert.equal(await page.locator("#precision").inputValue(), "f32");
  }));

test("the engine checks itself in the page; no prompt is asked for", () =>
  onPage("verification", {}, async (page) => {
    const found = scalars(await result(page, "verification"));
    assert.equal(found.cache_difference, 0);
    assert.ok(found.worst_product > 0 && found.worst_product < 1e-5, String(found.worst_product));
    assert.ok(await page.locator("#subject").isHidden());
    assert.match(await page.locator("#notes").textContent(), /GPT-2 small/);
  }));

test("the engine can be measured from a script", () =>
  onPage("tokens", {}, async (page) => {
    const speed = await page.evaluate(() => helixscope.bench({ prefill: "4,16", decode: "8", repeats: "1" }, "q8"));
    assert.deepEqual(speed.words.work.data, ["prefill 4", "prefill 16", "decode 8"]);
    assert.ok(speed.scalars.f32_roof.value > 0.1);
    assert.ok([...speed.arrays.milliseconds.data].every((ms) => ms > 0));
    await assert.rejects(page.evaluate(() => helixscope.bench({ prefill: "none" })), /prefill/);
  }));
