// Runs test files in the order given, so many at once (node's own command sorts them by name, and a long one at the end would run
// alone), and says at the end which files took longest. Usage: node node_tests.mjs --at-once N --timeout MILLISECONDS [--pattern NAME] FILE...
import { basename, resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { parseArgs } from "node:util";

const shown = 10;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "at-once": { type: "string" }, timeout: { type: "string" }, pattern: { type: "string" } },
});
const tests = run({
  files: positionals,
  concurrency: Number(values["at-once"]),
  timeout: Number(values.timeout),
  forceExit: true,
  ...(values.pattern ? { testNamePatterns: values.pattern } : {}),
});
/** Seconds of each file. */
const took = new Map();
tests.on("test:complete", ({ name, file, details }) => {
  if (file && resolve(name) === file) took.set(file, details.duration_ms / 1000); // a file is itself a test
});
tests.on("test:fail", ({ todo }) => {
  if (!todo) process.exitCode = 1;
});
tests.on("end", () => {
  const longest = [...took].sort((a, b) => b[1] - a[1]).slice(0, shown);
  if (positionals.length > shown) console.log(`longest: ${longest.map(([file, seconds]) => `${basename(file)} ${Math.round(seconds)} s`).join(", ")}`);
});
tests.compose(new spec()).pipe(process.stdout);
