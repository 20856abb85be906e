// The view on paper: in the canvas' place a picture in the colours of paper, as wide as the sheet, and the prompt whole. Both are made
// when the page is about to be printed and removed afterwards; what is not for paper is left out by the style.
import { trustedDrawing } from "../start/trusted.js";
import { $, h } from "./dom.js";

const width = 960; // of the drawing, in its own pixels; the style fits it to the sheet

/**
 * `draw(width)`: the figure as SVG text in the colours of paper; `prompt()`: the text that was read, or "".
 * @param {{draw: (width: number) => string, prompt: () => string}} page
 */
export function bindPrinting({ draw, prompt }) {
  const remove = () => document.getElementById("paper")?.remove();
  addEventListener("beforeprint", () => {
    remove();
    const picture = h("div"), text = prompt();
    picture.innerHTML = trustedDrawing(draw(width));
    $("figure").append(h("div", { id: "paper" }, text ? h("blockquote", { dir: "auto" }, text) : null, picture));
  });
  addEventListener("afterprint", remove);
}
