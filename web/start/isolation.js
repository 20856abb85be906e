// Cross-origin isolation for pages whose host does not send its headers: a service worker adds them from the next load on.
// Only a click leads to allow() and the reload after it, so there can be no loop of reloads.

const script = new URL("../isolation_worker.js", import.meta.url);
const scope = new URL("../", import.meta.url); // the page's own folder
const patience = 10_000; // milliseconds after which a worker that has not become active counts as refused

export const embedded = window.top !== window;

/** Why this page cannot isolate itself, as a sentence; "" where it can. */
export function obstacle() {
  if (!isSecureContext) return "Several cores need a secure page: open it with https.";
  if (!navigator.serviceWorker) return "Several cores need a host that isolates the page, or a browser window that allows service workers.";
  return "";
}

/** The page's own registration, or nothing: another page may have one whose scope includes this page. */
async function registration() {
  const found = await navigator.serviceWorker?.getRegistration(scope).catch(() => null);
  const worker = found?.active ?? found?.waiting ?? found?.installing;
  return worker?.scriptURL === script.href ? found : null;
}

/** @returns {Promise<void>} */
function activated(worker) {
  return new Promise((done, failed) => {
    const look = () => {
      if (worker.state === "activated") done();
      if (worker.state === "redundant") failed(new Error("it was thrown away"));
    };
    worker.addEventListener("statechange", look);
    setTimeout(() => failed(new Error("it did not become active")), patience);
    look();
  });
}

/** Isolates the page from the next load on. Fails where the browser refuses. */
export async function allow() {
  const made = await navigator.serviceWorker.register(script, { scope: scope.href });
  await activated(made.installing ?? made.waiting ?? made.active);
}

/** Ends the isolation from the next load on. */
export async function withdraw() {
  await (await registration())?.unregister();
}
