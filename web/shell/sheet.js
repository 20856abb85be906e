// The two overlays on a phone: the bar of actions at the lower edge, and the study list as a sheet above it.
import { $, usable } from "./dom.js";

/** On a phone the study list is a sheet above the bar, behind a button; elsewhere it is part of the page, and this is unused. */
export function bindSheet() {
  const nav = $("studies"), button = $("open-studies"), shade = $("shade");
  const isOpen = () => nav.classList.contains("open");
  const show = (open) => {
    nav.classList.toggle("open", open);
    shade.hidden = !open;
    document.documentElement.classList.toggle("sheet-open", open);
    button.setAttribute("aria-expanded", String(open));
  };
  const close = ({ back = true } = {}) => {
    if (!isOpen()) return;
    if (back) button.focus({ preventScroll: true });
    show(false);
  };
  button.onclick = () => {
    if (isOpen()) return close();
    show(true);
    nav.querySelector("[aria-current=page]")?.focus({ preventScroll: true });
  };
  shade.onclick = () => close(); // an element of its own, because some phones send no click for the bare page
  nav.addEventListener("click", (event) => { if (event.target.closest("button")) close(); });
  document.addEventListener("click", (event) => { if (!nav.contains(event.target) && !button.contains(event.target)) close({ back: nav.contains(document.activeElement) }); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  // Tab leaves the sheet as it leaves any list; the sheet then closes, so that it does not cover the next element.
  nav.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !nav.contains(relatedTarget) && relatedTarget !== button) close({ back: false });
  });
  addEventListener("resize", () => { if (!usable(button)) close({ back: false }); });
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
export function seenPart(element) {
  const box = element.getBoundingClientRect();
  const end = innerHeight - (parseFloat(document.documentElement.style.getPropertyValue("--bar")) || 0);
  return { right: Math.min(box.width, innerWidth - box.left), top: Math.max(0, -box.top), bottom: Math.min(box.height, end - box.top) };
}
