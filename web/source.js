// Where a model's bytes come from: a file on a server, read in ranges (or as one stream where ranges are refused), or a
// file of the visitor's. The engine says which bytes it needs; nothing else is read.

class SourceError extends Error {}
/** The bytes that are there belong to another file: all of them have to go. */
class ChangedError extends SourceError {}

const chunkBytes = 1 << 20; // a picked file is read in pieces of this size
const silence = 12_000; // milliseconds without a byte, after which a connection counts as dead

/** "bytes 0-99/1234" -> {first: 0, total: 1234}; null for anything else. */
function contentRange(header) {
  const match = /^bytes (\d+)-\d+\/(\d+)$/.exec(header ?? "");
  return match && { first: Number(match[1]), total: Number(match[2]) };
}

/** Ends a request that has gone silent: a connection may stay open for ever without a byte. */
class Patience {
  #timer = 0;
  #controller = new AbortController();
  ranOut = false;
  dropped = false;

  get signal() { return this.#controller.signal; }

  heard() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.ranOut = true;
      this.#controller.abort();
    }, silence);
  }

  /** What is still under way is dropped. */
  end() {
    clearTimeout(this.#timer);
    this.dropped = true;
    this.#controller.abort();
  }
}

function describe(error, patience) {
  if (error instanceof SourceError) return error.message;
  if (patience.ranOut) return `the server has sent nothing for ${silence / 1000} seconds`;
  if (!navigator.onLine) return "this device is offline";
  return `the connection broke (${error.message})`;
}

export class Source {
  #queue = Promise.resolve();
  #closed = false;
  /** What was asked for in an earlier round need not be read any more. */
  round = 0;
  patience = new Patience();

  /** `emit(message, bytes)` tells the engine. */
  constructor(name, emit) {
    this.name = name;
    this.emit = (message, bytes) => { if (!this.#closed) emit(message, bytes); };
  }

  /** What the engine says it needs; ranges are read one after the other. */
  need({ ranges }) {
    const { round } = this;
    if (ranges.length) this.#queue = this.#queue.then(() => this.#read(ranges, round));
  }

  /** Nothing of it is wanted any more. */
  close() {
    this.#closed = true;
    this.patience.end();
  }

  async #read(ranges, round) {
    if (this.#closed || round !== this.round) return;
    this.patience = new Patience();
    try {
      await this.read(ranges);
    } catch (error) {
      if (this.patience.dropped) return;
      this.emit({ type: "source_failed", model: this.name, sentence: `The weights of ${this.name} could not be read: ${describe(error, this.patience)}.` });
      if (error instanceof ChangedError) this.emit({ type: "close", model: this.name });
    } finally {
      this.patience.end();
    }
  }

  bytes(offset, bytes) {
    this.patience.heard();
    // A view into a larger buffer cannot be handed over without the rest of it.
    const whole = bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
    this.emit({ type: "bytes", model: this.name, offset }, whole);
  }

  size(total, ended = false) {
    this.emit({ type: "size", model: this.name, total, ended });
  }
}

export class UrlSource extends Source {
  #etag = null;
  #ranged = true;
  #streaming = false; // from a stream's begin until the engine has answered its end
  #complete = false; // the engine has all it wants just now

  constructor(name, url, emit) {
    super(name, emit);
    this.url = url;
  }

  need(message) {
    this.#complete = message.want > 0 && message.have >= message.want;
    if (message.afresh) this.#drop();
    if (!this.#streaming) super.need(message); // else the stream brings it, or the engine asks again at its end
  }

  #drop() {
    ++this.round;
    this.#streaming = false;
    this.patience.end();
  }

  async read(ranges) {
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
    const answer = await fetch(this.url, { headers, signal, cache: "no-store" }); // a cache would join ranges of two versions of a file
    if (!answer.ok && answer.status !== 416) throw new SourceError(`the server answered ${answer.status} ${answer.statusText}`.trim());
    const type = answer.headers.get("content-type") ?? "";
    if (type.includes("text/html")) throw new SourceError("the answer is a web page, not weights, perhaps that of a sign-in");
    const etag = answer.headers.get("etag");
    if (this.#etag && etag && etag !== this.#etag) {
      this.#etag = etag;
      throw new ChangedError("the file changed on the server while it was being read");
    }
    this.#etag = etag ?? this.#etag;
    if (answer.status === 416) {
      const total = Number(/\/(\d+)$/.exec(answer.headers.get("content-range") ?? "")?.[1]);
      if (total) this.size(total);
    }
    return answer;
  }

  async #part(answer, begin, end) {
    const range = contentRange(answer.headers.get("content-range"));
    if (range && range.first !== begin) throw new SourceError("the server sent other bytes than were asked for");
    if (range) this.size(range.total);
    const expected = Math.min(end, range?.total ?? end) - begin;
    let offset = begin;
    for await (const chunk of pieces(answer)) {
      this.bytes(offset, chunk);
      offset += chunk.byteLength;
    }
    if (offset - begin < expected) throw new SourceError(`the connection ended after ${offset - begin} of ${expected} bytes`);
  }

  async #stream(answer) {
    ++this.round; // whatever waits in the queue comes with it
    this.#streaming = true;
    this.#complete = false;
    let offset = 0;
    try {
      for await (const chunk of pieces(answer)) {
        const size = chunk.byteLength;
        this.bytes(offset, chunk);
        offset += size;
        await new Promise((next) => setTimeout(next)); // lets the engine say that it has enough
        if (this.#complete) break;
      }
    } catch (error) {
      this.#streaming = false;
      throw error;
    }
    if (this.#complete) this.#streaming = false;
    else this.size(offset, true);
  }
}

/** The body's chunks; leaving the loop ends the download. */
async function* pieces(answer) {
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

export class FileSource extends Source {
  constructor(name, file, emit) {
    super(name, emit);
    this.file = file;
  }

  async read(ranges) {
    this.size(this.file.size);
    for (const [begin, end] of ranges)
      for (let at = begin; at < Math.min(end, this.file.size); at += chunkBytes) {
        const part = this.file.slice(at, Math.min(at + chunkBytes, end));
        const buffer = await part.arrayBuffer().catch(() => {
          throw new SourceError("the file cannot be read any more; choose it again");
        });
        this.bytes(at, new Uint8Array(buffer));
      }
  }
}
