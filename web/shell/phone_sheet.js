// What lies over the page on a phone: the bar of actions at the lower edge, and sheets above it, one at a time.
import { $ } from "./dom.js";
import { closesWithView } from "./overlays.js";

export const phone = matchMedia("(max-width: 43.75em), (max-height: 30em) and (max-width: 60em)");

/**
 * A panel that its button opens and closes. On a phone it is a sheet above the bar, which Escape, a tap outside and Tab past its end
 * close; elsewhere it is part of the page. `begin()` gives a part of the opened panel the focus.
 */
export class Sheet {
  /** @param {HTMLElement} panel @param {HTMLElement} button @param {() => void} begin */
  constructor(panel, button, begin) {
    this.panel = panel;
    this.button = button;
    this.begin = begin;
    const outside = (/** @type {EventTarget | null} */ target) => !panel.contains(/** @type {Node | null} */ (target)) && !button.contains(/** @type {Node | null} */ (target));
    button.onclick = () => this.toggle();
    $("shade").addEventListener("click", () => this.leave()); // an element of its own, because some phones send no click for the bare page
    document.addEventListener("click", ({ target }) => {
      if (phone.matches && /** @type {Node} */ (target).isConnected && outside(target)) this.leave({ back: panel.contains(document.activeElement) });
    });
    document.addEventListener("keydown", (event) => { if (phone.matches && event.key === "Escape" && !event.defaultPrevented) this.leave(); });
    closesWithView(() => { if (phone.matches) this.leave({ back: panel.contains(document.activeElement) }); });
    // Tab leaves the sheet as it leaves any list; the sheet then closes, so that it does not cover the next element.
    panel.addEventListener("focusout", ({ relatedTarget }) => {
      if (phone.matches && relatedTarget && outside(relatedTarget)) this.leave({ back: false });
    });
  }

  get open() {
    return this.panel.classList.contains("open");
  }

  show(/** @type {boolean} */ open) {
    const over = open && phone.matches;
    this.panel.classList.toggle("open", open);
    $("shade").hidden = !over;
    document.documentElement.classList.toggle("sheet-open", over);
    this.button.setAttribute("aria-expanded", String(open));
  }

  toggle() {
    if (this.open) return this.leave();
    this.show(true);
    this.begin();
  }

  /** Closes it if it is open. `back`: whether its button gets the focus. */
  leave({ back = true } = {}) {
    if (!this.open) return;
    if (back) this.button.focus({ preventScroll: true });
    this.show(false);
  }
}

/** The list of studies: a sheet on a phone; elsewhere the groups at the top of the page open it, and this is unused. */
export function bindStudies() {
  const nav = $("studies");
  const sheet = new Sheet(nav, $("open-studies"), () => /** @type {HTMLElement | null} */ (nav.querySelector("[aria-current=page]"))?.focus({ preventScroll: true }));
  nav.addEventListener("click", (event) => { if (/** @type {Element} */ (event.target).closest("button")) sheet.leave(); });
  phone.addEventListener("change", () => sheet.leave({ back: false }));
}

/** Measures how much of the lower edge the bar covers, so that fixed elements and scroll targets stay clear of it. */
export function measureBar() {
  const bar = $("bar");
  const tell = () => {
    const fixed = getComputedStyle(bar).position === "fixed";
    document.documentElement.style.setProperty("--bar", fixed ? `${bar.offsetHeight}px` : "0px");
  };
  new ResizeObserver(tell).observe(bar, { box: "border-box" });
}

/** The part of an element that is on screen and not under the bar, in its own coordinates. */
export function seenPart(/** @type {Element} */ element) {
  const box = element.getBoundingClientRect();
  const end = innerHeight - (parseFloat(document.documentElement.style.getPropertyValue("--bar")) || 0);
  return { right: Math.min(box.width, innerWidth - box.left), top: Math.max(0, -box.top), bottom: Math.min(box.height, end - box.top) };
}
