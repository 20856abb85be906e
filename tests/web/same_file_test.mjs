// Bytes that are cached and bytes that are fetched are of one file, also where the list names a hash that no part can be checked by.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Cache } from "../../web/sources/cache.js";
import { UrlSource } from "../../web/sources/url_source.js";

const size = 4000;
const files = { old: Buffer.alloc(size, 1), new: Buffer.alloc(size, 2) };
let server, url, served, asked;

before(async () => {
  server = createServer((request, response) => {
    ++asked;
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range).map(Number);
    response.writeHead(206, { "Content-Type": "application/octet-stream", ETag: `"${served}"`, "Content-Range": `bytes ${first}-${last}/${size}` })
      .end(files[served].subarray(first, last + 1));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${server.address().port}/model.safetensors`;
});
after(() => { server.close(); server.closeAllConnections(); });

/** A source as at a visit, and all that it says. `read(ranges)` ends when the bytes are there or the source has failed. */
function visit(cache) {
  const said = [];
  let heard = () => {};
  const source = new UrlSource("m", url, (message, bytes) => { said.push({ ...message, bytes: bytes && new Uint8Array(bytes) }); heard(); }, { cache, sha256: "ab".repeat(32) });
  const count = () => said.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
  const read = async (...ranges) => {
    const wanted = count() + ranges.reduce((sum, [begin, end]) => sum + end - begin, 0), before = said.length;
    const ended = new Promise((done) => { heard = () => { if (count() >= wanted || said.slice(before).some(({ type }) => type === "source_failed")) done(); }; });
    source.need({ ranges, have: 0, want: size, afresh: false });
    await ended;
  };
  return { source, said, read };
}

const kinds = (said) => new Set(said.flatMap(({ bytes }) => [...(bytes ?? [])]));
const settle = () => new Promise((next) => setTimeout(next, 200)); // writes to the cache happen after the bytes are used

test("a file that has changed under the hash of the list is not mixed from two versions", async () => {
  const cache = new Cache(() => {});
  served = "old";
  asked = 0;
  await visit(cache).read([0, 1000], [2000, 3000]);
  await settle();
  const calls = asked;
  await visit(cache).read([0, 1000]);
  assert.equal(asked, calls, "what is cached is not asked for");

  served = "new";
  const later = visit(cache);
  await later.read([0, 1000], [1000, 2000]);
  const failed = later.said.find(({ type }) => type === "source_failed");
  assert.match(failed?.sentence ?? "nothing", /changed on the server while it was being read/);
  assert.ok(later.said.some(({ type }) => type === "close"), "the engine drops what it has");
  assert.deepEqual(kinds(later.said), new Set([1]), "no byte of the new file joins those of the old one");
  later.said.length = 0;
  await later.read([0, 1000], [1000, 2000]);
  assert.deepEqual(kinds(later.said), new Set([2]));
});
