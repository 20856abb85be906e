// Sources of a model's bytes: the base class, and a file of the visitor's. A source reads only the bytes that the engine
// requests, except that it may read in advance what the engine always requests first. url_source.js reads a file on a server,
// pack_source.js the shards of a pack.

export class SourceError extends Error {}
/** The file has changed: all bytes that were read of it are invalid. */
export class ChangedError extends SourceError {}
/** An error whose message is a complete sentence. */
export class PlainError extends SourceError {}

const headBytes = 65_536; // the engine's first request: the header ends there, or says where it ends
const pieceBytes = 1 << 20; // cached bytes and local files are passed on in pieces of this size
export const silence = 12_000; // milliseconds without a byte, after which a connection counts as dead

/**
 * Ends a request that has gone silent, because a connection may stay open for ever without a byte. Seconds are counted one by
 * one, so that a page that was suspended first handles what has arrived meanwhile.
 */
export class Patience {
  #timer = 0;
  #left = 0; // seconds
  #controller = new AbortController();
  ranOut = false;
  dropped = false;

  get signal() { return this.#controller.signal; }

  heard() {
    this.rest();
    if (this.dropped) return;
    this.#left = silence / 1000;
    this.#count();
  }

  #count() {
    this.#timer = setTimeout(() => {
      if (--this.#left > 0) return this.#count();
      this.ranOut = true;
      this.#controller.abort();
    }, 1000);
  }

  /** Stops the timer: the page is not waiting for the network. */
  rest() { clearTimeout(this.#timer); }

  /** Aborts the request. */
  end() {
    clearTimeout(this.#timer);
    this.dropped = true;
    this.#controller.abort();
  }
}

/** @param {Error} error @param {Patience} patience */
export function describe(error, patience) {
  if (error instanceof SourceError) return error.message;
  if (patience.ranOut) return `the server has sent nothing for ${silence / 1000} seconds`;
  if (!navigator.onLine) return "this device is offline";
  return `the connection broke (${error.message})`;
}

/**
 * The body's chunks; leaving the loop ends the download.
 * @param {Response} answer
 */
export async function* pieces(answer) {
  const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (answer.body).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

export class Source {
  #queue = Promise.resolve();
  #closed = false;
  #reads = 0; // reads under way or waiting
  #failed = false; // whether it has failed and the engine has not reacted yet
  begun = false; // whether bytes were requested
  /** @type {[SourceMessage, ArrayBuffer | undefined][] | null} */
  #held = null; // messages of the read in advance, with their bytes, until the engine asks for them
  /** Requests of an earlier round are skipped. */
  round = 0;
  patience = new Patience();

  /**
   * `emit(message, bytes)` tells the engine.
   * @param {string} name
   * @param {Emit} emit
   */
  constructor(name, emit) {
    this.name = name;
    /** @type {Emit} */
    this.emit = (message, bytes) => {
      if (this.#closed) return;
      if (message.type === "source_failed") this.#failed = true;
      if (this.#held) this.#held.push([message, bytes]);
      else emit(message, bytes);
    };
  }

  get loading() { return this.#reads > 0; }
  /**
   * In bytes, where only the source knows how much is loaded; null where the engine knows.
   * @returns {{have: number, want: number} | null}
   */
  get progress() { return null; }
  /** The SHA-256 of a file beside the weights; null where it is not known. */
  async hashOf(/** @type {string} */ _file) { return /** @type {string | null} */ (null); }

  /**
   * Handles a request of the engine; ranges are read one after the other.
   * @param {NeedMessage} message
   */
  need({ ranges, want, afresh }) {
    this.begun = true;
    if (afresh && !ranges.length && !want) { // the engine has given this file up
      if (!this.#failed) this.#enqueue(() => this.forget()); // the engine found the bytes invalid, so they must not stay in the cache
      this.#failed = false;
    }
    const { round } = this;
    if (ranges.length) this.#enqueue(() => this.#read(ranges, round));
  }

  /** Reads the beginning of the file before the engine is there to ask for it. */
  readAhead() {
    this.#held = [];
    this.need({ ranges: [[0, headBytes]], have: 0, want: headBytes, afresh: false });
  }

  /** Passes on what was read in advance, now and as it arrives; true if the engine asks for exactly that. */
  giveAhead(/** @type {{ranges: Ranges}} */ { ranges }) {
    const held = this.#held;
    this.#held = null;
    held?.forEach(([message, bytes]) => this.emit(message, bytes));
    return Boolean(held) && ranges.length === 1 && ranges[0][0] === 0 && ranges[0][1] === headBytes;
  }

  /** @param {() => Promise<void>} work */
  #enqueue(work) {
    ++this.#reads;
    this.#queue = this.#queue.then(work).catch((error) => console.warn(error)).finally(() => { --this.#reads; });
  }

  /**
   * Reads these ranges, one after the other, and emits their bytes.
   * @param {[number, number][]} _ranges
   * @returns {Promise<void>}
   */
  async read(_ranges) { throw new Error("a source says itself how it reads"); }

  /** Removes the file from the cache. */
  async forget() {}

  /** Ends the source: it sends no more messages. */
  close() {
    this.#closed = true;
    this.patience.end();
  }

  /** Drops current and waiting requests; bytes that have arrived stay. */
  drop() {
    ++this.round;
    this.patience.end();
  }

  /** The visitor has cancelled the download. */
  cancel() {
    this.drop();
    this.emit({ type: "source_failed", model: this.name, sentence: `Loading ${this.name} was stopped; what has arrived is kept.` });
  }

  /** @param {Ranges} ranges @param {number} round */
  async #read(ranges, round) {
    if (this.#closed || round !== this.round) return;
    const patience = new Patience();
    this.patience = patience;
    try {
      await this.read(ranges);
    } catch (error) {
      if (patience.dropped) return;
      const why = describe(error, patience);
      const sentence = error instanceof PlainError ? why : `The weights of ${this.name} could not be read: ${why}.`;
      this.emit({ type: "source_failed", model: this.name, sentence });
      if (error instanceof ChangedError) this.emit({ type: "close", model: this.name });
    } finally {
      patience.end();
    }
  }

  /**
   * Bytes fresh from the network.
   * @param {number} offset
   * @param {Uint8Array<ArrayBuffer>} bytes
   */
  bytes(offset, bytes) {
    this.patience.heard();
    // A view into a larger buffer cannot be transferred without the whole buffer.
    const whole = bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
    this.emit({ type: "bytes", model: this.name, offset }, whole);
  }

  /**
   * Passes on the part from `begin` to `end` of `bytes`, which begin at `offset`, in copied pieces.
   * @param {number} offset
   * @param {Uint8Array<ArrayBuffer>} bytes
   * @param {number} begin
   * @param {number} end
   */
  pass(offset, bytes, begin, end) {
    const last = Math.min(end, offset + bytes.byteLength);
    for (let at = Math.max(begin, offset); at < last; at += pieceBytes)
      this.emit({ type: "bytes", model: this.name, offset: at }, bytes.slice(at - offset, Math.min(at + pieceBytes, last) - offset).buffer);
  }

  /**
   * The same of bytes that nobody else uses: all of them travel as they are.
   * @param {number} offset
   * @param {Uint8Array<ArrayBuffer>} bytes
   * @param {number} begin
   * @param {number} end
   */
  hand(offset, bytes, begin, end) {
    const whole = begin <= offset && end >= offset + bytes.byteLength && bytes.byteLength === bytes.buffer.byteLength;
    if (whole) this.emit({ type: "bytes", model: this.name, offset }, bytes.buffer);
    else this.pass(offset, bytes, begin, end);
  }

  /** @param {number} total */
  size(total, ended = false) {
    this.emit({ type: "size", model: this.name, total, ended });
  }
}

export class FileSource extends Source {
  /** @param {string} name @param {File} file @param {Emit} emit */
  constructor(name, file, emit) {
    super(name, emit);
    this.file = file;
  }

  /** @param {Ranges} ranges */
  async read(ranges) {
    const { patience } = this;
    this.size(this.file.size);
    for (const [begin, end] of ranges)
      for (let at = begin; at < Math.min(end, this.file.size) && !patience.dropped; at += pieceBytes) {
        const part = this.file.slice(at, Math.min(at + pieceBytes, end));
        const buffer = await part.arrayBuffer().catch(() => {
          throw new SourceError("the file cannot be read any more; choose it again");
        });
        this.pass(at, new Uint8Array(buffer), at, end);
      }
  }
}
