// Where a model's bytes come from, in general, and from a file of the visitor's. The engine says which bytes it needs;
// nothing else is read, and before that only what it always asks for first. url_source.js reads a file on a server,
// pack_source.js the shards of a pack.

export class SourceError extends Error {}
/** The bytes that are there belong to another file: all of them have to go. */
export class ChangedError extends SourceError {}
/** Not about the connection: the sentence says all there is to say. */
export class PlainError extends SourceError {}

const headBytes = 65_536; // what the engine asks for first: there the header ends, or says where it ends
const pieceBytes = 1 << 20; // what is at hand is passed on in pieces of this size
export const silence = 12_000; // milliseconds without a byte, after which a connection counts as dead

/**
 * Ends a request that has gone silent: a connection may stay open for ever without a byte. Seconds are counted one by one: a
 * page that was held up, or a machine that slept, finds what has come meanwhile before the next one is over.
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

  /** Nothing is awaited from the network just now. */
  rest() { clearTimeout(this.#timer); }

  /** What is still under way is dropped. */
  end() {
    clearTimeout(this.#timer);
    this.dropped = true;
    this.#controller.abort();
  }
}

export function describe(error, patience) {
  if (error instanceof SourceError) return error.message;
  if (patience.ranOut) return `the server has sent nothing for ${silence / 1000} seconds`;
  if (!navigator.onLine) return "this device is offline";
  return `the connection broke (${error.message})`;
}

/** The body's chunks; leaving the loop ends the download. */
export async function* pieces(answer) {
  const reader = answer.body.getReader();
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
  #reads = 0; // under way or waiting
  #failed = false; // and the engine has not answered to that
  begun = false; // something was asked of it
  #held = null; // what was read ahead, until the engine asks for it: [message, bytes]
  /** What was asked for in an earlier round need not be read any more. */
  round = 0;
  patience = new Patience();

  /** `emit(message, bytes)` tells the engine. */
  constructor(name, emit) {
    this.name = name;
    this.emit = (message, bytes) => {
      if (this.#closed) return;
      if (message.type === "source_failed") this.#failed = true;
      if (this.#held) this.#held.push([message, bytes]);
      else emit(message, bytes);
    };
  }

  get loading() { return this.#reads > 0; }
  /** {have, want} in bytes where the engine cannot know what travels; null: it can. */
  get progress() { return null; }
  /** The SHA-256 of a file beside the weights; null where nothing names it. */
  async hashOf() { return null; }

  /** What the engine says it needs; ranges are read one after the other. */
  need({ ranges, want, afresh }) {
    this.begun = true;
    if (afresh && !ranges.length && !want) { // the engine has given this file up
      if (!this.#failed) this.#enqueue(() => this.forget()); // by its own judgement: what was read is no good
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

  /** Passes on what was read ahead, and what of it is still to come; true when that is all that is asked for. */
  giveAhead({ ranges }) {
    const held = this.#held;
    this.#held = null;
    held?.forEach(([message, bytes]) => this.emit(message, bytes));
    return Boolean(held) && ranges.length === 1 && ranges[0][0] === 0 && ranges[0][1] === headBytes;
  }

  #enqueue(work) {
    ++this.#reads;
    this.#queue = this.#queue.then(work).catch((error) => console.warn(error)).finally(() => { --this.#reads; });
  }

  /** Nothing that was kept of it may be used again. */
  async forget() {}

  /** Nothing of it is wanted any more. */
  close() {
    this.#closed = true;
    this.patience.end();
  }

  /** What is under way and what waits is given up; what has arrived stays. */
  drop() {
    ++this.round;
    this.patience.end();
  }

  /** The visitor does not want to wait. */
  cancel() {
    this.drop();
    this.emit({ type: "source_failed", model: this.name, sentence: `Loading ${this.name} was stopped; what has arrived is kept.` });
  }

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

  /** Bytes fresh from the network. */
  bytes(offset, bytes) {
    this.patience.heard();
    // A view into a larger buffer cannot be handed over without the rest of it.
    const whole = bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
    this.emit({ type: "bytes", model: this.name, offset }, whole);
  }

  /** Of bytes at hand, which begin at `offset`, those from `begin` to `end`, in pieces; the bytes themselves stay. */
  pass(offset, bytes, begin, end) {
    const last = Math.min(end, offset + bytes.byteLength);
    for (let at = Math.max(begin, offset); at < last; at += pieceBytes)
      this.emit({ type: "bytes", model: this.name, offset: at }, bytes.slice(at - offset, Math.min(at + pieceBytes, last) - offset).buffer);
  }

  /** The same of bytes that nobody else uses: all of them travel as they are. */
  hand(offset, bytes, begin, end) {
    const whole = begin <= offset && end >= offset + bytes.byteLength && bytes.byteLength === bytes.buffer.byteLength;
    if (whole) this.emit({ type: "bytes", model: this.name, offset }, bytes.buffer);
    else this.pass(offset, bytes, begin, end);
  }

  size(total, ended = false) {
    this.emit({ type: "size", model: this.name, total, ended });
  }
}

export class FileSource extends Source {
  constructor(name, file, emit) {
    super(name, emit);
    this.file = file;
  }

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
