// The visitor's own text on the figure of a study that reads no text: it is typed here and moved along the positions, and a
// model's prediction after it is shown.
import { $, setText } from "./dom.js";
import { fitHeight, limitText, onEnter } from "./text_box.js";
import { number, say } from "../words/words.js";

const commitAfter = 800; // milliseconds without a key after which the typed text becomes a step of the history
export class TextOnFigure {
  /** @type {string | null} */
  #typed = null; // the text typed last, as long as it was not changed elsewhere
  #timer = 0;
  #sliding = false;

  constructor(/** @type {Dispatch} */ dispatch) {
    this.dispatch = dispatch;
    const text = $("say-text"), slider = $("say-shift");
    limitText(text, (sentence) => dispatch({ do: "notice", sentence }));
    text.addEventListener("input", () => {
      this.#typed = text.value;
      fitHeight(text);
      dispatch({ do: "prompt", text: text.value, dragging: true });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#commit(), commitAfter);
    });
    text.addEventListener("blur", () => this.#commit());
    onEnter(text, () => {
      this.#commit();
      dispatch({ do: "predict" });
    });
    new ResizeObserver(() => fitHeight(text)).observe($("say"));
    slider.addEventListener("input", () => {
      this.#sliding = true;
      this.#shift(true);
    });
    slider.addEventListener("change", () => {
      this.#sliding = false;
      this.#shift(false);
    });
    $("say-next").onclick = () => dispatch({ do: "predict" });
  }

  #commit() {
    clearTimeout(this.#timer);
    if (this.#typed === null) return;
    const text = this.#typed;
    this.#typed = null;
    this.dispatch({ do: "prompt", text });
  }

  #shift(/** @type {boolean} */ dragging) {
    this.dispatch({ do: "shift", by: Number($("say-shift").value), dragging });
  }

  render(/** @type {Schema} */ schema, /** @type {Snapshot} */ { text, state }) {
    $("say").hidden = !schema.shows_text; // its space is reserved before the text is there
    if (!schema.shows_text) return;
    if (this.#typed === null && $("say-text").value !== state.subject.prompt) $("say-text").value = state.subject.prompt;
    fitHeight($("say-text"));
    this.#place(text);
    $("say-next").hidden = Boolean(text?.sentence || text?.problem);
    setText($("say-answer"), text?.problem || text?.sentence || "");
    $("say-answer").classList.toggle("problem", Boolean(text?.problem));
    $("say-answer").classList.toggle("old", Boolean(text?.busy));
  }

  /** Where the text is. The slider ends where the model that reads the text ends; both are known once its header has been read. */
  #place(/** @type {ShownText | null} */ text) {
    const slider = $("say-shift"), shift = text?.shift ?? 0, count = Math.max(text?.tokens ?? 1, 1);
    const at = (/** @type {number} */ position) => number(position);
    const place = text?.tokens ? say("positions {first} to {last}", { first: at(shift), last: at(shift + count - 1) }) : say("from position {first}", { first: at(shift) });
    const whole = text?.positions ? say("{place} of the {count} of {model}", { place, count: at(text.positions), model: text.model }) : place;
    if (text?.positions) slider.max = String(text.last_shift);
    if (!this.#sliding) slider.value = String(shift);
    slider.setAttribute("aria-valuetext", whole);
    setText($("say-range"), whole);
  }
}
