// An idle page does no work, sends nothing, keeps its security policy, and replaces a dead engine.
/* global counted -- of the page */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startServer } from "./servers.mjs";
import { plantedFolder } from "./synthetic.mjs";
import { middle, settled, show, until, useBrowser, withPage } from "./support.mjs";

let server, model;

useBrowser();
before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

/** Counts requested frames, and messages to and from the worker. */
function counting() {
  window.counted = { frames: 0, toWorker: 0, fromWorker: 0 };
  const ask = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => (++counted.frames, ask(draw));
  window.Worker = class extends Worker {
    constructor(...rest) {
      super(...rest);
      this.addEventListener("message", () => ++counted.fromWorker);
    }
    postMessage(...rest) {
      ++counted.toWorker;
      super.postMessage(...rest);
    }
  };
}

const rested = (page) => until(async () => {
  const before = await page.evaluate(() => counted.frames);
  await sleep(300);
  return (await page.evaluate(() => counted.frames)) - before;
}, (frames) => frames === 0);

/** Waits until a further second of the page's clock brings no change. */
const quiet = (page) => until(async () => {
  const before = await page.evaluate(() => JSON.stringify(counted));
  await page.clock.runFor(1000);
  await sleep(50); // time for a message of the worker
  return (await page.evaluate(() => JSON.stringify(counted))) === before;
}, Boolean);

test("an idle page draws nothing, and its worker rests", () =>
  withPage({ url: server.url, init: counting, clock: true, reducedMotion: "no-preference" }, async (page) => {
    await show(page, { first: 40 });
    const at = await middle(page, "row.90");
    await page.mouse.move(at.x, at.y); // shows a tooltip, with the pointer at rest on the figure
    assert.equal(await rested(page), 0, "the page comes to rest");
    assert.ok(await quiet(page), "the watchdog asks once more, and no more");
    const before = await page.evaluate(() => ({ ...counted }));
    assert.ok(before.frames > 3 && before.toWorker > 2 && before.fromWorker > 2, "the counters count");

    // The worker's own loop: each step of it is a message to itself.
    const [worker] = page.workers();
    await worker.evaluate(() => {
      self.turns = 0;
      const post = MessagePort.prototype.postMessage;
      MessagePort.prototype.postMessage = function (...rest) { ++self.turns; return post.apply(this, rest); };
    });
    await page.clock.runFor(60_000);
    await sleep(100);
    assert.deepEqual(await page.evaluate(() => counted), before, "a minute without a frame or a message");
    assert.equal(await worker.evaluate(() => self.turns), 0, "the worker does not spin");

    await show(page, { first: 41 });
    assert.ok((await worker.evaluate(() => self.turns)) > 0, "it does turn when there is work");
    assert.ok((await page.evaluate(() => counted.frames)) > before.frames);
  }));

test("nothing is asked of anyone else, nothing twice, and the policy stands", () => {
  const asked = [];
  return withPage({ folded: true, prepare: (page) => page.context().on("request", (request) => asked.push(request.url())) }, async (page) => {
    await page.goto(server.url);
    await page.waitForFunction(() => window.helixscope);
    await settled(page);
    await sleep(4000); // the browser warns of an unused preload after three seconds, and the test fails on the warning
    const own = new URL(server.url).origin;
    assert.deepEqual(asked.filter((url) => !url.startsWith(`${own}/`) && !/^(blob|data):/.test(url)), []);
    // The browser's own font loader and the canvas both need the fonts, so those may be requested twice.
    const files = asked.filter((url) => /\.(js|mjs|wasm|css|json)$/.test(url));
    assert.deepEqual(files.filter((url, i) => files.indexOf(url) !== i), [], "what is preloaded is what is used");

    const policy = await page.evaluate(() => document.querySelector("meta[http-equiv=Content-Security-Policy]").content);
    assert.match(policy, /default-src 'self'/);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|%/);
    assert.equal(await page.evaluate(() => document.cookie + sessionStorage.length), "0", "nothing is stored");
    const kept = await page.evaluate(() => Object.keys(localStorage));
    assert.deepEqual(kept.filter((key) => key !== "helixscope.kept"), [], "but which parts of models are on this device; the choice of all cores only for who makes it");
  });
});

test("the policy stops what is not the page's own", () =>
  withPage({ url: server.url, allowed: [/policy violation|Content Security Policy|violates|requires 'Trusted/i] }, async (page) => {
    const stopped = await page.evaluate(async () => {
      const script = document.createElement("script");
      try {
        script.textContent = "window.injected = true"; // refused at once where the browser has Trusted Types
      } catch {
        script.append("window.injected = true");
      }
      document.body.append(script);
      const far = await fetch("http://127.0.0.2:9/").then(() => false, () => true);
      // In a task of its own: what runs inside a debugger's call is exempt.
      const evaluated = await new Promise((done) => setTimeout(() => {
        try { done(new Function("return true")()); } catch { done(false); }
      }));
      return { injected: window.injected ?? false, far, evaluated };
    });
    assert.deepEqual(stopped, { injected: false, far: true, evaluated: false });
  }));
