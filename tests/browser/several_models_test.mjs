// A study of several models, some of which only the hub has.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { config, hub, id, offer, refused, serve, server, turns, useHub } from "./hubs.mjs";
import { sendJson, sendRanged } from "./servers.mjs";
import { planted, plantedRows, safetensors } from "./synthetic.mjs";
import { state, until, withPage } from "./support.mjs";

useHub();

describe("several models", () => {
  const several = (models) => `#v=1&model=ours&study=position_models&position_models.models=${models}`;
  const models = (page) => page.evaluate(() => {
    const found = helixscope.result("position_models");
    for (const array of Object.values(found?.arrays ?? {})) array.data = Array.from(array.data);
    return found;
  });
  const names = (document) => document.words.name.data;
  const shown = (page, count) => until(() => models(page), (r) => r?.complete && r.scalars.models_shown.value === count);

  test("one of the hub that a link names is only offered; the others are there meanwhile", () => {
    const asked = serve();
    return withPage({ url: server.url + several(`ours,${id}`) }, async (page) => {
      const first = await shown(page, 1);
      assert.deepEqual(names(first), ["ours", id]);
      assert.match(first.words.why_not.data[1], /some-lab\/tiny-gpt2/);
      assert.deepEqual(asked, [], "the hub was not asked");
      await offer(page).getByRole("button", { name: "Load it" }).click();
      const both = await shown(page, 2);
      assert.ok(Math.abs(both.arrays.turns.data[1] - turns) < 0.2);
      assert.equal((await state(page)).model, "ours", "the open model stays");
      assert.equal(both.provenance.others[0].model, id);
    });
  });

  test("one that is typed is asked for at once, and can be taken away", () => {
    serve();
    return withPage({ url: server.url + several("") }, async (page) => {
      await shown(page, 1);
      const field = page.locator("#p-models");
      await field.fill("ours");
      await field.press("Enter");
      await field.fill(id);
      await field.press("Enter");
      const both = await shown(page, 2);
      assert.deepEqual(names(both), ["ours", id]);
      await page.getByRole("button", { name: "Take ours away" }).click();
      const one = await until(() => models(page), (r) => r.complete && names(r).length === 1);
      assert.deepEqual(names(one), [id]);
    });
  });

  test("one that the hub does not have is a sentence in its place", () => {
    serve();
    return withPage({ url: server.url + several("ours"), allowed: refused }, async (page) => {
      await shown(page, 1);
      await page.locator("#p-models").fill("nobody/nothing");
      await page.locator("#p-models").press("Enter");
      const both = await until(() => models(page), (r) => r.complete && names(r).length === 2);
      assert.match(both.words.why_not.data[1], /There is no model nobody\/nothing on the hub/);
      assert.equal(both.scalars.models_shown.value, 1);
    });
  });

  test("the nine of the text are offered together; one without safetensors is a sentence in its place", () => {
    serve();
    const ids = [];
    hub.current = (request, response, path) => {
      const [, owner, name, file] = /^\/([^/]+)\/([^/]+)\/resolve\/main\/(.+)$/.exec(path);
      const nth = ids.push(`${owner}/${name}`) && [...new Set(ids)].indexOf(`${owner}/${name}`);
      if (file === "config.json") return sendJson(response, config);
      if (name.startsWith("expanse")) {
        response.setHeader("X-Error-Code", "EntryNotFound");
        response.writeHead(404).end("Entry not found");
        return true;
      }
      // Four widths, as GPT-2 has them, and the names of tensors that other trainings use.
      const shape = { ...planted, dimensions: 32 + 8 * (nth % 4), turns: 3 + (nth % 3) };
      sendRanged(request, response, safetensors(plantedRows(shape, nth), [shape.positions, shape.dimensions], owner.startsWith("stanford") ? "transformer.wpe.weight" : "wpe.weight"), `"${nth}"`);
      return true;
    };
    return withPage({ url: server.url + several("ours"), allowed: refused }, async (page) => {
      await shown(page, 1);
      await page.locator("[data-key='preset:nine']").click();
      await until(() => offer(page).textContent(), (words) => /9 models of the hub/.test(words));
      assert.deepEqual(ids, [], "the hub was not asked");
      await offer(page).getByRole("button", { name: "Load them" }).click();
      const all = await until(() => models(page), (r) => r?.complete && r.scalars.models_shown.value === 8 && /on the hub/.test(r.words.why_not.data[8]));
      assert.equal(names(all).length, 9);
      assert.match(all.words.why_not.data[8], /has no model\.safetensors on the hub/);
      assert.ok(all.arrays.turns.data.slice(0, 8).every((t) => t > 2.5 && t < 5.5), String(all.arrays.turns.data));
      assert.ok(await offer(page).isHidden());
    });
  });

  test("a name that is nowhere is a sentence as well", () => {
    serve();
    return withPage({ url: server.url + several("ours,nowhere") }, async (page) => {
      const first = await until(() => models(page), (r) => r?.complete);
      assert.match(first.words.why_not.data[1], /“nowhere” is not here/);
    });
  });
});
