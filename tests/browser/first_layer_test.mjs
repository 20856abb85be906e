// GPT-2 small's first layer, put beside the page by its host: heads are seen on it where nothing else is named.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { assertSameResult } from "./compare.mjs";
import { nativeResult } from "./native.mjs";
import { realModel, root } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { settled, state, until, useBrowser, withPage } from "./support.mjs";

const name = "gpt2-small-layer-0";

describe("the first layer", { skip: realModel ? false : "no GPT-2 weights here (set HELIXSCOPE_MODELS to their folder)" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "helixscope-layer-"));
  let server;
  useBrowser();
  before(async () => {
    execFileSync(join(root, "dev"), ["models", "first-layer", realModel, "--out", folder], { stdio: "ignore" });
    server = await startServer([folder], { bundled: true });
  });
  after(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const resultOf = (page, study) => page.evaluate((id) => {
    const found = helixscope.result(id);
    for (const array of Object.values(found.arrays)) array.data = Array.from(array.data);
    return found;
  }, study);

  test("comes after GPT-2's positions, and a study of heads opens on it; old links keep their model", () => withPage({ url: server.url }, async (page) => {
    assert.equal((await state(page)).model, "gpt2-positions");
    await page.evaluate(() => helixscope.open("#v=1&study=position_scores"));
    await settled(page);
    assert.equal((await state(page)).model, name);
    const found = await resultOf(page, "position_scores");
    assertSameResult(found, await nativeResult(join(folder, name), {}, "position_scores"), { tolerance: 1e-6 });
    const rising = found.claims.find((claim) => claim.id === "T12");
    assert.deepEqual([rising.here, rising.holds], [10, true], "ten of the twelve heads, as published");
    assert.match(await page.evaluate(() => location.hash), /model=gpt2-small-layer-0/);

    await page.evaluate(() => helixscope.open("#v=1&model=minihelix&study=position_scores"));
    await settled(page);
    assert.equal((await state(page)).model, "minihelix", "an old link names its model");
    await page.locator("#model").click();
    await page.getByRole("button", { name: /GPT-2 small, first layer/ }).first().click();
    await until(() => state(page), (now) => now.model === name);
    await settled(page);
    assert.deepEqual((await resultOf(page, "position_scores")).scalars, found.scalars, "chosen by hand, the same");
  }));

  test("is not what a study opens on that reads the words or runs a text", () => withPage({ url: server.url }, async (page) => {
    for (const study of ["subspace_capture", "subspace_overlap", "model_card", "attention"]) {
      await page.evaluate((id) => helixscope.open(`#v=1&study=${id}`), study);
      await settled(page);
      assert.equal((await state(page)).model, "minihelix", study);
    }
  }));

  test("is opened by its link, also for attention weights", () =>
    withPage({ url: `${server.url}#v=1&study=qk_symmetry&model=${name}` }, async (page) => {
      assertSameResult(await resultOf(page, "qk_symmetry"), await nativeResult(join(folder, name), {}, "qk_symmetry"), { tolerance: 1e-6 });
    }));
});
