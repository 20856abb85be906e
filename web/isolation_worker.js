// A service worker that makes the page cross-origin isolated where its host does not: it adds two headers to the page's own
// documents and workers, so that the engine can use all cores. It caches nothing and changes no other response. It is
// registered only for visitors who chose all cores (start/isolation.js), and unregistered when they switch that off. A service
// worker controls only its own folder, so this file lies beside index.html.

const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

async function isolated(request) {
  const answer = await fetch(request);
  if (answer.status === 0) return answer; // a redirect, which the browser follows with another request
  const all = new Headers(answer.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers: all });
}

// A newer version need not wait: the worker has no state on which two versions could disagree.
self.addEventListener("install", () => self.skipWaiting());

/** The page and its workers, but not other pages of the host below the same folder, which isolation could break. */
function isOurs({ destination, url }) {
  const folder = new URL("./", self.location), { origin, pathname } = new URL(url);
  if (origin !== folder.origin || !pathname.startsWith(folder.pathname)) return false;
  const path = pathname.slice(folder.pathname.length);
  if (destination === "document") return path === "" || path === "index.html"; // not frames that another page embeds
  return destination === "worker" && /^(engine|sources)\/[a-z_]+\.js$|^engine-[a-z-]+\.mjs$/.test(path);
}

self.addEventListener("fetch", (event) => {
  if (isOurs(event.request)) event.respondWith(isolated(event.request));
});
