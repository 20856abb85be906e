// A service worker that isolates the page where its host cannot: it adds two headers to the page's own documents and
// workers, which lets the engine use all cores. It keeps nothing and touches nothing else. Only who has asked for all cores
// has it (isolation.js), and it goes when they no longer want that.

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

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const wanted = request.destination === "document" || request.destination === "worker"; // not what another page embeds
  if (wanted && new URL(request.url).origin === self.location.origin) event.respondWith(isolated(request));
});
