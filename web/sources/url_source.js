// A file on a server, read in ranges, or as one stream where ranges are refused. Bytes are cached on a shelf (cache.js) and not
// requested again.
import { hashedBytes } from "./hashing.js";
import { ChangedError, Source, SourceError, pieces } from "./source.js";

/** @typedef {import("./cache.js").Shelf} Shelf */

const keptBytes = 4 << 20; // a long range is cached in pieces of this size, so that an interruption loses little

/**
 * "bytes 0-99/1234" -> {first: 0, total: 1234}; null for anything else.
 * @param {string | null} header
 */
function contentRange(header) {
  const match = /^bytes (\d+)-\d+\/(\d+)$/.exec(header ?? "");
  return match && { first: Number(match[1]), total: Number(match[2]) };
}

/**
 * The size of the whole file, if the response gives it.
 * @param {Response} answer
 */
function sizeOf(answer) {
  if (answer.status === 206) return contentRange(answer.headers.get("content-range"))?.total;
  return answer.headers.get("content-encoding") ? 0 : Number(answer.headers.get("content-length"));
}

/** Collects consecutive chunks and stores them on the shelf. */
class Keeper {
  /** @type {Uint8Array[]} */
  #parts = [];
  #held = 0;
  #writes = Promise.resolve();

  /** @param {Shelf} shelf @param {number} begin */
  constructor(shelf, begin) {
    this.shelf = shelf;
    this.begin = begin;
  }

  /**
   * Adds a copy, because the bytes themselves go to the engine.
   * @param {Uint8Array<ArrayBuffer>} bytes
   */
  add(bytes) {
    this.#parts.push(bytes.slice());
    this.#held += bytes.byteLength;
    if (this.#held >= keptBytes) this.#lay();
  }

  #lay() {
    if (!this.#held) return;
    const all = new Uint8Array(this.#held), { begin } = this;
    this.#parts.reduce((at, part) => (all.set(part, at), at + part.byteLength), 0);
    this.#parts = [];
    this.#held = 0;
    this.begin += all.byteLength;
    this.#writes = this.#writes.then(async () => {
      const { bytes, sha256 } = await hashedBytes(all);
      if (bytes) await this.shelf.keep(begin, bytes, sha256);
    }).catch((error) => console.warn("a part of the model was not kept", error)); // it is loaded again when needed
  }

  end() {
    this.#lay();
    return this.#writes;
  }
}

export class UrlSource extends Source {
  /** @type {string | null} */
  #etag = null;
  #ranged = true;
  #streaming = false; // from the start of a stream until the engine has answered its end
  #complete = false; // whether the engine has all the bytes it wants now
  /** @type {Shelf | null} */
  #shelf = null;
  #keeping = Promise.resolve(); // the writes to the cache, for which the next read does not wait
  #trusted; // whether the shelf is known to hold the current version of the file

  /**
   * Options: `cache`; `sha256` of the file, where the list names it; `pinned`: without a hash, use cached bytes without
   * revalidation (for a hub, which should not be contacted without need); `request`: more options for fetch;
   * `refusal(answer)`: a sentence for an unsuccessful response.
   * @param {string} name
   * @param {URL} url
   * @param {Emit} emit
   * @param {{cache?: import("./cache.js").Cache | null, sha256?: string, pinned?: boolean, request?: RequestInit,
   *   refusal?: ((answer: Response) => Error) | null, about?: ShelfAbout}} options
   */
  constructor(name, url, emit, { cache = null, sha256 = "", pinned = false, request = {}, refusal = null, about = {} } = {}) {
    super(name, emit);
    this.url = url;
    this.cache = cache;
    this.sha256 = sha256;
    this.request = request;
    this.refusal = refusal;
    this.about = about;
    this.#trusted = Boolean(sha256) || pinned;
  }

  /** @param {NeedMessage} message */
  need(message) {
    this.#complete = message.want > 0 && message.have >= message.want;
    if (message.afresh) this.drop();
    if (!this.#streaming) super.need(message); // otherwise the stream brings it, or the engine asks again at its end
  }

  drop() {
    this.#streaming = false;
    super.drop();
  }

  async forget() {
    await this.#clear();
  }

  async #clear() {
    await this.#keeping; // otherwise a late write would put a part of the old file onto the cleared shelf
    await this.#shelf?.clear();
  }

  /** @param {Ranges} ranges */
  async read(ranges) {
    const { patience } = this;
    this.#shelf ??= await this.cache?.shelf(this.sha256 ? `sha256 ${this.sha256}` : `address ${this.url}`, { name: this.name, ...this.about }) ?? null;
    const shelf = this.#shelf;
    if (!shelf) return this.#fetchAll(ranges);
    const missing = await this.#fromShelf(shelf, ranges, patience);
    if (!missing.length || patience.dropped) return;
    let passed = () => {};
    /** @type {Promise<void>} */
    const done = new Promise((all) => { passed = all; });
    await Promise.race([done, shelf.alone(`from ${missing[0][0]}`, async () => { // another tab that held the lock may have loaded it
      try {
        await shelf.refresh();
        const rest = await this.#fromShelf(shelf, missing, patience);
        if (rest.length && !patience.dropped) await this.#fetchAll(rest);
        passed();
      } finally {
        await this.#keeping; // so that a tab that waits for the lock finds everything
      }
    }, patience.signal)]);
  }

  /**
   * Passes on the cached parts of these ranges; returns the missing ones.
   * @param {Shelf} shelf
   * @param {Ranges} ranges
   * @param {import("./source.js").Patience} patience
   */
  async #fromShelf(shelf, ranges, patience) {
    const { size, served, etag = served } = shelf.about;
    if (!this.#trusted || !size || (this.#etag && etag && etag !== this.#etag)) return ranges;
    const missing = /** @type {Ranges} */ ([]);
    let passed = false;
    for (const [begin, wantedEnd] of ranges) {
      const end = Math.min(wantedEnd, size);
      let at = begin;
      for (const [extent, reading] of shelf.readAll(shelf.overlapping(begin, end))) {
        if (extent.end <= at) continue;
        const bytes = await reading;
        if (patience.dropped) return [];
        if (!bytes) continue; // lost: a gap like any other
        if (extent.begin > at) missing.push([at, extent.begin]);
        if (!passed) this.size(size);
        passed = true;
        this.hand(extent.begin, bytes, at, end);
        at = extent.end;
      }
      if (at < end || begin >= size) missing.push([at, wantedEnd]);
    }
    if (passed) this.#etag ??= etag ?? null; // the bytes still to come must be of the same version
    return missing;
  }

  /** @param {Ranges} ranges */
  async #fetchAll(ranges) {
    if (ranges[0][0] === 0) this.#etag = null; // read from the start: no bytes of an older version are in use
    if (!this.#ranged) return this.#stream(await this.#fetch({}));
    for (const [begin, end] of ranges) {
      const answer = await this.#fetch({ Range: `bytes=${begin}-${end - 1}` });
      if (answer.status === 200) { // the server ignores ranges: the whole file arrives from the start
        this.#ranged = false;
        return this.#stream(answer);
      }
      if (answer.status === 416) continue; // the file is shorter than the range: #fetch has sent its size
      await this.#part(answer, begin, end);
    }
  }

  /** @param {Record<string, string>} headers */
  async #fetch(headers) {
    this.patience.heard();
    const { signal } = this.patience;
    const answer = await fetch(this.url, { ...this.request, headers, signal, cache: "no-store" }); // the browser's cache might combine ranges of two versions
    this.patience.rest(); // the time to process the response does not count as the server's silence
    if (!answer.ok && answer.status !== 416) throw this.refusal?.(answer) ?? new SourceError(`the server answered ${answer.status} ${answer.statusText}`.trim());
    const type = answer.headers.get("content-type") ?? "";
    if (type.includes("text/html")) throw new SourceError("the answer is a web page, not weights, perhaps that of a sign-in");
    await this.#identify(answer);
    if (answer.status === 416) {
      const total = Number(/\/(\d+)$/.exec(answer.headers.get("content-range") ?? "")?.[1]);
      if (total) this.size(total);
    }
    return answer;
  }

  /**
   * Checks that the response is of the file whose bytes were read so far.
   * @param {Response} answer
   */
  async #identify(answer) {
    const etag = answer.headers.get("etag");
    if (this.#etag && etag && etag !== this.#etag) {
      this.#etag = etag;
      await this.#clear();
      throw new ChangedError("the file changed on the server while it was being read");
    }
    this.#etag = etag ?? this.#etag;
    if (!this.#shelf || answer.status === 416) return;
    const size = sizeOf(answer);
    const { about } = this.#shelf;
    // The list's hash cannot be checked against a part of the file: the list may be older or newer than the file. So cached
    // bytes count only with an ETag that is still the same.
    const named = this.sha256 && (!about.served || !etag || about.served === etag);
    const same = about.size === size && (this.sha256 ? named : about.etag === etag);
    if (about.size && !same) {
      if (this.#trusted && about.size !== size && size) { // bytes of the old version may have been passed on
        await this.#clear();
        throw new ChangedError("the file changed on the server while it was being read");
      }
      await this.#clear();
    }
    this.#trusted = true;
    if (this.sha256 && size && (!same || (etag && !about.served))) await this.#shelf.describe({ size, ...(etag ? { served: etag } : {}) });
    else if (!same && size && etag) await this.#shelf.describe({ size, etag });
    else if (!same) this.#shelf = this.cache = null; // without an identity nothing can be cached
  }

  /** @param {Response} answer @param {number} begin @param {number} end */
  async #part(answer, begin, end) {
    const range = contentRange(answer.headers.get("content-range"));
    if (range && range.first !== begin) throw new SourceError("the server sent other bytes than were asked for");
    if (range) this.size(range.total);
    const expected = Math.min(end, range?.total ?? end) - begin;
    const keeper = this.#shelf && new Keeper(this.#shelf, begin);
    let offset = begin;
    this.patience.heard();
    try {
      for await (const chunk of pieces(answer)) {
        keeper?.add(chunk);
        const size = chunk.byteLength;
        this.bytes(offset, chunk);
        offset += size;
      }
    } finally {
      this.patience.rest();
      this.#keep(keeper);
    }
    if (offset - begin < expected) throw new SourceError(`the connection ended after ${offset - begin} of ${expected} bytes`);
  }

  /** @param {Keeper | null} keeper */
  #keep(keeper) {
    const kept = keeper?.end();
    this.#keeping = this.#keeping.then(() => kept);
  }

  /** @param {Response} answer */
  async #stream(answer) {
    ++this.round; // the stream also brings what waits in the queue
    this.#streaming = true;
    this.#complete = false;
    const keeper = this.#shelf && new Keeper(this.#shelf, 0);
    let offset = 0;
    this.patience.heard();
    try {
      for await (const chunk of pieces(answer)) {
        const size = chunk.byteLength;
        keeper?.add(chunk);
        this.bytes(offset, chunk);
        offset += size;
        await new Promise((next) => setTimeout(next)); // so that the engine's message that it has enough can arrive
        if (this.#complete) break;
      }
    } catch (error) {
      this.#streaming = false;
      throw error;
    } finally {
      this.patience.rest();
      this.#keep(keeper);
    }
    if (this.#complete) this.#streaming = false;
    else this.size(offset, true);
  }
}
