// New numbers of a study are seen to move to their places; where motion is unwanted they are there at once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { settled, until, useBrowser, withPage } from "./support.mjs";

let server;

useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const at = (step) => `#v=1&model=minihelix&study=position_emergence&position_emergence.step=${step}&view.camera=50,20,1,0,0`;

/** Where position 200 was drawn in each frame from a change of the training step until the picture rested. */
async function way(page) {
  await page.evaluate(() => {
    window.seen = [];
    const look = () => {
      const place = helixscope.rect("row.200");
      if (place) window.seen.push([place.x, place.y].map((pixels) => Math.round(pixels * 10) / 10).join());
      window.looking = requestAnimationFrame(look);
    };
    look();
  });
  await page.evaluate((link) => helixscope.open(link), at(40));
  await settled(page);
  return page.evaluate(() => {
    cancelAnimationFrame(window.looking);
    return [...new Set(window.seen)];
  });
}

test("a row travels to its new place, and ends where it stands without motion", async () => {
  const seen = {};
  for (const reducedMotion of ["no-preference", "reduce"])
    await withPage({ url: server.url + at(0), reducedMotion }, async (page) => {
      await until(() => page.evaluate(() => helixscope.rect("row.200")?.width ?? 0), (width) => width > 0);
      seen[reducedMotion] = await way(page);
    });
  assert.ok(seen.reduce.length <= 3, `at once: ${seen.reduce.join("; ")}`);
  assert.ok(seen["no-preference"].length > seen.reduce.length + 1, `on the way: ${seen["no-preference"].join("; ")}`);
  assert.equal(seen["no-preference"][0], seen.reduce[0]); // the camera of the link stands still, so nothing sways
  assert.equal(seen["no-preference"].at(-1), seen.reduce.at(-1));
});
