import { startServer } from "./servers.mjs";
import { launch } from "./support.mjs";
const server = await startServer([], { bundled: true }), browser = await launch([]);
const views = [["layer_frames", "pairs"], ["averaged_positions", "pattern_group"], ["attention_sink", "raw"], ["extended_positions", "variants"], ["extended_positions", "sizes"], ["subspace_overlap", "inside_b"], ["sinusoid", "period"], ["attention_dose", "row"], ["qk_symmetry", "transpose"], ["spectrum", "values"], ["layer_frames", "spectrum"]];
for (const [w, h] of [[1280, 800], [390, 844]]) {
  const context = await browser.newContext({ viewport: { width: w, height: h }, colorScheme: "dark", reducedMotion: "reduce", hasTouch: w < 500, isMobile: w < 500 });
  const page = await context.newPage();
  for (const [id, panel] of views) {
    await page.goto("about:blank");
    await page.goto(`${server.url}#v=1&model=minihelix&study=${id}`);
    await page.waitForFunction(() => window.helixscope && !helixscope.busy(), null, { timeout: 90000 });
    await page.evaluate(() => helixscope.settled());
    const of = () => page.evaluate((p) => { const r = helixscope.rect(`figure.${p}`); return r && { x: r.x, y: r.y, w: r.width, h: r.height }; }, panel);
    let box = await of();
    if (!box) { console.log(id, panel, "no rect"); continue; }
    if (box.y + box.h > h) { await page.mouse.move(box.x + 5, 400); await page.evaluate((y) => { for (const s of [document.scrollingElement, document.querySelector("main"), document.querySelector("#stage")]) s?.scrollBy(0, y); }, box.y + box.h / 2 - 400); await page.waitForTimeout(300); box = await of(); }
    let said = "";
    for (const [fx, fy] of [[0.4, 0.5], [0.5, 0.6], [0.3, 0.3], [0.6, 0.8], [0.5, 0.4], [0.7, 0.5], [0.3, 0.7], [0.8, 0.7]]) {
      if (w > 500) await page.mouse.move(box.x + fx * box.w, box.y + fy * box.h); else await page.touchscreen.tap(box.x + fx * box.w, Math.min(box.y + fy * box.h, 800));
      await page.waitForTimeout(250);
      said = await page.evaluate(() => document.querySelector("#tooltip").hidden ? "" : document.querySelector("#tooltip").innerText);
      if (said) break;
    }
    console.log(w, id, panel, JSON.stringify(said), said ? "" : JSON.stringify(box));
    await page.screenshot({ path: `/tmp/tb/${id}-${panel}-${w}.png` });
  }
}
await browser.close(); await server.stop();
