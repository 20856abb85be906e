// Two versions of the site, for tests of what happens while it is updated.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { site } from "./places.mjs";

export const types = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css",
  ".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".ttf": "font/ttf", ".txt": "text/plain; charset=utf-8", ".webmanifest": "application/manifest+json", ".png": "image/png",
};

/** The assembled site: path -> bytes. */
export const thisVersion = () => new Map(readdirSync(site, { recursive: true }).map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !/\.(br|gz)$/.test(path) && statSync(join(site, path)).isFile()).map((path) => [path, readFileSync(join(site, path))]));

/** Another version of it: all contents differ, and so all names with a hash, in the files and wherever they are written. */
export function nextVersion(files) {
  const other = (hash) => createHash("sha256").update(hash).digest("hex").slice(0, 10);
  const renamed = (text) => text.replace(/([./"]|name="helixscope-build" content="|const build = ")([0-9a-f]{10})(?=[./"])/g, (all, ahead, hash) => ahead + other(hash));
  return new Map([...files].map(([path, bytes]) => {
    if (/\.(html|css|webmanifest)$|^isolation_worker|^models\/index/.test(path)) return [renamed(path), Buffer.from(renamed(bytes.toString()))];
    if (/\.m?js$/.test(path)) return [renamed(path), Buffer.from(`${renamed(bytes.toString())}\n// the next version\n`)];
    if (path.endsWith(".wasm")) return [renamed(path), Buffer.concat([bytes.subarray(0, -10), Buffer.from(other(bytes.subarray(-10).toString()))])];
    return [renamed(path), bytes];
  }));
}
