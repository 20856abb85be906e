// The assembled site as files: names that can be cached for ever, references that lead somewhere, sizes.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { manifest } from "./files.mjs";
import { site } from "./places.mjs";

const kept = ["_headers", "index.html", "isolation_worker.js", "models/index.json"];
const all = readdirSync(site, { recursive: true }).map((path) => path.replaceAll("\\", "/")).filter((path) => statSync(join(site, path)).isFile());
const files = all.filter((path) => !/\.(br|gz)$/.test(path)); // without the copies that only a build for publishing makes
const read = (path) => readFileSync(join(site, path));
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");
const page = read("index.html").toString();
const unescaped = (text) => text.replaceAll("&quot;", '"').replaceAll("&#x27;", "'").replaceAll("&amp;", "&");
const meta = (name) => JSON.parse(unescaped(new RegExp(`<meta name="helixscope-${name}" content="([^"]*)"`).exec(page)[1]));

test("every file but four has a hash of its contents in its name", () => {
  for (const path of files.filter((path) => !kept.includes(path) && !path.startsWith("assets/models/")))
    assert.equal(/\.([0-9a-f]{10})\./.exec(path)?.[1], hash(read(path)).slice(0, 10), path);
});

test("a model's files keep their names in a folder that has a hash of all of them", () => {
  const folders = new Map();
  for (const path of files.filter((path) => path.startsWith("assets/models/"))) {
    const [, folder, inside] = /^assets\/models\/([0-9a-f]{10})\/(.*)$/.exec(path);
    folders.set(folder, [...folders.get(folder) ?? [], `assets/models/${inside}`]);
  }
  assert.ok(folders.size >= 2);
  for (const [folder, places] of folders) {
    const total = createHash("sha256");
    const inOrder = places.sort((a, b) => { // by parts of the path, as the build sorts
      const [one, other] = [a.split("/"), b.split("/")], at = one.findIndex((name, i) => name !== other[i]);
      return one[at] < other[at] ? -1 : 1;
    });
    for (const place of inOrder) total.update(place).update(createHash("sha256").update(read(place.replace("models/", `models/${folder}/`))).digest());
    assert.equal(total.digest("hex").slice(0, 10), folder, places.join());
  }
});

test("the manifest lists every other file with its size and hash", () => {
  const listed = Object.values(manifest().files), own = files.filter((path) => /^files\./.test(path));
  assert.equal(own.length, 1);
  for (const { file, bytes, sha256 } of listed) {
    assert.equal(statSync(join(site, file)).size, bytes, file);
    assert.equal(hash(read(file)), sha256, file);
  }
  assert.deepEqual(listed.map(({ file }) => file).sort(), files.filter((path) => !kept.includes(path) && !own.includes(path)).sort());
});

test("index.html names files that are there, and each by its hash", () => {
  const named = [...page.matchAll(/\b(?:href|src)="([^"#:]+)"/g)].map(([, path]) => path);
  assert.ok(named.length > 10);
  const tables = [...Object.values(meta("files")), ...Object.values(meta("pictures")).flatMap(Object.values),
    ...meta("bundled").flatMap((model) => model.files.map((file) => model.path + file))];
  for (const path of [...named, ...tables]) assert.ok(existsSync(join(site, path)), path);
  for (const path of named) assert.match(path, /\.[0-9a-f]{10}\.|^models\/index\.json$/);
  assert.doesNotMatch(page, /%[A-Z_]{3,}%/, "nothing is left to fill in");
});

test("compressed copies are those of the files beside them", () => {
  for (const path of all.filter((path) => /\.(br|gz)$/.test(path)))
    assert.ok(read(path.slice(0, -3)).equals(path.endsWith(".br") ? brotliDecompressSync(read(path)) : gunzipSync(read(path))), path);
});

test("the rules for hosts keep for ever what has a hash in its name, and nothing else", () => {
  const rules = read("_headers").toString().split(/\n(?=\/)/).map((rule) => rule.split("\n  "));
  const matches = (pattern, path) => pattern === `/${path}` || (pattern.endsWith("*") && `/${path}`.startsWith(pattern.slice(0, -1)));
  for (const path of files.filter((path) => path !== "_headers")) {
    const found = rules.filter(([pattern]) => matches(pattern, path)).flatMap(([, ...lines]) => lines.map((line) => line.trim()));
    const caches = found.filter((line) => line.startsWith("Cache-Control"));
    assert.deepEqual(caches, [`Cache-Control: ${kept.includes(path) ? "no-cache" : "public, max-age=31536000, immutable"}`], path);
    assert.ok(found.includes("Cross-Origin-Embedder-Policy: require-corp"), path);
  }
});

// Bytes, with room for growth; more is decided, not noticed later.
const budgets = [
  [/^_headers$/, 8e3], [/^index\.html$/, 40e3], [/^isolation_worker\.js$/, 20e3], [/^models\/index\.json$/, 20e3], [/^files\./, 60e3],
  [/^start\/main\..*\.js$/, 165e3], [/^start\/boot\./, 8e3], [/^(lessons|present|share|teach)\/.*\.js$/, 60e3], [/^lessons\/.*\.json$/, 40e3], [/^words\/.*\.json$/, 140e3], [/^words\/program\..*\.txt$/, 300e3],
  [/^ui\..*\.mjs$/, 90e3], [/^ui\..*\.wasm$/, 1.1e6], [/^ui_rest\..*\.wasm$/, 0.8e6], [/^engine-.*\.mjs$/, 30e3], [/^engine-.*\.wasm$/, 3.2e6], [/^(engine|sources)\/.*\.js$/, 12e3],
  [/^fonts\//, 130e3], [/^style\//, 32e3], [/^pictures\//, 70e3], [/\.svg$/, 220e3], [/\.png$/, 20e3], [/\.webmanifest$/, 2e3], [/\.map$/, 800e3],
  [/^python\//, 60e3], [/^NOTICE\./, 250e3], [/^assets\/models\/.*\/model\.safetensors$/, 12e6], [/^assets\/models\//, 2e6],
];
// Gzipped by node's zlib, which packs a hundredth worse than gzip -9: what the first picture waits for, with room for growth.
const packedBudgets = [[/^ui\..*\.wasm$/, 410e3], [/^engine-simd\..*\.wasm$/, 1e6]];
test("what the first picture waits for is no larger than its budget, gzipped", () => {
  for (const [pattern, most] of packedBudgets) {
    const path = files.find((each) => pattern.test(each));
    const size = gzipSync(readFileSync(join(site, path)), { level: 9 }).length;
    assert.ok(size <= most, `${path} has ${size} bytes gzipped, its budget is ${most}`);
  }
});
test("no file is larger than its budget, and each has one", () => {
  for (const path of files) {
    const [, most] = budgets.find(([pattern]) => pattern.test(path)) ?? assert.fail(`${path} has no budget`);
    const { size } = statSync(join(site, path));
    assert.ok(size <= most, `${path} has ${size} bytes, its budget is ${most}`);
  }
});
