// Rows of the bench without a browser: the decompositions of geometry/, natively and in WebAssembly, compared with Eigen's own
// in the same run and with numpy's on one thread.
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { asJson, remark } from "./bench_report.mjs";
import { hasNumpy, python, root } from "./places.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const program = (preset, name) => join(root, "build", preset, "tests", name);

function numpyTimes() {
  if (!hasNumpy()) return { blas: "no numpy", ms: {} };
  return JSON.parse(execFileSync(python, [join(here, "bench_shapes.py")]));
}

function rowsOf(command, args) {
  const printed = execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return printed.trim().split("\n").map((line) => JSON.parse(line));
}

const ms = (x) => (x === undefined ? "" : x.toFixed(1)).padStart(8);

export function benchGeometry() {
  const numpy = numpyTimes();
  remark(`milliseconds, the quickest of a few rounds; numpy by ${numpy.blas} on one thread; Eigen / ours of 1.5 or more keeps ours`);
  for (const [where, rows] of [
    ["native", rowsOf(program("native", "geometry_bench"), [])],
    ["simd", rowsOf(process.execPath, [program("web-simd", "geometry_bench.js")])],
  ]) {
    if (!asJson) console.log(`${where.padEnd(46)}     ours    Eigen    numpy   Eigen / ours`);
    for (const { work, ours, eigen, eigens } of rows) {
      const other = numpy.ms[work];
      remark(`  ${work.padEnd(44)} ${ms(ours)} ${ms(eigen)} ${ms(other)}   ${(eigen / ours).toFixed(2)}, of ${eigens}`,
        { flavour: where, work, ms: ours, eigen, eigens, numpy: other ?? null });
    }
  }
}
