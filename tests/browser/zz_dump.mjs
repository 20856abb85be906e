import { launch, open, middle, rect } from "./support.mjs";
import { startServer } from "./servers.mjs";
import { realModel } from "./places.mjs";
const server = await startServer([realModel]);
const N = Number(process.argv[3] ?? 100);
const variants = {
  async turn(page, i) { const at = await middle(page, "figure.helix"); await page.mouse.move(at.x, at.y); await page.mouse.down(); for (let k = 1; k <= 20; ++k) await page.mouse.move(at.x + 90 * Math.sin(k * .3), at.y + 40 * Math.sin(k * .2)); await page.mouse.up(); await page.evaluate(() => helixscope.settled()); },
  async range(page, i) { const at = await middle(page, "figure.rows.first"), strip = await rect(page, "figure.rows"); const to = i % 2 ? strip.x : strip.x + strip.width * 0.4; await page.mouse.move(at.x, at.y); await page.mouse.down(); for (let k = 1; k <= 20; ++k) await page.mouse.move(at.x + (to - at.x) * k / 20, at.y); await page.mouse.up(); await page.evaluate(() => helixscope.settled()); },
};
const browser = await launch(["--js-flags=--expose-gc"]);
const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
await open(page, server.url);
const whole = await browser.newBrowserCDPSession(), session = await page.context().newCDPSession(page);
async function dump() {
  await page.mouse.move(1150, 700); await page.evaluate(() => helixscope.settled());
  for (let i = 0; i < 3; ++i) { await session.send("HeapProfiler.collectGarbage"); await page.workers()[0].evaluate(() => gc()); }
  const { processInfo } = await whole.send("SystemInfo.getProcessInfo");
  const pid = processInfo.filter((p) => p.type === "renderer").sort((a, b) => b.cpuTime - a.cpuTime)[0].id;
  const events = []; const on = ({ value }) => events.push(...value); whole.on("Tracing.dataCollected", on);
  await whole.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["disabled-by-default-memory-infra"], excludedCategories: ["*"], memoryDumpConfig: { triggers: [] } } });
  await whole.send("Tracing.requestMemoryDump", { levelOfDetail: "detailed" });
  const done = new Promise((d) => whole.once("Tracing.tracingComplete", d)); await whole.send("Tracing.end"); await done; whole.off("Tracing.dataCollected", on);
  const out = {};
  for (const e of events) if (e.pid === pid && e.args?.dumps?.allocators) for (const [k, v] of Object.entries(e.args.dumps.allocators)) for (const a of ["size", "effective_size", "allocated_objects_size", "virtual_size"]) if (v.attrs?.[a]) out[`${k}:${a}`] = parseInt(v.attrs[a].value, 16);
  return out;
}
for (let i = 0; i < 30; ++i) await variants[process.argv[2]](page, i);
let before = await dump(); const zero = before;
for (let r = 0; r < 2; ++r) {
  for (let i = 0; i < N; ++i) await variants[process.argv[2]](page, i);
  const now = await dump();
  console.log("after", (r + 1) * N);
  Object.keys(now).map((k) => [now[k] - (zero[k] ?? 0), k]).filter(([d]) => Math.abs(d) > 150e3).sort((a, b) => b[0] - a[0]).slice(0, 45).forEach(([d, k]) => console.log(`${(d / 1000).toFixed(0).padStart(8)} kB ${k}`));
}
await browser.close(); await server.stop();
