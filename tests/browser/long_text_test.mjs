// A text longer than the model's context, in the study that reads it in windows and in one that does not.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { scalars, settled, useBrowser, withPage } from "./support.mjs";

let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const text = encodeURIComponent("The keeper of the light went down to the harbour and asked the captain what was in the chest. ".repeat(60).trim());
const link = (study) => `${server.url}#v=1&model=minihelix&study=${study}&prompt=${text}`;

test("heads of a long text: its windows, what each of them has, and no word of a limit", () =>
  withPage({ url: link("head_taxonomy") }, async (page) => {
    const { windows, window, previous_token_heads: heads, every_window: every } = scalars(await page.evaluate(() => { const { scalars: found } = helixscope.result("head_taxonomy"); return { scalars: found }; }));
    assert.equal(window, 512);
    assert.ok(windows > 1 && every <= heads, `${windows} windows, ${every} of ${heads} heads`);
    assert.match(await page.locator("#title").textContent(), new RegExp(`in every one of ${windows} windows$`));
    assert.match(await page.locator("#token-count").textContent(), /^\d+ tokens$/);
    assert.equal(await page.locator("[data-key=keep-last]").count(), 0);
  }));

test("a study of the whole text still offers to keep its end", () =>
  withPage({}, async (page) => {
    await page.goto(link("predictions"));
    await page.locator("[data-key=keep-last]").click();
    await settled(page);
    assert.match(await page.locator("#token-count").textContent(), /^512 of 512 tokens$/);
  }));
