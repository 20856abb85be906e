// The cache of models: what is kept is used again, what was changed by somebody else does not count, and a device that keeps nothing
// costs no more than another download.
import "./page.mjs";
import assert from "node:assert/strict";
import { after, afterEach, describe, test } from "node:test";
import { sha256 } from "../browser/packs.mjs";
import { sendRanged, sendWhole } from "../browser/servers.mjs";
import { plantedFile } from "../browser/synthetic.mjs";
import { Cache } from "../../web/sources/cache.js";
import { MemoryStore } from "../../web/sources/stores.js";
import { UrlSource } from "../../web/sources/url_source.js";
import { device, dropKept, forgetAll, keptFiles, quiet, readKept, site, siteOrigin, stopServers, writeKept } from "./page.mjs";
import { Reader } from "./reader.mjs";

const bytes = plantedFile(), whole = [[0, bytes.length]], hash = sha256(bytes);
const address = new URL("/models/planted/model.safetensors", siteOrigin);
const isExtent = (name) => /^\d+-\d+-/.test(name);

/** Serves the file; returns the requested ranges. */
function serve(send = (request, response) => sendRanged(request, response, bytes, '"one"')) {
  const asked = [];
  site.current = (request, response) => {
    asked.push(request.headers.range ?? "all");
    return send(request, response) !== false;
  };
  return asked;
}

/** A visit: a page with a cache of its own, which reads the whole file, or these ranges. */
async function visit({ sum = hash, ranges = whole, expected = bytes } = {}) {
  const told = [], cache = new Cache((sentence) => told.push(sentence));
  const one = new Reader((emit) => new UrlSource("planted", address, emit, { cache, sha256: sum }));
  await one.ask(ranges);
  if (ranges === whole) assert.deepEqual(one.bytes(expected.length), expected, String(one.sentences));
  await quiet();
  return { told, cache, one };
}
afterEach(forgetAll);
after(stopServers);

describe("a second visit", () => {
  for (const [what, send] of [["that gives ranges"], ["that refuses ranges", (request, response) => sendWhole(response, bytes)]])
    test(`asks a server ${what} for nothing where the list names the file's hash`, async () => {
      const asked = serve(send);
      await visit();
      const first = asked.length;
      const { told } = await visit();
      assert.equal(asked.length, first);
      assert.deepEqual(told, []);
    });

  test("asks for the part that is missing", async () => {
    const asked = serve();
    await visit({ ranges: [[0, 20_000]] });
    await visit();
    assert.deepEqual(asked, ["bytes=0-19999", `bytes=20000-${bytes.length - 1}`]);
  });

  test("asks whether a file without a hash is still the same, and reads a new one anew", async () => {
    const asked = serve();
    await visit({ sum: "", ranges: [[0, 1000]] });
    await visit({ sum: "" });
    const { one } = await visit({ sum: "", ranges: [[0, 1000]] });
    assert.equal(asked.at(-1), "bytes=0-999", "asked of the server, which says what it is");
    const before = asked.length;
    await one.ask([[1000, bytes.length]]);
    assert.equal(asked.length, before, "the rest is still the same");
    const other = Buffer.from(bytes).fill(9, 500);
    serve((request, response) => sendRanged(request, response, other, '"two"'));
    await visit({ sum: "", expected: other });
    await visit({ sum: "", expected: other });
  });
});

describe("what is kept", () => {
  const spoils = {
    "was cut": (old) => old.slice(0, old.length / 2),
    "was never finished": () => new Uint8Array(0),
    "was overwritten": (old) => old.map((byte) => byte ^ 85),
    "has one wrong bit": (old) => old.map((byte, i) => (i === 77 ? byte ^ 1 : byte)),
  };
  for (const [what, spoil] of Object.entries(spoils))
    test(`and ${what} does not count: it is loaded again, and kept again`, async () => {
      const asked = serve();
      await visit();
      for (const url of keptFiles(isExtent)) writeKept(url, spoil(readKept(url)));
      await visit();
      assert.equal(asked.length, 2, "asked for again");
      await visit();
      assert.equal(asked.length, 2, "and kept again");
    });

  test("is listed with its size, and can be removed", async () => {
    const asked = serve();
    const { cache } = await visit();
    const [one, ...others] = await cache.list();
    assert.deepEqual(others, []);
    assert.equal(one.bytes, bytes.length);
    assert.equal(one.about.name, "planted");
    await cache.remove(one.key);
    assert.deepEqual(await cache.list(), []);
    const { told } = await visit();
    assert.equal(asked.length, 2);
    assert.deepEqual(told, [], "what the visitor has removed is no surprise");
  });

  test("and gone, because the browser needed the space: said once", async () => {
    serve();
    await visit();
    keptFiles().forEach(dropKept);
    const { told } = await visit();
    assert.equal(told.length, 1);
    assert.match(told[0], /^The browser has removed what was kept of planted \(0\.1 MB\)/);
    assert.deepEqual((await visit()).told, []);
  });
});

describe("what is noted of a file is changed by somebody else:", () => {
  const changes = { "a larger size": { size: bytes.length + 8 }, "a size in words": { size: "x" }, "another etag": { etag: '"other"' }, "no JSON": null };
  for (const [what, change] of Object.entries(changes))
    for (const sum of [hash, ""])
      test(`${what}, of a file ${sum ? "with" : "without"} a hash`, async () => {
        serve();
        await visit({ sum });
        for (const url of keptFiles((name) => name === "about.json")) {
          const about = JSON.parse(new TextDecoder().decode(readKept(url)));
          writeKept(url, new TextEncoder().encode(change ? JSON.stringify({ ...about, ...change }) : "{"));
        }
        const { told, one } = await visit({ sum });
        assert.deepEqual([told, one.sentences], [[], []]);
      });
});

describe("a device", () => {
  test("that keeps nothing: said once, and the file is read all the same", async () => {
    const { open } = caches;
    caches.open = () => Promise.reject(new DOMException("no", "SecurityError"));
    try {
      serve();
      const { told, cache } = await visit();
      assert.equal(told.length, 1);
      assert.match(told[0], /^This browser keeps nothing for this page/);
      assert.equal((await cache.list())[0].bytes, bytes.length, "this tab has it in memory, for an engine that is replaced");
    } finally {
      caches.open = open;
    }
  });

  test("without room: said once, and the file is read all the same", async () => {
    device.write = () => { throw new DOMException("full", "QuotaExceededError"); };
    serve();
    const { told } = await visit();
    assert.equal(told.length, 1);
    assert.match(told[0], /^This device has no room/);
  });

  test("whose store breaks: said once", async () => {
    device.write = () => { throw new DOMException("broken", "UnknownError"); };
    serve();
    assert.deepEqual((await visit()).told, ["This browser stopped keeping the model; what did not get kept is loaded again at the next visit."]);
  });
});

test("a tab's memory keeps the newest, within its limit", async () => {
  const store = new MemoryStore(), part = new Uint8Array(50e6);
  for (const name of ["a", "b", "c"]) await store.write("shelf", name, part);
  assert.deepEqual(await store.names("shelf"), ["b", "c"]);
  await store.write("other", "d", new Uint8Array(3));
  assert.deepEqual(await store.keys(), ["shelf", "other"]);
  await store.remove("shelf");
  assert.deepEqual(await store.keys(), ["other"]);
  assert.equal((await store.read("other", "d")).byteLength, 3);
  assert.equal(await store.read("shelf", "b"), null);
});
