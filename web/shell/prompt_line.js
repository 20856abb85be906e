// The prompt in one line, which opens its text, its tokens and what it runs with: in the page, or as a sheet on a phone.
import { $, setText } from "./dom.js";
import { remember, remembered } from "./collapsible.js";
import { Sheet, phone } from "./phone_sheet.js";
import { say } from "../words/words.js";

const name = "prompt";
const shownCharacters = 400; // of the text: the line is cut off at its end anyway

/** Whether a study is about one token of the prompt, which is chosen among the tokens. */
const choosesToken = (/** @type {Schema} */ schema) => schema.params.some((p) => p.key === "position" && p.bound === "last_position");

export class PromptLine {
  #study = "";
  schema = /** @type {Schema} */ (/** @type {unknown} */ (null)); // of the open study

  constructor() {
    this.sheet = new Sheet($("prompt-panel"), $("open-prompt"), () => $($("prompt").hidden ? "prompt-by-text" : "prompt").focus());
    $("open-prompt").addEventListener("click", () => { if (!phone.matches) remember(name, this.sheet.open); });
    phone.addEventListener("change", () => this.#compose());
  }

  /** A phone's sheet is closed until it is asked for; elsewhere the panel is as the visitor left it. */
  #compose() {
    const kept = remembered(name);
    this.sheet.show(!phone.matches && (kept ? kept === "open" : choosesToken(this.schema)));
  }

  /** Opens it where the visitor has to type something. */
  ask() {
    if (!this.sheet.open) this.sheet.toggle();
    else this.sheet.begin();
  }

  render(/** @type {Schema} */ schema, /** @type {PageState["subject"]} */ { prompt, tokens }) {
    this.schema = schema;
    if (this.#study !== schema.id) {
      this.#study = schema.id;
      if (!phone.matches || !schema.reads_prompt) this.#compose();
    }
    const text = tokens.length ? say("Token ids {ids}", { ids: tokens.slice(0, 40).join(", ") }) : prompt.slice(0, shownCharacters).replace(/\s+/g, " ");
    setText($("prompt-shown"), text || say("no text yet"));
  }
}
