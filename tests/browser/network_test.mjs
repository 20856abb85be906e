// Network failures at any part of the page: the page says what failed, offers another try, and loses nothing that was shown.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { broken, replies } from "./broken.mjs";
import { faultsOf } from "./faults.mjs";
import { part } from "./files.mjs";
import { colours, decodePng } from "./pictures.mjs";
import { site } from "./places.mjs";
import { sendJson, sendRanged, startFaultServer } from "./servers.mjs";
import { plantedFile } from "./synthetic.mjs";
import { notices, result, settled, state, until, useBrowser, withPage } from "./support.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
const bytes = plantedFile();
const file = (name) => ({ name, path: `models/${name}/`, files: ["model.safetensors"], bytes: bytes.length, sha256: "" });
const answer = { current: null };
const refused = [/Failed to load resource/, /could not start/, /net::|wasm|Failed to fetch|Aborted|fallback|WebAssembly/i, /Error: (the connection broke|the server answered 404|it did not arrive whole|a part of it could not be loaded|a web page came in its place)/];
let server;

useBrowser();
before(async () => { server = await startFaultServer(answer); });
after(() => server?.stop());
afterEach(() => { answer.current = null; });

const good = (request, response) => sendRanged(request, response, bytes, '"good"');
/** Two models: the first is intact, `send` answers for the second. */
function serve(send) {
  answer.current = (request, response, path) => {
    if (path === "/models/index.json") return sendJson(response, [file("well"), file("ill")]);
    if (path === "/models/well/model.safetensors") return good(request, response);
    if (path === "/models/ill/model.safetensors") return send(request, response) !== false;
    return false;
  };
}

const card = (page) => page.locator("#overlay [role=alert]");
const plain = (page) => page.locator("#plain");
const tryAgain = (page) => card(page).getByRole("button", { name: "Try again" }).click();
async function choose(page, name) {
  await page.locator("#model").click();
  await page.locator("#models li button", { hasText: name }).click();
}
const isWell = async (page, model) => {
  await until(() => result(page), (r) => r?.provenance.model === model && r.complete);
  await settled(page);
  assert.equal((await result(page)).provenance.model, model);
  assert.ok(await card(page).isHidden());
};

test("opened from a file, the page says that it needs a server", () =>
  withPage({ allowed: [/.*/] }, async (page) => {
    await page.goto(pathToFileURL(join(site, "index.html")).href);
    await plain(page).waitFor();
    see("the page is opened from a file", await plain(page).innerText());
  }));

describe("weights that do not arrive", () => {
  const stalls = {
    "the weights' server accepts and says nothing": () => true,
    "the weights stall in the middle": (request, response) => {
      const first = Number(/^bytes=(\d+)-/.exec(request.headers.range)[1]);
      response.writeHead(206, { "Content-Type": "application/octet-stream", "Content-Range": `bytes ${first}-${bytes.length - 1}/${bytes.length}` });
      response.write(bytes.subarray(first, first + 20_000));
      return true;
    },
  };
  for (const [fault, send] of Object.entries(stalls))
    test(`${fault}: said after 12 seconds, the picture stays, another try`, () => {
      let asked = false;
      serve((...request) => { asked = true; return send(...request); });
      return withPage({ url: server.url, allowed: refused, clock: true }, async (page) => {
        await isWell(page, "well");
        const before = await result(page);
        await choose(page, "ill");
        await until(() => asked, Boolean);
        await page.clock.runFor(9000);
        assert.ok(await card(page).isHidden(), "a slow network is no failure yet");
        await until(async () => { await page.clock.runFor(1000); return card(page).isVisible(); }, Boolean);
        see(fault, await card(page).innerText());
        assert.deepEqual((await result(page)).scalars, before.scalars);
        assert.ok(await page.evaluate(() => helixscope.rect("row.90")), "the old figure is still drawn");
        const stage = await page.locator("#stage").boundingBox(), sentence = await card(page).boundingBox();
        assert.ok(sentence.height < stage.height / 3, "and not covered");
        serve(good);
        await tryAgain(page);
        await isWell(page, "ill");
      });
    });

  test("a device that goes offline says so, and tries by itself when it is back", () => {
    serve((request, response) => response.writeHead(500).end());
    return withPage({ url: server.url, allowed: refused }, async (page) => {
      await isWell(page, "well");
      await page.context().setOffline(true);
      await choose(page, "ill");
      await card(page).waitFor();
      see("the device is offline", await card(page).innerText());
      serve(good);
      await page.context().setOffline(false);
      await isWell(page, "ill");
    });
  });

  test("a failure can be put aside", () => {
    serve((request, response) => response.writeHead(500).end());
    return withPage({ url: server.url, allowed: refused }, async (page) => {
      await choose(page, "ill");
      await card(page).waitFor();
      await card(page).getByRole("button", { name: /dismiss/i }).click();
      await card(page).waitFor({ state: "hidden" }); // in the next frame
      assert.equal((await state(page)).model, "ill");
      await choose(page, "well");
      await isWell(page, "well");
    });
  });
});

test("a list of models that stalls holds nothing up, and is taken when it comes", () => {
  let release;
  answer.current = (request, response, path) => {
    if (path !== "/models/index.json") return path.endsWith(".safetensors") ? good(request, response) : false;
    release = () => sendJson(response, [file("well")]);
    return true;
  };
  return withPage({ url: server.url }, async (page) => {
    assert.equal((await result(page)).params.source, "sinusoidal");
    see("the list of models stalls", (await notices(page)).join("\n"));
    release();
    await isWell(page, "well");
    assert.deepEqual(await notices(page), []);
  });
});

// ---- parts of the page itself

const parts = {
  "the page's script is not there (404)": broken(part("main.js"), replies.missing),
  "one of the page's modules is not there (404)": broken(part("ui.mjs"), replies.missing),
  "the page's own module does not arrive": broken(part("ui.wasm"), replies.reset),
  "the page's own module is not there (404)": broken(part("ui.wasm"), replies.missing),
  "the page's own module is cut": broken(part("ui.wasm"), replies.cut(5000)),
  "a sign-in page in place of the page's own module": broken(part("ui.wasm"), replies.signIn),
  "the second part of the page's own module does not arrive": broken(part("ui_rest.wasm"), replies.reset),
  "the second part of the page's own module is cut": broken(part("ui_rest.wasm"), replies.cut(5000)),
  "the module's script is a sign-in page": broken(part("ui.mjs"), replies.signIn),
};
for (const [fault, { inject, mend }] of Object.entries(parts))
  test(`${fault}: the static page with a picture, and another try`, () => {
    serve(good);
    return withPage({ prepare: inject, allowed: refused }, async (page) => {
      await page.goto(server.url);
      await plain(page).waitFor({ state: "visible" });
      see(fault, await page.locator("#plain-why").innerText());
      await page.waitForFunction(() => document.getElementById("plain-picture").naturalWidth > 0);
      mend();
      await page.locator("#plain-again").click();
      await page.waitForFunction(() => window.helixscope);
      await isWell(page, "well");
      assert.ok(!(await plain(page).isVisible()));
    });
  });

const noBoot = {
  "the first script is not there (503)": (route) => route.fulfill({ status: 503, body: "busy" }),
  "the first script is a sign-in page": replies.signIn,
  "the first script is cut": replies.cut(900),
  "the first script is empty": (route) => route.fulfill({ contentType: "text/javascript", body: "" }),
};
for (const [fault, reply] of Object.entries(noBoot))
  test(`${fault}: index.html itself says so`, () => {
    serve(good);
    const { inject, mend } = broken(part("boot.js"), reply);
    return withPage({ prepare: inject, allowed: [...refused, /Unexpected|Invalid or unexpected|SyntaxError|MIME type/] }, async (page) => {
      await page.goto(server.url);
      await plain(page).waitFor({ state: "visible" });
      see(fault, await page.locator("#plain-why").innerText());
      await page.waitForFunction(() => document.getElementById("plain-picture").naturalWidth > 0);
      for (const id of ["#stage", "#controls", "#copy", "#studies"]) assert.ok(!(await page.locator(id).isVisible()), `no dead ${id}`);
      mend();
      await page.reload();
      await page.waitForFunction(() => window.helixscope);
      await isWell(page, "well");
      assert.ok(!(await plain(page).isVisible()));
    });
  });

for (const style of ["tokens", "style", "composition"])
  test(`without ${style}.css the page looks bare, and computes and draws all the same`, () => {
    serve(good);
    return withPage({ prepare: broken(part(`${style}.css`), replies.missing).inject, allowed: refused }, async (page) => {
      await page.goto(server.url);
      await page.waitForFunction(() => window.helixscope);
      await isWell(page, "well");
      assert.ok(await page.evaluate(() => helixscope.rect("row.90")), "the figure is drawn");
      assert.ok(colours(decodePng(await page.locator("#canvas").screenshot())) > 20, "in colours that can be told apart");
      const [text, ground] = await page.evaluate(() => ["color", "backgroundColor"].map((name) => getComputedStyle(document.documentElement)[name]));
      assert.ok(style === "style" || text !== ground, `text of ${text} on ${ground}`);
      assert.ok(!(await plain(page).isVisible()));
    });
  });

test("a script that stalls: said after 20 seconds, and the page goes on when it comes", () => {
  serve(good);
  let release;
  const held = new Promise((done) => { release = done; });
  return withPage({ prepare: (page) => page.route(part("main.js"), async (route) => { await held; await route.continue(); }) }, async (page) => {
    await page.clock.install();
    await page.goto(server.url, { waitUntil: "commit" });
    await page.waitForFunction(() => window.helixscopeBoot && document.getElementById("plain"));
    await page.clock.runFor(19_000);
    assert.ok(!(await plain(page).isVisible()));
    await page.clock.runFor(2000);
    await plain(page).waitFor({ state: "visible" });
    see("the page's script stalls", await page.locator("#plain-why").innerText());
    await page.clock.resume();
    release();
    await page.waitForFunction(() => window.helixscope);
    await isWell(page, "well");
    assert.ok(!(await plain(page).isVisible()), "the live page takes over");
  });
});

test("fonts that do not come: the figure is drawn with a plain one", () => {
  serve(good);
  return withPage({ url: server.url, prepare: (page) => page.route("**/*.ttf", replies.reset), allowed: refused }, async (page) => {
    await isWell(page, "well");
    see("the fonts do not arrive", (await until(() => notices(page), (list) => list.length)).join("\n"));
  });
});

test("docs/faults.md lists nothing that was not injected here", everySeen);
