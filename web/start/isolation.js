// The page's service worker: it keeps the page for use without a network, and isolates it where its host does not send the headers, from
// the next load on. Only a click leads to allow() and the reload after it, so there can be no loop of reloads.
import { addressOf, folder as scope } from "./files.js";
import { trustedScript } from "./trusted.js";
import { say } from "../words/words.js";

const script = addressOf("isolation_worker.js");
const patience = 10_000; // milliseconds after which a worker that has not become active counts as refused

export const embedded = window.top !== window;

/** Why this page cannot isolate itself, as a sentence; "" where it can. */
export function obstacle() {
  if (location.protocol === "file:") return say("Several cores need a page from a server.");
  if (!isSecureContext) return say("Several cores need a secure page: open it with https.");
  if (!navigator.serviceWorker) return say("Several cores need a host that isolates the page, or a browser window that allows service workers.");
  return "";
}

/** The page's own registration, or nothing: another page may have one whose scope includes this page. */
async function registration() {
  const found = await navigator.serviceWorker?.getRegistration(scope).catch(() => null);
  const worker = found?.active ?? found?.waiting ?? found?.installing;
  return worker?.scriptURL === script.href ? found : null;
}

/**
 * The worker that is in charge, once it is.
 * @param {ServiceWorkerRegistration} made
 * @returns {Promise<ServiceWorker>}
 */
function active(made) {
  return new Promise((done, failed) => {
    const worker = /** @type {ServiceWorker} */ (made.active ?? made.waiting ?? made.installing);
    const look = () => {
      if (worker.state === "activated") done(worker);
      if (worker.state === "redundant") failed(new Error(say("it was thrown away")));
    };
    worker.addEventListener("statechange", look);
    setTimeout(() => failed(new Error(say("it did not become active"))), patience);
    look();
  });
}

/**
 * What the worker answers.
 * @param {ServiceWorker} worker
 * @param {{isolate: boolean}} message
 * @returns {Promise<unknown>}
 */
function ask(worker, message) {
  return new Promise((done, failed) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => done(data);
    setTimeout(() => failed(new Error(say("it did not answer"))), patience);
    worker.postMessage(message, [port2]);
  });
}

/** Isolates the page from the next load on. Fails where the browser refuses. */
export async function allow() {
  await ask(await active(await navigator.serviceWorker.register(trustedScript(script), { scope: scope.href })), { isolate: true });
}

/** Ends the isolation from the next load on. */
export async function withdraw() {
  const worker = (await registration())?.active;
  if (worker) await ask(worker, { isolate: false }).catch(() => {}); // then the next load is isolated once more, and nothing else
}

/** Keeps the page on this device for visits without a network. Where the browser refuses, the page stays as it is. */
export async function keepPage() {
  if (embedded || location.protocol === "file:" || !isSecureContext || !navigator.serviceWorker) return;
  try {
    const made = await navigator.serviceWorker.register(trustedScript(script), { scope: scope.href, updateViaCache: "none" });
    (await active(made)).postMessage({ keep: true });
  } catch (error) {
    console.info(`The page is not kept for use without a network: ${error.message}`);
  }
}
