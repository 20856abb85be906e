// The forward pass in the browser: prefill and cached decoding, in floats and in 8 bits, each compared with the roofline of this
// machine and with onnxruntime-web on the same weights. The weights are random, with planted outliers.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { milestones } from "./bench_hand.mjs";
import { goals, qualityRow, remark, report } from "./bench_report.mjs";
import { openRival } from "./bench_rival.mjs";
import { Best } from "./bench_rounds.mjs";
import { cli, python, root } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { keptAll, linkOf, open } from "./support.mjs";

const sizes = { width: 768, heads: 12, vocabulary: 50257 };
const weightBytes = 4 * 124_439_808; // GPT-2 small in floats
const writing = { pieces: 16, tokens: 511 };
const works = { prefill: [16, 64, 256, 1024], decode: [32, 512], repeats: 1, judged: 128 };

/** A whole checkpoint of GPT-2 small's sizes in a folder of its own. */
function fullSizeFolder() {
  const folder = mkdtempSync(join(tmpdir(), "helixscope-full-"));
  execFileSync(python, [join(root, "tools/bench/random_gpt2.py"), folder]);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Measured with the native program: 8-bit products have the same bits in every flavour. */
function ourQuality(folder, name, more = []) {
  const lines = execFileSync(cli, ["bench", "--model", folder, "--precision", "q8", "--prefill", "1", "--decode", "1", "--repeats", "1", "--json", ...more], { encoding: "utf8" });
  const row = lines.trim().split("\n").map((line) => JSON.parse(line)).find((line) => line.work === "quality against f32");
  qualityRow(name, "q8", { mean: row.mean_kl_nats, p99: row.p99_kl_nats, top1: row.top1_agreement, most: row.max_logit_difference });
  if (row.perplexity) remark(`${name} q8: perplexity ${row.perplexity.f32.toFixed(3)} in floats, ${row.perplexity.q8.toFixed(3)} in 8 bits, of ${row.positions} tokens`,
    { quality: name, precision: "q8", perplexity: row.perplexity });
}

/** A text that the model generates by sampling: long enough for a verdict, and free of rights. */
function ownText(folder) {
  const write = (seed) => JSON.parse(execFileSync(cli, ["generate", "--model", folder, "--prompt", "", "--bos", "-n", String(writing.tokens), "--seed", String(seed), "--json"], { encoding: "utf8" })).text;
  return Array.from({ length: writing.pieces }, (_, seed) => write(seed)).join("");
}

/** On the model that comes with the page: our own prose, and text like that of its training. */
function bundledQuality() {
  const folder = join(root, "assets/models/minihelix"), place = mkdtempSync(join(tmpdir(), "helixscope-text-"));
  const own = join(place, "own.txt");
  writeFileSync(own, ownText(folder));
  ourQuality(folder, "helixscope, minihelix, short prose", ["--text-file", join(root, "tests/golden/prose.txt")]);
  ourQuality(folder, "helixscope, minihelix, its own text", ["--text-file", own]);
  rmSync(place, { recursive: true });
}

/** Loads the model and waits until it is cached on the device, because the writes must not be measured. */
async function load(page) {
  await page.evaluate(() => helixscope.bench({ prefill: "1", decode: "1", repeats: "1" }, "f32"));
  await keptAll(page, 2000);
}

/** The readings of one round of one flavour, and the better of the known and the new roofs. */
async function measure(page, precision, best, where) {
  const known = best.roofs.get(where.flavour) ?? {};
  const asked = { prefill: works.prefill.join(), decode: works.decode.join(), repeats: works.repeats, ...known };
  const result = await page.evaluate(([w, p]) => helixscope.bench(w, p),
    [Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, String(value)])), precision]);
  best.roofs.set(where.flavour, Object.fromEntries(["f32_roof", "int8_roof", "reading_roof"].map((name) => [name, result.scalars[name].value])));
  result.words.work.data.forEach((work, i) =>
    best.take({ ...where, precision }, work, "ms", result.arrays.milliseconds.data[i], result.arrays.limit.data[i]));
}

/** One round of one flavour of the engine. */
async function flavourRound(browser, url, flavour, best) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const model = (await (await fetch(new URL("models/index.json", url))).json())[0].name;
  await open(page, `${url}?flavour=${flavour}${linkOf({}, model)}`);
  const engine = await page.evaluate(() => helixscope.engine());
  if (engine.flavour === flavour) {
    const where = { browser: "chromium", flavour, threads: engine.threads }, memory = async () => (await page.evaluate(() => helixscope.engine())).memory;
    await load(page);
    await measure(page, "f32", best, where);
    best.take({ ...where, precision: "f32" }, "engine memory above the weights, 1,024 tokens", "bytes", (await memory()) - weightBytes, goals.memory);
    await measure(page, "q8", best, where);
    best.take(where, "engine memory with both precisions", "bytes", await memory());
  } else remark(`${flavour} does not run here: ${engine.flavour} came in its place`, { skipped: flavour });
  await context.close();
}

/** Our time relative to onnxruntime's, one thread each. */
function besideRival(best) {
  for (const [precision, theirs] of [["f32", "f32"], ["q8", "int8"]])
    for (const work of [...works.prefill.map((n) => `prefill ${n}`), ...works.decode.map((n) => `decode ${n}`)]) {
      const ours = best.value("relaxed", precision, work), rival = best.value("ort-web", theirs, work);
      if (ours && rival) report({ browser: "chromium", flavour: "relaxed", precision }, `${work} / onnxruntime-web`, "ratio", ours / rival, 1);
    }
}

/** From the click on a link to the predictions of its tokens: first with nothing kept, then from the browser's storage. */
async function firstTokens(browser, url, name) {
  const context = await browser.newContext();
  for (const work of ["first token, nothing kept", "first token, model kept"]) {
    const page = await context.newPage();
    await open(page, `${url}#v=1&model=${name}&study=predictions&tokens=464,3290,318`);
    const [ready] = await milestones(page);
    report({ browser: "chromium", flavour: "relaxed" }, work, "ms", ready);
    await page.waitForTimeout(3000); // bytes are cached a little after they are used
    await page.close();
  }
  await context.close();
}

/** All rows of the forward pass; `rounds`: how often each is measured, ours and the rival's interleaved. */
export async function benchForward(browser, rounds) {
  const model = fullSizeFolder();
  const server = await startServer([model.folder]);
  const rival = await openRival(browser, model.folder, sizes, works);
  const best = new Best();
  try {
    for (let round = 1; round <= rounds; ++round) {
      remark(`round ${round} of ${rounds} …`);
      for (const flavour of ["relaxed", "relaxed-mt", "simd"]) await flavourRound(browser, server.url, flavour, best);
      await rival?.round(best);
    }
    best.report();
    besideRival(best);
    await firstTokens(browser, server.url, basename(model.folder));
    ourQuality(model.folder, "helixscope");
    bundledQuality();
    await rival?.quality();
  } finally {
    await rival?.close();
    await server.stop();
    model.remove();
  }
}
