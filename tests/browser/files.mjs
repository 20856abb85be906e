// The names of the site's files have a hash of the contents in them; tests call the files by the names of the sources.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { site } from "./places.mjs";

/**
 * A pattern for the requests of a part of the page, such as "ui.wasm" or "engine-*.mjs": in the site its name has a hash in it, and on
 * the way a test may put a question behind it.
 */
export function part(name) {
  const [stem, ending] = name.split(/\.(?=[^.]*$)/).map((text) => text.replaceAll("*", "[^/.]*"));
  return new RegExp(`/${stem}\\.[0-9a-f]{10}\\.${ending}(?=$|[?#])`);
}

/** A path of the site without the hash. */
export const sourceName = (path) => path.replace(/\.[0-9a-f]{10}(?=\.)/, "").replace(/(assets\/models\/)[0-9a-f]{10}\//, "$1");

/** The site's list of its own files: {version, files: {name: {file, bytes, sha256}}}. */
export const manifest = (folder = site) =>
  JSON.parse(readFileSync(join(folder, readdirSync(folder).find((name) => /^files\.[0-9a-f]{10}\.json$/.test(name))), "utf8"));

/** Where a file of the site is on this machine. */
export const builtFile = (name) => join(site, manifest().files[name]?.file ?? name);
