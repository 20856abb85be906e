// Hashes of what is kept: a thread of their own for who has much, the page's own where that does not start.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { useBrowser, withPage } from "./support.mjs";

let server;

useBrowser();
before(async () => { server = await startServer([]); });
after(() => server?.stop());

/** In the page: {right: all hashes, travelled: some bytes went to another thread, same: bytes came back as they were}. */
const hashMuch = async () => {
  const { hashedBytes, sha256 } = await import("/hashing.js");
  const found = { right: true, same: true, travelled: false };
  for (let i = 0; i < 40; ++i) {
    const bytes = new Uint8Array(2 << 20).fill(i), expected = await sha256(bytes);
    const answer = await hashedBytes(bytes);
    found.right &&= answer.sha256 === expected && expected.length === 64;
    found.same &&= answer.bytes.byteLength === 2 << 20 && answer.bytes.at(-1) === i;
    found.travelled ||= bytes.byteLength === 0;
    await new Promise((next) => setTimeout(next, 20));
  }
  const known = await sha256(new TextEncoder().encode("abc"));
  return { ...found, known };
};
const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // FIPS 180-4, as published

/** The modules themselves, which the page has joined with others; `worker(route)`: what is said for the worker's script. */
const prepare = (worker) => async (page) => {
  for (const name of ["hashing.js", "calls.js"])
    await page.route(`**/${name}`, (route) => route.fulfill({ contentType: "text/javascript", body: readFileSync(join(root, "web", name), "utf8") }));
  if (worker) await page.route("**/hash_worker.js", worker);
};

const noRoom = async (route) => {
  const response = await route.fetch(); // its headers: an isolated page takes no worker without them
  await route.fulfill({ response, body: "onmessage = ({ data: { id, bytes } }) => postMessage({ id, bytes, hash: null })" });
};

for (const [what, worker, travelled] of [
  ["much is hashed on a thread of its own", null, true],
  ["where that thread does not start, on the page's", (route) => route.abort(), false],
  ["where it has no room, on the page's too", noRoom, true],
])
  test(what, () => withPage({ url: server.url, prepare: prepare(worker) }, async (page) => {
    assert.deepEqual(await page.evaluate(hashMuch), { right: true, same: true, travelled, known: abc });
  }));
