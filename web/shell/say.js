// The visitor's own text on the figure of a study that reads no text: it is typed here and moved along the positions, and a
// model's prediction after it is shown.
import { $, setText } from "./dom.js";

const commitAfter = 800; // milliseconds without a key after which the typed text becomes a step of the history
const kind = "shift_positions:";

/** The edits with this shift in place of another shift; without a shift of 0, which would do nothing. */
function shifted(edits, by) {
  const others = edits.filter((e) => !e.spec.startsWith(kind));
  return by > 0 ? [...others, { spec: `${kind}${by}`, on: true }] : others;
}

export class Say {
  #typed = null; // the text typed last, as long as it was not changed elsewhere
  #timer = 0;
  #sliding = false;
  #edits = [];

  constructor(dispatch) {
    this.dispatch = dispatch;
    const text = $("say-text"), slider = $("say-shift");
    text.addEventListener("input", () => {
      this.#typed = text.value;
      dispatch({ do: "prompt", text: text.value, dragging: true });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#commit(), commitAfter);
    });
    text.addEventListener("blur", () => this.#commit());
    text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      this.#commit();
      dispatch({ do: "predict" });
    });
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

  #shift(dragging) {
    this.dispatch({ do: "edits", list: shifted(this.#edits, Number($("say-shift").value)), dragging });
  }

  render(schema, { text, state, status }) {
    $("say").hidden = !schema.shows_text; // its space is reserved before the text is there
    if (!schema.shows_text) return;
    this.#edits = state.subject.edits;
    if (this.#typed === null && $("say-text").value !== state.subject.prompt) $("say-text").value = state.subject.prompt;
    this.#place(text, status.opened?.n_ctx ?? 1024);
    $("say-next").hidden = Boolean(text?.sentence || text?.problem);
    setText($("say-answer"), text?.problem || text?.sentence || "");
    $("say-answer").classList.toggle("problem", Boolean(text?.problem));
    $("say-answer").classList.toggle("old", Boolean(text?.busy));
  }

  /** Where the text is. A prompt that the visitor has not changed is not on the figure, and its tokens are not known. */
  #place(text, positions) {
    const slider = $("say-shift"), shift = text?.shift ?? 0, count = Math.max(text?.tokens ?? 1, 1);
    const at = (position) => position.toLocaleString("en");
    const place = text?.tokens ? `positions ${at(shift)} to ${at(shift + count - 1)}` : `from position ${at(shift)}`;
    slider.max = String(Math.max(positions - count, 0));
    if (!this.#sliding) slider.value = String(shift);
    slider.setAttribute("aria-valuetext", place);
    setText($("say-range"), place);
  }
}
