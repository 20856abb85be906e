// Where the page's parts stand: beside the figure, or in one column, in which the figure comes before what one may want next. They
// are moved in the document, so that keys and screen readers follow the order that is seen.
import { $ } from "./dom.js";
import { phone } from "./phone_sheet.js";

const wide = matchMedia("(min-width: 67.51em) and (min-height: 30.01em)"); // as in grid.css

function arrange() {
  const focused = document.activeElement;
  if (phone.matches) $("tools").after($("subtitle"));
  else $("title").after($("subtitle"));
  if (wide.matches) {
    $("subtitle").after($("runs-on"));
    $("lead").append($("verdict"));
    $("rail").append($("subject"), $("leads"));
  } else {
    $("say").before($("verdict"), $("runs-on"));
    $("say").after($("subject"));
    $("about").before($("leads"));
  }
  /** @type {HTMLElement} */ (focused).focus({ preventScroll: true }); // a moved element loses it
}

export function bindArrangement() {
  arrange();
  for (const query of [wide, phone]) query.addEventListener("change", arrange);
}
