// A newcomer's whole way, from the opening view to a link that opens the same elsewhere, by mouse, by keys and by a finger; and the
// script in Python, run.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { finger, keys, mouse } from "./devices.mjs";
import { phone } from "./fingers.mjs";
import { exported, newcomer, newcomersWay } from "./newcomer.mjs";
import { hasNumpy, python, root } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { state, useBrowser, withPage } from "./support.mjs";

const models = { minihelix: join(root, "assets/models/minihelix"), "gpt2-positions": join(root, "assets/models/gpt2-positions") };
let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

for (const device of [mouse, keys])
  test(`from the opening view to a script that agrees, by ${device.name}`, () =>
    withPage({ ...newcomer, url: server.url }, async (page) => {
      await newcomersWay(page, device);
      const script = await exported(page, device, "Python");
      if (!hasNumpy()) return console.log("numpy is not here: the script is not run");
      const ran = spawnSync(python, [script, models[(await state(page)).model]], { encoding: "utf8" });
      assert.equal(ran.status, 0, ran.stderr);
      assert.match(ran.stdout, /All numbers agree\./);
    }));

test("on a phone, by a finger: to a link that opens the same elsewhere", () =>
  withPage({ ...newcomer, ...phone, url: server.url }, (page) => newcomersWay(page, finger, phone)));

const zoomed = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }; // a window of 1280 by 800 pixels at 200 %

test("at 200 % zoom, by mouse: to a link that opens the same elsewhere", () =>
  withPage({ ...newcomer, ...zoomed, url: server.url }, (page) => newcomersWay(page, mouse, zoomed)));
