// The menu of what can be done to something in the figure: opened by the right button, a finger that rests, the menu key or a
// selection. The program says what is in it.
import { $, h } from "./dom.js";

/**
 * Returns what shows the menu that is open now; it is to be called after each frame.
 * @param {Ui} ui
 * @param {(frames: number) => void} schedule
 */
export function bindContextMenu(ui, schedule) {
  const box = $("acts");
  let shown = "";

  const close = () => {
    ui.closeMenu();
    const inside = box.contains(document.activeElement);
    hide();
    if (inside) $("canvas").focus({ preventScroll: true });
    schedule(2);
  };
  const hide = () => {
    shown = "";
    box.hidden = true;
    box.replaceChildren();
  };
  const choose = (/** @type {number} */ item) => {
    ui.act(item);
    close();
  };
  const entry = (/** @type {ContextMenu["items"][number]} */ { label, key, on }, /** @type {number} */ i) => h("button", { type: "button", role: "menuitemcheckbox", "aria-checked": String(on), onclick: () => choose(i) },
    label, key ? h("kbd", {}, key) : null);

  box.addEventListener("keydown", (event) => {
    const all = [...box.querySelectorAll("button")], at = all.findIndex((button) => button === document.activeElement);
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) all[(at + step + all.length) % all.length].focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener("pointerdown", (event) => { if (!box.hidden && !event.composedPath().includes(box)) close(); }, { capture: true });

  return () => {
    const text = ui.menu();
    if (text === shown) return;
    if (!text) return hide();
    shown = text;
    const { x, y, title, items } = /** @type {ContextMenu} */ (JSON.parse(text));
    box.replaceChildren(h("p", {}, title), ...items.map(entry));
    box.setAttribute("aria-label", title);
    box.hidden = false;
    const room = $("stage").getBoundingClientRect();
    box.style.left = `${Math.max(0, Math.min(x, room.width - box.offsetWidth))}px`;
    box.style.top = `${Math.max(0, Math.min(y, room.height - box.offsetHeight))}px`;
    box.querySelector("button")?.focus({ preventScroll: true });
  };
}
