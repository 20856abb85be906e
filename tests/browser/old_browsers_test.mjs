// Browsers that lack one of the newer interfaces: the page works without it, or says one sentence. Each is taken away before the
// page loads.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { faultsOf } from "./faults.mjs";
import { startServer } from "./servers.mjs";
import { notices, useBrowser, withPage } from "./support.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
let server;

useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const optional = {
  "AbortSignal.timeout": () => { delete AbortSignal.timeout; },
  "AbortSignal.any": () => { delete AbortSignal.any; },
  "locks between tabs": () => { delete Navigator.prototype.locks; },
  "the private file system": () => { delete StorageManager.prototype.getDirectory; },
  "files that can be written": () => { delete FileSystemFileHandle.prototype.createWritable; },
  "storage": () => { delete Navigator.prototype.storage; },
  "Cache storage": () => { delete window.caches; },
  "localStorage": () => { Object.defineProperty(window, "localStorage", { get() { throw new DOMException("refused", "SecurityError"); } }); },
  "hashes": () => { delete Crypto.prototype.subtle; },
  "modules compiled as they arrive": () => { delete WebAssembly.compileStreaming; },
  "the clipboard, service workers, shared memory, the number of cores and the visible part of the window": () => {
    for (const name of ["clipboard", "serviceWorker", "hardwareConcurrency"]) delete Navigator.prototype[name];
    delete window.SharedArrayBuffer;
    delete window.visualViewport;
  },
};

const needed = {
  "no Array.at": () => { delete Array.prototype.at; },
  "no Object.hasOwn": () => { delete Object.hasOwn; },
  "no structuredClone": () => { delete window.structuredClone; },
  "no dialogs": () => { delete HTMLDialogElement.prototype.showModal; },
};

/** What the page opens: a run of text, for which it reads the list, weights, the files beside them, and caches all of it. */
const link = "#v=1&model=minihelix&study=predictions&prompt=The%20cat%20sat%20on%20the";

async function assertWorks(page) {
  assert.ok(await page.evaluate(() => helixscope.result("predictions").complete));
  assert.deepEqual((await notices(page)).filter((text) => !/keeps nothing/.test(text)), [], "nothing to apologise for");
}

for (const [name, take] of Object.entries(optional))
  test(`without ${name} the page works`, () => withPage({ url: server.url + link, init: `(${take})()` }, assertWorks));

test("a browser without newer parts is told so in one sentence", () => withPage({}, async (page) => {
  for (const [fault, take] of Object.entries(needed)) {
    const context = await page.context().browser().newContext();
    try {
      const old = await context.newPage(), problems = [];
      old.on("pageerror", (error) => problems.push(String(error)));
      await old.addInitScript(`(${take})()`);
      await old.goto(server.url);
      await old.locator("#plain").waitFor({ state: "visible" });
      see(fault, await old.locator("#plain-why").innerText());
      assert.ok(!await old.locator("#stage").isVisible(), fault);
      assert.deepEqual(problems, [], fault);
    } finally {
      await context.close();
    }
  }
}));

/** The page's styles as a browser reads them that knows none of the newer words. */
const withoutNewerStyle = (page) => page.route("**/*.css", async (route) => {
  const answer = await route.fetch();
  const text = await answer.text();
  await route.fulfill({ response: answer, body: text.replace(/(\d)(dvh|svh)\b/g, "$1x$2").replaceAll("color-mix(", "color-mixed(") });
});

test("without the newer words of styles the page keeps its layout, and its sheet of studies can be scrolled", () =>
  withPage({ url: server.url, prepare: withoutNewerStyle }, async (page) => {
    const box = () => page.evaluate(() => document.body.getBoundingClientRect().height);
    assert.equal(await box(), 800, "the page fills the window");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator("#open-studies").click();
    const sheet = await page.locator("#studies").evaluate((e) => [e.clientHeight, e.scrollHeight]);
    assert.ok(sheet[0] < 600 && sheet[1] > sheet[0], `the sheet is ${sheet}`);
  }));

test("docs/faults.md lists nothing that was not injected here", everySeen);
