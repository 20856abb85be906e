// The cache of models on this device, so that a second visit loads nothing. A model has a shelf, which holds extents: the
// bytes from `begin` to `end` of its file, under a name that holds their SHA-256, and a mark of the version where only an
// ETag tells versions apart. What does not have the hash of its name (a write that was cut, a disk that forgot) does not
// count and is removed; so no tab has to trust another one. What is said about the shelf holds its own hash.
import { canHash, hashedBytes, much, sha256 } from "./hashing.js";
import { timeLimit } from "./limits.js";
import { AnswerStore, FileStore, MemoryStore } from "./stores.js";

const aboutName = "about.json";
const lockPatience = 10_000; // milliseconds for which one tab waits while another loads
const readAhead = 3; // extents read from the disk in advance while one is used
const noteName = "helixscope.kept"; // in localStorage: what the cache should hold

/**
 * What the cache should hold, where localStorage is available.
 * @returns {Record<string, {name?: string, bytes: number}>}
 */
function notes() {
  try {
    return JSON.parse(localStorage.getItem(noteName) ?? "{}");
  } catch {
    return {};
  }
}

/** @param {string} key @param {{name?: string, bytes: number} | null} value */
function note(key, value) {
  try {
    const all = notes();
    if (value) all[key] = value;
    else delete all[key];
    localStorage.setItem(noteName, JSON.stringify(all));
  } catch {
    // this window stores nothing
  }
}

/** @param {string} name */
function parseExtent(name) {
  const match = /^(\d+)-(\d+)-([0-9a-f]{64})?-([0-9a-f]*)$/.exec(name);
  return match && { begin: Number(match[1]), end: Number(match[2]), sha256: match[3] ?? "", mark: match[4], name };
}

const hashOf = (/** @type {ShelfAbout} */ about) => sha256(new TextEncoder().encode(JSON.stringify(about)));
/** Checks the types too, because not every browser can check the hash. */
const isAbout = (/** @type {Unchecked<ShelfAbout>} */ { size, etag, served, name }) => (size === undefined || (Number.isSafeInteger(size) && Number(size) >= 0))
  && [etag, served].every((tag) => tag === undefined || tag === null || typeof tag === "string") && (name === undefined || typeof name === "string");

const megabytes = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`;

export class Cache {
  /** @type {Promise<Store | null>} */
  #store; // a promise of the persistent store, or of null
  #memory = new MemoryStore();
  #full = false;
  #read = 0; // bytes of extents
  /** @type {Set<string>} */
  #told = new Set();

  /**
   * `tell(sentence)` notifies the visitor; each sentence is shown once.
   * @param {(sentence: string) => void} tell
   */
  constructor(tell) {
    this.tell = (/** @type {string} */ sentence) => {
      if (this.#told.has(sentence)) return;
      this.#told.add(sentence);
      tell(sentence);
    };
    this.#store = FileStore.open().catch(() => AnswerStore.open()).catch(() => null);
  }

  /**
   * The shelf of the file that `id` identifies; `about`: {name} and other facts that can be read without the file.
   * @param {string} id
   * @param {ShelfAbout} about
   */
  async shelf(id, about) {
    const shelf = new Shelf(this, (await sha256(new TextEncoder().encode(id))).slice(0, 40) || encodeURIComponent(id), about);
    await shelf.open();
    return shelf;
  }

  /** Everything that is kept: [{key, about, bytes}]. */
  async list() {
    const found = /** @type {{key: string, about: ShelfAbout, bytes: number}[]} */ ([]);
    for (const store of await this.#stores())
      for (const key of await store.keys().catch(() => [])) {
        const names = await store.names(key).catch(() => []);
        const bytes = names.map(parseExtent).filter((e) => e !== null).reduce((/** @type {number} */ sum, /** @type {Extent} */ e) => sum + e.end - e.begin, 0);
        const known = found.find((f) => f.key === key);
        if (known) known.bytes += bytes;
        else if (bytes) found.push({ key, about: await this.about(key) ?? {}, bytes });
      }
    return found;
  }

  /** @param {string} key */
  async remove(key) {
    this.#full = false;
    note(key, null);
    for (const store of await this.#stores()) await store.remove(key).catch(() => {});
  }

  /** @returns {Promise<Store[]>} */
  async #stores() {
    return [await this.#store, this.#memory].filter((store) => store !== null);
  }

  // ---- for shelves: none of these methods throws, because a device that stores nothing is not an error

  /** @param {string} key */
  async names(key) {
    const all = await Promise.all((await this.#stores()).map((store) => store.names(key).catch(() => [])));
    return [...new Set(all.flat())];
  }

  /** @param {string} key @param {string} name */
  async read(key, name) {
    for (const store of await this.#stores()) {
      const bytes = await store.read(key, name).catch(() => null);
      if (bytes) return new Uint8Array(bytes);
    }
    return null;
  }

  /**
   * {bytes, sha256} of an extent, null where it is not kept. A large model's are read and hashed on another thread.
   * @param {string} key
   * @param {string} name
   * @param {number} size
   */
  async readHashed(key, name, size) {
    this.#read += size;
    const store = await this.#store;
    const found = canHash && this.#read > much && await store?.readHashed?.(key, name).catch(() => null);
    if (found) return found;
    const bytes = await this.read(key, name);
    return bytes && hashedBytes(bytes);
  }

  /**
   * True when it is kept for the next visit.
   * @param {string} key
   * @param {string} name
   * @param {Uint8Array<ArrayBuffer>} bytes
   */
  async write(key, name, bytes) {
    const store = await this.#store;
    if (store && !this.#full) {
      try {
        await store.write(key, name, bytes);
        return true;
      } catch (error) {
        if (error.name === "NoModificationAllowedError") return true; // another tab is writing the same bytes
        this.#full = true;
        this.tell(error.name === "QuotaExceededError"
          ? "This device has no room to keep more of the model; what did not fit is loaded again at the next visit."
          : "This browser stopped keeping the model; what did not get kept is loaded again at the next visit.");
      }
    }
    if (!store) this.tell("This browser keeps nothing for this page, as in a private window: models are loaded again at the next visit.");
    await this.#memory.write(key, name, bytes);
    return false;
  }

  /** @param {string} key @param {string} name */
  async drop(key, name) {
    for (const store of await this.#stores()) await store.remove(key, name).catch(() => {});
  }

  /**
   * Null where it is not what was written: the shelf is then treated as new.
   * @param {string} key
   * @returns {Promise<ShelfAbout | null>}
   */
  async about(key) {
    try {
      const { sha256: hash, ...about } = /** @type {ShelfAbout & {sha256?: string}} */ (JSON.parse(new TextDecoder().decode(await this.read(key, aboutName) ?? undefined)));
      return isAbout(about) && hash === await hashOf(about) ? about : null;
    } catch {
      return null;
    }
  }

  /** @param {string} key @param {ShelfAbout} about */
  async writeAbout(key, about) {
    await this.write(key, aboutName, new TextEncoder().encode(JSON.stringify({ ...about, sha256: await hashOf(about) })));
  }
}

export class Shelf {
  #cache;
  #key;
  /** @type {Extent[]} */
  #extents = []; // sorted by begin
  #mark = ""; // of the version that `about` describes

  /** @param {Cache} cache @param {string} key @param {ShelfAbout} about */
  constructor(cache, key, about) {
    this.#cache = cache;
    this.#key = key;
    this.about = about;
  }

  async open() {
    await this.refresh();
    const expected = notes()[this.#key];
    if (this.#extents.length || !expected) return;
    note(this.#key, null);
    this.#cache.tell(`The browser has removed what was kept of ${expected.name} (${megabytes(expected.bytes)}); it is loaded again when needed.`);
  }

  /** Reads the shelf again: another tab may have added extents, or stored another version. */
  async refresh() {
    this.#extents = (await this.#cache.names(this.#key)).map(parseExtent).filter((e) => e !== null).sort((/** @type {Extent} */ a, /** @type {Extent} */ b) => a.begin - b.begin || b.end - a.end);
    await this.#describe({ ...this.about, ...await this.#cache.about(this.#key) });
  }

  /** @param {ShelfAbout} about */
  async #describe(about) {
    this.about = about;
    this.#mark = about.etag ? (await sha256(new TextEncoder().encode(about.etag))).slice(0, 8) : "";
  }

  /** @param {number} begin @param {number} end */
  overlapping(begin, end) {
    return this.#extents.filter((e) => e.begin < end && e.end > begin && e.mark === this.#mark);
  }

  /**
   * The bytes of an extent, or null when they are missing or damaged, or the hashing worker lost them.
   * @param {Extent} extent
   */
  async read(extent) {
    const size = extent.end - extent.begin;
    const read = await this.#cache.readHashed(this.#key, extent.name, size);
    if (read && !read.bytes) return null; // lost on the way
    if (read?.bytes?.byteLength === size && (!canHash || read.sha256 === extent.sha256)) return read.bytes;
    this.#extents = this.#extents.filter((e) => e !== extent);
    await this.#cache.drop(this.#key, extent.name);
    return null;
  }

  /**
   * Each extent with its bytes, in order: while one is used, the next ones come from the disk and are hashed.
   * @param {Extent[]} extents
   * @returns {Generator<[Extent, Promise<Uint8Array<ArrayBuffer> | null>], void>}
   */
  *readAll(extents) {
    /** @type {[Extent, Promise<Uint8Array<ArrayBuffer> | null>][]} */
    const coming = [];
    for (const extent of extents) {
      coming.push([extent, this.read(extent)]);
      if (coming.length > readAhead) yield* coming.splice(0, 1);
    }
    yield* coming;
  }

  /**
   * Stores bytes; the caller has checked their hash, or there is no known hash to check.
   * @param {number} begin
   * @param {Uint8Array<ArrayBuffer>} bytes
   * @param {string | null} hash
   */
  async keep(begin, bytes, hash = null) {
    const end = begin + bytes.byteLength;
    if (this.overlapping(begin, end).some((e) => e.begin <= begin && e.end >= end)) return;
    const extent = /** @type {Extent} */ (parseExtent(`${begin}-${end}-${hash ?? await sha256(bytes)}-${this.#mark}`));
    if (!this.#extents.length) await this.describe({});
    const lasting = await this.#cache.write(this.#key, extent.name, bytes);
    this.#extents = [...this.#extents, extent].sort((a, b) => a.begin - b.begin || b.end - a.end);
    if (lasting) note(this.#key, { name: this.about.name, bytes: this.#extents.reduce((sum, e) => sum + e.end - e.begin, 0) });
  }

  /** @param {ShelfAbout} more */
  async describe(more) {
    await this.#describe({ ...this.about, ...more });
    await this.#cache.writeAbout(this.#key, this.about);
  }

  /** Removes all extents: the file has changed. */
  async clear() {
    this.#extents = [];
    const rest = { ...this.about };
    delete rest.size;
    delete rest.etag;
    delete rest.served;
    await this.#describe(rest);
    await this.#cache.remove(this.#key);
  }

  /**
   * Runs `work` while no other tab loads the same part. A sleeping tab that holds the lock must not block this one: after a
   * while both load, and write the same bytes.
   * @template T
   * @param {string} part
   * @param {() => Promise<T>} work
   * @param {AbortSignal} signal
   * @returns {Promise<T>}
   */
  async alone(part, work, signal) {
    if (!navigator.locks) return work();
    const patience = timeLimit(lockPatience, signal);
    let started = false;
    try {
      return await navigator.locks.request(`helixscope ${this.#key} ${part}`, { signal: patience }, () => {
        started = true;
        return work();
      });
    } catch (error) {
      if (started || signal.aborted) throw error;
      return work();
    }
  }
}
