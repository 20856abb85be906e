// Virtual screens for browsers that draw nothing without one.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { xvfbPath } from "./places.mjs";

export const needsDisplay = process.platform !== "darwin";
const screen = "1400x1000x24"; // the page and the browser's own bars

/**
 * A virtual screen with a free number. The shell in between ends it as soon as the shell's input ends, and so also when this
 * process dies; a browser ends with its screen. A session of its own keeps the terminal's Ctrl-C from the shell.
 */
export async function startScreen() {
  const script = '"$0" -displayfd 3 -screen 0 "$1" -nolisten tcp & exec 3>&-; read end; kill $!; wait';
  const child = spawn("/bin/sh", ["-c", script, xvfbPath, screen], { stdio: ["pipe", "ignore", "ignore", "pipe"], detached: true });
  const ended = new Promise((done) => child.once("exit", done));
  const stop = () => { child.stdin.end(); return ended; };
  const number = await new Promise((done) => createInterface({ input: child.stdio[3] }).once("line", done).once("close", () => done(null)));
  if (number) return { name: `:${number}`, stop };
  await stop();
  throw new Error("Xvfb did not start.");
}
