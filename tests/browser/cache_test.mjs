// The cache of models on the device: a second visit loads nothing, two tabs do not harm each other, and the page also works
// where nothing can be stored.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { faultsOf } from "./faults.mjs";
import { part } from "./files.mjs";
import { launchFirefox, openInFirefox, whyNoFirefox } from "./firefox.mjs";
import { packEntry, packOf, sendPack, sha256 } from "./packs.mjs";
import { sendJson, sendRanged, sendWhole, startFaultServer } from "./servers.mjs";
import { planted, plantedFile, plantedRows, safetensors } from "./synthetic.mjs";
import { keptAll, notices, open, result, scalars, settled, until, useBrowser, withPage } from "./support.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
const bytes = plantedFile();
const pack = packOf(bytes, "packed", 12_000);
const plain = { name: "plain", path: "models/plain/", files: ["model.safetensors"], bytes: bytes.length, sha256: sha256(bytes) };
const answer = { current: null };
let server;

useBrowser();
before(async () => { server = await startFaultServer(answer); });
after(() => server?.stop());
afterEach(() => { answer.current = null; });

/** Serves a list of these entries and their bytes; returns the requests, as "file" or "file range". */
function serve(entries, send = (request, response) => sendRanged(request, response, bytes, '"one"')) {
  const asked = [];
  answer.current = (request, response, path) => {
    if (path === "/models/index.json") return sendJson(response, entries);
    if (path.startsWith("/models/packed/")) return sendPack(response, path.replace("/models/packed/", ""), pack, asked);
    if (path !== "/models/plain/model.safetensors") return false;
    asked.push(request.headers.range ?? "all");
    return send(request, response) !== false;
  };
  return asked;
}
const packed = packEntry(pack, "packed");

async function assertPlanted(page, turns = 2.95) {
  await until(() => result(page), (r) => r?.complete && r.params.source === "learned");
  await settled(page);
  assert.ok(await result(page), `a figure, not: ${await page.locator("#overlay").innerText()} ${await notices(page)}`);
  assert.ok(Math.abs(scalars(await result(page)).turns - turns) < 0.1, `${scalars(await result(page)).turns} turns`);
  assert.ok(await page.locator("#overlay [role=alert]").isHidden(), "nothing lies over the figure");
}

/** A new page of the same visitor. */
async function again(page) {
  await keptAll(page);
  const next = await page.context().newPage();
  await open(next, server.url);
  return next;
}

const kept = (page) => page.evaluate(async () => {
  const found = [];
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("helixscope-models").catch(() => null);
  if (root) for await (const [key, folder] of root.entries()) for await (const name of folder.keys()) found.push(`${key}/${name}`);
  return found.filter((name) => !name.endsWith("about.json"));
});

/** Overwrites parts of the cached files. */
const spoil = (page, how) => page.evaluate(async (kind) => {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("helixscope-models");
  for await (const folder of root.values())
    for await (const [name, handle] of folder.entries()) {
      if ((name === "about.json") !== (kind === "about")) continue;
      const old = new Uint8Array(await (await handle.getFile()).arrayBuffer());
      const out = await handle.createWritable();
      if (kind === "half") await out.write(old.slice(0, old.length / 2));
      if (kind === "noise") await out.write(old.map((byte) => byte ^ 85));
      if (kind === "about") await out.write(JSON.stringify({ ...JSON.parse(new TextDecoder().decode(old)), size: old.length }));
      await out.close();
    }
}, how);

describe("a second visit", () => {
  for (const [what, entries, send] of [
    ["of a listed file", [plain]],
    ["of a listed file on a server that refuses ranges", [plain], (request, response) => sendWhole(response, bytes)],
    ["of a pack", [packed]],
  ])
    test(`${what} asks for no weights`, () => {
      const asked = serve(entries, send);
      return withPage({ url: server.url }, async (page) => {
        await assertPlanted(page);
        const first = asked.length;
        assert.ok(first > 0);
        const next = await again(page);
        await assertPlanted(next);
        assert.deepEqual(asked.slice(first), []);
        assert.deepEqual(await notices(next), []);
      });
    });

  test("of a file without a hash in the list asks whether it is still the same, and reads a new one anew", () => {
    const other = safetensors(plantedRows({ ...planted, turns: 5 }, 3), [planted.positions, planted.dimensions]);
    const entry = { ...plain, sha256: "" };
    const asked = serve([entry]);
    return withPage({ url: server.url }, async (page) => {
      await assertPlanted(page);
      const first = asked.length;
      await assertPlanted(await again(page));
      assert.ok(asked.length - first < first, `${asked.length - first} of ${first} requests`);
      serve([entry], (request, response) => sendRanged(request, response, other, '"two"'));
      await assertPlanted(await again(page), 4.9);
    });
  });
});

describe("what is kept", () => {
  for (const [what, how, entry] of [["was cut", "half", plain], ["was overwritten", "noise", packed]])
    test(`of ${entry.name} and ${what} does not count: it is loaded again`, () => {
      const asked = serve([entry]);
      return withPage({ url: server.url }, async (page) => {
        await assertPlanted(page);
        const first = asked.length;
        await spoil(page, how);
        await assertPlanted(await again(page));
        assert.equal(asked.length, 2 * first, "asked for again");
        await assertPlanted(await again(page));
        assert.equal(asked.length, 2 * first, "and kept again");
      });
    });

  test("can be seen and removed", () => {
    const asked = serve([packed]);
    return withPage({ url: server.url }, async (page) => {
      await assertPlanted(page);
      const first = asked.length;
      await page.locator("#model").click();
      const line = page.locator("#kept [data-kept=packed]");
      await line.waitFor();
      assert.match(await line.innerText(), /packed: 0\.1 MB kept on this device/);
      await line.getByRole("button", { name: /Remove/ }).click();
      await line.waitFor({ state: "detached" });
      assert.deepEqual(await kept(page), []);
      assert.ok(await page.locator("#models").isVisible());
      const next = await again(page);
      await assertPlanted(next);
      assert.ok(asked.length > first, "loaded again");
      assert.deepEqual(await notices(next), [], "what the visitor has removed is no surprise");
    });
  });

  test("and gone, because the browser needed the space: said once", () => {
    serve([packed]);
    return withPage({ url: server.url }, async (page) => {
      await assertPlanted(page);
      await page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry("helixscope-models", { recursive: true }));
      const next = await again(page);
      await assertPlanted(next);
      see("the browser has removed what was kept", (await notices(next)).join("\n"));
      assert.deepEqual(await notices(await again(page)), []);
    });
  });
});

describe("two tabs at once", () => {
  for (const [what, entries] of [["a listed file", [plain]], ["a pack", [packed]]])
    test(`with ${what}: both show it, nothing is loaded twice`, () => {
      const slow = async (request, response) => { await sleep(300); sendRanged(request, response, bytes, '"one"'); };
      const asked = serve(entries, slow);
      return withPage({}, async (page) => {
        const other = await page.context().newPage();
        await Promise.all([open(page, server.url), open(other, server.url)]);
        await assertPlanted(page);
        await assertPlanted(other);
        see("two tabs load the same model", await page.locator("#title").innerText());
        assert.equal(new Set(asked).size, asked.length, String(asked));
        const third = asked.length;
        await assertPlanted(await again(page));
        assert.equal(asked.length, third);
      });
    });
});

const refuse = () => { StorageManager.prototype.getDirectory = () => Promise.reject(new DOMException("no", "SecurityError")); };
const refuseAll = () => {
  StorageManager.prototype.getDirectory = () => Promise.reject(new DOMException("no", "SecurityError"));
  CacheStorage.prototype.open = () => Promise.reject(new DOMException("no", "SecurityError"));
};

describe("a device that keeps nothing", () => {
  test("without a file system, in the browser's other storage: a second visit asks for nothing", () => {
    const asked = serve([packed]);
    return withPage({ init: refuse, url: server.url }, async (page) => {
      await assertPlanted(page);
      const first = asked.length;
      const next = await page.context().newPage();
      await next.addInitScript(refuse);
      await open(next, server.url);
      await assertPlanted(next);
      assert.equal(asked.length, first);
      assert.deepEqual(await notices(next), []);
      see("the browser refuses its file system", await next.locator("#title").innerText());
    });
  });

  test("neither here nor there: said once, and the page works", () => {
    serve([packed]);
    return withPage({ init: refuseAll, url: server.url }, async (page) => {
      await assertPlanted(page);
      const told = await notices(page);
      assert.equal(told.length, 1, String(told));
      see("the browser keeps nothing", told[0]);
    });
  });

  test("said and well also where the model is there before the page itself, as on a slow machine", () => {
    const asked = serve([packed]);
    const prepare = (page) => page.route(part("ui.wasm"), async (route) => {
      await until(() => asked.length, Boolean); // a shard
      await sleep(500); // time for its write, which fails because nothing can be stored
      await route.continue();
    });
    return withPage({ init: refuseAll, prepare, url: server.url }, async (page) => {
      await assertPlanted(page);
      assert.equal((await notices(page)).length, 1);
    });
  });

  test("without room: said once, and the page works", () => {
    serve([packed]);
    return withPage({ prepare: async (page) => {
      const session = await page.context().newCDPSession(page);
      await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(server.url).origin, quotaSize: 40_000 });
    } }, async (page) => {
      await open(page, server.url);
      await assertPlanted(page);
      const told = await until(() => notices(page), (list) => list.length);
      assert.equal(told.length, 1, String(told));
      see("the device has no room", told[0]);
    });
  });

  test("from a page that cannot write itself: a worker does", () => {
    const asked = serve([packed]);
    const init = () => { delete FileSystemFileHandle.prototype.createWritable; };
    return withPage({ init, url: server.url }, async (page) => {
      await assertPlanted(page);
      const first = asked.length;
      const next = await page.context().newPage();
      await next.addInitScript(init);
      await open(next, server.url);
      await assertPlanted(next);
      assert.equal(asked.length, first);
      assert.deepEqual(await notices(next), []);
    });
  });
});

test("what is noted of a file is changed by somebody else: it is read all the same, without a word", () => {
  serve([plain]);
  return withPage({ url: server.url }, async (page) => {
    await assertPlanted(page);
    await keptAll(page);
    await spoil(page, "about");
    const next = await again(page);
    await assertPlanted(next);
    assert.deepEqual(await notices(next), []);
  });
});

describe("a download that is cut", () => {
  /** Sends this many bytes of the requested file, then nothing. */
  const stall = (request, response) => {
    const first = Number(/^bytes=(\d+)-/.exec(request.headers.range)[1]);
    response.writeHead(206, { "Content-Type": "application/octet-stream", ETag: '"one"', "Content-Range": `bytes ${first}-${bytes.length - 1}/${bytes.length}` });
    response.write(bytes.subarray(first, first + 20_000));
  };
  const cancelled = async (page) => {
    await page.goto(server.url);
    await page.waitForFunction(() => window.helixscope);
    await until(() => page.locator("#overlay progress").getAttribute("value").catch(() => 0), (value) => Number(value) >= 20_000);
    await page.locator("#overlay").getByRole("button", { name: "Cancel" }).click();
    await page.locator("#overlay [role=alert]").waitFor();
  };
  const begins = (asked) => asked.map((range) => Number(/^bytes=(\d+)-/.exec(range)[1]));

  test("by the visitor goes on where it was, with another try", () => {
    serve([plain], stall);
    return withPage({}, async (page) => {
      await cancelled(page);
      const asked = serve([plain]);
      await page.locator("#overlay").getByRole("button", { name: "Try again" }).click();
      await assertPlanted(page);
      assert.ok(asked.length && begins(asked).every((begin) => begin >= 20_000), String(asked));
    });
  });

  test("by the visitor goes on where it was, at the next visit", () => {
    serve([plain], stall);
    return withPage({}, async (page) => {
      await cancelled(page);
      await until(() => kept(page), (files) => files.length);
      const asked = serve([plain]);
      await assertPlanted(await again(page));
      assert.ok(asked.length && begins(asked).every((begin) => begin >= 20_000), String(asked));
    });
  });
});

test("an engine that is replaced is given what this tab has, even where nothing is kept", () => {
  const asked = serve([packed]);
  const trap = `
    const listen = self.onmessage;
    self.onmessage = (event) => {
      if (event.data.text?.includes('"first":"66"')) ready.then(() => { engine._engine_step = () => { throw new WebAssembly.RuntimeError("unreachable"); }; });
      return listen(event);
    };`;
  const prepare = (page) => page.route(part("engine/worker.js"), async (route) => {
    const whole = await route.fetch();
    await route.fulfill({ response: whole, body: (await whole.text()) + trap });
  }, { times: 1 });
  return withPage({ init: refuseAll, prepare, url: server.url }, async (page) => {
    await assertPlanted(page);
    const first = asked.length;
    await page.locator("#p-first").fill("66");
    await page.locator("#p-first").press("Enter");
    await until(() => page.evaluate(() => helixscope.engine().restarts), (n) => n === 1);
    await until(() => result(page), (r) => r?.complete && r.params.first === 66);
    await settled(page);
    assert.equal((await result(page)).params.first, 66);
    assert.equal(asked.length, first, "nothing is loaded twice");
  });
});

/** Of the orders of four things these six hold every three of them in every order. */
const orders = ["0123", "0321", "1302", "2103", "2301", "3120"];

describe("a first visit where nothing can be kept:", () => {
  const parts = { "the page's module": part("ui.wasm"), "the engine": part("engine-*.wasm"), "the list": "**/models/index.json", "the weights": "**/models/plain/*" };
  const step = 120; // milliseconds from one to the next
  /** A visit on which each part is delayed by this much. */
  const visit = (delays) => withPage({ init: refuseAll, prepare: (page) => Promise.all(Object.entries(parts).map(([part, pattern]) =>
    page.route(pattern, async (route) => { await sleep(delays[part] ?? 0); await route.continue().catch(() => {}); }))), url: server.url }, async (page) => {
    await assertPlanted(page);
    assert.deepEqual(await notices(page), ["This browser keeps nothing for this page, as in a private window: models are loaded again at the next visit."]);
  });
  for (const order of orders)
    test(`the helix and one notice, parts arriving as ${order}`, () => {
      serve([plain]);
      return visit(Object.fromEntries([...order].map((part, i) => [Object.keys(parts)[part], i * step])));
    });
  for (const late of Object.keys(parts))
    test(`the helix and one notice where ${late} comes late`, () => {
      serve([plain]);
      return visit({ [late]: 2000 });
    });
});

test("files of the visitor's own are not kept", () => {
  serve([packed]);
  return withPage({ url: server.url }, async (page) => {
    await assertPlanted(page);
    const before = await kept(page);
    await page.locator("#model").click();
    await page.locator("#models input[type=file]").setInputFiles({ name: "mine.safetensors", mimeType: "application/octet-stream", buffer: bytes });
    await until(() => result(page), (r) => r?.provenance.model === "mine");
    assert.deepEqual(await kept(page), before);
  });
});

describe("in Firefox", { skip: whyNoFirefox() ?? false, timeout: 120_000 }, () => {
  test("a second visit asks for no weights either", { timeout: 120_000 }, async () => {
    for (const entry of [plain, packed]) {
      const asked = serve([entry]);
      const firefox = await launchFirefox();
      try {
        const { page } = await openInFirefox(firefox.browser, server.url);
        assert.equal((await result(page)).provenance.model, entry.name);
        const first = asked.length;
        assert.ok(first > 0);
        await keptAll(page);
        await page.reload();
        await until(() => page.evaluate(() => Boolean(window.helixscope)), Boolean);
        await page.evaluate(() => helixscope.settled());
        assert.equal((await result(page)).provenance.model, entry.name);
        assert.deepEqual(asked.slice(first), []);
      } finally {
        await firefox.close();
      }
    }
  });
});

test("docs/faults.md lists nothing that was not injected here", everySeen);
