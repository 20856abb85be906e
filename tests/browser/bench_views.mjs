// How long a visitor waits for each view of each study on the model that comes with the page, on one thread.
import { execFileSync } from "node:child_process";
import { goals, median, remark, report } from "./bench_report.mjs";
import { cli } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { launch, open } from "./support.mjs";

const flavours = ["relaxed", "simd"];

/** Milliseconds until a study, opened from another one of the same model, or one of its views, once chosen, has its complete numbers. */
const taken = (page, id, view) => page.evaluate(([study, key]) => new Promise((done) => {
  const start = performance.now();
  if (key) document.querySelector(`#presets [data-key='preset:${key}']`).click();
  else helixscope.open(`#v=1&model=minihelix&study=${study}`);
  const look = () => (helixscope.busy() ? setTimeout(look, 2) : done(performance.now() - start));
  setTimeout(look, 2);
}), [id, view]);

/** Opens the page with an engine that has kept nothing. */
async function openNew(page, url, flavour) {
  await page.goto("about:blank");
  await open(page, `${url}?flavour=${flavour}#v=1&model=minihelix&study=model_card`);
}

/** The study's views as [view, milliseconds], one after the other. */
async function viewsOf(page, { id, presets }) {
  const times = [];
  // A view's button may come a little after the numbers.
  const shown = (view) => page.waitForSelector(`#presets [data-key='preset:${view}']`, { state: "attached" });
  for (const view of presets.length ? presets.map((preset) => preset.id) : ["default"]) {
    if (times.length) await shown(view);
    times.push([view, await taken(page, id, times.length ? view : "")]);
  }
  return times;
}

/** The best time of each view, over the rounds: another program can only make it longer. */
async function bestOf(page, url, flavour, study, rounds) {
  const best = new Map();
  for (let round = 0; round < rounds; round++) {
    await openNew(page, url, flavour);
    for (const [view, ms] of await viewsOf(page, study)) best.set(view, Math.min(ms, best.get(view) ?? Infinity));
  }
  return [...best];
}

/** What times of a view are to be seen beside: the machine's own limit and a pass of 160 tokens, at this moment. */
async function machine(page, url, flavour) {
  await openNew(page, url, flavour);
  const { scalars, arrays } = await page.evaluate(() => helixscope.bench({ prefill: "160", decode: "1", repeats: "5" }, "f32"));
  const roof = scalars.f32_roof.value, [ms] = arrays.milliseconds.data, [limit] = arrays.limit.data;
  remark(`${flavour}: 160 tokens on minihelix in ${ms.toFixed(1)} ms, ${(limit / ms).toFixed(2)} of the limit of ${roof.toFixed(1)} GFLOP/s`, { flavour, roof, ms, limit });
}

export async function benchViews(rounds, only) {
  const all = JSON.parse(execFileSync(cli, ["studies", "--json"], { maxBuffer: 1 << 26 }));
  const studies = only ? all.filter(({ id }) => only.split(",").includes(id)) : all;
  // Without graphics hardware, putting the page together with WebGL takes a core of its own.
  const server = await startServer([], { bundled: true }), browser = await launch(["--disable-gpu-compositing"]);
  try {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    for (const flavour of flavours) {
      await machine(page, server.url, flavour);
      const times = [];
      for (const study of studies) {
        const best = await bestOf(page, server.url, flavour, study, rounds);
        const [view, ms] = best.reduce((a, b) => (b[1] > a[1] ? b : a));
        report({ browser: "chromium", flavour }, `${study.id}, ${view}, slowest of ${best.length}`, "ms", ms, goals.whole);
        times.push(...best.map(([, time]) => time));
      }
      report({ browser: "chromium", flavour }, `every view of every study, median of ${times.length}`, "ms", median(times), goals.whole);
    }
  } finally {
    await browser.close();
    await server.stop();
  }
}
