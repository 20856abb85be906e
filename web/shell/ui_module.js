// The page's module as an object: strings and bytes cross between JavaScript and WebAssembly only here. The module has two parts:
// ui.wasm draws the view that the page opens with, ui_rest.wasm has the views of all other studies, comparisons, and what keys and
// fingers do (tools/dev/split_module.py). Until the second is there, nothing may be asked of the module that needs it: main.js opens
// other views, listens to input and lets actions pass only once whole() has resolved.
import { LoadError, fetchModule, fetchScript, isPair, twoVersions } from "../engine/wasm.js";
import { addressOf } from "../start/files.js";
import { withOwnSeed } from "../lessons/seeds.js";
import { withLanguage, withoutLanguage } from "../words/language.js";
import { programWords } from "../words/program.js";
import { translated } from "../words/words.js";

const encoder = new TextEncoder();

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{onSend: (text: string) => void, onChanged: () => void, onProgressed: () => void, onTurned: () => void}} calls what the module calls
 * @param {boolean} atOnce whether its second part is fetched together with the first
 * @returns {Promise<Ui>}
 */
export async function loadUi(canvas, { onSend, onChanged, onProgressed, onTurned }, atOnce) {
  /** @type {Promise<WebAssembly.Module> | null} */
  let fetchedRest = null;
  const fetchRest = () => (fetchedRest ??= fetchModule(addressOf("ui_rest.wasm")));
  if (atOnce) fetchRest().catch(() => {}); // whole() tells
  const [script, compiled, words] = await Promise.all([fetchScript(addressOf("ui.mjs")), fetchModule(addressOf("ui.wasm")), programWords()]);
  if (!isPair(script, compiled)) throw new LoadError(twoVersions);
  /** @type {WebAssembly.Exports} */
  let first;
  const notLinked = (/** @type {unknown} */ error) => {
    console.warn(error);
    return new LoadError(twoVersions);
  };
  /** @type {WasmModule} */
  const module = await new Promise((ready, failed) => {
    /** @type {WasmOptions["instantiateWasm"]} */
    const instantiateWasm = (imports, done) => {
      WebAssembly.instantiate(compiled, imports).then((instance) => {
        first = instance.exports;
        done(instance, compiled);
      }, (error) => failed(notLinked(error)));
      return {};
    };
    script.default({ canvas, onSend, onChanged, onProgressed, onTurned, instantiateWasm }).then(ready, failed);
  });
  const text = (/** @type {number} */ pointer) => module.UTF8ToString(pointer >>> 0);
  let isWhole = false;
  /** @type {Promise<void> | null} */
  let becomingWhole = null;
  async function addRest() {
    const rest = await fetchRest();
    if (!isPair(script, rest)) throw new LoadError(twoVersions);
    await WebAssembly.instantiate(rest, { primary: first }).catch((error) => { throw notLinked(error); });
    isWhole = true;
  }

  /**
   * Runs `fn` with the bytes copied into the module's memory.
   * @template T
   * @param {Uint8Array} bytes
   * @param {(pointer: number, length: number) => T} fn
   */
  function withBytes(bytes, fn) {
    const pointer = module._malloc(bytes.length + 1) >>> 0;
    module.HEAPU8.set(bytes, pointer);
    module.HEAPU8[pointer + bytes.length] = 0;
    try {
      return fn(pointer, bytes.length);
    } finally {
      module._free(pointer);
    }
  }
  /** @type {Schema[] | undefined} */
  let schemas;
  /**
   * @template T
   * @param {string} string
   * @param {(pointer: number, length: number) => T} fn
   */
  const withText = (string, fn) => withBytes(encoder.encode(string), fn);
  if (!withText(words, (p, n) => module._ui_load_words(p, n))) throw new LoadError(twoVersions);
  const bytesOf = (/** @type {Float64Array} */ array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

  return {
    get isWhole() { return isWhole; },
    whole: () => (becomingWhole ??= addRest()),
    drawsAlone: (link) => withText(link, (p) => module._ui_draws_alone(p) === 1),
    openCanvas: (width, height) => module._ui_open_canvas(width, height) === 1,
    resize: (width, height, density) => module._ui_resize(width, height, density),
    addFont: (buffer, strong) => withBytes(new Uint8Array(buffer), (p, n) => module._ui_add_font(p, n, strong ? 1 : 0)),
    theme: (t) => module._ui_theme(t.dark ? 1 : 0, t.bg, t.panel, t.line, t.text, t.mute, t.accent, t.warm, t.font),
    preferredHeight: (width) => module._ui_preferred_height(width),
    leastHeight: (width) => module._ui_least_height(width),
    reducedMotion: (reduced) => module._ui_reduced_motion(reduced ? 1 : 0),
    contextLost: () => module._ui_context_lost(),
    contextRestored: () => module._ui_context_restored() === 1,
    frame: (now) => module._ui_frame(now) === 1,
    pointer: (kind, x, y, button, touch) => module._ui_pointer(kind, x, y, button, touch ? 1 : 0),
    wheel: (notches) => module._ui_wheel(notches),
    pinch: (x, y, scale, dx, dy, ended) => module._ui_pinch(x, y, scale, dx, dy, ended ? 1 : 0) === 1,
    /** Whether fingers at these two points hold two positions of the text, which they can pull together. */
    holdsTwo: (a, b) => module._ui_holds_two(a.x, a.y, b.x, b.y) === 1,
    /** They moved: false once they zoom instead. */
    pull: (a, b) => module._ui_pull(a.x, a.y, b.x, b.y) === 1,
    endPull: () => module._ui_end_pull(),
    doubleClick: (x, y) => module._ui_double_click(x, y),
    /** Whether a finger here turns or drags something, so that the page must not scroll. */
    takesTouch: (x, y) => module._ui_takes_touch(x, y) === 1,
    /** Whether a finger here holds something that follows it in every direction. */
    holds: (x, y) => module._ui_holds(x, y) === 1,
    /** Whether two fingers about here zoom something, so that the page must not. */
    takesPinch: (x, y) => module._ui_takes_pinch(x, y) === 1,
    cancelPress: () => module._ui_cancel_press(),
    shift: (down) => module._ui_shift(down ? 1 : 0),
    key: (name, shift, alt) => withText(name, (p) => module._ui_key(p, shift ? 1 : 0, alt ? 1 : 0) === 1),
    /** Opens the menu of what can be done to what lies there; false if nothing can. */
    openMenu: (x, y) => module._ui_open_menu(x, y) === 1,
    closeMenu: () => module._ui_close_menu(),
    /** The open menu as text, "" if none is open: {x, y, title, items: [{label, key, on}]}. */
    menu: () => text(module._ui_menu()),
    act: (item) => module._ui_act(item),
    /** A sentence that says what went wrong, or "". */
    dispatch: (action) => withText(JSON.stringify(action.do === "open" ? { ...action, link: withOwnSeed(withoutLanguage(action.link)) } : action), (p) => text(module._ui_dispatch(p))),
    receive(message, data) {
      return withText(message, (p, n) =>
        withBytes(data ? bytesOf(data) : new Uint8Array(0), (d) => text(module._ui_receive(p, n, d, data ? data.length : 0))));
    },
    /** Read once: they stay as they are. */
    schemas: () => (schemas ??= JSON.parse(text(module._ui_schemas()))),
    /** The kinds of edits with their fields. */
    editForms: () => translated(JSON.parse(text(module._ui_edit_forms()))),
    /** {label, problem} of an edit's text; `problem` is "" if there is none. */
    tellEdit: (spec) => JSON.parse(withText(spec, (p) => text(module._ui_told_edit(p)))),
    /** {link, short}: of the present state for others (`short` of a lesson's step, or ""); options {embed, present, hide, theme}. */
    links(options) {
      const { link, short } = /** @type {Links} */ (JSON.parse(withText(JSON.stringify(options), (p) => text(module._ui_links(p)))));
      return { link: withLanguage(link), short: withLanguage(short) };
    },
    /** The parts of the page that a link can leave out. */
    hideNames: () => JSON.parse(text(module._ui_hide_names())),
    schemaHash: () => text(module._ui_schema_hash()),
    snapshot() {
      const shown = /** @type {Snapshot} */ (JSON.parse(text(module._ui_snapshot())));
      return { ...shown, link: withLanguage(shown.link), step_link: withLanguage(shown.step_link) };
    },
    /** What ran: [{id, text, bytes}]. */
    tokens: () => JSON.parse(text(module._ui_tokens())),
    tables: () => JSON.parse(text(module._ui_tables())),
    busy: () => module._ui_busy() === 1,
    /** Whether the picture is still moving from the one before. */
    onTheWay: () => module._ui_on_the_way() === 1,
    csv: (table) => text(module._ui_csv(table)),
    markdown: (table) => text(module._ui_markdown(table)),
    svg: (width, height, standalone) => text(module._ui_svg(width, height, standalone ? 1 : 0)),
    npz() {
      const pointer = module._ui_npz() >>> 0;
      return module.HEAPU8.slice(pointer, pointer + (module._ui_bytes_length() >>> 0));
    },
    rect(id) {
      const pointer = withText(id, (p) => module._ui_rect(p)) >>> 0;
      return [...new Float32Array(module.HEAPU8.buffer, pointer, 4)];
    },
  };
}
