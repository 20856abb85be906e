// Simulated fingers: sends the browser's own touch events.
import { setTimeout as sleep } from "node:timers/promises";
import { settled } from "./support.mjs";

/** The page options of a phone. */
export const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

const settling = 60; // milliseconds: a page that has just scrolled takes a frame until the browser finds what lies under a finger
const least = 8; // pixels of a step: where each takes long, smaller ones would be a finger that rests

/** glide(from, to, steps, hold): one finger, which rests for so many milliseconds before it is lifted; through(places, steps, hold): the same along several places; pinch(at, from, to): two fingers at these distances from their centre; by: how far that moves; together(a, b, part, meanwhile): two fingers that begin at a and b and go this part of the way to each other, and what is done before they are lifted. */
export async function fingers(page) {
  const session = await page.context().newCDPSession(page);
  const send = async (type, points) => {
    if (type === "touchStart" && points.length === 1) await sleep(settling);
    await session.send("Input.dispatchTouchEvent", { type, touchPoints: points.map((p, id) => ({ x: p.x, y: p.y, id })) });
    await sleep(20);
  };
  const through = async ([start, ...places], steps = 12, hold = 0) => {
    await send("touchStart", [start]);
    for (let from = start, k = 0; k < places.length; from = places[k++]) {
      const to = places[k], count = Math.max(Math.min(steps, Math.floor(Math.hypot(to.x - from.x, to.y - from.y) / least)), 1);
      for (let i = 1; i <= count; ++i) await send("touchMove", [{ x: from.x + ((to.x - from.x) * i) / count, y: from.y + ((to.y - from.y) * i) / count }]);
    }
    if (hold) await sleep(hold);
    if (hold) await send("touchMove", places.slice(-1)); // at rest, so that what was moved does not run on
    await send("touchEnd", []);
    await settled(page);
  };
  const glide = (from, to, steps = 12, hold = 0) => through([from, to], steps, hold);
  /** A finger that rests on a page whose clock is the test's (`clock` of withPage). */
  const rest = async (at, milliseconds) => {
    await send("touchStart", [at]);
    await page.clock.runFor(milliseconds);
    await send("touchEnd", []);
    await settled(page);
  };
  const pinch = async (at, from, to, by = { x: 0, y: 0 }) => {
    const two = (part) => [-1, 1].map((side) => ({ x: at.x + by.x * part + side * (from + (to - from) * part), y: at.y + by.y * part }));
    await send("touchStart", two(0).slice(0, 1));
    await send("touchStart", two(0));
    for (let i = 1; i <= 8; ++i) await send("touchMove", two(i / 8));
    await send("touchEnd", []);
    await settled(page);
  };
  const together = async (a, b, part, meanwhile = async () => {}) => {
    const on = (from, to, p) => ({ x: from.x + ((to.x - from.x) * p) / 2, y: from.y + ((to.y - from.y) * p) / 2 });
    const two = (p) => [on(a, b, p), on(b, a, p)];
    await send("touchStart", [a]);
    await send("touchStart", two(0));
    for (let i = 1; i <= 8; ++i) await send("touchMove", two((part * i) / 8));
    await meanwhile();
    await send("touchEnd", two(part).slice(1));
    await send("touchEnd", []);
    await settled(page);
  };
  return { glide, through, pinch, rest, together };
}
