// The page within another page, used as docs/api.md says.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { useBrowser, withPage } from "./support.mjs";

let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const host = (address) => `<!doctype html><title>host</title><iframe id="helix" src="${address}" width="960" height="640" allow="clipboard-write"></iframe>`;

test("a script of the page around it opens views and reads results; a new address opens without a reload", () => withPage({}, async (page) => {
  const view = "#v=1&model=&study=position_helix&position_helix.group=10";
  await page.route("**/host.html", (route) => route.fulfill({ contentType: "text/html", body: host(`${server.url}${view}`) }));
  await page.goto(new URL("host.html", server.url).href);
  await page.waitForFunction(() => document.getElementById("helix").contentWindow.helixscope);
  const read = () => page.evaluate(async () => {
    const { helixscope } = document.getElementById("helix").contentWindow;
    await helixscope.ready;
    await helixscope.settled();
    const { scalars, arrays, params } = helixscope.result("position_helix");
    return { group: params.group, explained: scalars.explained_first3.value, shape: arrays.points.shape, size: arrays.points.data.length, bare: helixscope.result("position_helix", { arrays: false }).arrays.points.data };
  });
  const ten = await read();
  assert.equal(Number(ten.group), 10);
  assert.ok(ten.explained > 0.9 && ten.explained <= 1, String(ten.explained));
  assert.equal(ten.size, ten.shape[0] * ten.shape[1]);
  assert.equal(ten.bare, undefined, "without arrays");

  await page.evaluate((link) => { document.getElementById("helix").contentWindow.helixscope.open(link); }, "#v=1&model=&study=position_helix&position_helix.group=20");
  assert.equal(Number((await read()).group), 20);

  const frame = page.frames().find((f) => f !== page.mainFrame());
  await frame.evaluate(() => { window.sameVisit = true; });
  const entries = await page.evaluate(() => history.length);
  await page.evaluate(() => { const frame = document.getElementById("helix"); frame.contentWindow.location.replace(frame.src.replace("group=10", "group=40")); });
  await frame.waitForFunction(() => helixscope.state().params.group === "40");
  assert.equal(Number((await read()).group), 40);
  assert.equal(await frame.evaluate(() => window.sameVisit), true, "no reload");
  await frame.evaluate(() => helixscope.open("#v=1&model=&study=position_norms"));
  await frame.waitForFunction(() => !helixscope.busy());
  assert.equal(await page.evaluate(() => history.length), entries, "steps are not entries of the other page's history");
}));
