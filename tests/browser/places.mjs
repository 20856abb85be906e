// Paths of the site, the native program, Python, the browsers and the models on this machine: from the environment that ./dev
// sets, else where a build or the system puts them.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const env = process.env;
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const site = env.HELIXSCOPE_SITE || join(root, "build/site");
export const cli = env.HELIXSCOPE_CLI || join(root, "build/native/helixscope");
export const chromiumPath = env.HELIXSCOPE_CHROMIUM || "/usr/bin/chromium";
export const firefoxPath = env.HELIXSCOPE_FIREFOX || onPath("firefox-esr", "firefox");
export const webkitDriverPath = onPath("WebKitWebDriver");
export const xvfbPath = onPath("Xvfb");
export const python = env.HELIXSCOPE_PYTHON || "python3";

/** The first of these programs that is installed, or null. */
function onPath(...names) {
  const folders = (env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path)) ?? null;
}

/** The folder of GPT-2 small's positions, or null: the first of $HELIXSCOPE_MODELS that has weights, else ../shared/gpt2. */
export const realModel = [...(env.HELIXSCOPE_MODELS ?? "").split(":").filter(Boolean), resolve(root, "../shared/gpt2")]
  .find((folder) => existsSync(folder) && statSync(folder).isDirectory() && readdirSync(folder).some((f) => f.endsWith(".safetensors"))) ?? null;

let numpy;
export function hasNumpy() {
  numpy ??= spawnSync(python, ["-c", "import numpy"], { stdio: "ignore" }).status === 0;
  return numpy;
}
