// Small helpers for the DOM.
import { inDigits } from "../words/words.js";

/**
 * An element of index.html, by its id.
 * @template {string} Id
 * @param {Id} id
 * @returns {Id extends keyof PageElements ? PageElements[Id] : HTMLElement}
 */
export const $ = (id) => /** @type {Id extends keyof PageElements ? PageElements[Id] : HTMLElement} */ (document.getElementById(id));

/**
 * An element: h("button", {class: "primary", onclick}, "Copy"). Attributes by name, listeners by "on…".
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {ElementAttributes} [attributes]
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/**
 * Sets text only when it differs, so that a screen reader does not announce the same text again.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** What has ever been scrolled: asking the others where they are would lay the page out once more each time. */
/** @type {WeakSet<EventTarget>} */
const scrolled = new WeakSet();
globalThis.document?.addEventListener?.("scroll", ({ target }) => { if (target) scrolled.add(target); }, { capture: true, passive: true });

/**
 * Where an element is scrolled to; null if it is at its beginning.
 * @param {Element} element
 */
export const scrolledTo = (element) => (scrolled.has(element === document.scrollingElement ? document : element) ? { top: element.scrollTop, left: element.scrollLeft, behavior: /** @type {const} */ ("instant") } : null);

/**
 * Replaces an element's children. The keyboard focus moves from an old child to the new one with the same data-key or id, and
 * the scroll position is kept.
 * @param {Element} element
 * @param {...(Node | string)} children
 */
export function replaceKept(element, ...children) {
  const focused = element.contains(document.activeElement) ? /** @type {HTMLElement | null | undefined} */ (document.activeElement?.closest("[data-key], [id]")) : null;
  const name = focused?.dataset.key ? `[data-key="${CSS.escape(focused.dataset.key)}"]` : focused?.id ? `#${CSS.escape(focused.id)}` : "";
  const place = scrolledTo(element);
  element.replaceChildren(...children);
  if (place) element.scrollTo(place);
  if (name && focused !== element) /** @type {HTMLElement | null} */ (element.querySelector(name))?.focus({ preventScroll: true });
}

/**
 * Whether an element is visible and enabled.
 * @param {Element & {disabled?: boolean}} element
 */
export const usable = (element) => element.isConnected && !element.disabled && element.getClientRects().length > 0;

/**
 * Renders; if the focused element is then gone, hidden or disabled, the focus moves to its counterpart, or to the figure.
 * @param {() => void} render
 */
export function keepingFocus(render) {
  const focused = document.activeElement;
  render();
  if (!focused || focused === document.body || usable(focused)) return;
  const beside = /** @type {HTMLElement | null | undefined} */ (focused.closest(".group")?.querySelector("button:not(:disabled)"));
  if (document.activeElement === focused || document.activeElement === document.body) (beside ?? $("canvas")).focus({ preventScroll: true });
}

/**
 * Calls `fn` with the newest arguments at most every `ms`; the last call is never lost.
 * @template {unknown[]} Arguments
 * @param {(...args: Arguments) => void} fn
 * @param {number} ms
 */
export function throttled(fn, ms) {
  let timer = 0, last = -Infinity, waiting = /** @type {Arguments} */ (/** @type {unknown} */ ([]));
  const go = () => {
    timer = 0;
    last = performance.now();
    fn(...waiting);
  };
  return (/** @type {Arguments} */ ...args) => {
    waiting = args;
    if (!timer) timer = setTimeout(go, Math.max(0, last + ms - performance.now()));
  };
}

export const megabytes = (/** @type {number} */ bytes) => `${inDigits((bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0))} MB`;
