// Owns the worker: picks the module this browser can run, passes messages, and replaces a worker that has died.

// A function that returns an i8x16.relaxed_swizzle of two splats; only engines with relaxed SIMD accept it.
const relaxedProbe = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, // magic, version
  1, 5, 1, 0x60, 0, 1, 0x7b, // a type: () -> v128
  3, 2, 1, 0, // one function of it
  10, 15, 1, 13, 0, 0x41, 1, 0xfd, 15, 0x41, 2, 0xfd, 15, 0xfd, 0x80, 2, 11, // splat 1, splat 2, swizzle, end
]);

const restartsAllowed = 3;

export function chooseFlavour(wanted) {
  if (wanted === "simd" || wanted === "relaxed") return wanted;
  return WebAssembly.validate(relaxedProbe) ? "relaxed" : "simd";
}

export class Engine {
  /** `onMessage(text, data)`, `onRestart()`, `onFailure(sentence)`. */
  constructor(flavour, handlers) {
    this.flavour = flavour;
    this.handlers = handlers;
    this.restarts = 0;
    this.memory = 0;
    const address = new URL(`./engine-${flavour}.wasm`, import.meta.url);
    this.module = fetch(address).then((answer) => {
      if (!answer.ok) throw new Error(`the engine could not be loaded: the server answered ${answer.status}`);
      return WebAssembly.compileStreaming(answer);
    });
    this.#start();
  }

  #start() {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker = worker;
    worker.onmessage = ({ data }) => {
      if (worker !== this.worker) return; // words of one that was replaced
      if (data.trap) return this.#replace(data.trap);
      this.memory = data.memory;
      this.handlers.onMessage(data.text, data.data ? new Float64Array(data.data) : null);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.worker) this.#replace(event.message || "its script could not be loaded");
    };
    this.started = this.module.then(
      (module) => worker.postMessage({ start: { module, flavour: this.flavour } }),
      (error) => this.handlers.onFailure(`The engine did not start (${error.message}). Reload the page to try again.`));
  }

  #replace(why) {
    this.worker.terminate();
    if (++this.restarts > restartsAllowed) {
      this.handlers.onFailure(`The engine stopped again and again (${why}). Reload the page; if that does not help, try another browser.`);
      return;
    }
    this.#start();
    this.handlers.onRestart(why);
  }

  send(text, bytes = null) {
    const worker = this.worker;
    this.started.then(() => worker.postMessage({ text, bytes }, bytes ? [bytes] : []));
  }
}
