// Boxes for texts of several lines: fitted to their text, without measuring a very long one; Enter sends.
import "./page.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { fitHeight, onEnter } from "../../web/shell/text_box.js";

/** A box that counts how often it is measured. */
function box(value, clientWidth = 100) {
  return { value, clientWidth, style: { height: "" }, measured: 0, get scrollHeight() { ++this.measured; return 40; } };
}

test("a box is measured once for each text and width, a hidden one not at all", () => {
  const one = box("one\ntwo");
  fitHeight(one);
  fitHeight(one);
  assert.equal(one.style.height, "42px");
  assert.equal(one.measured, 1);
  one.value = "one";
  fitHeight(one);
  assert.equal(one.measured, 2);
  const hidden = box("one", 0);
  fitHeight(hidden);
  assert.equal(hidden.measured, 0);
});

test("a text of a megabyte is not measured", () => {
  const one = box("word ".repeat(200_000));
  fitHeight(one);
  assert.equal(one.measured, 0);
  assert.equal(one.style.height, "100vh");
});

test("Enter sends and adds no line; with Shift, or while an input method composes, it does not", () => {
  const one = new EventTarget();
  let sent = 0;
  onEnter(one, () => { ++sent; });
  const press = (more) => {
    const event = Object.assign(new Event("keydown", { cancelable: true }), { key: "Enter", shiftKey: false, isComposing: false, ...more });
    one.dispatchEvent(event);
    return event.defaultPrevented;
  };
  assert.equal(press({}), true);
  assert.equal(press({ shiftKey: true }), false);
  assert.equal(press({ isComposing: true }), false);
  assert.equal(press({ key: "a" }), false);
  assert.equal(sent, 1);
});
