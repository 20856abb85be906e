// Owns the worker: picks the module this browser can run, passes messages, and replaces a worker that has died, ran out of
// memory or no longer answers.
import { fetchModule } from "./wasm.js";
import { Watchdog } from "./watchdog.js";

// A function that returns an i8x16.relaxed_swizzle of two splats; only engines with relaxed SIMD accept it.
const relaxedProbe = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, // magic, version
  1, 5, 1, 0x60, 0, 1, 0x7b, // a type: () -> v128
  3, 2, 1, 0, // one function of it
  10, 15, 1, 13, 0, 0x41, 1, 0xfd, 15, 0x41, 2, 0xfd, 15, 0xfd, 0x80, 2, 11, // splat 1, splat 2, swizzle, end
]);

const startPatience = 30_000; // milliseconds until a worker that has said nothing counts as one that does not start
const deathsWithin = 60_000; // milliseconds in which
const deathsAllowed = 3; // so many workers may die before the page stops making new ones by itself

export function chooseFlavour(wanted) {
  if (wanted === "simd" || wanted === "relaxed") return wanted;
  return WebAssembly.validate(relaxedProbe) ? "relaxed" : "simd";
}

export class Engine {
  #worker = null;
  #module = null;
  #ready = null;
  #startTimer = 0;
  #deaths = []; // when workers died, newest last
  #started = false; // this worker has said hello
  #watchdog = new Watchdog(() => this.#worker?.postMessage({ ping: true }), () => this.#died("did not answer for 3 seconds"));
  restarts = 0;
  memory = 0;

  /** `onMessage(text, data)`; `onRestart(why)`: a new worker knows nothing yet; `onFailure(sentence)`: there is none until the next send(). */
  constructor(flavour, handlers) {
    this.flavour = flavour;
    this.handlers = handlers;
    this.#start();
  }

  #start() {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.#worker = worker;
    this.#started = false;
    const mine = (act) => (event) => { if (worker === this.#worker) act(event); }; // words of one that was replaced do not count
    worker.onmessage = mine(({ data }) => this.#hear(data));
    worker.onerror = mine((event) => {
      event.preventDefault();
      if (this.#started) this.#died(`failed (${event.message})`);
      else this.#giveUp("did not start: its script could not be loaded");
    });
    this.#startTimer = setTimeout(mine(() => this.#giveUp(`did not start within ${startPatience / 1000} seconds`)), startPatience);
    this.#module ??= fetchModule(new URL(`./engine-${this.flavour}.wasm`, import.meta.url));
    this.#ready = this.#module.then(
      (module) => worker.postMessage({ start: { module, flavour: this.flavour } }),
      mine((error) => {
        this.#module = null; // the next try loads it anew
        this.#giveUp(`did not start: ${error.message}`);
      }));
  }

  #hear(data) {
    this.#watchdog.heard();
    if (data.idle) this.#watchdog.stop();
    if (data.trap) return this.#started ? this.#died(data.trap) : this.#giveUp(data.trap);
    if (data.text === undefined) return;
    clearTimeout(this.#startTimer);
    this.#started = true;
    this.memory = data.memory;
    this.handlers.onMessage(data.text, data.data ? new Float64Array(data.data) : null);
  }

  #end() {
    clearTimeout(this.#startTimer);
    this.#watchdog.stop();
    this.#worker.terminate();
    this.#worker = null;
  }

  #died(how) {
    const now = performance.now();
    this.#deaths = [...this.#deaths.filter((at) => now - at < deathsWithin), now];
    if (this.#deaths.length > deathsAllowed) return this.#giveUp(`${how}, again and again`);
    this.#end();
    ++this.restarts;
    this.#start();
    this.handlers.onRestart(`The engine ${how} and was replaced; everything is as it was.`);
  }

  #giveUp(how) {
    this.#end();
    this.#deaths = [];
    this.handlers.onFailure(`The engine ${how}. Nothing shown is lost.`);
  }

  send(text, bytes = null) {
    if (!this.#worker) this.#start();
    const worker = this.#worker;
    this.#ready.then(() => {
      if (worker !== this.#worker) return;
      worker.postMessage({ text, bytes }, bytes ? [bytes] : []);
      if (this.#started) this.#watchdog.watch();
    });
  }
}
