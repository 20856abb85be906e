// The shipped page in real browsers, measured: ./dev bench; its options are below.
// Each row has its goal and the part of it that is reached (1 or more: met). Only ratios within one run compare.
import { benchChromium } from "./bench_chromium.mjs";
import { benchFirefox } from "./bench_firefox.mjs";
import { benchHour } from "./bench_hour.mjs";
import { remark } from "./bench_report.mjs";
import { whyNoFirefox } from "./firefox.mjs";
import { realModel } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { plantedFolder } from "./synthetic.mjs";

const help = `./dev bench [--firefox] [--hour] [--model FOLDER] [--json]
Measures the built page in headless Chromium and, where it is installed, in Firefox.
  --firefox  only in Firefox, which is installed first where it is missing
  --hour     only what an hour of dragging leaves in memory, in Chromium: takes many minutes
  --model    a folder with a GPT-2 in safetensors form
  --json     one object a line`;

const options = process.argv.slice(2);
if (options.includes("--help")) {
  console.log(help);
  process.exit(0);
}
const modelAt = options.indexOf("--model");
const chosen = modelAt >= 0 ? options[modelAt + 1] : realModel;

async function measureAll(server, folder) {
  const firefox = options.includes("--firefox"), hour = options.includes("--hour"), missing = whyNoFirefox();
  if (firefox && missing) throw new Error(missing);
  if (!firefox && !hour) await benchChromium(server, folder);
  if (firefox || (!hour && !missing)) await benchFirefox(server);
  if (!firefox && !hour && missing) remark(`no rows of Firefox: ${missing}`);
  if (hour) await benchHour(server);
}

const own = chosen ? null : plantedFolder();
const folder = chosen ?? own.folder;
remark(own ? "no GPT-2 here: a small planted helix of 256 positions instead, so the times say little" : `model: ${folder}`);
const server = await startServer([folder]);
try {
  await measureAll(server, folder);
} finally {
  await server.stop();
  own?.remove();
}
