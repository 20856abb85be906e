// Hashing for the cache: on a worker thread for large files, on the page's thread where the worker does not start.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { part } from "./files.mjs";
import { root } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { useBrowser, withPage } from "./support.mjs";

let server;

useBrowser();
before(async () => { server = await startServer([]); });
after(() => server?.stop());

/** In the page: {right: all hashes, travelled: some bytes went to another thread, same: bytes came back as they were, lost: how often none did}. */
const hashMuch = async () => {
  const { hashedBytes, sha256 } = await import("/sources/hashing.js");
  const found = { right: true, same: true, travelled: false, lost: 0 };
  for (let i = 0; i < 40; ++i) {
    const bytes = new Uint8Array(2 << 20).fill(i), expected = await sha256(bytes);
    const answer = await hashedBytes(bytes);
    found.travelled ||= bytes.byteLength === 0;
    await new Promise((next) => setTimeout(next, 20));
    if (!answer.bytes) {
      ++found.lost;
      continue;
    }
    found.right &&= answer.sha256 === expected && expected.length === 64;
    found.same &&= answer.bytes.byteLength === 2 << 20 && answer.bytes.at(-1) === i;
  }
  const known = await sha256(new TextEncoder().encode("abc"));
  return { ...found, known };
};
const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // FIPS 180-4, as published

/** Serves the separate modules, which the page has joined with others; `worker(route)` answers for the worker's script. */
const prepare = (worker) => async (page) => {
  for (const name of ["sources/hashing.js", "sources/calls.js", "start/files.js", "start/trusted.js"])
    await page.route(`**/${name}`, (route) => route.fulfill({ contentType: "text/javascript", body: readFileSync(join(root, "web", name), "utf8") }));
  if (worker) await page.route(part("hash_worker.js"), worker);
};

const instead = (body) => async (route) => route.fulfill({ response: await route.fetch(), body }); // an isolated page needs the original headers
const noRoom = instead("onmessage = ({ data: { id, bytes } }) => postMessage({ id, bytes, hash: null })");
const dying = instead("onmessage = ({ data: { id, bytes } }) => { if (bytes) throw new Error('gone'); postMessage({ id }); }");

for (const [what, worker, travelled, lost] of [
  ["much is hashed on a thread of its own", null, true, 0],
  ["where that thread does not start, on the page's", (route) => route.abort(), false, 0],
  ["where it has no room, on the page's too", noRoom, true, 0],
  ["where it dies, on the page's from then on", dying, true, 1],
])
  test(what, () => withPage({ url: server.url, prepare: prepare(worker) }, async (page) => {
    assert.deepEqual(await page.evaluate(hashMuch), { right: true, same: true, travelled, lost, known: abc });
  }));
