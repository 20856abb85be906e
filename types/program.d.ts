// What ui.wasm offers the page (web/shell/ui_module.js). Ambient, like page.d.ts.

/** The page's module as an object. */
interface Ui {
  /** Whether the module's second part is there, too. Before that it can draw the view that the page opens with, and no other. */
  readonly isWhole: boolean;
  /** Resolves when the second part is there; rejects with a LoadError. */
  whole(): Promise<void>;
  /** Whether the first part can draw the view of this link. */
  drawsAlone(link: string): boolean;
  openCanvas(width: number, height: number): boolean;
  resize(width: number, height: number, density: number): void;
  addFont(file: ArrayBuffer, strong: boolean): void;
  theme(tokens: DesignTokens): void;
  preferredHeight(width: number): number;
  leastHeight(width: number): number;
  reducedMotion(reduced: boolean): void;
  contextLost(): void;
  contextRestored(): boolean;
  /** Whether something still moves. */
  frame(now: number): boolean;
  /** `kind` 0: moved, 1: pressed, 2: released, 3: left. */
  pointer(kind: number, x: number, y: number, button: number, touch: boolean): void;
  wheel(notches: number): void;
  pinch(x: number, y: number, scale: number, dx: number, dy: number, ended: boolean): boolean;
  doubleClick(x: number, y: number): void;
  takesTouch(x: number, y: number): boolean;
  holds(x: number, y: number): boolean;
  takesPinch(x: number, y: number): boolean;
  holdsTwo(a: { x: number; y: number }, b: { x: number; y: number }): boolean;
  pull(a: { x: number; y: number }, b: { x: number; y: number }): boolean;
  endPull(): void;
  cancelPress(): void;
  shift(down: boolean): void;
  key(name: string, shift: boolean, alt: boolean): boolean;
  openMenu(x: number, y: number): boolean;
  closeMenu(): void;
  /** The JSON text of a ContextMenu; "" where none is open. */
  menu(): string;
  act(item: number): void;
  dispatch(action: Action): string;
  receive(message: string, data: Float64Array | null): string;
  schemas(): Schema[];
  editForms(): EditForm[];
  tellEdit(spec: string): { label: string; problem: string };
  links(options: LinkOptions): Links;
  hideNames(): string[];
  schemaHash(): string;
  snapshot(): Snapshot;
  tokens(): ShownToken[];
  tables(): FigureTable[];
  busy(): boolean;
  onTheWay(): boolean;
  csv(table: number): string;
  markdown(table: number): string;
  svg(width: number, height: number, standalone: boolean): string;
  npz(): Uint8Array<ArrayBuffer>;
  /** [left, top, width, height] in pixels of the drawing; the width is 0 where there is no such thing. */
  rect(id: string): number[];
}

/** Colours as 0xRRGGBB, and the size of the canvas' text in pixels. */
interface DesignTokens {
  dark: boolean; bg: number; panel: number; line: number; text: number; mute: number; accent: number; warm: number; font: number;
}

interface LinkOptions { embed?: boolean; present?: boolean; hide?: string[]; theme?: string }
/** Of the present state, for others; `short` is that of a lesson's step, or "". */
interface Links { link: string; short: string }

/** A token that ran; `bytes` in hexadecimal digits, "" without a vocabulary. */
interface ShownToken { id: number; text: string; bytes: string }

/** A table of the figure (src/app/snapshot.cpp). `go` has a link fragment for each row, or nothing. */
interface FigureTable {
  title: string; headings: string[]; numeric: boolean[]; rows: string[][]; go: string[]; help: string; open: boolean;
  cards: TableCards | null;
}

/** Columns of a table's cards by their number, and the numbers that the cards draw. */
interface TableCards {
  group: number; name: number; verdict: number; text: number; stated: number; here: number; unit: number; note: number; missing: number;
  numbers: { stated: (number | null)[]; here: (number | null)[] };
}

/** The open menu of what can be done, in pixels of the drawing (src/app/menu_json.cpp). */
interface ContextMenu { x: number; y: number; title: string; items: { label: string; key: string; on: boolean }[] }

/** The exports of an Emscripten module that pass numbers, and its memory. */
interface WasmModule {
  [name: `_${string}`]: (...values: number[]) => number;
  HEAPU8: Uint8Array<ArrayBuffer>;
  UTF8ToString(pointer: number, most?: number): string;
}
interface WasmOptions {
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void): object;
  [more: string]: unknown;
}
/** The script of a module: makes it, and names the build that it belongs to. */
interface WasmScript { default(options: WasmOptions): Promise<WasmModule>; pair: string }
