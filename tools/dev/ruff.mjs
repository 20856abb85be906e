// Finds faults in the Python sources with the pinned ruff, the same on every machine: node ruff.mjs
// File names come on standard input, one a line. Prints what it finds; exits 1 if that is anything.
import { readFileSync } from "node:fs";
import { PositionEncoding, Workspace } from "@astral-sh/ruff-wasm-nodejs/ruff_wasm.js";

const rules = {
  "target-version": "py39", // the oldest Python that ./dev accepts
  lint: {
    select: ["F", "E7", "E9", "B", "DTZ", "ISC", "PLE", "RET", "RUF013", "S110", "SIM115", "W6"],
    ignore: [
      "E731", "E741", // a matter of taste: a named lambda, a layer called l
    ],
  },
};

const workspace = new Workspace(rules, PositionEncoding.Utf16);
for (const name of readFileSync(0, "utf8").split("\n").filter(Boolean))
  for (const { start_location: at, code, message } of workspace.check(readFileSync(name, "utf8"))) {
    console.log(`${name}:${at.row}:${at.column} ${code} ${message}`);
    process.exitCode = 1;
  }
