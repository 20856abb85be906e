// Where a model's bytes come from: a file on a server, read in ranges (or as one stream where ranges are refused), or a
// file of the visitor's. The engine says which bytes it needs; nothing else is read.

class SourceError extends Error {}
/** The bytes that are there belong to another file: all of them have to go. */
class ChangedError extends SourceError {}

const chunkBytes = 1 << 20; // a picked file is read in pieces of this size

/** "bytes 0-99/1234" -> {first: 0, total: 1234}; null for anything else. */
function contentRange(header) {
  const match = /^bytes (\d+)-\d+\/(\d+)$/.exec(header ?? "");
  return match && { first: Number(match[1]), total: Number(match[2]) };
}

export class Source {
  /** `emit(message, bytes)` tells the engine. */
  constructor(name, emit) {
    this.name = name;
    this.emit = emit;
    this.queue = Promise.resolve();
    this.complete = false;
  }

  /** What the engine says it needs; ranges are read one after the other. */
  need({ ranges, have, want }) {
    this.complete = want > 0 && have >= want;
    if (!ranges.length) return;
    this.queue = this.queue.then(() => this.#read(ranges));
  }

  async #read(ranges) {
    try {
      await this.read(ranges);
    } catch (error) {
      const why = error instanceof SourceError ? error.message : `the connection broke (${error.message})`;
      this.emit({ type: "source_failed", model: this.name, sentence: `The weights of ${this.name} could not be read: ${why}.` });
      if (error instanceof ChangedError) this.emit({ type: "close", model: this.name });
    }
  }

  bytes(offset, bytes) {
    // A view into a larger buffer cannot be handed over without the rest of it.
    const whole = bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
    this.emit({ type: "bytes", model: this.name, offset }, whole);
  }

  size(total, ended = false) {
    this.emit({ type: "size", model: this.name, total, ended });
  }
}

export class UrlSource extends Source {
  constructor(name, url, emit) {
    super(name, emit);
    this.url = url;
    this.etag = null;
    this.ranged = true;
  }

  async read(ranges) {
    if (ranges[0][0] === 0) this.etag = null; // read from its beginning: nothing of an older version is kept
    if (!this.ranged) return this.complete ? undefined : this.#stream(await this.#fetch({}));
    for (const [begin, end] of ranges) {
      const answer = await this.#fetch({ Range: `bytes=${begin}-${end - 1}` });
      if (answer.status === 200) { // ranges are refused here: everything arrives from the start
        this.ranged = false;
        return this.#stream(answer);
      }
      if (answer.status === 416) continue; // shorter than asked for: the size that was sent says so
      await this.#part(answer, begin, end);
    }
  }

  async #fetch(headers) {
    const answer = await fetch(this.url, { headers, cache: "no-store" }); // a cache would join ranges of two versions of a file
    if (!answer.ok && answer.status !== 416) throw new SourceError(`the server answered ${answer.status} ${answer.statusText}`.trim());
    const type = answer.headers.get("content-type") ?? "";
    if (type.includes("text/html")) throw new SourceError("the answer is a web page, not weights; is there a sign-in page in between?");
    const etag = answer.headers.get("etag");
    if (this.etag && etag && etag !== this.etag) {
      this.etag = etag;
      throw new ChangedError("the file changed on the server while it was being read");
    }
    this.etag = etag ?? this.etag;
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
    this.complete = false;
    let offset = 0;
    for await (const chunk of pieces(answer)) {
      const size = chunk.byteLength;
      this.bytes(offset, chunk);
      offset += size;
      await new Promise((next) => setTimeout(next)); // lets the engine say that it has enough
      if (this.complete) return;
    }
    this.size(offset, true);
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
