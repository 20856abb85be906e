// What the page's modules need of a browser, for tests without one: import this before any of them. Requests for parts of the site and
// those for the hub go to two real servers of the test. Storage is in memory; `forgetAll()` makes it a new browser's.
import { startAnswers } from "../browser/servers.mjs";

/** What the servers answer, set by each test: `current(request, response, path)`. */
export const site = { current: null }, hub = { current: null };
// The addresses that the page sees; what listens behind them has a free port, which is not known before the modules are loaded.
export const siteOrigin = "http://site.test", hubOrigin = "http://hub.test";
const answers = new Map([[siteOrigin, site], [hubOrigin, hub]]), servers = new Map(); // origin -> what listens behind it, from the first request on
const serverOf = (origin) => servers.get(origin) ?? servers.set(origin, startAnswers(answers.get(origin))).get(origin);

const metas = { "meta[name=helixscope-hub]": hubOrigin, "meta[name=helixscope-bundled]": "[]" };
const files = new Map(); // cache storage: address -> bytes
/** Set to make writes fail, as on a full device: throws. */
export const device = { write: () => {}, online: true };

class Notes {
  #all = new Map();
  getItem(name) { return this.#all.get(name) ?? null; }
  setItem(name, value) { this.#all.set(name, String(value)); }
  removeItem(name) { this.#all.delete(name); }
  clear() { this.#all.clear(); }
}

const shelves = {
  async keys() { return [...files.keys()].map((url) => ({ url })); },
  async match(url) { return files.has(url) ? new Response(files.get(url)) : undefined; },
  async put(url, response) {
    device.write();
    files.set(url, new Uint8Array(await response.arrayBuffer()));
  },
  async delete(url) { return files.delete(url); },
};

const define = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
define("document", { querySelector: (selector) => (selector in metas ? { content: metas[selector] } : null) });
define("localStorage", new Notes());
define("location", { origin: siteOrigin, href: `${siteOrigin}/`, hash: "", search: "" });
define("caches", { open: async () => shelves });
Object.defineProperty(globalThis.navigator, "onLine", { get: () => device.online, configurable: true });

const { locks } = globalThis.navigator, held = new Set();
const request = (...args) => {
  const work = locks.request(...args), ended = work.catch(() => {}).then(() => held.delete(ended));
  held.add(ended);
  return work;
};
Object.defineProperty(globalThis.navigator, "locks", { value: { request }, configurable: true });
/** Resolves when the writes to the cache are done, which happen under a lock, a little after the bytes are used. */
export async function quiet() {
  while (held.size) await Promise.all(held);
}

const root = new URL("../../web/", import.meta.url).href;
const plainFetch = globalThis.fetch;
define("fetch", async (address, options) => {
  if (!device.online) throw new TypeError("Failed to fetch");
  const url = String(address).replace(root, `${siteOrigin}/`);
  const origin = [...answers.keys()].find((begin) => url.startsWith(`${begin}/`));
  return plainFetch(url.replace(origin, (await serverOf(origin)).origin), options);
});

const longest = 10_000; // milliseconds; a longer timer is a limit of time, which no test waits for
const plainTimeout = globalThis.setTimeout;
/** Limits of time do not keep a test's process alive, as they do not keep a page open. */
define("setTimeout", (act, milliseconds, ...values) => {
  const timer = plainTimeout(act, milliseconds, ...values);
  return milliseconds >= longest ? timer.unref() : timer;
});

/** The addresses in cache storage whose last part satisfies `wanted`, with access to their bytes. */
export const keptFiles = (wanted = () => true) => [...files.keys()].filter((url) => wanted(decodeURIComponent(url.split("/").at(-1))));
export const readKept = (url) => files.get(url);
export const writeKept = (url, bytes) => files.set(url, bytes);
export const dropKept = (url) => files.delete(url);

export function forgetAll() {
  files.clear();
  localStorage.clear();
  Object.assign(device, { write: () => {}, online: true });
  site.current = hub.current = null;
}

export async function stopServers() {
  for (const server of servers.values()) await (await server).stop();
}
