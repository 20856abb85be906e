// How long a visitor waits for each view of each study on the model that comes with the page, on one thread.
import { execFileSync } from "node:child_process";
import { goals, median, report } from "./bench_report.mjs";
import { cli } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { launch, open } from "./support.mjs";

const where = { browser: "chromium", flavour: "simd" };

/** Milliseconds until a study, opened from another one of the same model, or one of its views, once chosen, has its complete numbers. */
const taken = (page, id, view) => page.evaluate(([study, key]) => new Promise((done) => {
  const start = performance.now();
  if (key) document.querySelector(`#presets [data-key='preset:${key}']`).click();
  else helixscope.open(`#v=1&model=minihelix&study=${study}`);
  const look = () => (helixscope.busy() ? setTimeout(look, 2) : done(performance.now() - start));
  setTimeout(look, 2);
}), [id, view]);

async function viewsOf(page, url, { id, presets }) {
  await page.goto("about:blank"); // each study begins with an engine that has kept nothing
  await open(page, `${url}?flavour=simd#v=1&model=minihelix&study=model_card`);
  const times = [];
  // A view's button may come a little after the numbers.
  const shown = (view) => page.waitForSelector(`#presets [data-key='preset:${view}']`, { state: "attached" });
  for (const view of presets.length ? presets.map((preset) => preset.id) : ["default"]) {
    if (times.length) await shown(view);
    times.push({ view, ms: await taken(page, id, times.length ? view : "") });
  }
  return times;
}

export async function benchViews() {
  const studies = JSON.parse(execFileSync(cli, ["studies", "--json"], { maxBuffer: 1 << 26 }));
  const server = await startServer([], { bundled: true }), browser = await launch();
  try {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    const all = [];
    for (const one of studies) {
      const times = await viewsOf(page, server.url, one);
      const slowest = times.reduce((a, b) => (b.ms > a.ms ? b : a));
      report(where, `${one.id}, ${slowest.view}, slowest of ${times.length}`, "ms", slowest.ms, goals.whole);
      all.push(...times.map((time) => time.ms));
    }
    report(where, `every view of every study, median of ${all.length}`, "ms", median(all), goals.whole);
  } finally {
    await browser.close();
    await server.stop();
  }
}
