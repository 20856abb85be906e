// The prompt: a text box, its tokens, and the BOS switch.
import { $, h, setText } from "./dom.js";
import { listed } from "./edits.js";
import { PromptLine } from "./prompt_line.js";
import { fitHeight, limitText } from "./text_box.js";
import { marked, number, say } from "../words/words.js";

const workPatience = 400; // milliseconds that a run may take before the page shows its progress
const chipsAtOnce = 1000; // tokens shown at a time: a page with 100,000 elements in a line freezes
const commitAfter = 800; // milliseconds without a key after which the typed text becomes a step of the history

/**
 * A token that is shown; `made`: it was generated.
 * @typedef {{token: ShownToken, chip: HTMLElement, made: boolean}} ShownChip
 */

export class Prompt {
  /** @type {string | null} */
  #sent = null; // the text typed last, as long as it was not changed elsewhere
  #timer = 0;
  #tokensOf = ""; // the result whose tokens are shown
  /** @type {ShownToken[]} */
  #list = []; // all tokens
  #own = Infinity; // how many of them belong to the prompt; the others were generated
  #from = 0; // the first token that is shown
  /** @type {ShownChip[]} */
  #made = [];
  #focus = /** @type {Focus} */ ({});
  schema = /** @type {Schema} */ (/** @type {unknown} */ (null)); // of the open study
  patience = 0; // a timer
  /** @type {string | null} */
  lit = null; // what is lit
  held = -1; // the token that is held
  #active = 0; // the token that Tab reaches

  /** `tokens()` fetches the tokens that ran. @param {Dispatch} dispatch @param {() => ShownToken[]} tokens */
  constructor(dispatch, tokens) {
    this.dispatch = dispatch;
    this.tokens = tokens;
    this.text = $("prompt");
    this.strip = $("tokens");
    this.line = new PromptLine();
    this.#bindText();
    this.#bindStrip();
    $("bos").addEventListener("change", () => dispatch({ do: "bos", on: $("bos").checked }));
    $("precision").addEventListener("change", () => dispatch({ do: "precision", to: /** @type {Precision} */ ($("precision").value) }));
    $("stop").onclick = () => {
      dispatch({ do: "stop" });
      (this.line.sheet.open ? this.text : $("open-prompt")).focus();
    };
    $("prompt-by-text").onclick = () => {
      dispatch({ do: "tokens", ids: [] });
      this.text.focus();
    };
  }

  // ---- the text

  #bindText() {
    const { text } = this;
    limitText(text, (sentence) => this.dispatch({ do: "notice", sentence }));
    text.addEventListener("input", () => {
      this.#sent = text.value;
      fitHeight(this.text);
      this.dispatch({ do: "prompt", text: text.value, dragging: true });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#commit(), commitAfter);
    });
    text.addEventListener("blur", () => this.#commit());
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.#commit();
      }
    });
    new ResizeObserver(() => fitHeight(this.text)).observe($("prompt-panel"));
  }

  #commit() {
    clearTimeout(this.#timer);
    if (this.#sent === null) return;
    const text = this.#sent;
    this.#sent = null;
    this.dispatch({ do: "prompt", text });
  }

  // ---- the tokens: one tab stop; arrow keys move, Enter holds the focus

  #bindStrip() {
    const { strip } = this;
    const at = (/** @type {Event} */ event) => {
      const chip = /** @type {HTMLElement | null | undefined} */ (/** @type {Element} */ (event.target).closest?.("[data-at]"));
      return chip ? Number(chip.dataset.at) : -1;
    };
    const point = (/** @type {number} */ position) => {
      if (this.#focus.locked || position === (this.#focus.position ?? -1)) return;
      this.dispatch({ do: "view", focus: { position }, dragging: true });
    };
    strip.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") point(at(event)); });
    strip.addEventListener("pointerleave", () => point(-1));
    strip.addEventListener("focusin", (event) => {
      this.#active = Math.max(at(event), 0);
      if (/** @type {Element} */ (event.target).matches(":focus-visible")) point(at(event));
    });
    strip.addEventListener("click", (event) => {
      const to = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest?.("[data-to]"))?.dataset.to;
      if (to === undefined) return this.#choose(at(event));
      this.#show(Number(to));
      strip.scrollTop = 0;
    });
    strip.addEventListener("keydown", (event) => {
      const position = at(event), last = this.#list.length - 1;
      /** @type {Record<string, number | undefined>} */
      const goals = { ArrowRight: position + 1, ArrowDown: position + 1, ArrowLeft: position - 1, ArrowUp: position - 1, Home: 0, End: last, PageDown: position + 10, PageUp: position - 10 };
      const to = goals[event.key];
      if (to !== undefined) this.#walk(Math.max(0, Math.min(to, last)));
      else if (event.key === "Enter" || event.key === " ") this.#choose(position);
      else if (event.key === "Escape") this.dispatch({ do: "view", focus: {} });
      else return;
      event.preventDefault();
    });
  }

  #walk(/** @type {number} */ position) {
    this.#bring(position);
    this.#chipAt(this.#active)?.setAttribute("tabindex", "-1");
    this.#chipAt(position)?.setAttribute("tabindex", "0");
    this.#chipAt(position)?.focus();
  }

  /** In a study of one position, chooses that position; elsewhere, holds the token or releases it. */
  #choose(/** @type {number} */ position) {
    if (position < 0) return;
    if (this.schema.params.some((p) => p.key === "position" && p.bound === "last_position"))
      return this.dispatch({ do: "set", values: { position: String(position) } });
    const held = this.#focus.locked && this.#focus.position === position;
    this.dispatch({ do: "view", focus: { position: held ? -1 : position }, locked: !held });
  }

  /** The chip of a token, if the token is shown. */
  #chipAt(/** @type {number} */ position) { return this.#made[position - this.#from]?.chip; }

  #chips(/** @type {ShownToken[]} */ list) {
    this.#list = list;
    this.#active = Math.min(this.#active, Math.max(list.length - 1, 0));
    this.#show(Math.min(this.#from, this.#firstOf(list.length - 1)));
  }

  #firstOf(/** @type {number} */ position) { return Math.max(0, Math.floor(position / chipsAtOnce) * chipsAtOnce); }

  /** Shows the part of a long text that this token is in. */
  #bring(/** @type {number} */ position) {
    if (position >= 0 && position < this.#list.length && !this.#chipAt(position)) this.#show(this.#firstOf(position));
  }

  /** Shows the tokens from here on, `chipsAtOnce` of them; a chip at each end says how many more there are. */
  #show(/** @type {number} */ from) {
    const end = Math.min(from + chipsAtOnce, this.#list.length), before = this.#made;
    const stays = from === this.#from;
    const same = (/** @type {ShownChip} */ old, /** @type {number} */ i) => stays && old && old.token.id === this.#list[i].id && old.token.text === this.#list[i].text
      && old.made === i >= this.#own;
    this.#from = from;
    if (this.#active < from || this.#active >= end) this.#active = from;
    this.#made = this.#list.slice(from, end).map((token, k) => (same(before[k], from + k) ? { ...before[k], token } : { token, chip: this.#chip(token, from + k), made: from + k >= this.#own }));
    const more = (/** @type {number} */ count, /** @type {number} */ to, /** @type {string} */ where) => (count > 0
      ? [h("span", { class: "token more", role: "option", "aria-selected": "false", "data-to": String(to) }, say(where, { count: number(count) }))] : []);
    const wanted = [...more(from, from - chipsAtOnce, marked("{count} tokens before")), ...this.#made.map(({ chip }) => chip), ...more(this.#list.length - end, end, marked("{count} tokens more"))];
    const { strip } = this;
    /** @type {ChildNode | null} */
    let at = strip.firstChild; // chips that stay are not moved, so that one of them can keep the keyboard focus
    for (const chip of wanted) {
      if (at && chip === at) at = at.nextSibling;
      else strip.insertBefore(chip, at);
    }
    while (at) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
    this.#chipAt(this.#active)?.setAttribute("tabindex", "0");
    this.lit = null; // new chips are not lit yet
  }

  #chip(/** @type {ShownToken} */ token, /** @type {number} */ i) {
    const made = i >= this.#own;
    return h("span", {
      class: made ? "token made" : "token", role: "option", "data-at": String(i), tabindex: i === this.#active ? "0" : "-1", "aria-selected": "false",
      title: `${made ? `${say("generated")}, ` : ""}${token.bytes ? say("position {position}, id {id}, bytes {bytes}", { position: i, id: token.id, bytes: token.bytes.replace(/..(?=.)/g, "$& ") })
        : say("position {position}, id {id}, no vocabulary here to read it", { position: i, id: token.id })}`,
    }, ...(token.bytes ? pieces(token.text) : [String(token.id)]));
  }

  /** The tokens in focus: a query and a key in their own colours, or one alone. */
  #light(/** @type {Focus} */ focus, /** @type {number} */ chosen) {
    const held = focus.locked ? focus.position ?? focus.query ?? -1 : chosen;
    if (this.held !== held) this.#bring(held); // only when it changes, so that the visitor can look elsewhere in a long text
    this.held = held;
    /** @type {Map<number, string[]>} */
    const classes = new Map();
    const add = (/** @type {number} */ position, /** @type {string} */ name) => { if (position >= 0) classes.set(position, [...(classes.get(position) ?? []), name]); };
    add(focus.position ?? -1, "here");
    add(focus.query ?? -1, "query");
    add(focus.key ?? -1, "key");
    add(chosen, "chosen");
    const text = JSON.stringify([...classes, focus.locked]);
    if (this.lit === text) return;
    this.lit = text;
    for (const chip of this.strip.querySelectorAll(".here, .query, .key, .chosen")) {
      chip.classList.remove("here", "query", "key", "chosen", "locked");
      chip.setAttribute("aria-selected", "false");
    }
    for (const [position, names] of classes) {
      const chip = this.#chipAt(position);
      chip?.classList.add(...names);
      chip?.classList.toggle("locked", Boolean(focus.locked));
      chip?.setAttribute("aria-selected", String(Boolean(focus.locked) || names.includes("chosen")));
      if (focus.locked && chip) scrollInto(this.strip, chip);
    }
  }

  /** The progress of a long run and its stop button; a short run shows nothing. */
  #work(/** @type {Status} */ { busy, phase, done, total, have, want }, /** @type {Snapshot["result"]} */ { study, complete }) {
    const working = busy && have >= want && ((study && !complete) || total > 0);
    if (!working) {
      clearTimeout(this.patience);
      this.patience = 0;
      $("work").hidden = true;
      return;
    }
    setText($("phase"), total > 0 ? `${phase}: ${say("{now} of {last}", { now: Math.round(done), last: Math.round(total) })}` : "");
    this.patience ||= setTimeout(() => { $("work").hidden = false; }, workPatience);
  }

  /** A model stored as 8-bit integers always runs in 8 bits, even if a link asks for floats: there is nothing to choose. */
  #precision(/** @type {string} */ asked, /** @type {boolean} */ stored) {
    $("precision").value = stored ? "q8" : asked;
    $("precision").disabled = stored;
    $("precision-stored").hidden = !stored;
  }

  // ---- the whole

  render(/** @type {Schema} */ schema, /** @type {Snapshot} */ { state, status, result }) {
    this.schema = schema;
    const runs = schema.runs_prompt, prompted = schema.reads_prompt;
    // Beside a study that runs no text, edits made in its figure still change the prediction after the text.
    $("subject").hidden = !prompted && !listed(schema, state).length;
    $("open-prompt").hidden = $("prompt-panel").hidden = !prompted;
    this.#work(status, result);
    this.line.render(schema, state.subject);
    if (!prompted) return;
    const { subject } = state;
    const byId = subject.tokens.length > 0;
    this.text.hidden = byId;
    $("by-id").hidden = !byId;
    if (byId) setText($("by-id-text"), say("{count} token ids: {ids}", { count: subject.tokens.length, ids: `${subject.tokens.slice(0, 12).join(", ")}${subject.tokens.length > 12 ? ", …" : ""}` }));
    // While the visitor types, the box is ahead of the state; otherwise it shows the state's prompt.
    if (this.#sent === null && this.text.value !== subject.prompt) this.text.value = subject.prompt;
    fitHeight(this.text);
    $("bos").checked = subject.bos;
    this.#precision(subject.precision, status.opened?.precision === "q8");
    $("precision-choice").hidden = !runs;
    if (result.fingerprint !== this.#tokensOf || result.tokens !== this.#list.length) {
      this.#tokensOf = result.fingerprint;
      this.#own = result.prompt_tokens;
      if (result.tokens || !status.busy) this.#chips(result.tokens ? this.tokens() : []);
    }
    this.#focus = state.focus;
    const parameter = schema.params.find((p) => p.key === "position" && p.bound === "last_position");
    const at = parameter ? Number(state.params.position) : -1;
    this.#light(state.focus, parameter ? (at < 0 ? this.#list.length - 1 : at) : -1);
    this.strip.hidden = !this.#list.length;
    const limit = status.opened?.n_ctx;
    setText($("token-count"), this.#list.length ? (limit && limit >= this.#list.length ? say("{count} of {most} tokens", { count: this.#list.length, most: number(limit) }) : say("{count} tokens", { count: this.#list.length })) : "");
  }
}

/** @type {Record<string, string>} */
const signs = { "\\n": "⏎", "\\t": "⇥", "\\\\": "\\" };

/** A token's text with its spaces, line ends and broken characters shown as signs. */
function pieces(/** @type {string} */ text) {
  const parts = text.split(/( |\\[nrt\\]|\\x[0-9A-F]{2}|\\u\{[0-9A-F]+\})/).filter(Boolean);
  return parts.map((part) => {
    if (part === " ") return h("i", { class: "space" }, "·");
    if (part === "\\\\") return "\\";
    return part.startsWith("\\") ? h("i", { class: "sign" }, signs[part] ?? part) : part;
  });
}

/** Scrolls the strip alone: the page stays where it is. */
function scrollInto(/** @type {HTMLElement} */ strip, /** @type {HTMLElement} */ chip) {
  const box = strip.getBoundingClientRect(), part = chip.getBoundingClientRect();
  if (part.top < box.top) strip.scrollTop -= box.top - part.top;
  else if (part.bottom > box.bottom) strip.scrollTop += part.bottom - box.bottom;
}
