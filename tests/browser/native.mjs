// The native program's results, with which the page must agree.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { cli } from "./places.mjs";

const call = promisify(execFile);

/** The document of `helixscope run STUDY --json`. `params` as `--set` takes them. */
export async function nativeResult(model, params = {}, study = "position_helix") {
  const sets = Object.entries(params).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const { stdout } = await call(cli, ["run", study, "--json", ...(model ? ["--model", model] : []), ...sets],
    { maxBuffer: 1 << 26 });
  return JSON.parse(stdout);
}
