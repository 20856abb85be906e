import { readFileSync } from "node:fs";
import { launch, open, middle, rect } from "./support.mjs";
import { startServer } from "./servers.mjs";
import { realModel } from "./places.mjs";
const server = await startServer([realModel]);
const rss = (pid) => { const s = readFileSync(`/proc/${pid}/status`, "utf8"); return ["RssAnon", "RssFile", "RssShmem"].map((k) => Number(new RegExp(`${k}:\\s*(\\d+)`).exec(s)[1])); };
const N = Number(process.argv[3] ?? 100);
const variants = {
  async blank(page, i) { for (let k = 0; k < 20; ++k) await page.mouse.move(1100 + k, 700); await page.evaluate(() => helixscope.settled()); },
  async evaluate(page, i) { for (let k = 0; k < 20; ++k) await page.evaluate(() => 1); await page.evaluate(() => helixscope.settled()); },
  async replace(page, i) { await page.evaluate((i) => { for (let k = 0; k < 5; ++k) history.replaceState(null, "", location.hash.replace(/&zz=.*/, "") + `&zz=${i}x${k}`); }, i); await page.evaluate(() => new Promise(requestAnimationFrame)); },
  async turn(page, i) { const at = await middle(page, "figure.helix"); await page.mouse.move(at.x, at.y); await page.mouse.down(); for (let k = 1; k <= 20; ++k) await page.mouse.move(at.x + 90 * Math.sin(k * .3), at.y + 40 * Math.sin(k * .2)); await page.mouse.up(); await page.evaluate(() => helixscope.settled()); },
  async range(page, i) { const at = await middle(page, "figure.rows.first"), strip = await rect(page, "figure.rows"); const to = i % 2 ? strip.x : strip.x + strip.width * 0.4; await page.mouse.move(at.x, at.y); await page.mouse.down(); for (let k = 1; k <= 20; ++k) await page.mouse.move(at.x + (to - at.x) * k / 20, at.y); await page.mouse.up(); await page.evaluate(() => helixscope.settled()); },
};
for (const name of process.argv[2].split(",")) {
  const browser = await launch(["--js-flags=--expose-gc"]);
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await open(page, server.url); if (process.argv[4] === "noicon") await page.evaluate(() => document.querySelector("link[rel=icon]").remove());
  const whole = await browser.newBrowserCDPSession(), session = await page.context().newCDPSession(page);
  const sample = async (label) => {
    await page.mouse.move(1150, 700); await page.evaluate(() => helixscope.settled());
    for (let i = 0; i < 3; ++i) { await session.send("HeapProfiler.collectGarbage"); await page.workers()[0].evaluate(() => gc()); }
    const { processInfo } = await whole.send("SystemInfo.getProcessInfo");
    const pid = processInfo.filter((p) => p.type === "renderer").sort((a, b) => b.cpuTime - a.cpuTime)[0].id;
    const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
    const live = await page.evaluate(() => { let n = 0; const w = document.createTreeWalker(document); do ++n; while (w.nextNode()); return n; });
    console.log(name, label, "anon/file/shm kB", rss(pid).join(" "), "heap", Math.round((await session.send("Runtime.getHeapUsage")).usedSize / 1000), "nodes", nodes, "attached", live, jsEventListeners);
  };
  for (let i = 0; i < 20; ++i) await variants[name](page, i);
  await sample("0");
  for (let i = 0; i < 3 * N; ++i) { await variants[name](page, i); if ((i + 1) % N === 0) await sample(String(i + 1)); }
  await browser.close();
}
await server.stop();
