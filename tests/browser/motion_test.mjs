// New numbers of a study are seen to move to their places; where motion is unwanted they are there at once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { plantedFolder } from "./synthetic.mjs";
import { settled, show, useBrowser, withPage } from "./support.mjs";

let server, model;

useBrowser();
before(async () => { model = plantedFolder(); server = await startServer([model.folder]); });
after(async () => { await server?.stop(); model.remove(); });

/** Where row 90 was drawn in each frame from a change of the rows until the picture rested. */
async function way(page) {
  await show(page, { first: 1 });
  await page.evaluate(() => {
    window.seen = [];
    const look = () => {
      const at = helixscope.rect("row.90");
      if (at) window.seen.push([at.x, at.y].map((pixels) => Math.round(pixels * 10) / 10).join());
      window.looking = requestAnimationFrame(look);
    };
    look();
  });
  await show(page, { first: 60 });
  await settled(page);
  return page.evaluate(() => {
    cancelAnimationFrame(window.looking);
    return [...new Set(window.seen)];
  });
}

test("a row travels to its new place, and ends where it stands without motion", async () => {
  const at = {};
  for (const reducedMotion of ["no-preference", "reduce"])
    await withPage({ url: server.url, reducedMotion }, async (page) => { at[reducedMotion] = await way(page); });
  assert.ok(at.reduce.length <= 3, `at once: ${at.reduce.join("; ")}`);
  assert.ok(at["no-preference"].length > at.reduce.length + 2, `on the way: ${at["no-preference"].join("; ")}`);
  assert.equal(at["no-preference"].at(-1), at.reduce.at(-1));
});
