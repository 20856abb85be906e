// Which models there are: those listed in models/index.json, and files the visitor opens.
import { FileSource, UrlSource } from "./source.js";

const listSilence = 20_000; // milliseconds after which the list counts as not coming
const indexAddress = new URL("./models/index.json", import.meta.url);

/** One entry as the list has it, or null when it is not one: a broken line must not hide the others. */
function readEntry(entry) {
  const weights = Array.isArray(entry?.files) ? entry.files.find((f) => typeof f === "string" && f.endsWith(".safetensors")) : null;
  if (typeof entry?.name !== "string" || !entry.name || typeof entry.path !== "string" || !weights) return null;
  return {
    name: entry.name, bytes: Number(entry.bytes) || 0, sha256: typeof entry.sha256 === "string" ? entry.sha256 : "",
    url: new URL(weights, new URL(entry.path.endsWith("/") ? entry.path : `${entry.path}/`, new URL("./", import.meta.url))),
  };
}

function readEntrySafely(entry) {
  try {
    return readEntry(entry);
  } catch {
    return null; // its path is no address
  }
}

export class Models {
  constructor(emit) {
    this.emit = emit;
    this.entries = [];
    this.sources = new Map();
  }

  /** Reads the list; a sentence when it is there but broken, null when all is well or there is none. */
  async load() {
    try {
      const answer = await fetch(indexAddress, { credentials: "same-origin", signal: AbortSignal.timeout(listSilence) });
      if (!answer.ok) return null; // a page without models is a page without models
      const list = await answer.json();
      if (!Array.isArray(list)) throw new Error("not a list");
      this.entries = list.map(readEntrySafely).filter(Boolean);
      return null;
    } catch {
      return "The list of models (models/index.json) could not be read.";
    }
  }

  addFile(file) {
    const name = file.name.replace(/\.safetensors$/i, "");
    this.entries = [{ name, bytes: file.size, sha256: "", file }, ...this.entries.filter((e) => e.name !== name)];
    this.#close(name);
    return name;
  }

  #close(name) {
    this.sources.get(name)?.close();
    this.sources.delete(name);
  }

  /** The engine is another one: nothing that is on its way was asked for by it. */
  forget() {
    for (const name of [...this.sources.keys()]) this.#close(name);
  }

  list() {
    return this.entries.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 }));
  }

  /** The engine needs bytes of a model. */
  need(message) {
    let source = this.sources.get(message.model);
    if (!source) {
      const entry = this.entries.find((e) => e.name === message.model);
      if (!entry) return;
      source = entry.file ? new FileSource(entry.name, entry.file, this.emit) : new UrlSource(entry.name, entry.url, this.emit);
      this.sources.set(entry.name, source);
    }
    source.need(message);
  }
}
