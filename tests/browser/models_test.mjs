// Where models come from, and what can go wrong: the page shows one sentence, offers another try, and keeps the picture.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { faultsOf } from "./faults.mjs";
import { sendJson, sendRanged, sendWhole, startFaultServer } from "./servers.mjs";
import { planted, plantedFile, plantedRows, safetensors } from "./synthetic.mjs";
import { notices, result, scalars, settled, state, until, useBrowser, withPage } from "./support.mjs";

const bytes = plantedFile();
const weights = `/models/planted/${planted.name}.safetensors`;
const entry = { name: planted.name, path: "models/planted/", files: [`${planted.name}.safetensors`], bytes: bytes.length, sha256: "" };
const answer = { current: null }; // the server's responses about models, set by each test
// The browser itself logs every unsuccessful response; the page must not add to that.
const refused = [/Failed to load resource/];

const { see, everySeen } = faultsOf(import.meta.url);
let server;
useBrowser();
before(async () => { server = await startFaultServer(answer); });
after(() => server?.stop());
afterEach(() => { answer.current = null; });

/** models/index.json with these entries, and `send(request, response)` for the weights. */
function serve(send, entries = [entry]) {
  answer.current = (request, response, path) => {
    if (path === "/models/index.json") return sendJson(response, entries);
    if (path === weights) return send(request, response) !== false;
    return false;
  };
}
const good = (request, response) => sendRanged(request, response, bytes, '"repaired"');

const card = (page) => page.locator("#overlay [role=alert]");
const shownTurns = async (page) => scalars(await result(page)).turns;

async function assertPlanted(page, model = planted.name) {
  await until(() => result(page), (r) => r?.complete && r.provenance.model === model);
  await settled(page);
  const found = await result(page);
  assert.equal(found.provenance.model, model);
  assert.equal(found.params.source, "learned");
  assert.ok(Math.abs(scalars(found).turns - 2.95) < 0.05, `${scalars(found).turns} turns`);
  assert.ok(await card(page).isHidden(), "nothing lies over the figure");
}

/** Exactly one sentence, in the card over the figure, which a visitor can understand. */
async function oneSentence(page) {
  await card(page).waitFor();
  const sentence = await card(page).locator("div").first().textContent();
  assert.match(sentence, /^[A-Z].{10,300}\.$/s, sentence);
  assert.doesNotMatch(sentence, /undefined|null|NaN|\[object|Error:|0x/, sentence);
  assert.ok(!(await notices(page)).includes(sentence), "said once, not twice");
  return sentence;
}

const filed = (name, content) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });

async function pick(page, file) {
  await page.locator("#model").click();
  await page.locator("#models input[type=file]").setInputFiles(file);
}

const drop = (page, file) => page.evaluate(({ name, data }) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
  for (const type of ["dragover", "drop"])
    document.getElementById("canvas").dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}, { name: file.name, data: file.buffer.toString("base64") });

test("a second file of the same name is opened in place of the first, with nothing to say", () =>
  withPage({ url: server.url, allowed: refused }, async (page) => {
    const turns = async (wanted) => until(() => result(page), (r) => r?.complete && r.params.source === "learned" && Math.abs(scalars(r).turns - wanted) < 0.1);
    for (const wanted of [2.95, 5, 2.95]) {
      const rows = wanted === 2.95 ? bytes : safetensors(plantedRows({ ...planted, turns: 5.05 }), [planted.positions, planted.dimensions]);
      await pick(page, filed("model.safetensors", rows));
      await turns(wanted);
      await settled(page);
      assert.ok(Math.abs(scalars(await result(page)).turns - wanted) < 0.1, `${scalars(await result(page)).turns}`);
      assert.ok(await card(page).isHidden(), "nothing lies over the figure");
      assert.deepEqual((await notices(page)).filter((text) => /closed/.test(text)), []);
    }
  }));

describe("without a model", () => {
  test("the sinusoid stands in, a sentence says so, and a file of one's own brings the helix", () =>
    withPage({ url: server.url, allowed: refused }, async (page) => {
      const first = await result(page);
      assert.equal(first.params.source, "sinusoidal");
      assert.equal(first.provenance.model, "");
      assert.match((await notices(page)).join(), /No model/);
      await page.locator("#model").click();
      assert.ok(await page.locator("#models").isVisible(), "a dialog offers to open one");
      assert.equal(await page.locator("#models input[type=file]").count(), 1);
      await page.keyboard.press("Escape");

      await pick(page, filed("mine.safetensors", bytes));
      await assertPlanted(page, "mine");
      assert.equal((await state(page)).model, "mine");
      assert.doesNotMatch((await notices(page)).join(), /No model/, "the sentence goes with its reason");
    }));

  test("a file dropped on the page is opened", () =>
    withPage({ url: server.url, allowed: refused }, async (page) => {
      await drop(page, filed("dropped.safetensors", bytes));
      await assertPlanted(page, "dropped");
    }));
});

describe("the list of models", () => {
  test("is broken: a sentence, and the sinusoid", () => {
    answer.current = (request, response, path) => path === "/models/index.json" && sendJson(response, "[{");
    return withPage({ url: server.url }, async (page) => {
      assert.equal((await result(page)).params.source, "sinusoidal");
      see("the list of models is broken", (await notices(page)).join("\n"));
    });
  });

  test("has broken entries: the good ones are offered", () => {
    const broken = [null, 7, {}, { name: "no files", path: "x/" }, { name: "a", path: "b", files: "c.safetensors" },
      { name: "vocabulary only", path: "x/", files: ["vocab.json"] }, { name: "nowhere", path: "http://[", files: ["a.safetensors"] }];
    serve(good, [...broken, entry]);
    return withPage({ url: server.url }, async (page) => {
      await assertPlanted(page);
      await page.locator("#model").click();
      const offered = await page.locator("#models li:not(.control-models li)").allTextContents();
      assert.equal(offered.length, 1, String(offered));
    });
  });
});

describe("a server", () => {
  test("without ranges still brings the helix", async () => {
    let asked = 0;
    serve((request, response) => { ++asked; return sendWhole(response, bytes); });
    await withPage({ url: server.url }, async (page) => {
      await assertPlanted(page);
      assert.equal(asked, 1, "the file is read once, as it comes");
    });
  });

  test("without ranges and without sizes still brings the helix", () => {
    serve((request, response) => { // chunked: the length is not known beforehand
      response.writeHead(200, { "Content-Type": "application/octet-stream" });
      for (let at = 0; at < bytes.length; at += 9000) response.write(bytes.subarray(at, at + 9000));
      response.end();
    }, [{ ...entry, bytes: 0 }]);
    return withPage({ url: server.url }, assertPlanted);
  });

  const cutAfter = 30_000;
  // What the engine finds; what the source finds by itself is in tests/web/sources_test.mjs.
  const faults = {
    "drops the connection in the middle": {
      send(request, response) {
        const match = /^bytes=(\d+)-/.exec(request.headers.range ?? "bytes=0-");
        const first = Number(match[1]);
        response.writeHead(206, { "Content-Type": "application/octet-stream", "Content-Length": bytes.length - first,
          "Content-Range": `bytes ${first}-${bytes.length - 1}/${bytes.length}` });
        response.write(bytes.subarray(first, Math.min(first + cutAfter, bytes.length - 1)), () => setTimeout(() => response.destroy(), 50));
      },
      word: /connection|ended/i,
    },
    "shows a web page that calls itself data": {
      send: (request, response) => sendWhole(response, Buffer.from(`<!doctype html><title>Sign in</title>${" ".repeat(2000)}`)), word: /safetensors|weights|header|bytes/i,
    },
    "says that the file is longer than it is": {
      send(request, response) {
        const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "bytes=0-0");
        const first = Number(match[1]), part = bytes.subarray(first, Number(match[2]) + 1);
        response.writeHead(206, { "Content-Type": "application/octet-stream", "Content-Length": part.length,
          "Content-Range": `bytes ${first}-${first + part.length - 1}/${bytes.length * 3}` }).end(part);
      },
      word: /bytes|MB|kB/,
    },
    "has a truncated file": { send: (request, response) => sendRanged(request, response, bytes.subarray(0, cutAfter), '"cut"'), word: /bytes|ends|shorter|MB|kB/i },
    "has a truncated file and no ranges": { send: (request, response) => sendWhole(response, bytes.subarray(0, cutAfter)), word: /bytes|ends|shorter|MB|kB/i },
  };

  for (const [what, { send, word }] of Object.entries(faults))
    test(`that ${what}: one sentence, then another try`, () => {
      serve(send);
      return withPage({ url: server.url, allowed: refused }, async (page) => {
        const told = await oneSentence(page);
        assert.match(told, word);
        see(`the weights' server ${what}`, told);
        await settled(page);
        const again = card(page).locator("button");
        assert.equal(await again.count(), 1, "there is a button to try again");
        await again.click();
        await settled(page); // else the first sentence is read again
        assert.match(await oneSentence(page), word, "the same while nothing has changed");
        serve(good);
        await card(page).locator("button").click();
        await assertPlanted(page);
      });
    });

  test("whose file changes while it is read: said, or read anew, never mixed", async () => {
    const other = safetensors(plantedRows(planted, 11), [planted.positions, planted.dimensions]);
    let asked = 0;
    serve((request, response) => (++asked === 1 ? sendRanged(request, response, bytes, '"one"') : sendRanged(request, response, other, '"two"')));
    await withPage({ url: server.url }, async (page) => {
      if (await card(page).isVisible()) {
        const told = await oneSentence(page);
        assert.match(told, /changed/);
        see("the file changes between two ranges", told);
        await card(page).locator("button").click();
      }
      await assertPlanted(page);
      assert.ok(asked > 2, "the part of the old file is not used for the new one");
    });
  });
});

describe("a file of the visitor's that is no model", () => {
  const cutHeader = Buffer.concat([bytes.subarray(0, 40)]);
  const cutData = bytes.subarray(0, bytes.length - 5000);
  const huge = Buffer.from(bytes);
  huge.writeBigUInt64LE(1n << 62n);
  const files = {
    "noise": Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 31 + (i >> 3)) & 255)),
    "a web page": Buffer.from("<!doctype html><html><title>404</title><p>Not found</p></html>".repeat(20)),
    "a cut header": cutHeader, "cut weights": cutData, "an absurd length": huge,
    "other tensors": safetensors(plantedRows(), [planted.positions, planted.dimensions], "bert.embeddings"),
    "a flat tensor": safetensors(plantedRows(), [planted.positions * planted.dimensions]),
  };

  const inside = ["cut weights", "a flat tensor"]; // faults behind a header that is a GPT-2's: they are found on reading
  const refusals = Object.keys(files).filter((what) => !inside.includes(what));

  test("behind a good header: one sentence, and the picture that was there", () => {
    serve(good);
    return withPage({ url: server.url }, async (page) => {
      await assertPlanted(page);
      const turns = await shownTurns(page);
      for (const what of inside) {
        const content = files[what];
        await pick(page, filed(`${what}.safetensors`, content));
        await until(() => state(page), (s) => s.model === what);
        await settled(page);
        await oneSentence(page);
        assert.equal(await shownTurns(page), turns, `${what}: the old numbers`);
        assert.ok(await page.evaluate(() => helixscope.rect("row.90")), `${what}: the old figure is still drawn`);
        // Back to the good one, as a visitor would.
        await page.locator("#model").click();
        await page.locator("#models li button", { hasText: planted.name }).click();
        await assertPlanted(page);
      }
    });
  });

  /** The open model, and what the visitor sees of it. */
  const open = async (page) => [(await state(page)).model, await shownTurns(page), await page.locator("#model").innerText()];
  const others = {
    "emergence.safetensors": safetensors(plantedRows(), [planted.positions, planted.dimensions]),
    "vocab.json": Buffer.from("{}"), "notes.txt": Buffer.from("hello"), "empty.safetensors": Buffer.alloc(0), "short.safetensors": Buffer.from("hello"),
    ...Object.fromEntries(refusals.map((what) => [`${what}.safetensors`, files[what]])),
  };
  const refusal = (page) => page.locator("#models-refused");

  for (const [where, options] of [["on a desk", {}], ["on a phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }]])
    test(`${where}: is refused in the dialog, in one sentence that names it; the open model stays`, () => {
      serve(good);
      return withPage({ url: server.url, ...options }, async (page) => {
        await assertPlanted(page);
        const before = await open(page);
        for (const [name, content] of Object.entries(others)) {
          await pick(page, filed(name, content));
          const told = await until(() => refusal(page).textContent(), Boolean);
          assert.match(told, /^[^.]+\.[a-z]+ (is|holds) .{3,150}\.$/, name);
          assert.ok(told.startsWith(name), told);
          const box = await refusal(page).boundingBox(), { height } = page.viewportSize();
          assert.ok(box.y >= 0 && box.y + box.height <= height && box.height > 10, `${name}: the sentence is in sight`);
          assert.deepEqual(await open(page), before, name);
          assert.deepEqual(await notices(page), [], "said once, where the visitor looks");
          await page.keyboard.press("Escape");
        }
        await page.locator("#model").click();
        assert.equal(await refusal(page).textContent(), "", "the next time it is forgotten");
      });
    });

  test("dropped on the page: the dialog opens and says why", () => {
    serve(good);
    return withPage({ url: server.url }, async (page) => {
      await assertPlanted(page);
      const before = await open(page);
      await drop(page, filed("notes.txt", "hello"));
      assert.match(await until(() => refusal(page).textContent(), Boolean), /^notes\.txt is no model/);
      assert.ok(await refusal(page).isVisible());
      assert.deepEqual(await open(page), before);
    });
  });
});

test("docs/faults.md lists nothing that was not injected here", everySeen);
