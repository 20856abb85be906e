// The forward pass in the browser: prompts read at once and tokens added to a cache, in floats and in 8 bits, each beside
// what this machine's roofs allow. Weights are random: their values do not change the time.
import { mkdtempSync, openSync, writeSync, closeSync, writeFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { remark, report } from "./bench_report.mjs";
import { startServer } from "./servers.mjs";
import { linkOf, open, settled } from "./support.mjs";

const sizes = { layers: 12, width: 768, heads: 12, context: 1024, vocabulary: 50257 };
const works = { prefill: "16,64,256,1024", decode: "32,512", repeats: "3" };

function shapes({ layers, width, context, vocabulary }) {
  const list = [["wte.weight", [vocabulary, width]], ["wpe.weight", [context, width]]];
  for (let i = 0; i < layers; ++i)
    for (const [name, ...shape] of [["ln_1.weight", width], ["ln_1.bias", width], ["attn.c_attn.weight", width, 3 * width], ["attn.c_attn.bias", 3 * width],
      ["attn.c_proj.weight", width, width], ["attn.c_proj.bias", width], ["ln_2.weight", width], ["ln_2.bias", width], ["mlp.c_fc.weight", width, 4 * width],
      ["mlp.c_fc.bias", 4 * width], ["mlp.c_proj.weight", 4 * width, width], ["mlp.c_proj.bias", width]])
      list.push([`h.${i}.${name}`, shape]);
  return [...list, ["ln_f.weight", [width]], ["ln_f.bias", [width]]];
}

/** Seeded numbers of about GPT-2's size, again and again: half a gigabyte need not be all different. */
function randomBlock(count) {
  const block = new Float32Array(count);
  let state = 1;
  for (let i = 0; i < count; ++i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    block[i] = (state / 2 ** 31 - 1) * 0.035;
  }
  return block;
}

/** A whole checkpoint of GPT-2 small's sizes in a folder of its own. */
export function fullSizeFolder() {
  const folder = mkdtempSync(join(tmpdir(), "helixscope-full-"));
  const header = {}, block = randomBlock(1 << 20);
  let offset = 0;
  for (const [name, shape] of shapes(sizes)) {
    const bytes = 4 * shape.reduce((a, b) => a * b, 1);
    header[name] = { dtype: "F32", shape, data_offsets: [offset, offset + bytes] };
    offset += bytes;
  }
  let text = JSON.stringify(header);
  text += " ".repeat((8 - (text.length % 8)) % 8);
  const file = openSync(join(folder, "model.safetensors"), "w");
  const length = new BigUint64Array([BigInt(text.length)]);
  writeSync(file, new Uint8Array(length.buffer));
  writeSync(file, text);
  for (let at = 0; at < offset; at += block.byteLength) writeSync(file, new Uint8Array(block.buffer, 0, Math.min(block.byteLength, offset - at)));
  closeSync(file);
  writeFileSync(join(folder, "config.json"), JSON.stringify({ model_type: "gpt2", n_head: sizes.heads }));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function measure(page, precision) {
  const result = await page.evaluate(([w, p]) => helixscope.bench(w, p), [works, precision]);
  const roof = (name) => result.scalars[name].value;
  remark(`roofs: float ${roof("f32_roof").toFixed(1)} GFLOP/s, 8-bit ${roof("int8_roof").toFixed(1)} GOP/s, reading ${roof("reading_roof").toFixed(1)} GB/s`,
    { roofs: { f32: roof("f32_roof"), int8: roof("int8_roof"), reading: roof("reading_roof") }, precision });
  return result;
}

/** The rows of one flavour of the engine. */
async function flavourRows(browser, url, flavour) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const model = (await (await fetch(new URL("models/index.json", url))).json())[0].name;
  await open(page, `${url}?flavour=${flavour}${linkOf({}, model)}`);
  await settled(page);
  const engine = await page.evaluate(() => helixscope.engine());
  if (engine.flavour !== flavour) {
    remark(`${flavour} does not run here: ${engine.flavour} came in its place`, { skipped: flavour });
    return context.close();
  }
  for (const precision of ["f32", "q8"]) {
    const result = await measure(page, precision);
    result.words.work.data.forEach((work, i) =>
      report({ browser: "chromium", flavour, precision, threads: engine.threads }, work, "ms", result.arrays.milliseconds.data[i], result.arrays.limit.data[i]));
  }
  const { memory } = await page.evaluate(() => helixscope.engine());
  report({ browser: "chromium", flavour, threads: engine.threads }, "engine memory with both precisions", "bytes", memory);
  await context.close();
}

export async function benchForward(browser) {
  const model = fullSizeFolder();
  const server = await startServer([model.folder]);
  try {
    for (const flavour of ["relaxed-mt", "relaxed", "simd"]) await flavourRows(browser, server.url, flavour);
  } finally {
    await server.stop();
    model.remove();
  }
}
