// Boxes for texts of several lines. A single-line field would lose the line breaks of a text that comes from a link.

import { number, say } from "../words/words.js";

const most = 100_000; // characters of a prompt: a text of a megabyte blocks the page for seconds
const long = 20_000; // characters from which on a box has its full height: measuring a text of a megabyte takes seconds
const fitted = new WeakMap(); // box -> the width and the text it was fitted to

/** Fits a box to its text, within the limits of the style. */
export function fitHeight(/** @type {HTMLTextAreaElement} */ box) {
  if (!box.clientWidth) return; // hidden
  const now = `${box.clientWidth}:${box.value}`;
  if (fitted.get(box) === now) return;
  fitted.set(box, now);
  if (box.value.length > long) {
    box.style.height = "100vh"; // the style's limit is lower
    return;
  }
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight + 2}px`;
}

/**
 * Limits a box to the longest prompt: what is pasted, dropped or typed beyond that is cut off by the browser. `tell(sentence)` says so.
 * A text that comes with a link is never cut off.
 * @param {HTMLTextAreaElement} box
 * @param {(sentence: string) => void} tell
 */
export function limitText(box, tell) {
  box.maxLength = most;
  box.addEventListener("beforeinput", ({ data, dataTransfer }) => {
    const added = (data ?? dataTransfer?.getData("text/plain") ?? "").length;
    const room = most - box.value.length + box.selectionEnd - box.selectionStart;
    if (added > room) tell(say("A prompt has at most {count} characters: the rest of the text was left out.", { count: number(most) }));
  });
}

/** Enter sends; with Shift it makes a new line, and while an input method composes, it is that method's. */
export function onEnter(/** @type {HTMLTextAreaElement} */ box, /** @type {() => void} */ send) {
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  });
}
