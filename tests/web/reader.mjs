// Stands in for the engine: asks a source for ranges of a file, and collects what it says.
import { setImmediate as turn } from "node:timers/promises";

/** A source made by `make(emit)`, its bytes and its sentences. */
export class Reader {
  messages = [];
  #parts = [];

  constructor(make) {
    this.source = make((message, buffer) => {
      this.messages.push(message);
      if (message.type === "bytes") this.#parts.push([message.offset, new Uint8Array(buffer)]);
    });
  }

  /** Asks for these ranges, as the engine does; resolves when the source has done with them. */
  async ask(ranges, { afresh = false } = {}) {
    if (afresh) this.#parts = [];
    this.source.need({ ranges, have: 0, want: ranges.reduce((sum, [begin, end]) => sum + end - begin, 0), afresh });
    await this.done();
  }

  async done() {
    while (this.source.loading) await turn();
  }

  /** What has arrived of the file's first `size` bytes. */
  bytes(size) {
    const all = new Uint8Array(size);
    for (const [offset, part] of this.#parts) if (offset < size) all.set(part.subarray(0, size - offset), offset);
    return Buffer.from(all);
  }

  get arrived() { return this.#parts.reduce((sum, [, part]) => sum + part.byteLength, 0); }
  get sentences() { return this.messages.filter((m) => m.type === "source_failed").map((m) => m.sentence); }
  get size() { return this.messages.findLast((m) => m.type === "size")?.total; }
}
