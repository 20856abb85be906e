// A pack beside the page: its shards are loaded as they are needed, checked and cached; a faulty shard is named and never used.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { faultsOf } from "./faults.mjs";
import { packEntry, packOf, sendPack } from "./packs.mjs";
import { sendJson, sendRanged, sendWhole, startFaultServer } from "./servers.mjs";
import { planted, plantedFile, plantedRows, safetensors, tiny, tinyFiles } from "./synthetic.mjs";
import { open, result, scalars, settled, state, until, useBrowser, withPage } from "./support.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
const bytes = plantedFile();
const pack = packOf(bytes, "planted", 12_000);
const shards = [...pack.shards.keys()]; // in their order; the last one may be asked for before
const ill = "shard-002.bin"; // the faulty shard
const answer = { current: null };
const refused = [/Failed to load resource/, /net::/];
let server;

useBrowser();
before(async () => { server = await startFaultServer(answer); });
after(() => server?.stop());
afterEach(() => { answer.current = null; });

/** The pack's host; `faulty(response, file)` may answer first. Returns the names of the requested shards. */
function serve(faulty = () => false, { served = pack, more = [] } = {}) {
  const asked = [];
  answer.current = (request, response, path) => {
    if (path === "/models/index.json") return sendJson(response, [packEntry(pack, "planted"), ...more.map(([entry]) => entry)]);
    const other = more.find(([entry]) => path.startsWith(`/${entry.path}`));
    if (other) return other[1](request, response);
    const file = path.replace("/models/planted/", "");
    if (faulty(response, file)) {
      asked.push(file);
      return true;
    }
    return sendPack(response, file, served, asked);
  };
  return asked;
}

const card = (page) => page.locator("#overlay [role=alert]");
const tryAgain = (page) => card(page).getByRole("button", { name: "Try again" }).click();

async function assertPlanted(page, model = "planted") {
  await until(() => result(page), (r) => r?.complete && r.provenance.model === model);
  await settled(page);
  const found = await result(page);
  assert.equal(found.provenance.model, model);
  assert.equal(found.params.source, "learned");
  assert.ok(Math.abs(scalars(found).turns - 2.95) < 0.05, `${scalars(found).turns} turns`);
  assert.ok(await card(page).isHidden(), "nothing lies over the figure");
}

/** The one sentence over the figure. */
async function sentence(page) {
  await card(page).waitFor();
  const text = await card(page).locator("div").first().textContent();
  assert.match(text, /^[A-Z].{10,300}\.$/s);
  assert.doesNotMatch(text, /undefined|null|NaN|\[object|Error:|0x/);
  return text;
}

test("the shards together are the file: the helix of the pack is that of the file", () => {
  const asked = serve();
  return withPage({ url: server.url }, async (page) => {
    await assertPlanted(page);
    assert.deepEqual(asked.toSorted(), shards, "each shard once");
  });
});

test("only the shards that the open study needs are loaded", () => {
  // A tensor of 200 kB before the positions, and one behind: neither is read.
  const rows = plantedRows(), filler = 200_000;
  const text = JSON.stringify({
    "a.weight": { dtype: "F32", shape: [filler / 4], data_offsets: [0, filler] },
    "wpe.weight": { dtype: "F32", shape: [planted.positions, planted.dimensions], data_offsets: [filler, filler + rows.byteLength] },
    "z.weight": { dtype: "F32", shape: [filler / 4], data_offsets: [filler + rows.byteLength, 2 * filler + rows.byteLength] },
  });
  const header = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8)), length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const large = Buffer.concat([length, header, Buffer.alloc(filler), Buffer.from(rows.buffer), Buffer.alloc(filler)]);
  const served = packOf(large, "large", 32_000);
  const asked = [];
  answer.current = (request, response, path) => {
    if (path === "/models/index.json") return sendJson(response, [packEntry(served, "large")]);
    return sendPack(response, path.replace("/models/large/", ""), served, asked);
  };
  return withPage({ url: server.url }, async (page) => {
    await assertPlanted(page, "large");
    assert.ok(asked.length < served.shards.size - 5, `${asked.length} of ${served.shards.size} shards`);
    assert.equal(new Set(asked).size, asked.length, "none twice");
  });
});

test("a shard that has one wrong bit: said by its name; another try loads it anew, and only what is missing", () => {
  const corrupted = Buffer.from(pack.shards.get(ill));
  corrupted[5000] ^= 1;
  const before = serve((response, file) => file === ill && sendWhole(response, corrupted));
  return withPage({ url: server.url, allowed: refused }, async (page) => {
    const told = await sentence(page);
    assert.ok(told.includes(ill), told);
    see("a shard of a pack has one wrong bit", told);
    await tryAgain(page);
    await settled(page);
    assert.equal(await sentence(page), told, "the same while nothing has changed");
    const asked = serve();
    await tryAgain(page);
    await assertPlanted(page);
    // The engine asks for what lies behind its first request as soon as it knows the header, so the last shard may be here.
    const missing = [...pack.shards.keys()].slice(2);
    assert.deepEqual(asked, missing.slice(0, Math.max(asked.length, missing.length - 1)), "the two that were well are not loaded again");
    assert.ok(asked.length === missing.length || before.includes(missing.at(-1)), asked.join());
  });
});

test("a manifest that leads out of its folder: one sentence, nothing of it is followed", () => {
  const shardsOf = pack.manifest.shards.map((shard, i) => (i === 1 ? { ...shard, file: "../../secret" } : shard));
  const asked = serve((response, file) => file === "manifest.json" && sendJson(response, { ...pack.manifest, shards: shardsOf }));
  return withPage({ url: server.url, allowed: refused }, async (page) => {
    see("the manifest of a pack leads out of its folder", await sentence(page));
    assert.deepEqual(asked.filter((file) => file !== "manifest.json"), []);
    serve();
    await tryAgain(page);
    await assertPlanted(page);
  });
});

test("another model chosen while a pack is loading: each picture is that of its model", () => {
  const other = safetensors(plantedRows({ ...planted, turns: 5 }, 3), [planted.positions, planted.dimensions]);
  const entry = { name: "five", path: "models/five/", files: ["model.safetensors"], bytes: other.length, sha256: "" };
  let release;
  const held = new Promise((done) => { release = done; });
  serve((response, file) => file === ill && (held.then(() => sendWhole(response, pack.shards.get(ill))), true),
    { more: [[entry, (request, response) => sendRanged(request, response, other, '"five"')]] });
  return withPage({}, async (page) => {
    await page.goto(server.url);
    await page.waitForFunction(() => window.helixscope);
    await page.locator("#overlay progress").waitFor();
    await page.locator("#model").click();
    await page.locator("#models li button", { hasText: "five" }).click();
    await until(() => result(page), (r) => r?.complete && r.provenance.model === "five");
    await settled(page);
    assert.ok(Math.abs(scalars(await result(page)).turns - 4.9) < 0.15);
    release();
    await page.locator("#model").click();
    await page.locator("#models li button", { hasText: "planted" }).click();
    await assertPlanted(page);
    assert.equal((await state(page)).model, "planted");
  });
});

test("a download can be cancelled: what is there is kept, the page goes on, another try takes it up", () => {
  const first = serve((response, file) => file === ill && (response.writeHead(200, { "Content-Length": 12_000 }).write("begin"), true));
  return withPage({}, async (page) => {
    await page.goto(server.url);
    await page.waitForFunction(() => window.helixscope);
    const progress = page.locator("#overlay");
    await until(() => progress.innerText(), (text) => /0\.02|0\.0 MB are here|are here/.test(text));
    await until(() => page.locator("#overlay progress").getAttribute("value"), (value) => Number(value) >= 24_000);
    assert.equal(Number(await page.locator("#overlay progress").getAttribute("max")), bytes.length, "all the shards are needed");
    await page.locator("#overlay").getByRole("button", { name: "Cancel" }).click();
    const told = await sentence(page);
    see("loading is cancelled", `${told} ${await card(page).innerText()}`);
    await card(page).getByRole("button", { name: "Try again" }).waitFor();
    const asked = serve();
    await tryAgain(page);
    await assertPlanted(page);
    assert.ok(asked.includes(ill), "what was cut off is asked for again");
    assert.deepEqual(asked.filter((file) => shards.indexOf(file) < 2), [], "what is here is not");
    assert.deepEqual([...new Set([...first, ...asked])].sort(), shards, "and each shard has come");
  });
});

test("a second visit loads no shard again", () => {
  const asked = serve();
  return withPage({ url: server.url }, async (page) => {
    await assertPlanted(page);
    assert.equal(asked.length, pack.shards.size);
    await open(page, server.url);
    await assertPlanted(page);
    assert.equal(asked.length, pack.shards.size, "nothing more");
  });
});

describe("a whole model as a pack", () => {
  const { "model.safetensors": weights, ...beside } = tinyFiles();
  const whole = packOf(weights, tiny.name, 60_000, beside);
  const link = `#v=1&model=${tiny.name}&study=predictions`;
  const serveWhole = (faulty = () => false, served = whole) => {
    const asked = [];
    answer.current = (request, response, path) => {
      if (path === "/models/index.json") return sendJson(response, [packEntry(whole, tiny.name)]);
      const file = path.replace(`/models/${tiny.name}/`, "");
      return faulty(response, file) || sendPack(response, file, served, asked);
    };
    return asked;
  };
  const predicted = (page) => page.evaluate(() => helixscope.result("predictions", { arrays: false }));

  test("predicts, and at a second visit without a shard or a vocabulary from the network", () => {
    const asked = serveWhole();
    return withPage({ url: server.url + link }, async (page) => {
      const first = await until(() => predicted(page), (r) => r?.complete);
      assert.ok(first.scalars.entropy_nats.value > 0);
      assert.ok(asked.includes("vocab.json") && asked.includes("merges.txt"));
      assert.equal(new Set(asked).size, asked.length, String(asked));
      asked.length = 0;
      await page.goto("about:blank");
      await open(page, server.url + link);
      assert.deepEqual((await until(() => predicted(page), (r) => r?.complete)).scalars, first.scalars);
      assert.deepEqual(asked.filter((file) => file !== "config.json"), []);
    });
  });

  test("is configured as its manifest says, whatever a config.json beside it says", async () => {
    const other = { ...whole, manifest: { ...whole.manifest, config: { ...whole.manifest.config, n_head: 1 } } };
    const heads = (page) => page.evaluate(() => helixscope.result("attention")?.arrays.previous_by_head.shape[1]);
    for (const [served, wanted] of [[whole, tiny.heads], [other, 1]]) {
      serveWhole(undefined, served);
      await withPage({ url: server.url + link.replace("predictions", "attention") }, async (page) =>
        assert.equal(await until(() => heads(page), (n) => n === wanted), wanted));
    }
  });

  test("with another vocabulary than the manifest names: said, and not used", () => {
    serveWhole((response, file) => file === "vocab.json" && sendWhole(response, Buffer.from(beside["vocab.json"].replace(":5,", ":6,"))));
    return withPage({ url: server.url + link }, async (page) => {
      await card(page).waitFor();
      see("the vocabulary of a pack is another one", await card(page).innerText());
      serveWhole();
      await page.reload();
      await page.waitForFunction(() => window.helixscope);
      await until(() => predicted(page), (r) => r?.complete);
      assert.ok((await predicted(page))?.complete);
    });
  });
});

test("docs/faults.md lists nothing that was not injected here", everySeen);
