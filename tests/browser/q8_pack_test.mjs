// A pack in q8 beside the page, made by the native program: it runs as stored, gives the program's numbers to the last bit, shows
// q8 in every provenance, and opens again without the network.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { assertSameResult } from "./compare.mjs";
import { faultsOf } from "./faults.mjs";
import { packEntry, sendPack, sha256 } from "./packs.mjs";
import { cli } from "./places.mjs";
import { sendJson, sendRanged, sendWhole, startFaultServer } from "./servers.mjs";
import { tiny, tinyFolder } from "./synthetic.mjs";
import { open, settled, state, until, useBrowser, withPage } from "./support.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
const answer = { current: null };
const name = "tiny-q8";
let server, source, place, pack;

const native = (...args) => JSON.parse(execFileSync(cli, [...args, "--json"], { maxBuffer: 1 << 26 }));

useBrowser();
before(async () => {
  source = tinyFolder();
  place = mkdtempSync(join(tmpdir(), "helixscope-q8-"));
  const folder = join(place, name);
  native("pack", "--model", source.folder, "--out", folder, "--precision", "q8", "--shard-bytes", "60000");
  const shards = new Map(readdirSync(folder).filter((f) => f !== "manifest.json").map((f) => [f, readFileSync(join(folder, f))]));
  pack = { folder, shards, manifest: JSON.parse(readFileSync(join(folder, "manifest.json"))) };
  server = await startFaultServer(answer);
});
after(() => {
  source?.remove();
  rmSync(place, { recursive: true, force: true });
  return server?.stop();
});
afterEach(() => { answer.current = null; });

const entry = (of = pack) => ({ ...packEntry(of, name), precision: "q8" });

/** Serves the pack and the model in floats that it was made from; `served`: the pack's files. Returns the requested files. */
function serve({ served = pack, shards = true } = {}) {
  const asked = [];
  const floats = readFileSync(join(source.folder, "model.safetensors"));
  const files = ["model.safetensors", "config.json", "vocab.json", "merges.txt"];
  const plain = { name: tiny.name, path: `models/${tiny.name}/`, files, bytes: floats.length, sha256: sha256(floats), precision: "f32" };
  answer.current = (request, response, path) => {
    if (path === "/models/index.json") return sendJson(response, [entry(served), plain]);
    const [, , model, file] = path.split("/");
    if (model === name) return shards || !file.endsWith(".bin") ? sendPack(response, file, served, asked) : (response.writeHead(503).end(), true);
    if (file === "model.safetensors") return sendRanged(request, response, floats, '"floats"');
    return sendWhole(response, readFileSync(join(source.folder, file)));
  };
  return asked;
}

const linkOf = (study, rest = "", model = name) => `#v=1&model=${model}&study=${study}${rest}`;
const result = (page, study = "predictions") => page.evaluate((id) => {
  const found = helixscope.result(id);
  for (const array of Object.values(found?.arrays ?? {})) array.data = Array.from(array.data);
  return found;
}, study);
const onPage = (study, run, rest = "", model = name) => withPage({ url: server.url + linkOf(study, rest, model) }, run);
const numbers = ({ scalars, arrays }) => JSON.parse(JSON.stringify([
  Object.fromEntries(Object.entries(scalars).map(([key, s]) => [key, s.value])),
  Object.fromEntries(Object.entries(arrays).map(([key, a]) => [key, a.data])),
]));

test("predicts what the program predicts, to the last bit, and says that the weights are q8", () => {
  serve();
  const there = native("run", "predictions", "--model", pack.folder);
  return onPage("predictions", async (page) => {
    const here = await result(page);
    // 8-bit products have the same bits everywhere; sums of floats only where both sides fuse, as on x86, or neither does.
    assertSameResult(here, there, { tolerance: process.arch === "x64" ? 0 : 1e-4 });
    assert.equal(here.provenance.precision, "q8");
    assert.equal(there.provenance.precision, "q8");
    assert.match(await page.locator("#provenance").textContent(), /, q8, /);
    assert.match(await page.locator("#model").textContent(), /tiny-q8 · q8/);
    assert.ok(await page.locator("#precision").isDisabled());
    assert.equal(await page.locator("#precision").inputValue(), "q8");
    assert.equal(await page.locator("#precision-stored").innerText(), "Stored and run in this precision.");
  });
});

test("a link restores it, also one that asks for floats", () => {
  serve();
  return onPage("predictions", async (page) => {
    await page.locator("#prompt").fill("the cat on the");
    await settled(page);
    const before = await result(page);
    await page.locator("#prompt").blur();
    const link = await until(() => page.evaluate(() => location.hash), (l) => l.includes("the%20cat"));
    for (const rest of ["", "&precision=f32", "&precision=q8"]) {
      await page.goto("about:blank");
      await open(page, server.url + link + rest);
      const again = await result(page);
      assert.deepEqual(numbers(again), numbers(before), rest);
      assert.equal(again.provenance.precision, "q8");
      assert.equal(await page.locator("#precision").inputValue(), "q8");
    }
  });
});

test("8 bits of the model in floats are the same numbers; coming back leaves nothing to choose again", () => {
  serve();
  return onPage("predictions", async (page) => {
    const stored = await result(page);
    const choose = async (model) => {
      await page.locator("#model").click();
      await page.locator("#models li button", { hasText: new RegExp(`^${model} ·`) }).click();
      await until(() => result(page), (r) => r?.complete && r.provenance.model === model);
      await settled(page);
    };
    await choose(tiny.name);
    assert.ok(await page.locator("#precision").isEnabled());
    assert.equal(await page.locator("#precision").inputValue(), "f32");
    assert.ok(await page.locator("#precision-stored").isHidden());
    assert.notDeepEqual(numbers(await result(page)), numbers(stored));
    await page.locator("#precision").selectOption("q8");
    await settled(page);
    assert.deepEqual(numbers(await result(page)), numbers(stored));
    await choose(name);
    assert.deepEqual(numbers(await result(page)), numbers(stored));
    assert.ok(await page.locator("#precision").isDisabled());
    assert.match(await page.locator("#model").textContent(), /q8/);
  });
});

test("the positions are exact, and are all that is loaded for them", () => {
  const asked = serve();
  const there = native("run", "position_helix", "--model", source.folder);
  return onPage("position_helix", async (page) => {
    const here = await result(page, "position_helix");
    assertSameResult(here, there);
    assert.equal(here.provenance.precision, "F32");
    const { shards } = pack.manifest;
    const end = readFileSync(join(pack.folder, shards[0].file)).readBigUInt64LE(0);
    const header = JSON.parse(readFileSync(join(pack.folder, shards[0].file)).subarray(8, 8 + Number(end)));
    const last = 8 + Number(end) + header["wpe.weight"].data_offsets[1];
    const needed = shards.filter(({ offset }) => offset < Math.max(last, 65_536)).map(({ file }) => file); // the first request is of 64 kB
    // The text that lies on the curve is cut by the same model: rows of wte, and ln_f, by which a model is recognised.
    const holds = (tensor) => {
      const [from, to] = header[tensor].data_offsets.map((offset) => 8 + Number(end) + offset);
      return shards.filter(({ offset }, i) => offset < to && (shards[i + 1]?.offset ?? Infinity) > from).map(({ file }) => file);
    };
    const beside = ["wte.weight", "ln_f.weight"].flatMap(holds).filter((file) => !needed.includes(file));
    const weights = asked.filter((file) => file.endsWith(".bin") && !beside.includes(file)); // what the first shard has may be enough before the next is asked for
    assert.deepEqual(weights, needed.slice(0, Math.max(weights.length, 1)));
  });
});

test("the dialog lists precision and size; what is needed is counted in the pack's own bytes", () => {
  serve();
  return onPage("predictions", async (page) => {
    await page.locator("#model").click();
    const rows = await page.locator("#models li button").allTextContents();
    assert.match(rows[0], /^tiny-q8 · q8 · 0\.\d MB$/);
    assert.match(rows[1], /^tiny-gpt2 · f32 · 0\.\d MB$/);
    await page.keyboard.press("Escape");
    const sizes = await page.evaluate(() => helixscope.state());
    assert.equal(sizes.model, name);
    assert.ok(pack.manifest.bytes < readFileSync(join(source.folder, "model.safetensors")).length / 2);
  });
});

test("an export says q8", () => {
  serve();
  return onPage("predictions", async (page) => {
    await page.locator("#export").click();
    const downloads = () => page.locator("#menu [role=menuitem]:not(.opens)").filter({ hasNotText: "Python" }); // a script needs whole weights
    const items = await downloads().count();
    await page.keyboard.press("Escape");
    const texts = [];
    for (let i = 0; i < items; ++i) {
      await page.locator("#export").click();
      const [download] = await Promise.all([page.waitForEvent("download"), downloads().nth(i).click()]);
      if (/\.(json|svg)$/.test(download.suggestedFilename())) texts.push(readFileSync(await download.path(), "utf8"));
    }
    assert.equal(texts.length, 2);
    for (const text of texts) assert.match(text, /"precision": ?"q8"|, q8, /);
  });
});

test("a second visit needs no shard from the network", () => {
  serve();
  return onPage("predictions", async (page) => {
    const first = await result(page);
    await page.goto("about:blank");
    serve({ shards: false });
    await open(page, server.url + linkOf("predictions"));
    assert.deepEqual(numbers(await result(page)), numbers(first));
  });
});

describe("8-bit integers that are none, with the hashes that they have", () => {
  /** The pack with other bytes: `change(bytes, header, begin)` of the whole file. */
  function changed(change) {
    const { manifest } = pack;
    const whole = Buffer.concat(manifest.shards.map(({ file }) => pack.shards.get(file)));
    const length = Number(whole.readBigUInt64LE(0));
    const header = JSON.parse(whole.subarray(8, 8 + length));
    const text = change(whole, header, 8 + length);
    if (text) whole.write(text.padEnd(length), 8);
    const shards = new Map(pack.shards);
    const list = manifest.shards.map((shard) => {
      const part = whole.subarray(shard.offset, shard.offset + shard.bytes);
      shards.set(shard.file, part);
      return { ...shard, sha256: sha256(part) };
    });
    return { shards, manifest: { ...manifest, shards: list, sha256: sha256(whole) } };
  }
  const matrix = "h.0.attn.c_attn.weight";
  const faults = {
    "a pack in q8 holds −128": (whole, header, begin) => { whole.writeInt8(-128, begin + header[matrix].data_offsets[0] + 7); },
    "a scale of a pack in q8 is no number": (whole, header, begin) => { whole.writeFloatLE(NaN, begin + header[`${matrix}.scales`].data_offsets[0]); },
    "a pack in q8 lacks its scales": (whole, header) => JSON.stringify(header).replace(`"${matrix}.scales"`, `"${matrix}.skales"`),
    "a pack in q8 does not say how many share a scale": (whole, header) => JSON.stringify(header).replace('"q8_group"', '"q8_droup"'),
    "a pack in q8 has groups of 0": (whole, header) => JSON.stringify(header).replace('"q8_group":"64"', '"q8_group":"0"'),
  };
  for (const [what, change] of Object.entries(faults))
    test(`${what}: one sentence, and nothing is drawn`, () => {
      serve({ served: changed(change) });
      return withPage({}, async (page) => {
        await page.goto(server.url + linkOf("predictions"));
        const card = page.locator("#overlay [role=alert]");
        await card.waitFor();
        const told = await card.locator("div").first().textContent();
        assert.match(told, /^The tensor “.*” is stored as 8-bit integers, and .{10,300}\.$/);
        see(what, told);
        assert.equal(await result(page), null);
        assert.equal((await state(page)).model, name);
      });
    });
});

test("docs/faults.md lists nothing that was not injected here", everySeen);
