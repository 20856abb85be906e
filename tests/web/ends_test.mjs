// The other files here end by themselves: a module under test leaves no server, no worker and no timer behind that keeps a process
// alive. All tests are run with --test-force-exit, which would hide that.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const folder = fileURLToPath(new URL("./", import.meta.url));
const patience = 18_000; // milliseconds; a file takes less than two seconds, and the shortest limit of time in the page is 20 s

/** The files that have not ended after that time. */
async function endless(names) {
  const late = await Promise.all(names.map((name) => new Promise((done) => {
    const child = spawn(process.execPath, [name], { cwd: folder, stdio: "ignore", env: { ...process.env, NODE_TEST_CONTEXT: "" } });
    const timer = setTimeout(() => { done(name); child.kill("SIGKILL"); }, patience);
    child.once("exit", () => { clearTimeout(timer); done(""); });
  })));
  return late.filter(Boolean);
}

test("every file of tests of the page's modules ends by itself", async () => {
  const names = readdirSync(folder).filter((name) => name.endsWith("_test.mjs") && !import.meta.url.endsWith(name));
  assert.ok(names.includes("hub_test.mjs"));
  assert.deepEqual(await endless(names), []);
});
