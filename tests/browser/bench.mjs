// Measures the shipped page in real browsers: ./dev bench; its options are below.
// Each row has its goal and the fraction of it that is reached (1 or more: met). Only ratios within one run are comparable.
import { benchChromium } from "./bench_chromium.mjs";
import { benchFirefox } from "./bench_firefox.mjs";
import { benchGeometry } from "./bench_geometry.mjs";
import { benchHour } from "./bench_hour.mjs";
import { remark } from "./bench_report.mjs";
import { benchViews } from "./bench_views.mjs";
import { whyNoFirefox } from "./firefox.mjs";
import { realModel } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { plantedFolder } from "./synthetic.mjs";

const help = `./dev bench [--page] [--forward] [--firefox] [--hour] [--geometry] [--views] [--studies A,B] [--rounds N] [--model FOLDER] [--json]
Measures the built page in headless Chromium and, where it is installed, in Firefox.
  --page     only the page, in Chromium: first picture, sizes, frames, sliders
  --forward  only the forward pass, in Chromium, beside onnxruntime-web
  --firefox  only in Firefox, which is installed first where it is missing
  --hour     only what an hour of dragging leaves in memory, in Chromium: takes many minutes
  --geometry only decompositions, natively and in WebAssembly without a browser, beside Eigen's and numpy's
  --views    only every view of every study on minihelix, from the choice to its numbers, on one thread: takes many minutes
  --studies  of --views: only these studies, separated by commas
  --rounds   how often views and the forward pass are measured, the latter by turns with onnxruntime-web; the quietest round counts (3)
  --model    a folder with a GPT-2 in safetensors form
  --json     one object a line`;

const options = process.argv.slice(2);
if (options.includes("--help")) {
  console.log(help);
  process.exit(0);
}
if (options.includes("--geometry")) {
  benchGeometry();
  process.exit(0);
}
const valueOf = (option) => (options.includes(option) ? options[options.indexOf(option) + 1] : undefined);
const chosen = valueOf("--model") ?? realModel;
const rounds = Number(valueOf("--rounds") ?? 3);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds takes a whole number from 1.");
const only = ["--page", "--forward", "--firefox", "--hour", "--views"].find((part) => options.includes(part));

async function measureAll(server, folder) {
  const missing = whyNoFirefox();
  if (only === "--firefox" && missing) throw new Error(missing);
  if (!only || only === "--page" || only === "--forward") await benchChromium(server, folder, { rounds, only });
  if (only === "--firefox" || (!only && !missing)) await benchFirefox(server);
  if (!only && missing) remark(`no rows of Firefox: ${missing}`);
  if (only === "--views") await benchViews(rounds, valueOf("--studies"));
  if (only === "--hour") await benchHour(server);
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
