// A slider over whole numbers with a play button, which runs through the values one after the other.
import { h } from "../shell/dom.js";
import { say } from "../words/words.js";

const interval = 140; // milliseconds for each value while playing

/**
 * The track of parameter `p`. `set(value, dragging)` changes it, `last()` is the last available value. Returns the element and
 * `update(value)`, to be called with the value in the state.
 * @param {Parameter} p
 * @param {{set: (value: number, dragging: boolean) => void, last: () => number}} calls
 */
export function track(p, { set, last }) {
  const input = h("input", { type: "range", min: p.min, step: "1", "aria-label": say("{name} (slider)", { name: p.label }), title: p.help });
  const button = h("button", { type: "button", class: "play", "data-key": `play ${p.key}` });
  let timer = 0, playing = p.min, shown = p.min;

  const label = () => {
    button.textContent = timer ? "❚❚" : "▶";
    button.setAttribute("aria-label", timer ? say("Stop playing: {name}", { name: p.label }) : say("Play: {name}", { name: p.label }));
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    label();
  };
  const finish = () => {
    stop();
    set(Math.min(playing, last()), false); // one entry of the history for the whole playback
  };
  const step = () => {
    if (!button.isConnected) return stop(); // another study is open now
    if (++playing >= last()) finish();
    else set(playing, true);
  };

  button.addEventListener("click", () => {
    if (timer) return finish();
    playing = shown >= last() ? p.min : shown;
    set(playing, true);
    timer = setInterval(step, interval);
    label();
  });
  input.addEventListener("input", () => { stop(); set(Number(input.value), true); });
  input.addEventListener("change", () => set(Number(input.value), false));
  label();

  const update = (/** @type {number} */ value) => {
    const now = Math.min(value, last());
    if (timer && (now > playing || (now < shown && now !== playing))) stop(); // the value was changed elsewhere
    shown = now;
    input.max = String(last());
    input.value = String(now);
    input.setAttribute("aria-valuetext", say("{now} of {last}", { now, last: last() }));
    button.disabled = last() >= p.max; // the number of values is not known yet
  };
  return { element: h("span", { class: "track" }, button, input), update };
}
