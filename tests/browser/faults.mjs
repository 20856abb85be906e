// docs/faults.md lists every fault that is injected and what the visitor sees; these tests keep it true. "…" stands for anything in
// a row's text. The last column names the test: a file here, or web/… for one that needs no browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./places.mjs";

const table = join(root, "docs/faults.md");

/** The rows that name this test file: [{fault, text}]. */
function rowsOf(file) {
  const cells = (line) => line.split("|").slice(1, -1).map((cell) => cell.trim());
  return readFileSync(table, "utf8").split("\n").filter((line) => line.startsWith("| "))
    .map(cells).filter((row) => row.at(-1) === `\`${file}\``)
    .map(([fault, text]) => ({ fault, text }));
}

const pattern = (text) => new RegExp(text.split(/\s*…\s*/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*"), "s");

/** The faults of one test file: `see(fault, text)` compares with the table; `everySeen()`, its last test, that no row is left. */
export function faultsOf(address) {
  const path = fileURLToPath(address), folder = basename(dirname(path));
  const file = folder === "browser" ? basename(path) : `${folder}/${basename(path)}`;
  const rows = rowsOf(file), seen = new Set();
  return {
    see(fault, text) {
      const row = rows.find((r) => r.fault === fault);
      assert.ok(row, `docs/faults.md has no row "${fault}" of ${file}; the page said: ${text}`);
      seen.add(fault);
      assert.match(text, pattern(row.text), `docs/faults.md says otherwise of "${fault}"`);
    },
    everySeen() {
      const unseen = rows.filter(({ fault }) => !seen.has(fault)).map(({ fault }) => fault);
      assert.deepEqual(unseen, [], `docs/faults.md lists faults that ${file} did not inject`);
    },
  };
}
