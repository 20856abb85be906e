// Trusted Types: the page's policy passes its own drawings and scripts, and nothing in the page goes around it. withPage() fails at any
// violation, so it is enough to go where markup is set; class_test.mjs does the same with the page in one file.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "./servers.mjs";
import { settled, useBrowser, withPage } from "./support.mjs";

let server;
useBrowser();
before(async () => { server = await startServer([], { bundled: true }); });
after(async () => { await server?.stop(); });

const onPage = (hash, run, options = {}) => withPage({ url: server.url + hash, ...options }, run);
/** The name of the error that setting this throws, or "". */
const tried = (page, act) => page.evaluate(act).then(() => "", (error) => error.message);

test("the opening, the About sheet, paper and a lesson stay within the policy", () => onPage("", async (page) => {
  await page.locator("#open-about").click();
  await page.locator("#close-about").click();
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await page.locator("#paper svg").count(), 1);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => { location.hash = "#v=1&lesson=helix/1"; });
  await page.locator("#lesson-title").waitFor();
  await settled(page);
}));

test("the pictures of the teacher's page do as well", () => onPage("#teach", async (page) => {
  const lesson = page.locator("#teach details.lesson").first();
  await lesson.locator("summary").click();
  await lesson.getByRole("button", { name: "Work out answers and pictures" }).click();
  await lesson.locator(".steps .picture svg").first().waitFor({ timeout: 120_000 });
}, { folded: true }));

test("so does the figure where the canvas cannot draw", () => onPage("", async (page) => {
  assert.equal(await page.locator("#svg-figure > svg").count(), 1);
}, { init: () => {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind === "webgl2" ? null : getContext.call(this, kind, ...rest); };
} }));

test("a text that the policy has not passed takes no effect, and the policy passes neither scripts nor files of others", () => onPage("", async (page) => {
  assert.match(await tried(page, () => window.helixscopeTrusted.createHTML("<svg><script>alert(1)</script></svg>")), /This markup is no drawing/);
  assert.match(await tried(page, () => window.helixscopeTrusted.createHTML("<img src=x>")), /This markup is no drawing/);
  assert.match(await tried(page, () => window.helixscopeTrusted.createScriptURL("https://elsewhere.example/a.js")), /This script is not the page's/);
  assert.match(await tried(page, () => { document.createElement("div").innerHTML = "<b>text</b>"; }), /TrustedHTML/);
  assert.match(await tried(page, () => { window.trustedTypes.createPolicy("another", {}); }), /Policy/);
}, { allowed: [/policy violation|TrustedHTML|trusted-types|Content Security Policy|createPolicy/] }));
