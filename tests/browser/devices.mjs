// What a visitor works with: a mouse, keys alone, or a finger. Each presses buttons, chooses options and types into fields; a mouse and
// a finger also point at a place on the screen and draw a line through several.
import { fingers } from "./fingers.mjs";

/** The whole content of a field that has the focus becomes this text, as a keyboard on a screen or a desk enters it. */
async function enter(field, text) {
  const { keyboard } = field.page();
  await keyboard.press("ControlOrMeta+a");
  await keyboard.insertText(text);
}

export const mouse = {
  name: "mouse",
  press: (at) => at.click(),
  choose: (option) => option.click(),
  type: async (field, text) => { await field.click(); await enter(field, text); },
  point: (page, at) => page.mouse.click(at.x, at.y),
  async draw(page, [from, ...places], steps = 12) {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (const at of places) await page.mouse.move(at.x, at.y, { steps });
    await page.mouse.up();
  },
};

export const keys = {
  name: "keys",
  press: (at) => at.press("Enter"),
  choose: (option) => option.press("Space"),
  type: async (field, text) => { await field.focus(); await enter(field, text); },
};

const rest = 150; // milliseconds: after a finger that is lifted as it moves, a browser takes the next tap for the end of a fling

export const finger = {
  name: "finger",
  press: (at) => at.tap(),
  choose: (option) => option.tap(),
  type: async (field, text) => { await field.tap(); await enter(field, text); },
  point: (page, at) => page.touchscreen.tap(at.x, at.y),
  async draw(page, places, steps = 12) {
    await (await fingers(page)).through(places, steps, rest);
  },
};
