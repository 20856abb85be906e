// The page's service worker. It keeps the page's files, so that the page opens without a network after the first visit, and makes the
// page cross-origin isolated where its host does not, for visitors who chose all cores (start/isolation.js). Weights are not its
// business: the page keeps them by their hash (sources/cache.js). A service worker controls only its own folder, so this file lies beside
// index.html. A newer version of it waits until all pages of the older one are closed.

const build = "%PAGE%"; // a hash of index.html, which names all other files
const first = "%FIRST%".split(" "); // the files that the page needs without a network
const later = new Set("%LATER%".split(" ")); // those that are kept when they are first used
const engines = { simd: "%SIMD%".split(" "), relaxed: "%RELAXED%".split(" ") }; // one of them is needed
const folder = new URL("./", self.location);
const prefix = `helixscope-page ${folder.pathname} `, name = prefix + build;
const page = new URL("index.html", folder).href, list = new URL("models/index.json", folder).href;
const notes = `helixscope-choices ${folder.pathname}`, wish = new URL("kept/isolate", folder).href;
const patience = 4000; // milliseconds for which the server may be silent before the kept page is shown
const isolation = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

// A function with a relaxed_swizzle, as in start/flavour.js.
const relaxedProbe = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11]);
const needed = [...first, ...engines[WebAssembly.validate(relaxedProbe) ? "relaxed" : "simd"]];

const hasHash = (path) => /[./][0-9a-f]{10}[./]/.test(path);
/** The path within the page's folder, "" for the folder itself; null elsewhere. */
function ownPath(url) {
  const { origin, pathname } = new URL(url);
  return origin === folder.origin && pathname.startsWith(folder.pathname) ? decodeURIComponent(pathname.slice(folder.pathname.length)) : null;
}

/** What is kept of an address; nothing where the browser keeps nothing. */
const kept = (url) => caches.match(url, { ignoreVary: true }).catch(() => undefined);

/** Keeps the whole page. index.html comes last: where it is kept, all other files are. */
async function keepAll() {
  const cache = await caches.open(name);
  if (await cache.match(page)) return;
  await Promise.all(needed.map(async (path) => {
    const url = new URL(path, folder).href;
    const answer = await kept(url) ?? await fetch(url); // an older version may have the same file
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    await cache.put(url, answer);
  }));
  const models = await fetch(list, { cache: "no-cache" });
  if (models.ok) await cache.put(list, models);
  const [answer, text] = await fetch(page, { cache: "no-cache" }).then(async (whole) => [whole.clone(), await whole.text()]);
  if (!answer.ok || !needed.filter((path) => path.startsWith("start/")).every((path) => text.includes(path))) throw new Error("the server has another version by now");
  await cache.put(page, answer);
}

async function dropOlder() {
  for (const other of await caches.keys()) if (other.startsWith(prefix) && other !== name) await caches.delete(other);
}

let isolates = null; // a promise: whether the visitor wants isolation
const wantsIsolation = () => (isolates ??= kept(wish).then(Boolean));
async function setIsolation(yes) {
  isolates = Promise.resolve(yes);
  try {
    const cache = await caches.open(notes);
    if (yes) await cache.put(wish, new Response("yes"));
    else await cache.delete(wish);
  } catch {
    // holds until the browser ends this worker
  }
}

async function isolated(answer) {
  if (answer.status === 0 || !await wantsIsolation()) return answer; // status 0: a redirect, which the browser follows with another request
  const headers = new Headers(answer.headers);
  for (const [header, value] of Object.entries(isolation)) headers.set(header, value);
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}

/** The newest from the server; without a network, what is kept of this version. */
async function newest(request, url) {
  const own = async () => (await caches.open(name)).match(url);
  const silence = new Promise((done) => setTimeout(done, patience)).then(own).catch(() => undefined);
  const answer = fetch(request);
  answer.catch(() => {}); // if what is kept was shown by then
  try {
    const sooner = await Promise.race([answer, silence]);
    const best = sooner ?? await answer;
    return best.status >= 500 ? await own() ?? best : best;
  } catch (error) {
    const ours = await own().catch(() => undefined);
    if (ours) return ours;
    throw error;
  }
}

/** A file with a hash in its name never changes. */
async function lasting(event, path) {
  const ours = await kept(event.request.url);
  if (ours) return ours;
  const answer = await fetch(event.request);
  if (answer.ok && later.has(path)) {
    const copy = answer.clone();
    event.waitUntil(caches.open(name).then((cache) => cache.put(event.request.url, copy)).catch(() => {})); // no room: it stays on the server
  }
  return answer;
}

self.addEventListener("install", (event) => {
  // A newer version takes over whole or not at all; the first one keeps its files while the page is already in use.
  if (self.registration.active) event.waitUntil(keepAll());
});
self.addEventListener("activate", (event) => event.waitUntil(Promise.all([dropOlder().catch(() => {}), self.clients.claim()])));
self.addEventListener("message", (event) => {
  const done = (said) => event.ports[0]?.postMessage(said);
  if (event.data.keep) event.waitUntil(keepAll().then(() => done("kept"), (error) => done(String(error))));
  if ("isolate" in event.data) event.waitUntil(setIsolation(event.data.isolate).then(() => done("noted")));
});

self.addEventListener("fetch", (event) => {
  const { request } = event, { destination, method, mode, url } = request;
  const path = ownPath(url);
  if (path === null || method !== "GET" || request.headers.has("range")) return;
  // The page itself, but neither frames that another page embeds nor other pages below the same folder, which isolation could break.
  if (mode === "navigate") {
    if (destination === "document" && (path === "" || path === "index.html")) event.respondWith(newest(request, page).then(isolated));
  } else if (path === "models/index.json") event.respondWith(newest(request, list));
  else if (hasHash(path) && !path.endsWith(".safetensors")) event.respondWith(lasting(event, path).then((answer) => (destination === "worker" ? isolated(answer) : answer)));
});
