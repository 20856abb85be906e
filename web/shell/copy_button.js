// A button that copies a field's text; where the browser does not allow that, it selects the text.
import { h } from "./dom.js";
import { say } from "../words/words.js";

const answerShown = 1600; // milliseconds

/**
 * @param {HTMLTextAreaElement} field
 * @param {string} label
 * @param {ElementAttributes} [attributes] of the button
 */
export function copyButton(field, label, attributes = {}) {
  const button = h("button", { type: "button", ...attributes, onclick: async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = say("Copied");
    } catch {
      field.select();
      button.textContent = say("Selected: press Ctrl+C");
    }
    setTimeout(() => { button.textContent = label; }, answerShown);
  } }, label);
  return button;
}
