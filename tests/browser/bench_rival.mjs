// onnxruntime-web on the same weights in the same browser: the usual alternative.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { qualityRow, remark } from "./bench_report.mjs";
import { root } from "./places.mjs";
import { startFolders } from "./servers.mjs";

const modules = process.env.HELIXSCOPE_RIVAL, onnxPython = process.env.HELIXSCOPE_ONNX_PYTHON;

const kinds = [["f32", []], ["int8", ["--int8"]]];

class Rival {
  constructor(browser, server, { place, folder, sizes, works }) {
    Object.assign(this, { browser, server, place, folder, sizes, works, graphs: new Map() });
  }

  /** The address of a graph of the checkpoint, made on the first request. */
  graph(name, ...options) {
    const path = join(this.place, `${name}.onnx`);
    if (!this.graphs.has(name)) {
      execFileSync(onnxPython, [join(root, "tools/bench/gpt2_onnx.py"), this.folder, path, ...options], { stdio: ["ignore", "ignore", "inherit"] });
      this.graphs.set(name, `/onnx/${name}.onnx`);
    }
    return this.graphs.get(name);
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

  /** Runs our tasks once on the rival; reports failures and continues with ours. */
  async round(best) {
    const { sizes, works } = this;
    const settings = { repeats: works.repeats, heads: sizes.heads, size: sizes.width / sizes.heads, vocabulary: sizes.vocabulary };
    for (const [precision, options] of kinds)
      for (const work of ["prefill", "decode"])
        await this.#orSay(async () => {
          const graph = this.graph(`${work}-${precision}`, ...options, ...(work === "decode" ? ["--step"] : []));
          const taken = await this.call(work, graph, { ...settings, lengths: works[work] });
          const where = { browser: "chromium", engine: "onnxruntime-web", flavour: "ort-web", precision };
          taken.forEach((ms, i) => best.take(where, `${work} ${works[work][i]}`, "ms", ms));
        });
  }

  /** The effect of its 8 bits on the predictions. */
  async quality() {
    await this.#orSay(async () => {
      const exact = this.graph("exact", "--every"), rounded = this.graph("rounded", "--every", "--int8");
      qualityRow("onnxruntime-web", "int8", await this.call("quality", exact, rounded, { judged: this.works.judged, vocabulary: this.sizes.vocabulary }));
    });
  }

  async close() {
    await this.server.stop();
    rmSync(this.place, { recursive: true, force: true });
  }

  async #orSay(work) {
    try {
      await work();
    } catch (error) {
      remark(`rows of onnxruntime-web are missing: ${error.message}`);
    }
  }
}

/** onnxruntime-web with the checkpoint in `folder`, or null where it is not installed. */
export async function openRival(browser, folder, sizes, works) {
  if (!modules || !onnxPython) return null;
  const place = mkdtempSync(join(tmpdir(), "helixscope-onnx-"));
  const server = await startFolders({ modules, onnx: place, page: join(root, "tests/browser") });
  return new Rival(browser, server, { place, folder, sizes, works });
}
