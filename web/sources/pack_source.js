// A pack: a folder whose manifest.json lists shards which, one after the other, are one ordinary safetensors file. The
// engine asks for byte ranges of that file; the shards that hold them are loaded whole, checked, cached, and passed on.
import { canHash, hashedBytes } from "./hashing.js";
import { Patience, PlainError, Source, describe, pieces } from "./source.js";

/** @typedef {import("./cache.js").Shelf} Shelf */

const manifestLimit = 4 << 20; // bytes; the manifest of GPT-2 XL has about 50 kB
const shardLimit = 16 << 20;
const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/; // no folders: files lie beside the manifest
const hash = /^[0-9a-f]{64}$/;

/** @param {unknown} value @returns {value is number} */
const isSize = (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
const isHash = (/** @type {unknown} */ value) => typeof value === "string" && hash.test(value);
/** @param {unknown} value @returns {value is PackFile} */
function isFile(value) {
  const { file, bytes, sha256 } = /** @type {Unchecked<PackFile>} */ (value ?? {});
  return typeof file === "string" && plainName.test(file) && isSize(bytes) && isHash(sha256);
}

/**
 * What is wrong with a manifest, as the end of a sentence; null if it is valid.
 * @param {Unchecked<PackManifest> | null} manifest
 */
function faultOf(manifest) {
  if (manifest?.format !== "helixscope-pack") return "is not the manifest of a pack";
  if (manifest.version !== 1) return `is of version ${String(manifest.version).slice(0, 20)}, which this page does not know; reload the page`;
  if (!isSize(manifest.bytes) || !manifest.bytes || !isHash(manifest.sha256) || !Array.isArray(manifest.shards) || !manifest.shards.length) return "lacks what a manifest has to say";
  let offset = 0;
  for (const [i, shard] of /** @type {unknown[]} */ (manifest.shards).entries()) {
    if (!isFile(shard) || !shard.bytes) return `describes its shard ${i + 1} wrongly`;
    if (shard.bytes > shardLimit) return `names a shard of more than 16 MB, ${shard.file}`;
    if (!("offset" in shard) || shard.offset !== offset) return `leaves a gap before its shard ${shard.file}`;
    offset += shard.bytes;
  }
  if (offset !== manifest.bytes) return "names shards that are not as long together as the file";
  if (manifest.files !== undefined && !(Array.isArray(manifest.files) && manifest.files.every(isFile))) return "describes its files wrongly";
  return null;
}

/**
 * Reads a manifest's text; throws a sentence.
 * @param {string} text
 * @param {string} name
 * @returns {PackManifest}
 */
export function parseManifest(text, name) {
  /** @type {unknown} */
  let manifest;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new PlainError(`The manifest of ${name} (manifest.json) is cut or is no manifest.`);
  }
  const fault = faultOf(/** @type {Unchecked<PackManifest> | null} */ (manifest));
  if (fault) throw new PlainError(`The manifest of ${name} (manifest.json) ${fault}.`);
  return /** @type {PackManifest} */ (manifest);
}

/**
 * Reads a body, calling `heard(bytes)` for every piece; stops once it is longer than `limit` bytes.
 * @param {Response} answer
 * @param {number} limit
 * @param {(bytes: number) => void} heard
 */
async function body(answer, limit, heard) {
  const parts = [];
  let held = 0;
  for await (const part of pieces(answer)) {
    heard(part.byteLength);
    parts.push(part);
    held += part.byteLength;
    if (held > limit) break;
  }
  const all = new Uint8Array(held);
  parts.reduce((at, part) => (all.set(part, at), at + part.byteLength), 0);
  return all;
}

export class PackSource extends Source {
  /** @type {Promise<PackManifest> | null} */
  #manifest = null;
  /** @type {Shelf | null} */
  #shelf = null;
  /** @type {{shard: Shard, bytes: Uint8Array<ArrayBuffer>} | null} */
  #last = null; // the next range is often in the same shard
  /** @type {Set<Shard>} */
  #here = new Set(); // shards that have been loaded, for the progress
  /** @type {Set<Shard>} */
  #wanted = new Set();
  #arriving = 0; // bytes that have arrived of the shard that is loading

  /**
   * `url`: of the manifest; `moved()`: the progress has changed.
   * @param {string} name
   * @param {URL} url
   * @param {Emit} emit
   * @param {{cache: import("./cache.js").Cache, moved?: () => void}} page
   */
  constructor(name, url, emit, { cache, moved = () => {} }) {
    super(name, emit);
    this.url = url;
    this.cache = cache;
    this.moved = moved;
  }

  /** Counted in whole shards, because those are loaded: more than the engine asked for. */
  get progress() {
    if (!this.#wanted.size) return null;
    const sum = (/** @type {Set<Shard>} */ shards) => [...shards].reduce((total, shard) => total + shard.bytes, 0);
    return { have: sum(this.#here) + this.#arriving, want: sum(this.#wanted) };
  }

  /** @param {NeedMessage} message */
  need(message) {
    if (message.afresh) this.drop();
    super.need(message);
  }

  async forget() {
    await this.#shelf?.clear();
    this.#manifest = this.#last = null;
    this.#here.clear();
    this.#wanted.clear();
  }

  /** @param {Ranges} ranges */
  async read(ranges) {
    const { patience } = this;
    const { shards, bytes: total, sha256: whole } = await this.#theManifest(patience);
    const shelf = this.#shelf ??= await this.cache.shelf(`sha256 ${whole}`, { name: this.name });
    this.size(total);
    const holds = (/** @type {Shard} */ { offset, bytes }) => ranges.some(([begin, end]) => begin < offset + bytes && end > offset);
    const needed = shards.filter(holds);
    for (const shard of needed) this.#wanted.add(shard);
    let ahead = /** @type {Promise<Uint8Array<ArrayBuffer> | null> | null} */ (null); // the next shard, on its way from the disk while this one is used
    for (const [i, shard] of needed.entries()) {
      const kept = ahead ?? this.#kept(shelf, shard);
      ahead = needed[i + 1] ? this.#kept(shelf, needed[i + 1]) : null;
      const bytes = await this.#shard(shelf, shard, kept, patience);
      if (patience.dropped) return;
      this.#last = { shard, bytes };
      this.#here.add(shard);
      this.#arriving = 0;
      this.moved();
      for (const [begin, end] of ranges) this.pass(shard.offset, bytes, begin, end);
    }
  }

  /** @param {string} file */
  async hashOf(file) {
    const manifest = await this.#theManifest(new Patience()).catch(() => null); // reading the weights reports what is wrong
    return manifest?.files?.find((f) => f.file === file)?.sha256 ?? null;
  }

  /** The model's configuration from the manifest, which for a pack counts more than a config.json. */
  async config() {
    const { config } = await this.#theManifest(new Patience());
    return config === undefined ? "" : JSON.stringify(config);
  }

  /**
   * Reads the manifest once, on the first call; a failed attempt is repeated on the next call.
   * @param {Patience} patience
   */
  async #theManifest(patience) {
    this.#manifest ??= this.#readManifest(patience).catch((error) => {
      this.#manifest = null;
      throw error;
    });
    return this.#manifest;
  }

  /** @param {Patience} patience */
  async #readManifest(patience) {
    const why = (/** @type {string} */ reason) => new PlainError(`The manifest of ${this.name} (manifest.json) could not be read: ${reason}.`);
    const answer = await this.#fetch(this.url, patience, why);
    const bytes = await this.#body(answer, manifestLimit, patience, why, () => {});
    if (bytes.byteLength > manifestLimit) throw why("it is too long to be one");
    return parseManifest(new TextDecoder().decode(bytes), this.name);
  }

  /** @param {Shelf} shelf @param {Shard} shard @param {Promise<Uint8Array<ArrayBuffer> | null>} kept @param {Patience} patience */
  async #shard(shelf, shard, kept, patience) {
    return await kept ?? shelf.alone(shard.file, async () => {
      await shelf.refresh(); // another tab may have brought it meanwhile
      return await this.#kept(shelf, shard) ?? this.#load(shelf, shard, patience);
    }, patience.signal);
  }

  /** @param {Shelf} shelf @param {Shard} shard */
  async #kept(shelf, shard) {
    if (this.#last && this.#last.shard === shard) return this.#last.bytes;
    const { offset, bytes, sha256: expected } = shard;
    const extent = shelf.overlapping(offset, offset + bytes).find((e) => e.begin === offset && e.end === offset + bytes && e.sha256 === expected);
    return extent ? shelf.read(extent) : null;
  }

  /** @param {Shelf} shelf @param {Shard} shard @param {Patience} patience */
  async #load(shelf, shard, patience) {
    const why = (/** @type {string} */ reason) => new PlainError(`The part ${shard.file} of ${this.name} could not be read: ${reason}.`);
    this.#arriving = 0;
    try {
      const answer = await this.#fetch(new URL(shard.file, this.url), patience, why);
      const arrived = await this.#body(answer, shard.bytes, patience, why, (/** @type {number} */ more) => {
        this.#arriving = Math.min(this.#arriving + more, shard.bytes);
        this.moved();
      });
      if (arrived.byteLength < shard.bytes) throw why(`it ended after ${arrived.byteLength} of ${shard.bytes} bytes`);
      if (arrived.byteLength > shard.bytes) throw why(`it is longer than the ${shard.bytes} bytes that the manifest names`);
      // Plain http, as on a local network, is not a secure context, so browsers compute no hashes there: only the length and
      // the engine's own checks remain.
      const { bytes, sha256 } = await hashedBytes(arrived);
      if (!bytes) throw why("the browser ended the thread that was checking it; try again");
      if (canHash && sha256 !== shard.sha256) throw why("its bytes are not those that the manifest names (SHA-256)");
      await shelf.keep(shard.offset, bytes, shard.sha256);
      return bytes;
    } finally {
      this.#arriving = 0;
    }
  }

  /**
   * Bypasses the browser's own cache, so that a shard is not stored twice and a bad one not at all.
   * @param {URL} url
   * @param {Patience} patience
   * @param {Why} why
   */
  async #fetch(url, patience, why) {
    patience.heard();
    let answer;
    try {
      answer = await fetch(url, { credentials: "same-origin", cache: "no-store", signal: patience.signal });
    } catch (error) {
      throw why(describe(error, patience));
    }
    patience.rest();
    if (!answer.ok) throw why(`the server answered ${answer.status} ${answer.statusText}`.trim());
    if ((answer.headers.get("content-type") ?? "").includes("text/html")) throw why("a web page came in its place, perhaps that of a sign-in");
    return answer;
  }

  /**
   * @param {Response} answer
   * @param {number} limit
   * @param {Patience} patience
   * @param {Why} why
   * @param {(bytes: number) => void} more
   */
  async #body(answer, limit, patience, why, more) {
    patience.heard();
    try {
      return await body(answer, limit, (/** @type {number} */ bytes) => {
        patience.heard();
        more(bytes);
      });
    } catch (error) {
      throw why(describe(error, patience));
    } finally {
      patience.rest();
    }
  }
}
