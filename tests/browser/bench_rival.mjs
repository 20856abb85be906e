// onnxruntime-web on the same weights in the same browser: what a visitor would use instead.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { qualityRow, remark, report } from "./bench_report.mjs";
import { root } from "./places.mjs";
import { startFolders } from "./servers.mjs";

const modules = process.env.HELIXSCOPE_RIVAL, onnxPython = process.env.HELIXSCOPE_ONNX_PYTHON;

class Rival {
  constructor(browser, server, place, folder) {
    Object.assign(this, { browser, server, place, folder });
  }

  /** A graph of the checkpoint: {file, remove()}. They are large, and there is no need of two of them at once. */
  graph(name, ...options) {
    const path = join(this.place, `${name}.onnx`);
    execFileSync(onnxPython, [join(root, "tools/bench/gpt2_onnx.py"), this.folder, path, ...options], { stdio: ["ignore", "ignore", "inherit"] });
    return { file: `/onnx/${name}.onnx`, remove: () => rmSync(path) };
  }

  /** Calls a function of bench_rival_page.mjs in a page of its own. */
  async call(what, ...given) {
    const context = await this.browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(this.server.url);
      return await page.evaluate(async ([name, values]) => (await import("/page/bench_rival_page.mjs"))[name](...values), [what, given]);
    } finally {
      await context.close();
    }
  }

  async times(work, options, settings) {
    const graph = this.graph(`${work}${options.join("")}`, ...options, ...(work === "decode" ? ["--step"] : []));
    try {
      return await this.call(work, graph.file, settings);
    } finally {
      graph.remove();
    }
  }
}

async function rows(rival, sizes, works) {
  const settings = { repeats: works.repeats, heads: sizes.heads, size: sizes.width / sizes.heads, vocabulary: sizes.vocabulary };
  for (const [precision, options] of [["f32", []], ["int8", ["--int8"]]])
    for (const work of ["prefill", "decode"]) {
      const taken = await rival.times(work, options, { ...settings, lengths: works[work] });
      const where = { browser: "chromium", engine: "onnxruntime-web", flavour: "ort-web", precision };
      taken.forEach((ms, i) => report(where, `${work} ${works[work][i]}`, "ms", ms));
    }
  const exact = rival.graph("exact", "--every"), rounded = rival.graph("rounded", "--every", "--int8");
  qualityRow("onnxruntime-web", "int8", await rival.call("quality", exact.file, rounded.file, { judged: works.judged, vocabulary: sizes.vocabulary }));
}

/** Rows of onnxruntime-web for the checkpoint in `folder`: the same works, and what its 8 bits do to the predictions. */
export async function benchRival(browser, folder, sizes, works) {
  if (!modules || !onnxPython) return;
  const place = mkdtempSync(join(tmpdir(), "helixscope-onnx-"));
  const server = await startFolders({ modules, onnx: place, page: join(root, "tests/browser") });
  try {
    await rows(new Rival(browser, server, place, folder), sizes, works);
  } catch (error) {
    remark(`the other rows of onnxruntime-web are missing: ${error.message}`);
  } finally {
    await server.stop();
    rmSync(place, { recursive: true, force: true });
  }
}
