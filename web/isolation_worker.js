// A service worker that isolates the page where its host cannot: it adds two headers to the page's own documents and
// workers, which lets the engine use all cores. It keeps nothing and touches nothing else. Only who has asked for all cores
// has it (start/isolation.js), and it goes when they no longer want that. A service worker reaches no further than its own
// folder, so this file lies beside index.html.

const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

async function isolated(request) {
  const answer = await fetch(request);
  if (answer.status === 0) return answer; // a redirect: the browser follows it and asks again
  const all = new Headers(answer.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers: all });
}

// A newer one need not wait: there is nothing that two of them could disagree on.
self.addEventListener("install", () => self.skipWaiting());

/** The page and its workers; a host may have other pages below the same folder, which isolation would break. */
function isOurs({ destination, url }) {
  const folder = new URL("./", self.location), { origin, pathname } = new URL(url);
  if (origin !== folder.origin || !pathname.startsWith(folder.pathname)) return false;
  const path = pathname.slice(folder.pathname.length);
  if (destination === "document") return path === "" || path === "index.html"; // not what another page embeds
  return destination === "worker" && /^(engine|sources)\/[a-z_]+\.js$|^engine-[a-z-]+\.mjs$/.test(path);
}

self.addEventListener("fetch", (event) => {
  if (isOurs(event.request)) event.respondWith(isolated(event.request));
});
