// The shards of a pack: loaded whole, checked, cached and passed on; a faulty shard is named and never used.
import "./page.mjs";
import assert from "node:assert/strict";
import { after, afterEach, describe, test } from "node:test";
import { faultsOf } from "../browser/faults.mjs";
import { packOf, sendPack } from "../browser/packs.mjs";
import { sendJson, sendWhole } from "../browser/servers.mjs";
import { plantedFile } from "../browser/synthetic.mjs";
import { Cache } from "../../web/sources/cache.js";
import { PackSource, parseManifest } from "../../web/sources/pack_source.js";
import { forgetAll, site, siteOrigin, stopServers } from "./page.mjs";
import { Reader } from "./reader.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
const bytes = plantedFile(), whole = [[0, bytes.length]];
const pack = packOf(bytes, "planted", 12_000, { "config.json": '{"n_head":4}' });
const names = pack.manifest.shards.map((shard) => shard.file);
const ill = "shard-002.bin"; // the faulty shard

/** Serves the pack; `faulty(response, file)` may answer first. Returns the names of the shards that were sent. */
function serve(faulty = () => false) {
  const asked = [];
  site.current = (request, response, path) => {
    const file = path.split("/").at(-1);
    return faulty(response, file) || sendPack(response, file, pack, asked);
  };
  return asked;
}

const reader = (cache = new Cache(() => {})) =>
  new Reader((emit) => new PackSource("planted", new URL("/models/planted/manifest.json", siteOrigin), emit, { cache }));

afterEach(forgetAll);
after(stopServers);

test("the shards together are the file, each loaded once", async () => {
  const asked = serve(), one = reader();
  await one.ask(whole);
  assert.deepEqual(one.bytes(bytes.length), bytes);
  assert.deepEqual(asked, names);
  assert.deepEqual(one.source.progress, { have: bytes.length, want: bytes.length });
});

test("only the shards that hold the ranges are loaded, none twice", async () => {
  const asked = serve(), one = reader();
  await one.ask([[13_000, 13_100], [30_000, 30_001]]);
  await one.ask([[23_999, 24_000]]);
  assert.deepEqual(asked, ["shard-001.bin", "shard-002.bin"]);
  assert.deepEqual(one.bytes(14_000).subarray(13_000, 13_100), bytes.subarray(13_000, 13_100));
});

test("a second visit loads no shard", async () => {
  const asked = serve();
  await reader().ask(whole);
  const first = asked.length, one = reader();
  await one.ask(whole);
  assert.deepEqual(one.bytes(bytes.length), bytes);
  assert.equal(asked.length, first);
});

test("two tabs at once load each shard once", async () => {
  const asked = serve(), tabs = [reader(), reader()];
  await Promise.all(tabs.map((tab) => tab.ask(whole)));
  for (const tab of tabs) assert.deepEqual(tab.bytes(bytes.length), bytes);
  assert.deepEqual(asked.toSorted(), names);
});

test("its manifest tells the configuration, and the hashes of what lies beside it", async () => {
  serve();
  const { source } = reader();
  assert.equal(await source.config(), '{"n_head":4}');
  assert.equal(await source.hashOf("config.json"), pack.manifest.files[0].sha256);
  assert.equal(await source.hashOf("vocab.json"), null);
});

describe("a shard", () => {
  const good = pack.shards.get(ill), corrupted = Buffer.from(good);
  corrupted[5000] ^= 1;
  const faults = {
    "is missing (404)": (response) => response.writeHead(404).end("not found"),
    "is cut": (response) => sendWhole(response, good.subarray(0, 7000)),
    "ends in the middle of the connection": (response) => {
      response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": good.length });
      response.write(good.subarray(0, 7000), () => setTimeout(() => response.destroy(), 20));
    },
    "is longer than the manifest says": (response) => sendWhole(response, Buffer.concat([good, Buffer.alloc(100_000)])),
    "is another one": (response) => sendWhole(response, pack.shards.get("shard-003.bin")),
    "is a web page": (response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>Sign in</title>"),
  };
  for (const [what, send] of Object.entries(faults))
    test(`that ${what}: said by its name; another try loads only what is missing`, async () => {
      serve((response, file) => file === ill && (send(response), true));
      const one = reader();
      await one.ask(whole);
      assert.equal(one.sentences.length, 1);
      see(`a shard of a pack ${what}`, one.sentences[0]);
      assert.ok(one.arrived <= 24_000, "nothing of it is passed on");
      const asked = serve();
      await one.ask(whole, { afresh: true });
      assert.deepEqual(one.bytes(bytes.length), bytes);
      assert.deepEqual(asked, names.slice(2));
    });
});

describe("a manifest", () => {
  const text = JSON.stringify(pack.manifest);
  const changed = (change) => {
    const copy = structuredClone(pack.manifest);
    change(copy);
    return JSON.stringify(copy);
  };
  const faults = {
    "is cut": text.slice(0, 300),
    "is that of something else": '{"name": "helixscope", "icons": []}',
    "is of a newer version": changed((m) => { m.version = 2; }),
    "leaves a gap": changed((m) => { m.shards[1].offset += 4; }),
    "names a giant shard": changed((m) => { m.shards = [{ ...m.shards[0], bytes: 1e10 }]; m.bytes = 1e10; }),
  };
  for (const [what, content] of Object.entries(faults))
    test(`that ${what}: one sentence, nothing of it is followed`, async () => {
      const asked = serve((response, file) => file === "manifest.json" && sendJson(response, content)), one = reader();
      await one.ask(whole);
      see(`the manifest of a pack ${what}`, one.sentences[0]);
      assert.deepEqual(asked, []);
      serve();
      await one.ask(whole);
      assert.deepEqual(one.bytes(bytes.length), bytes);
    });

  test("that is wrong in other ways is refused too", () => {
    const wrong = [(m) => { m.bytes = -1; }, (m) => { m.sha256 = "x"; }, (m) => { m.shards = []; }, (m) => { m.bytes += 1; }, (m) => { m.shards[0].sha256 = 7; },
      (m) => { m.files = {}; }, (m) => { m.files[0].file = "a/b"; }];
    for (const change of wrong) assert.throws(() => parseManifest(changed(change), "x"), /^PlainError|The manifest of x \(manifest\.json\) .*\.$/, String(change));
    assert.deepEqual(parseManifest(text, "x"), pack.manifest);
  });
});

test("docs/faults.md lists nothing that was not injected here", everySeen);
