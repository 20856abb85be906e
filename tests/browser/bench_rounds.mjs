// Other programs also use the machine, so the tasks run in rounds, ours and the rival's interleaved, and each row counts its best
// round: another program can only make a time longer and a roof lower.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { remark, report } from "./bench_report.mjs";

/** Seconds of CPU time that the host took from this virtual machine since it started (steal time); null where unknown. */
function stolenSeconds() {
  try {
    const [name, , , , , , , , stolen] = readFileSync("/proc/stat", "utf8").split("\n")[0].split(/\s+/);
    return name === "cpu" && stolen !== undefined ? Number(stolen) / 100 : null;
  } catch {
    return null;
  }
}

/** The best readings of all rounds: rows in the order in which they came first, and roofs by engine. */
export class Best {
  constructor() {
    this.rows = new Map();
    this.roofs = new Map();
    this.since = { stolen: stolenSeconds(), time: Date.now() };
  }

  /** Adds a reading; `limit` is taken from the last one, which knows the best roofs. */
  take(where, work, unit, value, limit = null) {
    const key = JSON.stringify([where.flavour, where.precision, work]), known = this.rows.get(key);
    this.rows.set(key, { where, work, unit, value: Math.min(value, known?.value ?? value), limit });
  }

  value(flavour, precision, work) {
    return this.rows.get(JSON.stringify([flavour, precision, work]))?.value ?? null;
  }

  report() {
    for (const [flavour, roofs] of this.roofs)
      remark(`roofs of ${flavour}: float ${roofs.f32_roof.toFixed(1)} GFLOP/s, 8-bit ${roofs.int8_roof.toFixed(1)} GOP/s, reading ${roofs.reading_roof.toFixed(1)} GB/s`, { flavour, roofs });
    for (const { where, work, unit, value, limit } of this.rows.values()) report(where, work, unit, value, limit);
    if (this.since.stolen === null) return;
    const share = (stolenSeconds() - this.since.stolen) / ((Date.now() - this.since.time) / 1000 * availableParallelism());
    remark(`meanwhile this machine's host took ${(100 * share).toFixed(1)} % of its processors' time`, { stolen: Number(share.toFixed(4)) });
  }
}
