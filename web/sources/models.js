// The available models: those listed in models/index.json, those of the hub and files that the visitor opens.
import { FileError, fetchBeside, readBeside } from "./beside.js";
import { addressOf, folder as pageFolder } from "../start/files.js";
import { Cache } from "./cache.js";
import { baseOf, controlTitle, readControl } from "./control_models.js";
import { findOnHub } from "./hub.js";
import { timeLimit } from "./limits.js";
import { whyNoWeights, whyNotAlone } from "./picked.js";
import { PackSource } from "./pack_source.js";
import { isPack, makeSource } from "./sources.js";

/** The files that may lie beside the weights, and how their names are recognised. */
const record = "emergence.safetensors"; // the training record, which is not a weights file
const besides = ["vocab.json", "merges.txt", "config.json", record];
const isWeights = (/** @type {File} */ file) => /\.safetensors$/i.test(file.name) && file.name !== record;
/** Generic file names: such a file is called by its folder's name. */
const plainName = /^(model|pytorch_model|weights|consolidated|checkpoint)$/i;

const listSilence = 20_000; // milliseconds after which the request for the list is given up
const indexAddress = addressOf("models/index.json");

/**
 * An entry as models/index.json writes it. `places`: within the one-file page, files have places of their own.
 * @typedef {Pick<ModelEntry, "name" | "title" | "bytes" | "precision" | "sha256" | "config" | "missing" | "after">
 *   & {path: string, files: string[], places: Record<string, string>}} Written
 */

const textOf = (/** @type {unknown} */ value) => (typeof value === "string" ? value : "");

/**
 * An entry of the list, or null if it is malformed: a broken entry must not hide the others.
 * @param {Unchecked<Written> | null} entry
 * @returns {ModelEntry | null}
 */
function readEntry(entry) {
  const files = (/** @type {unknown[]} */ (Array.isArray(entry?.files) ? entry.files : [])).map(textOf), packed = files[0] === "manifest.json"; // a pack's shards may have any names
  const name = textOf(entry?.name), weights = files.find((file) => file && (packed || file.endsWith(".safetensors")));
  if (!entry || !name || typeof entry.path !== "string" || !weights) return null;
  const folder = new URL(entry.path.endsWith("/") ? entry.path : `${entry.path}/`, pageFolder), precision = textOf(entry.precision);
  const places = /** @type {Unchecked<Written["places"]>} */ (entry.places ?? {}), placeOf = (/** @type {string} */ file) => new URL(textOf(places[file]) || file, folder);
  return {
    name, title: textOf(entry.title), bytes: Number(entry.bytes) || 0, precision: /^[a-z0-9]{1,8}$/.test(precision) ? precision : "", sha256: textOf(entry.sha256),
    url: placeOf(weights), card: placeOf("README.md").href, config: textOf(entry.config), missing: Array.isArray(entry.missing) ? entry.missing.map(String) : [],
    after: textOf(entry.after), beside: new Map(besides.filter((file) => files.includes(file)).map((file) => [file, placeOf(file)])),
  };
}

/** @param {Unchecked<Written> | null} entry */
function readEntrySafely(entry) {
  try {
    return readEntry(entry);
  } catch {
    return null; // its path is not a valid address
  }
}

/** The entries of a list that are well formed. */
const readEntries = (/** @type {(Unchecked<Written> | null)[]} */ list) => list.map(readEntrySafely).filter((entry) => entry !== null);

/** A model that names another follows it; where the other is not there, or follows one as well, it stays where it is. */
function inOrder(/** @type {ModelEntry[]} */ entries) {
  const leads = (/** @type {ModelEntry} */ entry) => !entries.some((other) => other.name === entry.after && !other.after);
  const ordered = entries.filter(leads).flatMap((entry) => [entry, ...entries.filter((other) => !leads(other) && other.after === entry.name)]);
  return [...new Set(ordered)];
}

/** The models that come with the page. The build writes them into the page, so they are there even without a list. */
function readBundled() {
  try {
    return readEntries(JSON.parse(/** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=helixscope-bundled]"))?.content || "[]"));
  } catch {
    return [];
  }
}

/** Whether files beside a model are on another host: what nobody has asked for is not fetched from there. */
const isFar = (/** @type {ModelEntry["beside"]} */ beside) => [...beside.values()].some((place) => place instanceof URL && place.origin !== location.origin);

/**
 * A picked file's name for the model: its own, or that of its folder.
 * @param {File} file
 */
function nameOf(file) {
  const own = file.name.replace(/\.safetensors$/i, "");
  const folder = (file.webkitRelativePath || /** @type {File & {helixscopePath?: string}} */ (file).helixscopePath || "").split("/").filter(Boolean).at(-2);
  return plainName.test(own) && folder ? folder : own;
}

/** Whether two picked files are the same, as far as the browser shows. */
const isSame = (/** @type {File} */ a, /** @type {File} */ b) => a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;

export class Models {
  /**
   * `tell(sentence)` notifies the visitor; `moved()`: more of a model has arrived.
   * @param {Emit} emit
   * @param {{tell?: (sentence: string) => void, moved?: () => void}} calls
   */
  constructor(emit, { tell = () => {}, moved = () => {} } = {}) {
    this.emit = emit;
    this.moved = moved;
    this.cache = new Cache(tell);
    this.bundled = readBundled();
    this.entries = [...this.bundled];
    /** @type {Map<string, ReturnType<typeof makeSource>>} */
    this.sources = new Map();
  }

  /**
   * The entry that a name means; a control has its base's bytes under a name of its own.
   * @param {string} name
   * @returns {ModelEntry | undefined}
   */
  #entry(name) {
    const own = this.entries.find((e) => e.name === name), control = own ? null : readControl(name);
    if (!control) return own;
    const base = control.base ? this.entries.find((e) => e.name === control.base) : this.entries[0];
    return base && { ...base, name };
  }

  /**
   * Whether a model is the page's own.
   * @param {string} name
   */
  isBundled(name) {
    const entry = this.entries.find((e) => e.name === name);
    const address = entry?.url?.href;
    return address !== undefined && this.bundled.some((b) => b.url?.href === address);
  }

  /**
   * A model's title for the visitor, and how much of it there is.
   * @param {string} name
   */
  describe(name) {
    const control = readControl(name);
    const entry = this.entries.find((e) => e.name === (control?.base ?? name));
    const lacks = (/** @type {string} */ part) => Boolean(entry?.missing?.includes(part));
    const alone = lacks("words") && lacks("attention") && !lacks("positions");
    const title = entry?.title || baseOf(name);
    return { title: control ? controlTitle(control, title) : title, alone };
  }

  /**
   * The card of a model that comes with the page.
   * @param {string} name
   */
  cardOf(name) {
    return this.entries.find((e) => e.name === name)?.card ?? "";
  }

  /** Reads the list, and adds the models that come with the page. Returns a sentence if the list is broken, else null. */
  async load() {
    try {
      const answer = await fetch(indexAddress, { credentials: "same-origin", signal: timeLimit(listSilence) });
      if (!answer.ok) return null; // a page without a list is not an error
      /** @type {unknown} */
      const list = await answer.json();
      if (!Array.isArray(list)) throw new Error("not a list");
      const listed = readEntries(list);
      for (const entry of listed) entry.config ||= this.bundled.find((b) => b.url?.href === entry.url?.href)?.config ?? ""; // without a request
      const others = this.bundled.filter((b) => !listed.some((e) => e.url?.href === b.url?.href || e.name === b.name));
      this.entries = inOrder([...listed, ...others]);
      return null;
    } catch {
      return "The list of models (models/index.json) could not be read.";
    }
  }

  /**
   * Reads the configurations of the listed models that have one.
   * @param {(name: string, text: string) => void} came for each of them
   */
  async loadConfigs(came = () => {}) {
    const unread = this.entries.filter((e) => e.url && !e.config && (isPack(e) || e.beside.has("config.json")));
    await Promise.all(unread.map(async (entry) => {
      try {
        const source = isPack(entry) ? this.#source(entry.name) : null;
        const text = source instanceof PackSource ? await source.config()
          : new TextDecoder().decode(await fetchBeside(entry.name, "config.json", /** @type {URL} */ (entry.beside.get("config.json"))));
        entry.config = text;
        came(entry.name, text);
      } catch {
        // Sizes come from the tensors as well.
      }
    }));
  }

  /**
   * Adds files that the visitor has picked or dropped: weights with the files beside them, or only the latter, if the open
   * model is a file as well. Returns the name of the model to open, or {sentence} when there is nothing to open.
   * @param {File[]} files
   * @param {string} current
   * @returns {Promise<{name: string, sentence?: undefined} | {sentence: string, name?: undefined}>}
   */
  async addFiles(files, current) {
    const weights = files.find(isWeights);
    const beside = new Map(files.filter((f) => besides.includes(f.name)).map((f) => [f.name, f]));
    if (!weights && !beside.size)
      return { sentence: `${files[0]?.name ?? "This"} is no model: a model is a .safetensors file, with the vocab.json, merges.txt and config.json beside it.` };
    if (!weights) {
      const open = this.entries.find((e) => e.name === current);
      if (!open?.file) return { sentence: whyNotAlone([...beside.keys()]) };
      const config = await beside.get("config.json")?.text();
      for (const [name, file] of beside) open.beside.set(name, file);
      if (config !== undefined) open.config = config;
      this.#close(open.name);
      return { name: open.name };
    }
    const flaw = await whyNoWeights(weights);
    if (flaw) return { sentence: flaw };
    const name = nameOf(weights), config = await beside.get("config.json")?.text();
    // Files that were added to the same weights stay with them, but not with other weights of the same name.
    const known = this.entries.find((e) => e.name === name && e.file && isSame(e.file, weights));
    this.entries = [
      { name, bytes: weights.size, sha256: "", file: weights, config: config ?? known?.config ?? "", missing: [], beside: new Map([...(known?.beside ?? []), ...beside]) },
      ...this.entries.filter((e) => e.name !== name),
    ];
    this.#close(name);
    return { name };
  }

  /**
   * Closes a model's source, and those of the controls made from it.
   * @param {string} name
   */
  #close(name) {
    for (const one of [...this.sources.keys()].filter((key) => key === name || readControl(key)?.base === name)) {
      this.sources.get(one)?.close();
      this.sources.delete(one);
    }
  }

  /** The engine was replaced: drops all downloads, because the new engine has not asked for them. */
  forget() {
    for (const name of [...this.sources.keys()]) this.#close(name);
  }

  /** @returns {ListedModel[]} */
  list() {
    return this.entries.map(({ name, bytes, precision, sha256, config, missing, beside }) =>
      ({ name, bytes, precision, sha256, config, missing: missing ?? [], files: [...beside.keys()], far: isFar(beside) }));
  }

  /** The engine needs whole files that lie beside a model's weights: sends each, or a sentence that says why it cannot. */
  needFiles(/** @type {{model: string, names: string[]}} */ { model, names }) {
    for (const name of names) this.#sendFile(model, name);
  }

  /** @param {string} model @param {string} name */
  async #sendFile(model, name) {
    const entry = this.#entry(model);
    const place = entry?.beside.get(name);
    try {
      if (!entry || !place) throw new FileError(`The model ${model} has no ${name} beside its weights.`);
      const bytes = await readBeside(entry, name, { cache: this.cache, source: this.sources.get(model) });
      this.emit({ type: "file", model, name, sentence: "" }, bytes);
    } catch (error) {
      const sentence = error instanceof FileError ? error.message : `${name} of ${model} could not be read: ${error.message}.`;
      this.emit({ type: "file", model, name, sentence });
    }
  }

  /**
   * The engine needs bytes of a model.
   * @param {NeedMessage & {model: string}} message
   */
  need(message) {
    const source = this.#source(message.model);
    if (!source) {
      if (message.ranges.length) this.emit({ type: "source_failed", model: message.model, sentence: `The model ${message.model} is not here any more.` });
      return;
    }
    if (!source.giveAhead(message)) source.need(message);
  }

  /**
   * Loads the bytes that the engine will ask for first, while the engine is still being compiled.
   * @param {string} name
   */
  readAhead(name) {
    const source = this.#source(name);
    if (source && !source.begun) source.readAhead(); // otherwise the engine has started and has asked already
  }

  /**
   * Null where there is no such model.
   * @param {string} name
   */
  #source(name) {
    const entry = this.#entry(name);
    if (entry && !this.sources.has(name)) this.sources.set(name, makeSource(entry, this.emit, this));
    return this.sources.get(name) ?? null;
  }

  /** @param {string} name */
  has(name) {
    return this.entries.some((e) => e.name === name);
  }

  /**
   * Looks up a model of the hub and returns its name. Throws a sentence.
   * @param {string} id
   */
  async addHub(id) {
    if (this.has(id)) return id;
    const entry = await findOnHub(id);
    if (!this.has(id)) this.entries = [...this.entries, entry]; // others may have come meanwhile
    return id;
  }

  /**
   * {have, want} in bytes, where only the source knows how much is loaded; null where the engine knows.
   * @param {string} name
   */
  progress(name) {
    return this.sources.get(name)?.progress ?? null;
  }

  /** @param {string} name */
  cancel(name) {
    this.sources.get(name)?.cancel();
  }

  /**
   * The cached models on this device.
   * @returns {Promise<KeptModel[]>}
   */
  async kept() {
    /** @type {Map<string, KeptModel>} */
    const byName = new Map();
    for (const { key, about, bytes } of await this.cache.list()) {
      const name = String(about.name ?? "a model");
      const found = byName.get(name) ?? { name, bytes: 0, keys: [], hub: about.hub === true };
      byName.set(name, { ...found, bytes: found.bytes + bytes, keys: [...found.keys, key] });
    }
    return [...byName.values()];
  }

  /** Frees the space; what the engine has already read stays available. */
  async removeKept(/** @type {{name: string, keys: string[]}} */ { name, keys }) {
    if (this.sources.get(name)?.loading) this.cancel(name);
    this.#close(name);
    for (const key of keys) await this.cache.remove(key);
  }
}
