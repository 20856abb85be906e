// What the model reads: a text box, the tokens it becomes, the BOS switch and the list of edits.
import { $, h, replaceKept, setText } from "./dom.js";

const workPatience = 400; // milliseconds a run may take without anybody being told
const commitAfter = 800; // milliseconds without a key until what was typed is a step of the history

/** The forms of an edit, offered while one is typed. */
const editForms = [
  "group_positions:10", "permute_positions:1", "zero_positions", "zero_tokens", "no_mask", "replace_positions:sinusoidal",
  "rank_positions:30", "group_residual:2:10", "mask_previous:0-3:5", "set_score:4.11:7:3:-inf", "move_attention:4.11:7:6:0",
  "scale_head:4.11:2", "scale_attn:4:2", "ablate_head:4.11",
];

/** `dispatch(action)`; `tokens()` fetches what ran: [{id, text, bytes}]. */
export class Prompt {
  #subject = null; // as of the last snapshot
  #sent = null; // what was typed last, while nobody else has changed it
  #timer = 0;
  #tokensOf = ""; // the result whose tokens are shown
  #list = [];
  #focus = {};
  #active = 0; // the token that Tab reaches

  constructor(dispatch, tokens) {
    this.dispatch = dispatch;
    this.tokens = tokens;
    this.text = $("prompt");
    this.strip = $("tokens");
    this.#bindText();
    this.#bindStrip();
    this.#bindEdits();
    $("bos").addEventListener("change", () => dispatch({ do: "bos", on: $("bos").checked }));
    $("precision").addEventListener("change", () => dispatch({ do: "precision", to: $("precision").value }));
    $("stop").onclick = () => {
      dispatch({ do: "stop" });
      this.text.focus();
    };
    $("prompt-by-text").onclick = () => {
      dispatch({ do: "tokens", ids: [] });
      this.text.focus();
    };
  }

  // ---- the text

  #bindText() {
    const { text } = this;
    text.addEventListener("input", () => {
      this.#sent = text.value;
      this.#grow();
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
    new ResizeObserver(() => this.#grow()).observe($("subject"));
  }

  #commit() {
    clearTimeout(this.#timer);
    if (this.#sent === null) return;
    const text = this.#sent;
    this.#sent = null;
    this.dispatch({ do: "prompt", text });
  }

  /** As high as its text, within what the style allows. */
  #grow() {
    const { text } = this;
    if (!text.clientWidth) return;
    const width = `${text.clientWidth}:${text.value}`;
    if (this.measured === width) return;
    this.measured = width;
    text.style.height = "auto";
    text.style.height = `${text.scrollHeight + 2}px`;
  }

  // ---- the tokens: one stop for Tab, arrows walk, Enter holds

  #bindStrip() {
    const { strip } = this;
    const at = (event) => {
      const chip = event.target.closest?.("[data-at]");
      return chip ? Number(chip.dataset.at) : -1;
    };
    const point = (position) => {
      if (this.#focus.locked || position === (this.#focus.position ?? -1)) return;
      this.dispatch({ do: "view", position, dragging: true });
    };
    strip.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") point(at(event)); });
    strip.addEventListener("pointerleave", () => point(-1));
    strip.addEventListener("focusin", (event) => {
      this.#active = Math.max(at(event), 0);
      if (event.target.matches(":focus-visible")) point(at(event));
    });
    strip.addEventListener("click", (event) => this.#choose(at(event)));
    strip.addEventListener("keydown", (event) => {
      const position = at(event), last = this.#list.length - 1;
      const to = { ArrowRight: position + 1, ArrowDown: position + 1, ArrowLeft: position - 1, ArrowUp: position - 1, Home: 0, End: last, PageDown: position + 10, PageUp: position - 10 }[event.key];
      if (to !== undefined) this.#walk(Math.max(0, Math.min(to, last)));
      else if (event.key === "Enter" || event.key === " ") this.#choose(position);
      else if (event.key === "Escape") this.dispatch({ do: "view", position: -1 });
      else return;
      event.preventDefault();
    });
  }

  #walk(position) {
    const chips = this.strip.children;
    chips[this.#active]?.setAttribute("tabindex", "-1");
    chips[position]?.setAttribute("tabindex", "0");
    chips[position]?.focus();
  }

  /** A study that works at one position is told which; elsewhere the token is held, or let go. */
  #choose(position) {
    if (position < 0) return;
    if (this.schema.params.some((p) => p.key === "position" && p.bound === "last_position"))
      return this.dispatch({ do: "set", values: { position: String(position) } });
    const held = this.#focus.locked && this.#focus.position === position;
    this.dispatch({ do: "view", position: held ? -1 : position, locked: !held });
  }

  #chips(list) {
    const { strip } = this;
    while (strip.children.length > list.length) strip.lastChild.remove();
    this.#active = Math.min(this.#active, Math.max(list.length - 1, 0));
    list.forEach((token, i) => {
      const old = this.#list[i], chip = strip.children[i];
      if (chip && old && old.id === token.id && old.text === token.text) return;
      const made = h("span", {
        class: "token", role: "option", "data-at": String(i), tabindex: i === this.#active ? "0" : "-1", "aria-selected": "false",
        title: `position ${i}, id ${token.id}, ${token.bytes ? `bytes ${token.bytes.replace(/..(?=.)/g, "$& ")}` : "no vocabulary here to read it"}`,
      }, ...(token.bytes ? pieces(token.text) : [String(token.id)]));
      if (chip) chip.replaceWith(made);
      else strip.append(made);
    });
    this.#list = list;
    this.lit = null; // new chips are not lit yet
  }

  /** The tokens in focus: a query and a key in their own colours, or one alone. */
  #light(focus, chosen) {
    const classes = new Map();
    const add = (position, name) => { if (position >= 0) classes.set(position, [...(classes.get(position) ?? []), name]); };
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
      const chip = this.strip.children[position];
      chip?.classList.add(...names);
      chip?.classList.toggle("locked", Boolean(focus.locked));
      chip?.setAttribute("aria-selected", String(Boolean(focus.locked) || names.includes("chosen")));
      if (focus.locked && chip) scrollInto(this.strip, chip);
    }
  }

  // ---- edits

  #bindEdits() {
    $("edit-forms").replaceChildren(...editForms.map((form) => h("option", { value: form })));
    $("add-edit").addEventListener("submit", (event) => {
      event.preventDefault();
      const spec = $("new-edit").value.trim();
      if (!spec) return;
      $("new-edit").value = "";
      this.#edit([...this.#subject.edits, { spec, on: true }]);
    });
  }

  #edit(list) {
    this.dispatch({ do: "edits", list });
  }

  #edits(edits) {
    const text = JSON.stringify(edits);
    if (this.editsText === text) return;
    this.editsText = text;
    setText($("edit-count"), edits.length ? ` (${edits.length})` : "");
    if (edits.length) $("edits").open = true;
    const replace = (i, more) => this.#edit(edits.flatMap((e, k) => (k === i ? more : [e])));
    replaceKept($("edit-list"), ...edits.map((edit, i) => h("li", { class: edit.on ? "" : "off" },
      h("label", {}, h("input", { type: "checkbox", checked: edit.on, "data-key": `edit:${i}`, onchange: (event) => replace(i, [{ ...edit, on: event.target.checked }]) }), h("code", {}, edit.spec)),
      h("button", { type: "button", "aria-label": `Remove ${edit.spec}`, "data-key": `remove:${i}`, onclick: () => replace(i, []) }, "×"))));
  }

  /** How far a long run has come, and an end to it; what is over in a moment shows nothing. */
  #work({ busy, phase, done, total, have, want }, { study, complete }) {
    const working = busy && have >= want && ((study && !complete) || total > 0);
    if (!working) {
      clearTimeout(this.patience);
      this.patience = 0;
      $("work").hidden = true;
      return;
    }
    setText($("phase"), total > 0 ? `${phase}: ${Math.round(done)} of ${Math.round(total)}` : "");
    this.patience ||= setTimeout(() => { $("work").hidden = false; }, workPatience);
  }

  /** A model stored as 8-bit integers runs as such, also by a link that asks for floats: there is nothing to choose. */
  #precision(asked, stored) {
    $("precision").value = stored ? "q8" : asked;
    $("precision").disabled = stored;
    $("precision-stored").hidden = !stored;
  }

  // ---- the whole

  render(schema, { state, status, result }) {
    this.schema = schema;
    const runs = schema.runs_prompt, prompted = schema.reads_prompt;
    $("subject").hidden = !prompted;
    if (!prompted) return;
    const { subject } = state;
    this.#subject = subject;
    const byId = subject.tokens.length > 0;
    this.text.hidden = byId;
    $("by-id").hidden = !byId;
    if (byId) setText($("by-id-text"), `${subject.tokens.length} token ids: ${subject.tokens.slice(0, 12).join(", ")}${subject.tokens.length > 12 ? ", …" : ""}`);
    // Who is typing is ahead of the page; everybody else sees what the state says.
    if (this.#sent === null && this.text.value !== subject.prompt) this.text.value = subject.prompt;
    this.#grow();
    $("bos").checked = subject.bos;
    this.#precision(subject.precision, status.opened?.precision === "q8");
    $("precision-choice").hidden = !runs;
    this.#work(status, result);
    if (result.subject !== this.#tokensOf || result.tokens !== this.#list.length) {
      this.#tokensOf = result.subject;
      if (result.tokens || !status.busy) this.#chips(result.tokens ? this.tokens() : []);
    }
    this.#focus = state.focus;
    const parameter = schema.params.find((p) => p.key === "position" && p.bound === "last_position");
    const at = parameter ? Number(state.params.position) : -1;
    this.#light(state.focus, parameter ? (at < 0 ? this.#list.length - 1 : at) : -1);
    this.strip.hidden = !this.#list.length;
    const limit = status.opened?.n_ctx;
    setText($("token-count"), this.#list.length ? `${this.#list.length}${limit ? ` of ${limit.toLocaleString("en")}` : ""} tokens` : "");
    $("edits").hidden = !runs;
    if (runs) this.#edits(subject.edits);
  }
}

const signs = { "\\n": "⏎", "\\t": "⇥", "\\\\": "\\" };

/** A token's text with its spaces, line ends and broken characters shown as signs. */
function pieces(text) {
  const parts = text.split(/( |\\[nrt\\]|\\x[0-9A-F]{2}|\\u\{[0-9A-F]+\})/).filter(Boolean);
  return parts.map((part) => {
    if (part === " ") return h("i", { class: "space" }, "·");
    if (part === "\\\\") return "\\";
    return part.startsWith("\\") ? h("i", { class: "sign" }, signs[part] ?? part) : part;
  });
}

/** Scrolls the strip alone: the page stays where it is. */
function scrollInto(strip, chip) {
  const box = strip.getBoundingClientRect(), part = chip.getBoundingClientRect();
  if (part.top < box.top) strip.scrollTop -= box.top - part.top;
  else if (part.bottom > box.bottom) strip.scrollTop += part.bottom - box.bottom;
}
