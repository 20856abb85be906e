// Whoever asks the engine for a run of their own gets an answer, also where there is no engine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Connection } from "../../web/engine/connection.js";

globalThis.location ??= { hash: "" };

/** Workers and requests that a test answers. */
function machine(t, answer) {
  const workers = [];
  const kept = { Worker: globalThis.Worker, fetch: globalThis.fetch };
  globalThis.Worker = class {
    constructor() { workers.push(this); }
    postMessage() {}
    terminate() {}
  };
  globalThis.fetch = answer;
  t.after(() => Object.assign(globalThis, kept));
  return workers;
}

const page = { dispatch() {}, notice() {}, kindChanged() {}, named: { isOurs: () => false } };
const models = { forget() {} };
const begun = (kind = { flavour: "simd", threads: 1 }) => {
  const connection = new Connection(kind, models, page);
  connection.begin({ schemaHash: () => "", receive: () => "", snapshot: () => ({ state: { model: "m" } }) });
  return connection;
};

test("a measurement ends in a sentence where the engine does not start", async (t) => {
  machine(t, () => Promise.reject(new TypeError("no connection")));
  t.mock.method(console, "warn", () => {});
  await assert.rejects(begun().measure({}, "f32"), /^Error: The engine did not start: .*\.$/);
});

test("and where the engine dies while it measures", async (t) => {
  const workers = machine(t, () => new Promise(() => {}));
  const connection = begun(), hello = { data: { text: JSON.stringify({ type: "hello" }), memory: 0 } };
  const measured = connection.measure({}, "f32");
  workers[0].onmessage(hello);
  workers[0].onerror({ message: "unreachable", preventDefault() {} });
  await assert.rejects(measured, /failed \(unreachable\)/);
  workers.at(-1).onmessage(hello); // the next worker has started, so that nothing waits for it any more
});
