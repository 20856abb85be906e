// Input on the canvas, passed to ui.wasm: one pointer turns, two zoom or pull two positions of the text together, the
// wheel zooms, keys move the focus. Fingers where nothing can be turned, dragged or zoomed, and the wheel while the page
// can scroll, are left to the page. So is a finger that begins by moving up or down, as long as there is something to
// scroll and it has not taken hold of anything.

const pixelsPerNotch = 100;
const begun = 6; // CSS pixels after which the direction of a finger counts
const longPress = 500; // milliseconds after which a finger that rests opens the menu

/**
 * `scale()`: CSS pixels for a pixel of the drawing; `over`: the tooltip above the canvas, which leaves the wheel to it.
 * @param {HTMLCanvasElement} canvas
 * @param {Ui} ui
 * @param {(frames: number) => void} schedule
 * @param {{scale: () => number, over: HTMLElement}} page
 */
export function bindInput(canvas, ui, schedule, { scale, over }) {
  /** @type {Map<number, {x: number, y: number}>} */
  const fingers = new Map(); // by pointerId, in pixels of the drawing
  /** @type {{x: number, y: number, apart: number} | null} */
  let pinched = null;
  let pulling = false; // the two hold positions of the text, and have not begun to zoom
  /** @type {{x: number, y: number} | null} */
  let resting = null; // where a finger or the right button went down, until it moves
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer; // of a finger that rests
  /** @type {{x: number, y: number} | null} */
  let undecided = null; // where a finger began that may yet turn the figure or scroll the page

  const at = (/** @type {{clientX: number, clientY: number}} */ event) => {
    const box = canvas.getBoundingClientRect();
    return { x: (event.clientX - box.left) / scale(), y: (event.clientY - box.top) / scale() };
  };
  const touch = (/** @type {PointerEvent} */ event) => event.pointerType === "touch";
  const pageScrolls = () => /** @type {Element} */ (document.scrollingElement).scrollHeight > innerHeight + 1;
  /** Whether the page, or the part of it that the figure is in, can be scrolled by a finger. */
  const canSwipe = () => {
    for (let place = canvas.parentElement; place; place = place.parentElement)
      if (place.scrollHeight > place.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(place).overflowY)) return true;
    return pageScrolls();
  };
  const middle = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
  };

  /** Opens the menu where a finger rests; lifting it is then no tap. */
  const openMenu = (/** @type {{x: number, y: number}} */ { x, y }) => {
    if (!ui.openMenu(x, y)) return;
    ui.cancelPress();
    schedule(2);
  };
  const moves = () => {
    clearTimeout(timer);
    resting = null;
  };

  // The style lets the page scroll up and down from anywhere on the canvas, but not where a finger holds something.
  canvas.addEventListener("touchstart", (event) => {
    const takes = canSwipe() ? ui.holds : ui.takesTouch;
    if (pinched || [...event.changedTouches].map(at).some(({ x, y }) => takes(x, y))) event.preventDefault();
  }, { passive: false });

  canvas.addEventListener("pointerdown", (event) => {
    // A mouse click focuses the canvas by itself, without the focus ring that is meant for keyboard users.
    if (touch(event)) canvas.focus({ preventScroll: true, focusVisible: false });
    canvas.setPointerCapture(event.pointerId);
    const p = at(event);
    if (touch(event)) fingers.set(event.pointerId, p);
    undecided = touch(event) && fingers.size === 1 && canSwipe() && !ui.holds(p.x, p.y) ? p : null;
    clearTimeout(timer);
    resting = fingers.size < 2 && (touch(event) || event.button === 2) ? p : null;
    if (resting && touch(event)) timer = setTimeout(() => { if (resting) openMenu(p); }, longPress);
    if (fingers.size === 2) {
      const [first, second] = fingers.values(), between = middle();
      ui.cancelPress(); // two fingers do not click
      ui.pointer(2, first.x, first.y, 0, true); // ends the first finger's drag where it is
      pinched = ui.takesPinch(between.x, between.y) ? between : null;
      pulling = pinched !== null && ui.holdsTwo(first, second);
    } else if (fingers.size < 2) {
      ui.shift(event.shiftKey);
      ui.pointer(0, p.x, p.y, 0, touch(event));
      ui.pointer(1, p.x, p.y, event.button === 1 ? 2 : event.button === 2 ? 1 : 0, touch(event));
    }
    if (event.button === 1) event.preventDefault(); // no scrolling by the middle button
    schedule(3);
  });

  canvas.addEventListener("pointermove", (event) => {
    const p = at(event);
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, p);
    if (resting && Math.hypot(p.x - resting.x, p.y - resting.y) >= begun) moves();
    if (pinched && fingers.size === 2) {
      const now = middle(), [first, second] = fingers.values();
      pulling = pulling && ui.pull(first, second);
      if (!pulling) ui.pinch(now.x, now.y, now.apart / Math.max(pinched.apart, 1), now.x - pinched.x, now.y - pinched.y, false);
      pinched = now;
    } else if (!pinched && !waits(p)) {
      ui.shift(event.shiftKey);
      ui.pointer(0, p.x, p.y, 0, touch(event));
      if (!event.buttons) canvas.classList.toggle("on-handle", onHandle(p));
    }
    schedule(2);
  });

  /** Whether it is not yet known that this finger turns the figure. A finger that moves up or down never does. */
  const waits = (/** @type {{x: number, y: number}} */ { x, y }) => {
    if (!undecided) return false;
    const [across, along] = [Math.abs(x - undecided.x), Math.abs(y - undecided.y)];
    if (across >= begun && across >= along) undecided = null;
    return undecided !== null;
  };

  const onHandle = (/** @type {{x: number, y: number}} */ { x, y }) => ["figure.rows.first", "figure.rows.last"].some((id) => {
    const [left, top, width, height] = ui.rect(id);
    return width > 0 && Math.abs(x - left - width / 2) < 12 && Math.abs(y - top - height / 2) < 16;
  });

  const lift = (/** @type {PointerEvent} */ event) => {
    const p = at(event);
    fingers.delete(event.pointerId);
    if (resting && !touch(event) && event.type === "pointerup") openMenu(resting);
    moves();
    if (undecided && Math.hypot(p.x - undecided.x, p.y - undecided.y) >= begun) ui.cancelPress(); // no tap
    undecided = null;
    if (pinched) {
      if (fingers.size === 0) pinched = null;
      if (pulling) ui.endPull();
      else ui.pinch(p.x, p.y, 1, 0, 0, true);
      pulling = false;
    } else {
      ui.pointer(2, p.x, p.y, event.button === 1 ? 2 : event.button === 2 ? 1 : 0, touch(event));
    }
    schedule(3);
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", (event) => { // the browser scrolls the page with this finger, so the gesture is undone
    ui.cancelPress();
    lift(event);
  });
  const leave = () => {
    ui.pointer(3, 0, 0, 0, false);
    schedule(2);
  };
  canvas.addEventListener("pointerleave", leave);
  over.addEventListener("pointerleave", leave);
  canvas.addEventListener("dblclick", (event) => { // the browser's event is reliable even when frames are slow
    const p = at(event);
    ui.doubleClick(p.x, p.y);
    schedule(2);
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  const wheel = (/** @type {WheelEvent} */ event) => {
    if (!event.cancelable) return;
    // Browsers report a pinch on a touchpad as a wheel event with Ctrl.
    if (pageScrolls() && document.activeElement !== canvas && !event.ctrlKey) return;
    const pixels = event.deltaMode === 1 ? event.deltaY * 33 : event.deltaMode === 2 ? event.deltaY * 400 : event.deltaY;
    if (event.currentTarget === over) { // the canvas does not know where the pointer is
      const p = at(event);
      ui.pointer(0, p.x, p.y, 0, false);
    }
    ui.wheel(-pixels / pixelsPerNotch);
    event.preventDefault();
    schedule(3);
  };
  for (const place of [canvas, over]) place.addEventListener("wheel", wheel, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey) return;
    if (ui.key(event.key, event.shiftKey, event.altKey)) event.preventDefault();
    schedule(2);
  });
}
