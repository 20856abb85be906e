// The rows of the bench: what was measured, where, and which fraction of its goal is reached (1 or more: met).

// docs: first helix within a second; a refit within 50 ms, a dragged edit within 100; 4 ms a frame; modules of 447 and 500 kB; 250 MB of memory;
// geometry at most three times what LAPACK takes natively; an hour of dragging leaves nothing behind.
export const goals = {
  firstHelix: 1000, whole: 2000, refit: 50, edit: 100, frame: 4, ui: 447e3, engine: 500e3, memory: 250e6, geometry: 3, heapGrowth: 1e6, nodeGrowth: 20, growth: 0,
};
export const asJson = process.argv.includes("--json");

const sorted = (values) => [...values].sort((a, b) => a - b);
export const quantile = (values, q) => sorted(values)[Math.min(values.length - 1, Math.floor(q * values.length))];
export const median = (values) => quantile(values, 0.5);

const digits = (x) => Number(x.toPrecision(4));
const written = {
  bytes: (x) => `${(x / 1000).toFixed(0)} kB`,
  ms: (x) => `${x.toFixed(1)} ms`,
  ratio: (x) => x.toFixed(2),
  count: (x) => String(digits(x)),
};

/** Prints a sentence, or an object for programs. */
export function remark(sentence, object = null) {
  if (!asJson) console.log(sentence);
  else if (object) console.log(JSON.stringify({ engine: "helixscope", ...object }));
}

/** One row; `where` is {browser, flavour}. Smaller is better, so the part of the goal reached is goal / value. */
export function report(where, work, unit, value, goal = null) {
  const ofLimit = goal === null ? null : value <= 0 ? 1 : goal / value; // zero or less always meets the goal
  if (asJson)
    return remark("", { precision: "f32", threads: 1, ...where, work, [unit]: digits(value), of_limit: ofLimit === null ? null : digits(ofLimit) });
  const verdict = goal === null ? "" : `goal ${written[unit](goal).padStart(9)}   ${ofLimit.toFixed(2)} of it${ofLimit >= 1 ? "" : "  MISSED"}`;
  const label = `${where.browser === "chromium" ? where.flavour : where.browser}${where.precision ? ` ${where.precision}` : ""}`;
  console.log(`${label.padEnd(12)} ${work.padEnd(42)} ${written[unit](value).padStart(10)}   ${verdict}`.trimEnd());
}

/** The effect of 8 bits on an engine's predictions, relative to its own in floats: {mean, p99} KL in nats, top1, most |Δlogit|. */
export function qualityRow(engine, precision, { mean, p99, top1, most }) {
  if (asJson)
    return remark("", { engine, precision, work: "quality against f32", mean_kl_nats: digits(mean), p99_kl_nats: digits(p99), top1_agreement: digits(top1), max_logit_difference: digits(most) });
  console.log(`${`${engine} ${precision}`.padEnd(24)} against f32: KL mean ${digits(mean)}, p99 ${digits(p99)} nats; same most likely token ${(100 * top1).toFixed(1)} %; |Δlogit| max ${digits(most)}`);
}
