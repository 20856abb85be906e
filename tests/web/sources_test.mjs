// The weights of a model on a server: read in ranges or as one stream, and each way in which a server can fail.
import "./page.mjs";
import assert from "node:assert/strict";
import { after, afterEach, describe, mock, test } from "node:test";
import { faultsOf } from "../browser/faults.mjs";
import { sendRanged, sendWhole } from "../browser/servers.mjs";
import { plantedFile } from "../browser/synthetic.mjs";
import { Cache } from "../../web/sources/cache.js";
import { FileSource } from "../../web/sources/source.js";
import { UrlSource } from "../../web/sources/url_source.js";
import { device, forgetAll, site, siteOrigin, stopServers } from "./page.mjs";
import { Reader } from "./reader.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
const bytes = plantedFile(), whole = [[0, bytes.length]];
const address = new URL("/models/planted/model.safetensors", siteOrigin);
const silent = () => {};

const reader = (options = {}) => new Reader((emit) => new UrlSource("planted", address, emit, options));
const serve = (send) => { site.current = (request, response) => send(request, response) !== false; };
const firstOf = (request) => Number(/^bytes=(\d+)-/.exec(request.headers.range ?? "bytes=0-")[1]);

afterEach(forgetAll);
after(stopServers);

describe("a file on a server", () => {
  test("is read in the ranges that were asked for", async () => {
    const asked = [];
    serve((request, response) => {
      asked.push(request.headers.range);
      return sendRanged(request, response, bytes, '"one"');
    });
    const one = reader();
    await one.ask([[0, 100], [5000, 6000]]);
    assert.deepEqual(asked, ["bytes=0-99", "bytes=5000-5999"]);
    assert.equal(one.size, bytes.length);
    assert.equal(one.arrived, 1100);
    assert.deepEqual(one.bytes(6000).subarray(5000), bytes.subarray(5000, 6000));
  });

  test("comes once as a stream where ranges are refused, with its size and without", async () => {
    for (const sized of [true, false]) {
      let asked = 0;
      serve((request, response) => {
        ++asked;
        if (sized) return sendWhole(response, bytes);
        response.writeHead(200, { "Content-Type": "application/octet-stream" });
        for (let at = 0; at < bytes.length; at += 9000) response.write(bytes.subarray(at, at + 9000));
        response.end();
        return true;
      });
      const one = reader();
      await one.ask(whole);
      assert.deepEqual(one.bytes(bytes.length), bytes);
      assert.equal(asked, 1);
      assert.deepEqual(one.sentences, []);
    }
  });

  test("is not asked for what lies behind its end", async () => {
    serve((request, response) => sendRanged(request, response, bytes, '"one"'));
    const one = reader();
    await one.ask([[bytes.length + 10, bytes.length + 20]]);
    assert.equal(one.size, bytes.length, "its size is told");
    assert.deepEqual(one.sentences, []);
  });

  test("whose source is dropped sends nothing more, and no sentence", async () => {
    let heard;
    const asked = new Promise((done) => { heard = done; });
    serve(() => heard() || true);
    const one = reader();
    const reading = one.ask(whole);
    await asked;
    one.source.close();
    await reading;
    assert.deepEqual(one.messages, []);
  });

  test("that is cancelled says so in one sentence", async () => {
    let heard;
    const asked = new Promise((done) => { heard = done; });
    serve(() => heard() || true);
    const one = reader();
    const reading = one.ask(whole);
    await asked;
    one.source.cancel();
    await reading;
    assert.deepEqual(one.sentences, ["Loading planted was stopped; what has arrived is kept."]);
  });
});

describe("a server", () => {
  const cutAfter = 30_000;
  const partial = (response, first, part, total, length = part.length) =>
    response.writeHead(206, { "Content-Type": "application/octet-stream", "Content-Length": length, "Content-Range": `bytes ${first}-${first + length - 1}/${total}` });
  const faults = {
    "does not have the file (404)": (request, response) => response.writeHead(404).end("not found"),
    "has an error of its own (500)": (request, response) => response.writeHead(500).end("broken"),
    "shows a web page instead": (request, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>Sign in</title>"),
    "promises more bytes than it sends": (request, response) => {
      response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": bytes.length + 5000 });
      response.write(bytes.subarray(0, cutAfter), () => setTimeout(() => response.destroy(), 20));
    },
    "sends fewer bytes than were asked for": (request, response) => {
      const first = firstOf(request), part = bytes.subarray(first, first + 1000);
      partial(response, first, part, bytes.length).end(part);
    },
    "sends other bytes than were asked for": (request, response) =>
      response.writeHead(206, { "Content-Type": "application/octet-stream", "Content-Range": `bytes 8-${bytes.length - 1}/${bytes.length}` }).end(bytes.subarray(8)),
  };
  for (const [what, send] of Object.entries(faults))
    test(`that ${what}: one sentence, and another try brings the file`, async () => {
      serve(send);
      const one = reader();
      await one.ask(whole);
      assert.equal(one.sentences.length, 1, String(one.sentences));
      see(`the weights' server ${what}`, one.sentences[0]);
      assert.match(one.sentences[0], /^[A-Z].{10,300}\.$/);
      assert.doesNotMatch(one.sentences[0], /undefined|null|NaN|\[object/);
      serve((request, response) => sendRanged(request, response, bytes, '"well"'));
      await one.ask(whole, { afresh: true });
      assert.equal(one.sentences.length, 1);
      assert.deepEqual(one.bytes(bytes.length), bytes);
    });

  test("whose file changes between two ranges: said, and the engine is told to close it", async () => {
    const other = Buffer.from(bytes).fill(7, 4000);
    let asked = 0;
    serve((request, response) => (++asked === 1 ? sendRanged(request, response, bytes, '"one"') : sendRanged(request, response, other, '"two"')));
    const one = reader({ cache: new Cache(silent) });
    await one.ask([[0, 1000]]);
    await one.ask([[5000, 9000]]);
    assert.match(one.sentences[0], /the file changed on the server while it was being read/);
    assert.equal(one.messages.at(-1).type, "close");
    await one.ask(whole, { afresh: true });
    assert.deepEqual(one.bytes(other.length), other, "nothing of the old file is used for the new one");
  });
});

describe("a server that says nothing", () => {
  test("is given up after 12 seconds without a byte, and not before", async () => {
    let heard;
    const asked = new Promise((done) => { heard = done; });
    serve(() => heard() || true);
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const one = reader();
      one.source.need({ ranges: whole, have: 0, want: bytes.length, afresh: false });
      await asked;
      for (let second = 1; second < 12; ++second) mock.timers.tick(1000);
      assert.deepEqual(one.sentences, []);
      mock.timers.tick(1000);
      await one.done();
      assert.match(one.sentences[0], /^The weights of planted could not be read: the server has sent nothing for 12 seconds\.$/);
    } finally {
      mock.timers.reset();
    }
  });

  test("because the device is offline: said so", async () => {
    device.online = false;
    const one = reader();
    await one.ask(whole);
    assert.deepEqual(one.sentences, ["The weights of planted could not be read: this device is offline."]);
  });
});

describe("a file of the visitor's", () => {
  test("is read in pieces, and says its size", async () => {
    const file = new File([bytes], "mine.safetensors");
    const one = new Reader((emit) => new FileSource("mine", file, emit));
    await one.ask([[0, 100], [50_000, bytes.length + 500]]);
    assert.equal(one.size, bytes.length);
    assert.deepEqual(one.bytes(bytes.length).subarray(50_000), bytes.subarray(50_000));
  });

  test("that is gone is a sentence", async () => {
    const file = { size: 1000, slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException("gone", "NotFoundError")) }) };
    const one = new Reader((emit) => new FileSource("mine", /** @type {any} */ (file), emit));
    await one.ask([[0, 100]]);
    assert.deepEqual(one.sentences, ["The weights of mine could not be read: the file cannot be read any more; choose it again."]);
  });
});

test("docs/faults.md lists nothing that was not injected here", everySeen);
