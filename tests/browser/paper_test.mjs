// A view on paper: from every window and theme, the figure as wide as the sheet, the prompt whole, and nothing to press.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { useBrowser, withPage } from "./support.mjs";

const sheet = { width: 718, height: 1047 }; // CSS pixels of A4 within its margins
let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const prompt = "The cat sat on the mat. ".repeat(12).trim();
const link = `#v=1&study=attention&prompt=${encodeURIComponent(prompt)}&edit=ablate_head:0.1`;

test("a wide dark window prints its figure as wide as the sheet, the prompt whole, and no buttons", () =>
  withPage({ url: server.url + link, folded: true, viewport: { width: 1920, height: 1080 } }, async (page) => {
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize(sheet);
    const seen = await page.evaluate(() => {
      const { width, height } = document.querySelector("#paper svg").getBoundingClientRect();
      const shown = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility()).map((e) => e.id || e.textContent);
      const [, , wide, high] = document.querySelector("#paper svg").getAttribute("viewBox").split(" ").map(Number);
      return { width, stretched: width / height / (wide / high), pressed: shown("button, select, input, textarea, canvas"), prompt: document.querySelector("#paper blockquote").textContent,
        edits: shown("#edit-list li").length, title: shown("#title").length, colour: getComputedStyle(document.querySelector("#title")).color, across: document.documentElement.scrollWidth };
    });
    assert.ok(seen.width > sheet.width - 30, `${seen.width} wide`);
    assert.ok(Math.abs(seen.stretched - 1) < 0.01, `${seen.stretched}`);
    assert.deepEqual({ ...seen, width: 0, stretched: 1 }, { width: 0, stretched: 1, pressed: [], prompt, edits: 1, title: 1, colour: "rgb(0, 0, 0)", across: sheet.width });
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator("#paper").count(), 0);
  }));

test("the browser's own printing makes the picture, on one sheet", () =>
  withPage({ url: `${server.url}#v=1&study=predictions`, folded: true }, async (page) => {
    await page.evaluate(() => addEventListener("beforeprint", () => { globalThis.printed = Boolean(document.querySelector("#paper svg")); }));
    const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
    assert.ok(await page.evaluate(() => globalThis.printed));
    assert.equal(pdf.match(/\/Type\s*\/Page\b(?!s)/g).length, 1);
  }));
