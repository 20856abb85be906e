// Where bytes can be stored on this device: the origin private file system; if the browser refuses that, Cache storage; if it
// refuses both, this tab's memory. All three have one interface: folders (`key`) of files (`name`).
import { addressOf } from "../start/files.js";
import { Calls } from "./calls.js";
import { hexadecimal } from "./hashing.js";

const place = "helixscope-models"; // other pages of the same origin have their own folders
const readers = 2; // threads that read and hash; a third would only wait for the disk
const memoryLimit = 128e6; // bytes a tab without storage remembers

export class FileStore {
  #root;
  /** @type {Calls<FileQuestion, FileAnswer>[]} */
  #workers = []; // with synchronous handles; started when they are first wanted
  #turn = 0;

  /** @param {FileSystemDirectoryHandle} root */
  constructor(root) {
    this.#root = root;
  }

  static async open() {
    return new FileStore(await (await navigator.storage.getDirectory()).getDirectoryHandle(place, { create: true }));
  }

  async keys() {
    const keys = [];
    for await (const [name, handle] of this.#root.entries()) if (handle.kind === "directory") keys.push(name);
    return keys;
  }

  /** @param {string} key */
  async names(key) {
    const folder = await this.#folder(key);
    const names = [];
    if (folder) for await (const name of folder.keys()) names.push(name);
    return names;
  }

  /** @param {string} key @param {string} name */
  async read(key, name) {
    const folder = await this.#folder(key);
    try {
      return folder && await (await (await folder.getFileHandle(name)).getFile()).arrayBuffer();
    } catch (error) {
      if (error.name === "NotFoundError") return null;
      throw error;
    }
  }

  /**
   * {bytes, sha256} of a large file, read and hashed on another thread. Throws where that fails, or there is none.
   * @param {string} key
   * @param {string} name
   */
  async readHashed(key, name) {
    this.#turn = (this.#turn + 1) % readers;
    const { bytes, hash } = /** @type {Required<FileAnswer>} */ (await this.#calls(this.#turn).ask({ folder: place, key, name }));
    return { bytes, sha256: hexadecimal(hash) };
  }

  #calls(which = 0) {
    return this.#workers[which] ??= new Calls(addressOf("sources/store_worker.js"));
  }

  /**
   * What a reader finds is the whole or nothing: a writable's bytes take the file's place only when it is closed.
   * @param {string} key
   * @param {string} name
   * @param {Uint8Array<ArrayBuffer>} bytes
   */
  async write(key, name, bytes) {
    const folder = await this.#root.getDirectoryHandle(key, { create: true });
    if (!("createWritable" in FileSystemFileHandle.prototype)) // Safari before 26: only workers can write there
      return void await this.#calls().ask({ folder: place, key, name, bytes });
    const handle = await folder.getFileHandle(name, { create: true });
    const out = await handle.createWritable();
    try {
      await out.write(bytes);
      await out.close();
    } catch (error) {
      await out.abort().catch(() => {});
      await folder.removeEntry(name).catch(() => {}); // otherwise an empty file remains
      throw error;
    }
  }

  /** @param {string} key @param {string | null} name */
  async remove(key, name = null) {
    try {
      if (name === null) await this.#root.removeEntry(key, { recursive: true });
      else await (await this.#folder(key))?.removeEntry(name);
    } catch (error) {
      if (error.name !== "NotFoundError") throw error;
    }
  }

  /** @param {string} key */
  async #folder(key) {
    try {
      return await this.#root.getDirectoryHandle(key);
    } catch (error) {
      if (error.name === "NotFoundError") return null;
      throw error;
    }
  }
}

/** Cache storage: a file is stored as the response to a made-up address. */
export class AnswerStore {
  #cache;

  /** @param {globalThis.Cache} cache */
  constructor(cache) {
    this.#cache = cache;
  }

  static async open() {
    return new AnswerStore(await caches.open(place));
  }

  #address = (/** @type {string} */ key, /** @type {string} */ name) => addressOf(`kept/${encodeURIComponent(key)}/${encodeURIComponent(name)}`).href;

  /** @returns {Promise<[key: string, name: string][]>} */
  async #all() {
    return (await this.#cache.keys()).map(({ url }) => /** @type {[string, string]} */ (url.split("/").slice(-2).map(decodeURIComponent)));
  }

  async keys() { return [...new Set((await this.#all()).map(([key]) => key))]; }
  /** @param {string} key */
  async names(key) { return (await this.#all()).filter(([k]) => k === key).map(([, name]) => name); }
  /** @param {string} key @param {string} name */
  async read(key, name) { return (await this.#cache.match(this.#address(key, name)))?.arrayBuffer() ?? null; }
  /** @param {string} key @param {string} name @param {Uint8Array<ArrayBuffer>} bytes */
  async write(key, name, bytes) { await this.#cache.put(this.#address(key, name), new Response(bytes)); }

  /** @param {string} key @param {string | null} name */
  async remove(key, name = null) {
    for (const each of name === null ? await this.names(key) : [name]) await this.#cache.delete(this.#address(key, each));
  }
}

/** This tab's memory: enough to restart the engine without a download, but limited for phones. */
export class MemoryStore {
  /** @type {Map<string, Uint8Array<ArrayBuffer>>} */
  #files = new Map(); // by "key/name", oldest first
  #held = 0;

  async keys() { return [...new Set([...this.#files.keys()].map((path) => path.split("/")[0]))]; }
  /** @param {string} key */
  async names(key) { return [...this.#files.keys()].filter((path) => path.startsWith(`${key}/`)).map((path) => path.slice(key.length + 1)); }
  /** @param {string} key @param {string} name */
  async read(key, name) { return this.#files.get(`${key}/${name}`)?.slice().buffer ?? null; }

  /** @param {string} key @param {string} name @param {Uint8Array<ArrayBuffer>} bytes */
  async write(key, name, bytes) {
    await this.remove(key, name);
    this.#files.set(`${key}/${name}`, bytes.slice());
    this.#held += bytes.byteLength;
    for (const path of this.#files.keys()) {
      if (this.#held <= memoryLimit) break;
      this.#drop(path);
    }
  }

  /** @param {string} key @param {string | null} name */
  async remove(key, name = null) {
    for (const path of [...this.#files.keys()]) if (name === null ? path.startsWith(`${key}/`) : path === `${key}/${name}`) this.#drop(path);
  }

  /** @param {string} path */
  #drop(path) {
    this.#held -= this.#files.get(path)?.byteLength ?? 0;
    this.#files.delete(path);
  }
}
