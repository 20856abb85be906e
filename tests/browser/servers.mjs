// The servers of the tests, both on 127.0.0.1 and a free port: the project's own, and one that can be made to fail.
import { spawn } from "node:child_process";
import { cpSync, createReadStream, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize, relative } from "node:path";
import { createInterface } from "node:readline";
import { python, root, site } from "./places.mjs";

/** The page as it is where no model comes with it. */
export const withoutBundled = (page) => page.replace(/(<meta name="helixscope-bundled" content=)"[^"]*"/, '$1"[]"');

let bare;
/** The site built without bundled models, to test the page with no model or with just one. */
function bareSite() {
  if (bare) return bare;
  bare = mkdtempSync(join(tmpdir(), "helixscope-site-"));
  process.on("exit", () => rmSync(bare, { recursive: true, force: true }));
  cpSync(site, bare, { recursive: true, filter: (from) => !/^(assets|models)($|\/)/.test(relative(site, from)) });
  writeFileSync(join(bare, "index.html"), withoutBundled(readFileSync(join(site, "index.html"), "utf8")));
  return bare;
}

/**
 * tools/dev/server.py with these model folders, and with the bundled models only if `bundled`; it ends when its input ends, and
 * so also when the test dies.
 */
export async function startServer(models = [], { bundled = false } = {}) {
  const folders = models.flatMap((folder) => ["--models", folder]);
  const child = spawn(python, [join(root, "tools/dev/server.py"), "--site", bundled ? site : bareSite(), "--port", "0", ...folders, "--until-stdin-closes"],
    { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((done) => child.once("exit", done));
  const url = await new Promise((done, failed) => {
    createInterface({ input: child.stdout }).once("line", done);
    ended.then((code) => failed(new Error(`the server ended with ${code}`)));
  });
  return { url, stop: () => { child.stdin.end(); return ended; } };
}

const types = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css",
  ".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".ttf": "font/ttf", ".txt": "text/plain; charset=utf-8",
};

function sendFile(response, path) {
  try {
    const { size } = statSync(path);
    response.writeHead(200, { "Content-Type": types[extname(path)] ?? "application/octet-stream", "Content-Length": size });
    createReadStream(path).pipe(response);
  } catch {
    response.writeHead(404).end();
  }
}

async function listening(server) {
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    stop: () => new Promise((done) => { server.close(done); server.closeAllConnections(); }),
  };
}

/**
 * The site from a server whose models the test controls: `answer.current(request, response, path)` may answer every request
 * below models/. Other requests there get 404, as on a host without models. `page`: in place of index.html.
 */
export async function startFaultServer(answer, { page = null, bundled = false } = {}) {
  const folder = bundled ? site : bareSite();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://127.0.0.1").pathname);
    if (path.startsWith("/models/")) {
      if (!answer.current?.(request, response, path)) response.writeHead(404).end("not found\n");
      return;
    }
    if (page && path === "/") return response.writeHead(200, { "Content-Type": types[".html"] }).end(page);
    sendFile(response, join(folder, normalize(path.endsWith("/") ? `${path}index.html` : path)));
  });
  return listening(server);
}

/** Answers a request for a file with ranges, as a correct server does. */
export function sendRanged(request, response, bytes, etag = null) {
  const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  const tag = etag ? { ETag: etag } : {};
  if (!match) return sendWhole(response, bytes, tag);
  const first = Number(match[1]), last = Math.min(Number(match[2]), bytes.length - 1);
  if (first >= bytes.length) response.writeHead(416, { ...tag, "Content-Range": `bytes */${bytes.length}` }).end();
  else
    response.writeHead(206, { ...tag, "Content-Type": "application/octet-stream", "Content-Range": `bytes ${first}-${last}/${bytes.length}` })
      .end(bytes.subarray(first, last + 1));
  return true;
}

export function sendWhole(response, bytes, headers = {}) {
  response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": bytes.length, ...headers }).end(bytes);
  return true;
}

export function sendJson(response, value) {
  response.writeHead(200, { "Content-Type": "application/json" }).end(typeof value === "string" ? value : JSON.stringify(value));
  return true;
}

/** A server without a page: `answer.current(request, response, path)` answers, with CORS headers for pages of every origin. */
export async function startAnswers(answer) {
  const server = createServer((request, response) => {
    const leave = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "*", "Access-Control-Allow-Headers": "*" };
    for (const [name, value] of Object.entries(leave)) response.setHeader(name, value);
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    const path = decodeURIComponent(new URL(request.url, "http://127.0.0.1").pathname);
    if (!answer.current?.(request, response, path)) response.writeHead(404).end("not found\n");
  });
  const { url, stop } = await listening(server);
  return { origin: url.slice(0, -1), stop };
}

/** Some folders, each under its name, and an empty page at the root. */
export async function startFolders(folders) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://127.0.0.1").pathname);
    if (path === "/") return response.writeHead(200, { "Content-Type": types[".html"] }).end("<!doctype html><title>empty</title>");
    const [, name, ...rest] = normalize(path).split("/");
    sendFile(response, join(folders[name] ?? "/nowhere", ...rest));
  });
  return listening(server);
}
