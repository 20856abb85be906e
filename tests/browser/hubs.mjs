// A hub for the tests of its models: two servers on other origins, the hub, which redirects to the file, and the host of the file; and a
// page that is built with a policy that allows these two.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, afterEach, before } from "node:test";
import { python, root } from "./places.mjs";
import { sendJson, sendRanged, startAnswers, startFaultServer, withoutBundled } from "./servers.mjs";
import { planted, plantedFile, plantedRows, safetensors } from "./synthetic.mjs";
import { useBrowser } from "./support.mjs";

export const id = "some-lab/tiny-gpt2";
export const own = plantedFile();
const ours = { name: "ours", path: "models/ours/", files: ["model.safetensors"], bytes: own.length, sha256: "" };
export const bytes = safetensors(plantedRows({ ...planted, turns: 5 }, 3), [planted.positions, planted.dimensions]); // another picture than the page's own
export const turns = 4.9;
export const config = { model_type: "gpt2", n_head: 4, n_layer: 0, n_embd: 64, n_ctx: 256, n_positions: 256, vocab_size: 50257 };
export const refused = [/Failed to load resource/, /CORS policy/, /net::/, /policy violation|Content Security Policy|violates/];
/** `current(request, response, path)` answers what is asked of the hub; serve() sets it, a test may replace it. */
export const hub = { current: null };
const host = { current: null }, answer = { current: null };
export let hubServer, server;
let hostServer;

/** For a file of tests: a browser, the hub and the page. */
export function useHub() {
  useBrowser();
  before(startServers);
  after(() => Promise.all([server, hubServer, hostServer].map((s) => s?.stop())));
  afterEach(() => { hub.current = host.current = answer.current = null; });
}

async function startServers() {
  hubServer = await startAnswers(hub);
  hostServer = await startAnswers(host);
  const env = { ...process.env, HELIXSCOPE_HUBS: `${hubServer.origin} ${hostServer.origin}` };
  const page = spawnSync(python, [join(root, "tools/dev/website.py"), "index.html"], { env, encoding: "utf8" });
  assert.equal(page.status, 0, page.stderr);
  server = await startFaultServer(answer, { page: withoutBundled(page.stdout) });
}

export const address = (file) => `/${id}/resolve/main/${file}`;
const good = (request, response) => sendRanged(request, response, bytes, '"sum-of-it"');

/** The page's own list, and a hub with one model; returns the requests to both servers. */
export function serve({ send = good, redirect = true, entries = [ours], configuration = config } = {}) {
  const asked = [];
  answer.current = (request, response, path) => {
    if (path === "/models/index.json") return sendJson(response, entries);
    return path.startsWith("/models/ours/") && sendRanged(request, response, own, '"own"');
  };
  hub.current = (request, response, path) => {
    asked.push({ path, range: request.headers.range ?? "", cookie: request.headers.cookie, referer: request.headers.referer });
    if (path === address("config.json") && configuration) return sendJson(response, configuration);
    if (path !== address("model.safetensors")) {
      response.setHeader("X-Error-Code", path.startsWith(`/${id}/`) ? "EntryNotFound" : "RepoNotFound");
      response.writeHead(path.startsWith(`/${id}/`) ? 404 : 401).end("Entry not found");
      return true;
    }
    if (!redirect) return send(request, response) !== false;
    response.writeHead(302, { Location: `${hostServer.origin}/blobs/0123?signed=yes`, "X-Linked-Size": bytes.length, "X-Linked-Etag": '"sum-of-it"' }).end();
    return true;
  };
  host.current = (request, response, path) => {
    asked.push({ path, range: request.headers.range ?? "", cookie: request.headers.cookie, referer: request.headers.referer });
    return send(request, response) !== false;
  };
  return asked;
}

/** The page's offer to load models. */
export const offer = (page) => page.locator("#offer");
