// A file on a server, read in ranges, or as one stream where ranges are refused. What was read before is kept on a shelf
// (cache.js) and not asked for again.
import { hashedBytes } from "./hashing.js";
import { ChangedError, Source, SourceError, pieces } from "./source.js";

const keptBytes = 4 << 20; // a long range is kept in pieces of this size, so that a cut loses little

/** "bytes 0-99/1234" -> {first: 0, total: 1234}; null for anything else. */
function contentRange(header) {
  const match = /^bytes (\d+)-\d+\/(\d+)$/.exec(header ?? "");
  return match && { first: Number(match[1]), total: Number(match[2]) };
}

/** How long the whole file is, as far as the answer tells. */
function sizeOf(answer) {
  if (answer.status === 206) return contentRange(answer.headers.get("content-range"))?.total;
  return answer.headers.get("content-encoding") ? 0 : Number(answer.headers.get("content-length"));
}

/** Collects what arrives one after the other and lays it on the shelf. */
class Keeper {
  #parts = [];
  #held = 0;
  #writes = Promise.resolve();

  constructor(shelf, begin) {
    this.shelf = shelf;
    this.begin = begin;
  }

  /** A copy of it: the bytes themselves go to the engine. */
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
    });
  }

  end() {
    this.#lay();
    return this.#writes;
  }
}

export class UrlSource extends Source {
  #etag = null;
  #ranged = true;
  #streaming = false; // from a stream's begin until the engine has answered its end
  #complete = false; // the engine has all it wants just now
  #shelf = null;
  #keeping = Promise.resolve(); // what was read is being kept: what is read next does not wait for that
  #trusted; // what is on the shelf is of the file that is there now

  /**
   * Options: `cache`; `sha256` of the file where the list names it, the best name a file can have; `pinned`: without a
   * hash, take what is kept without asking whether it is still the same (a hub: no visit without need); `request`: more for
   * fetch; `refusal(answer)`: a sentence for an answer that is no success.
   */
  constructor(name, url, emit, { cache = null, sha256 = "", pinned = false, request = {}, refusal = null, about = {} } = {}) {
    super(name, emit);
    Object.assign(this, { url, cache, sha256, request, refusal, about });
    this.#trusted = Boolean(sha256) || pinned;
  }

  need(message) {
    this.#complete = message.want > 0 && message.have >= message.want;
    if (message.afresh) this.drop();
    if (!this.#streaming) super.need(message); // else the stream brings it, or the engine asks again at its end
  }

  drop() {
    this.#streaming = false;
    super.drop();
  }

  async forget() {
    await this.#clear();
  }

  async #clear() {
    await this.#keeping; // else a part of the old file would come to lie on the cleared shelf
    await this.#shelf?.clear();
  }

  async read(ranges) {
    const { patience } = this;
    this.#shelf ??= await this.cache?.shelf(this.sha256 ? `sha256 ${this.sha256}` : `address ${this.url}`, { name: this.name, ...this.about });
    if (!this.#shelf) return this.#fetchAll(ranges);
    const missing = await this.#fromShelf(ranges, patience);
    if (!missing.length || patience.dropped) return;
    let passed;
    const done = new Promise((all) => { passed = all; });
    await Promise.race([done, this.#shelf.alone(`from ${missing[0][0]}`, async () => { // what another tab was loading is there now
      try {
        await this.#shelf.refresh();
        const rest = await this.#fromShelf(missing, patience);
        if (rest.length && !patience.dropped) await this.#fetchAll(rest);
        passed();
      } finally {
        await this.#keeping; // the tab that waits for this finds all of it
      }
    }, patience.signal)]);
  }

  /** Passes on what is kept of these ranges; returns what is not. */
  async #fromShelf(ranges, patience) {
    const { size, etag } = this.#shelf.about;
    if (!this.#trusted || !size || (this.#etag && etag && etag !== this.#etag)) return ranges;
    const missing = [];
    let passed = false;
    for (const [begin, wantedEnd] of ranges) {
      const end = Math.min(wantedEnd, size);
      let at = begin;
      for (const [extent, reading] of this.#shelf.readAll(this.#shelf.overlapping(begin, end))) {
        if (extent.end <= at) continue;
        const bytes = await reading;
        if (patience.dropped) return [];
        if (!bytes) continue; // gone: a gap like others
        if (extent.begin > at) missing.push([at, extent.begin]);
        if (!passed) this.size(size);
        passed = true;
        this.hand(extent.begin, bytes, at, end);
        at = extent.end;
      }
      if (at < end || begin >= size) missing.push([at, wantedEnd]);
    }
    if (passed) this.#etag ??= etag ?? null; // what comes has to be of the same file
    return missing;
  }

  async #fetchAll(ranges) {
    if (ranges[0][0] === 0) this.#etag = null; // read from its beginning: nothing of an older version is kept
    if (!this.#ranged) return this.#stream(await this.#fetch({}));
    for (const [begin, end] of ranges) {
      const answer = await this.#fetch({ Range: `bytes=${begin}-${end - 1}` });
      if (answer.status === 200) { // ranges are refused here: everything arrives from the start
        this.#ranged = false;
        return this.#stream(answer);
      }
      if (answer.status === 416) continue; // shorter than asked for: the size that was sent says so
      await this.#part(answer, begin, end);
    }
  }

  async #fetch(headers) {
    this.patience.heard();
    const { signal } = this.patience;
    const answer = await fetch(this.url, { ...this.request, headers, signal, cache: "no-store" }); // a cache would join ranges of two versions of a file
    this.patience.rest(); // what is done with the answer is not the server's silence
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

  /** Whether this is still the file whose bytes are there. */
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
    const same = about.size === size && (this.sha256 || about.etag === etag);
    if (about.size && !same) {
      if (this.#trusted && about.size !== size && size) { // bytes of the other one may have been passed on
        await this.#clear();
        throw new ChangedError("the file changed on the server while it was being read");
      }
      await this.#clear();
    }
    this.#trusted = true;
    if (!same && size && (this.sha256 || etag)) await this.#shelf.describe(this.sha256 ? { size } : { size, etag });
    else if (!same) this.#shelf = this.cache = null; // without an identity nothing can be kept
  }

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

  #keep(keeper) {
    const kept = keeper?.end();
    this.#keeping = this.#keeping.then(() => kept);
  }

  async #stream(answer) {
    ++this.round; // whatever waits in the queue comes with it
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
        await new Promise((next) => setTimeout(next)); // lets the engine say that it has enough
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
