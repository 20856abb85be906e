// The shapes that several modules of web/ share, each described once. They are ambient: a comment such as
// `@param {Snapshot} snapshot` needs no import. tsc reads this file; nothing of it reaches the page.

// ---- between the page and ui.wasm

/** All that the page shows around the canvas, made anew after every change (src/app/snapshot.cpp). */
interface Snapshot {
  link: string;
  step: number;
  step_link: string;
  state: PageState;
  /** Those of the list, and those that the visitor added. `suits`: it has what the open study reads; `whole`: it can run text. */
  models: { name: string; bytes: number; suits: boolean; whole: boolean }[];
  models_known: boolean;
  /** The model that was asked for, where another one runs because it lacks what the study reads. */
  unsuited: { name: string; missing: string[] } | null;
  figure: ShownFigure;
  /** What the pointer or the keys are on. */
  reading: { title: string; lines: string[]; locked: boolean; x?: number; y?: number } | null;
  result: {
    study: string; fingerprint: string; complete: boolean; notes: string[]; tokens: number; prompt_tokens: number; claims: Claim[]; unjudged: Claim[];
    provenance: string;
  };
  undo: boolean;
  redo: boolean;
  preset: string;
  /** The other side of a comparison. */
  against: { busy: boolean; phase: string; done: number; total: number; problem: string; shown: boolean; name: string };
  /** What the prompt predicts, where the study does not show it itself. */
  text: ShownText | null;
  status: Status;
}

interface ShownFigure {
  title: string; subtitle: string; summary: string; components: number; has_colours: boolean; has_spaces: boolean; gestures: string[];
  lead: { number: string; lines: string[]; settled: boolean } | null;
  head: ShownHead | null;
  notes: { kind: string; text: string }[];
  tables: { title: string; rows: number; open: boolean; leads: boolean; cards: boolean }[];
  windows: Record<string, number>;
  last_moment: number | null;
}

interface ShownHead { layer: number; head: number }

/** As JSON has it: NaN and the infinities are texts. */
type JsonNumber = number | string | null;

/** A claim of the source, judged by the result or not (src/protocol/claim_json.cpp). */
interface JudgedClaim {
  id: string; text: string; source: string; stated: JsonNumber; here: JsonNumber; unit: string; about: string; holds: boolean | null; verdict: string;
  needs?: string[]; convention: string;
}
/** The same for the page (src/app/snapshot.cpp). */
interface Claim extends JudgedClaim { about_title: string; conventions: boolean }

/** The run of the text beside a study that reads no text. */
interface ShownText {
  busy: boolean; model: string; sentence: string; problem: string; tokens: number; shift: number; last_shift: number; positions: number;
  next: NextToken[]; divergence: JsonNumber;
}
/** A token that a run lists, with its probability now and without the edits. */
interface NextToken { token: string; probability: JsonNumber; before: JsonNumber }

/** What a link restores (src/state/state.h). */
interface PageState {
  model: string;
  study: string;
  params: Record<string, string>;
  theme: Theme;
  map: ColourMap;
  axes: number[];
  camera: number[];
  focus: Focus;
  windows: Record<string, number[]>;
  subject: {
    prompt: string; tokens: number[]; bos: boolean; keep_last: boolean; precision: Precision;
    edits: ShownEdit[];
  };
  compare: Comparison;
  against: string;
  predict: boolean;
  lesson: string;
  seed: number;
  embed: boolean;
  present: boolean;
  hide: string[];
}

/** An index on each axis that is in focus; negative: none. */
type Focus = { locked: boolean } & { [axis: string]: number };
interface ShownEdit { label: string; problem: string; shifts: boolean; spec: string; on: boolean }

interface Status {
  busy: boolean;
  phase: string;
  done: number;
  total: number;
  have: number;
  want: number;
  notices: string[];
  failure: { sentence: string; retry: boolean; remedy: "" | "keep_last" | "whole_model" } | null;
  opened: OpenedModel | null;
  engine: { kernels: string; version: string } | null;
  /** The other models of a run, with their own progress. */
  others: { model: string; have: number; want: number }[];
}

interface OpenedModel {
  model: string; precision: string; file_bytes: number; n_layer: number; n_head: number; d_model: number; n_ctx: number; n_vocab: number;
  missing: string[];
}

/** A study as its field lists describe it (src/base/schema.h). */
interface Schema {
  id: string; title: string; group: string; question: string; source: string; no_difference: string;
  reads: "nothing" | "positions" | "words" | "weights" | "tokens" | "layers" | "forward" | "model" | "training";
  reads_prompt: boolean; runs_prompt: boolean; runs_model: boolean; shows_text: boolean;
  params: Parameter[];
  presets: Fragment[];
  leads: Fragment[];
  claims: { id: string; text: string }[];
}

/** A choice that leads to a link fragment. */
interface Fragment { id: string; label: string; note: string; fragment: string }

interface Parameter {
  key: string; label: string; help: string; unit: string; type: string; default: string; min: number; max: number; logarithmic: boolean;
  smallest: number; follows: string; minor: boolean; plays: boolean; count: number; most: number; length: number; suggest: string; bound: string;
  counted_by: string; shown_when: string;
  choices: { id: string; label: string }[];
}

/** A kind of edit, as the form shows it (src/base/edits). */
interface EditForm {
  name: string; group: string; label: string; sentence: string; written: string;
  fields: {
    value: string; name: string; label: string; start: string; min: number; max: number; bound: string; optional: boolean; endless: boolean;
    before: string;
  }[];
}

// ---- between the page and the engine (src/protocol/messages.h); each message is JSON, with bytes beside it or without

/** The ranges [begin, end) of a model's file that the engine lacks; `afresh`: forget what was asked for before. */
interface NeedMessage { type?: "need"; model?: string; ranges: [number, number][]; have: number; want: number; afresh: boolean }
interface NeedFilesMessage { type: "need_files"; model: string; names: string[] }

/** What the sources tell the engine. */
type SourceMessage =
  | { type: "bytes"; model: string; offset: number }
  | { type: "size"; model: string; total: number; ended: boolean }
  | { type: "source_failed"; model: string; sentence: string }
  | { type: "close"; model: string }
  | { type: "file"; model: string; name: string; sentence: string };
type Emit = (message: SourceMessage, bytes?: ArrayBuffer) => void;

/** What the page itself sends to the engine. ui.wasm sends texts of its own. */
type EngineRequest = SourceMessage | ({ type: "run"; job: number; slot: string } & EngineRun);

/** What the engine says (src/protocol/messages.h). */
type EngineMessage =
  | { type: "hello"; version: string; kernels: string; schema: string }
  | (NeedMessage & { type: "need"; model: string })
  | NeedFilesMessage
  | { type: "need_model"; model: string }
  | { type: "opened"; model: string }
  | { type: "progress"; job: number; done: number; total: number; phase: string; unit: string }
  | { type: "result"; job: number; slot: string; result: string }
  | { type: "failure"; job: number; where: string; sentence: string; retry: boolean; remedy: string };

/** A run that belongs to no view. Texts of the subject are in hexadecimal digits. */
interface EngineRun {
  study: string; model: string; params: Record<string, string>;
  subject: { precision: Precision; bos?: boolean; prompt?: string; tokens?: number[]; edits?: { spec: string; on: boolean }[] };
}

/** A result as it travels: a header, and one block of numbers that its arrays point into. */
interface Result { header: ResultHeader; data: Float64Array }

interface ResultHeader {
  study: string; params: Record<string, ParamValue | ParamValue[]>; provenance: Provenance; complete: boolean; fingerprint: string; difference: boolean;
  notes: string[];
  scalars: Record<string, { value: number | string; unit: string; note: string }>;
  /** `offset` in numbers of 8 bytes; removed, with `dtype`, where `data` holds the numbers. */
  arrays: Record<string, ResultArray>;
  words: Record<string, { axis: string; data: string[] }>;
  tokens: { id: number; text: string; bytes: string }[];
  edits: string[];
  claims: JudgedClaim[];
}

type ParamValue = boolean | number | string;
/** What a result was computed from. */
interface Provenance extends UsedModel { kernels: string; version: string; arithmetic: string; convention: string; others?: UsedModel[] }
/** `tensors`: the hash of each that was read, by its name. */
interface UsedModel { model: string; sha256: string; precision: string; tensors: Record<string, string> }

interface ResultArray { shape: number[]; axes: string[]; unit: string; first: number; dtype?: "f32" | "f64"; offset?: number; data?: ArrayLike<number> }

/** Which engine runs. */
interface EngineKind { flavour: string; threads: number }

/** The newest result of each study, or of "against", and runs that are not shown. */
interface Engine { results: Map<string, Result>; compute(run: EngineRun): Promise<Result> }

/** The last index of each kind in the open model and the prompt, by the names of src/base/schema.h; undefined: not known. */
type Facts = Record<string, number | undefined>;

// ---- models

/** A model that can be opened, wherever its bytes are (web/sources/models.js). */
interface ModelEntry {
  name: string;
  title?: string;
  bytes: number;
  precision?: string;
  /** Of the weights, where the list names it. */
  sha256?: string;
  /** The weights on a server, or a pack's manifest. */
  url?: URL | null;
  /** The visitor's file in place of `url`. */
  file?: File | null;
  /** Text of config.json. */
  config?: string;
  missing?: string[];
  /** The model that it follows in the list. */
  after?: string;
  /** vocab.json, merges.txt and the like, each an address or a file. */
  beside: Map<string, URL | File>;
  /** It is a model of the hub. */
  hub?: boolean;
  /** The address of its card. */
  card?: string;
}

/** A model that is kept on this device, and the keys of its shelves. */
interface KeptModel { name: string; bytes: number; keys: string[]; hub: boolean }

// ---- the cache

/** A place that keeps bytes under two names: a shelf's key and an extent's. */
interface Store {
  keys(): Promise<string[]>;
  names(key: string): Promise<string[]>;
  read(key: string, name: string): Promise<ArrayBuffer | null>;
  write(key: string, name: string, bytes: Uint8Array): Promise<void>;
  /** Without a name: the whole shelf. */
  remove(key: string, name?: string | null): Promise<void>;
  readHashed?(key: string, name: string): Promise<HashedBytes>;
}

/** Bytes that are on a shelf: [begin, end) of the file, their hash (or "") and a mark of the file's version. */
interface Extent { begin: number; end: number; sha256: string; mark: string; name: string }
/** What is known of a shelf's file. */
interface ShelfAbout { name?: string; size?: number; etag?: string | null; served?: string; hub?: boolean }
/** `bytes` is empty where the worker that hashed them lost them. */
interface HashedBytes { bytes: Uint8Array<ArrayBuffer> | null; sha256: string | null }

// ---- the page

/** The elements of index.html that are more than an HTMLElement, by id. */
interface PageElements {
  "canvas": HTMLCanvasElement;
  "prompt": HTMLTextAreaElement; "citation": HTMLTextAreaElement;
  "bos": HTMLInputElement; "new-edit": HTMLInputElement; "compare-text": HTMLTextAreaElement; "say-shift": HTMLInputElement;
  "say-text": HTMLTextAreaElement;
  "cores": HTMLInputElement; "palette-input": HTMLInputElement;
  "precision": HTMLSelectElement; "edit-kind": HTMLSelectElement; "language": HTMLSelectElement; "compare-with": HTMLSelectElement; "compare-mode": HTMLSelectElement;
  "settings": HTMLDetailsElement; "compare": HTMLDetailsElement; "about": HTMLDetailsElement; "data": HTMLDetailsElement; "help": HTMLDetailsElement;
  "models": HTMLDialogElement; "palette": HTMLDialogElement; "about-sheet": HTMLDialogElement;
  "add-edit": HTMLFormElement; "controls": HTMLFormElement;
  "undo": HTMLButtonElement; "redo": HTMLButtonElement; "say-next": HTMLButtonElement; "stop": HTMLButtonElement; "copy": HTMLButtonElement;
}

type Listeners = { [Name in keyof GlobalEventHandlersEventMap as `on${Name}`]?: (event: GlobalEventHandlersEventMap[Name]) => void };
/** What h() gives an element: listeners by "on…", anything else as an attribute. */
interface ElementAttributes extends Listeners { [name: string]: string | number | boolean | URL | null | undefined | ((event: never) => void) }

interface Window {
  /** For tests, scripts and embedding pages: web/start/api.js. */
  helixscope: Helixscope;
  /** web/start/boot.js */
  helixscopeBoot: HelixscopeBoot;
  /** The page's policy, made by web/start/boot.js in browsers with Trusted Types. */
  helixscopeTrusted?: TrustedPolicy;
  trustedTypes?: { createPolicy(name: string, rules: TrustedPolicy): TrustedPolicy };
}
/** What a policy returns is an object that stands for a text, and is taken where the text was. */
interface TrustedPolicy { createHTML(markup: string): string; createScriptURL(address: string): string }
interface HelixscopeBoot { unfit: string; started(): void; failed(sentence: string): void }
declare var helixscopeBoot: HelixscopeBoot;

// ---- packs

/** What JSON may hold in the place of a T. */
type Unchecked<T> = { [Name in keyof T]?: unknown };
/** A part of a pack's file, as the manifest lists it. */
interface Shard { file: string; offset: number; bytes: number; sha256: string }
/** Makes an error whose sentence ends with this reason. */
type Why = (reason: string) => Error;
/** Parts [begin, end) of a file, in order. */
type Ranges = [number, number][];
/** A file beside a pack's weights. */
interface PackFile { file: string; bytes: number; sha256: string }
/** A pack's manifest, after it was checked. */
interface PackManifest { format: string; version: number; bytes: number; sha256: string; shards: Shard[]; files?: PackFile[]; config?: unknown }
