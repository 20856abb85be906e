// The part of the rival's bench that runs in the page: sessions of onnxruntime-web, one thread, its WASM backend.
import * as ort from "/modules/onnxruntime-web/dist/ort.wasm.min.mjs";

Object.assign(ort.env.wasm, { wasmPaths: "/modules/onnxruntime-web/dist/", numThreads: 1 });
ort.env.logLevel = "error";

const range = (n) => Array.from({ length: n }, (_, i) => i);
const integers = (values) => new ort.Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length]);
const prompt = (n, vocabulary) => ({ input_ids: integers(range(n).map((i) => (i * 7919) % vocabulary)), position_ids: integers(range(n)) });

async function withSession(file, use) {
  const bytes = new Uint8Array(await (await fetch(file)).arrayBuffer());
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ["wasm"], graphOptimizationLevel: "all" });
  try {
    return await use(session);
  } finally {
    await session.release();
  }
}

/** Timed like ours: one warm-up, then this many runs, and more where they are short. */
async function medianTime(session, feed, count) {
  await session.run(feed);
  const times = [], begin = performance.now();
  while (times.length < count || performance.now() - begin < 500) {
    const start = performance.now();
    await session.run(feed);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[times.length >> 1];
}

/** Milliseconds for each length: so many tokens at once, logits of the last. */
export const prefill = (file, { lengths, repeats, vocabulary }) => withSession(file, async (session) => {
  const taken = [];
  for (const n of lengths) taken.push(await medianTime(session, prompt(n, vocabulary), repeats));
  return taken;
});

/** Milliseconds for each length: one token after that many cached ones. */
export const decode = (file, { lengths, repeats, heads, size }) => withSession(file, async (session) => {
  const taken = [];
  for (const n of lengths) {
    const past = session.inputNames.filter((name) => name.startsWith("past_"))
      .map((name) => [name, new ort.Tensor("float32", new Float32Array(heads * n * size).fill(0.01), [1, heads, n, size])]);
    taken.push(await medianTime(session, { input_ids: integers([464]), position_ids: integers([n]), ...Object.fromEntries(past) }, repeats));
  }
  return taken;
});

/** ln Σ exp of a row, and where it is largest. */
function sumOf(row) {
  let best = 0;
  for (let i = 1; i < row.length; ++i) if (row[i] > row[best]) best = i;
  let sum = 0;
  for (const x of row) sum += Math.exp(x - row[best]);
  return { best, log: row[best] + Math.log(sum) };
}

/** The effect of rounding on the predictions of `judged` tokens: KL(exact ‖ rounded) in nats, same most likely token, |Δlogit|. */
export async function quality(exactFile, roundedFile, { judged, vocabulary }) {
  const logits = (file) => withSession(file, async (session) => (await session.run(prompt(judged, vocabulary), ["logits"])).logits.data);
  const exact = await logits(exactFile), rounded = await logits(roundedFile), kl = [];
  let same = 0, most = 0;
  for (let at = 0; at < exact.length; at += vocabulary) {
    const p = exact.subarray(at, at + vocabulary), q = rounded.subarray(at, at + vocabulary), ps = sumOf(p), qs = sumOf(q);
    let sum = 0;
    for (let i = 0; i < vocabulary; ++i) {
      sum += Math.exp(p[i] - ps.log) * (p[i] - ps.log - q[i] + qs.log);
      most = Math.max(most, Math.abs(p[i] - q[i]));
    }
    kl.push(Math.max(sum, 0));
    same += ps.best === qs.best ? 1 : 0;
  }
  kl.sort((a, b) => a - b);
  const mean = kl.reduce((a, b) => a + b, 0) / kl.length;
  return { mean, p99: kl[Math.min(kl.length - 1, Math.floor(0.99 * kl.length))], top1: same / kl.length, most };
}
