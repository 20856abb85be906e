// The engine's thread: works in short steps and handles messages between them. It never fetches; bytes come as messages.
/** @type {Promise<WasmScript>} */
let script; // the engine's script
/** @type {WasmModule | null} */
let engine = null; // the module, or null after it has trapped
const tell = (/** @type {WorkerMessage} */ message, /** @type {Transferable[]} */ transfer = []) => /** @type {WorkerScope<WorkerMessage>} */ (/** @type {unknown} */ (self)).postMessage(message, transfer);
const budget = 8; // milliseconds a step
const encoder = new TextEncoder();
const channel = new MessageChannel(); // not setTimeout, which waits 4 ms between steps
let pumping = false;

function pump() {
  if (pumping) return;
  pumping = true;
  channel.port2.postMessage(0);
}

channel.port1.onmessage = () => {
  pumping = false;
  guarded((module) => {
    const more = module._engine_step(budget) === 1;
    drain(module);
    if (more) pump();
  });
};

const twoVersions = "did not start: its parts are of two versions, as after an update of this page; reload the page";
const outOfMemory = /memory|OOM|allocat/i; // browsers word it differently; so does the module's own abort

/** How the engine ended, for a sentence: "The engine … and was replaced". */
function describe(/** @type {unknown} */ error) {
  const why = String(/** @type {Partial<Error> | null | undefined} */ (error)?.message ?? error);
  return outOfMemory.test(why) ? "ran out of memory" : `failed (${why})`;
}

/** After a trap the module cannot be used: report it, so that the page starts another one. */
function guarded(/** @type {(module: WasmModule) => void} */ work) {
  if (!engine) return;
  try {
    work(engine);
  } catch (error) {
    tell({ trap: describe(error) });
    engine = null;
  }
}

function drain(/** @type {WasmModule} */ module) {
  while (module._engine_next()) {
    const p = module._engine_text() >>> 0;
    const message = module.UTF8ToString(p, module._engine_text_length() >>> 0);
    const count = module._engine_data_count() >>> 0;
    const from = module._engine_data() >>> 0;
    const data = count ? module.HEAPU8.slice(from, from + count * 8).buffer : null;
    tell({ text: message, data, memory: module.HEAPU8.length }, data ? [data] : []);
  }
}

/** @param {WasmModule} module @param {string} message @param {ArrayBuffer | null} bytes */
function receive(module, message, bytes) {
  const head = encoder.encode(message);
  const size = bytes ? bytes.byteLength : 0;
  const p = module._malloc(head.length + size + 1) >>> 0;
  if (!p) throw new RangeError("out of memory");
  module.HEAPU8.set(head, p);
  if (bytes) module.HEAPU8.set(new Uint8Array(bytes), p + head.length);
  module._engine_receive(p, head.length, p + head.length, size);
  module._free(p);
  drain(module);
  pump();
}

/** As much shared memory as the browser grants; the module for one thread creates its own memory. */
function sharedMemory() {
  const least = 1024; // pages of 64 KB: what the module begins with
  for (const most of [65536, 32768, 16384])
    try {
      return new WebAssembly.Memory({ initial: least, maximum: most, shared: true });
    } catch {
      // this much address space is not available
    }
  throw new Error("memory for all cores was refused");
}

async function start(/** @type {{module: WebAssembly.Module, threads: number, words: string}} */ { module, threads, words }) {
  const { default: create, pair } = await script.catch((error) => (console.warn(error), /** @type {Partial<WasmScript>} */ ({})));
  if (typeof create !== "function") throw new Error("its script did not arrive whole");
  const [of] = WebAssembly.Module.customSections(module, "pair"); // as isPair in wasm.js
  if (!of || new TextDecoder().decode(of) !== pair) return void tell({ trap: twoVersions });
  const begin = performance.now();
  engine = await create({
    ...(threads > 1 ? { helpers: threads - 1, wasmMemory: sharedMemory() } : {}),
    /** @param {WebAssembly.Imports} imports @param {(instance: WebAssembly.Instance, module: WebAssembly.Module) => void} done */
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then((instance) => done(instance, module),
        (error) => tell({ trap: outOfMemory.test(error.message) ? describe(error) : twoVersions }));
      return {};
    },
  });
  const bytes = encoder.encode(words), place = engine._malloc(bytes.length) >>> 0;
  engine.HEAPU8.set(bytes, place);
  if (engine._engine_load_words(place, bytes.length) !== 1) return void tell({ trap: twoVersions });
  engine._free(place);
  tell({ threads: engine._engine_use_threads(threads), took: performance.now() - begin });
}

/** @type {Promise<void>} */
let ready;
self.onmessage = (/** @type {MessageEvent<EngineOrder>} */ { data }) => {
  if (data.ping) {
    tell({ idle: !pumping });
    return;
  }
  if (data.script) {
    script = import(typeof data.script === "string" ? data.script : URL.createObjectURL(data.script));
    script.catch(() => {}); // start() awaits it and reports the failure
    return;
  }
  if (data.start) {
    ready = start(data.start).then(() => guarded(drain), (error) => tell({ trap: `did not start: ${error?.message ?? error}` }));
    return;
  }
  const { text, bytes = null } = data;
  if (text !== undefined) ready.then(() => guarded((module) => receive(module, text, bytes)));
};
