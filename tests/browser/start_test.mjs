// The way to the first picture: what is asked for, how often, and what moves while it comes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { settled, useBrowser, withPage } from "./support.mjs";

let server;

useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

/** What a first visit asks for until its figure is exact: [{path, range}]. */
function firstVisit(run) {
  const asked = [];
  const prepare = (page) => page.on("request", (request) => {
    const { pathname, protocol } = new URL(request.url());
    if (protocol === "http:") asked.push({ path: pathname, range: request.headers().range ?? "" });
  });
  return withPage({ url: server.url, prepare }, (page) => run(asked, page));
}

test("a first visit asks for few files, and for each once", () => firstVisit((asked) => {
  const scripts = asked.filter(({ path }) => /\.m?js$/.test(path)).map(({ path }) => path.slice(1)).sort();
  assert.deepEqual(scripts, ["boot.js", "engine-relaxed.mjs", "main.js", "ui.mjs", "worker.js"]);
  const often = asked.filter(({ path }) => !/^\/(fonts|icon)/.test(path)).map(({ path, range }) => `${path} ${range}`); // those the browser asks for too
  assert.deepEqual(often.filter((one, i) => often.indexOf(one) !== i), [], "asked twice");
}));

test("the beginning of the weights travels before the engine asks for it, and once", () => firstVisit((asked) => {
  const ranges = asked.filter(({ path }) => path.endsWith("/model.safetensors")).map(({ range }) => range);
  assert.equal(ranges.filter((range) => range === "bytes=0-65535").length, 1);
  assert.equal(ranges.length, 2, `the header, then the positions: ${ranges}`);
}));

test("the figure keeps its size while its numbers come", () => {
  const watchCanvas = () => {
    window.sizes = [];
    document.addEventListener("DOMContentLoaded", () => {
      const canvas = document.getElementById("canvas");
      new MutationObserver(() => {
        const size = `${canvas.width}x${canvas.height}`;
        if (sizes.at(-1) !== size) sizes.push(size);
      }).observe(canvas, { attributes: true, attributeFilter: ["width", "height"] });
    });
  };
  return withPage({ url: server.url, init: watchCanvas }, async (page) => {
    await settled(page);
    assert.equal((await page.evaluate(() => sizes)).length, 1, `sizes of the canvas: ${await page.evaluate(() => sizes.join(" "))}`);
  });
});
