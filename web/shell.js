// Renders snapshots: everything around the canvas. Holds no state of its own.
import { $, h, megabytes, replaceKept, setText, usable } from "./dom.js";
import { Controls } from "./controls.js";
import { Prompt } from "./prompt.js";
import { bindSheet, measureBar, seenPart } from "./sheet.js";
import { Speech } from "./speech.js";
import { applyTheme } from "./theme.js";

const numberText = (value, unit) => {
  if (typeof value !== "number") return value ?? "–";
  if (unit === "fraction") return `${(value * 100).toFixed(2)} %`;
  const text = Number.isInteger(value) ? value : unit ? value.toFixed(2) : Number(value.toFixed(4)); // without a unit: as many digits as texts print
  return `${text}${unit ? ` ${unit}` : ""}`;
};

const themeNames = { system: "as the system", dark: "dark", light: "light" };
/** What the keys do on the canvas, for screen readers. */
const keysHelp = (figure) => figure.has_axes
  ? "Left and right arrows walk along the positions, with Shift by tens, Page keys by hundreds; Enter holds one, Escape lets go. W, A, S and D turn the figure, plus and minus zoom, 0 starts afresh."
  : figure.has_cells
    ? "Arrows walk from cell to cell, with Shift by tens; Enter holds one, Escape lets go. W and S choose another layer, A and D another head. Plus and minus zoom, 0 shows all of it."
    : "Arrows walk through the list; Enter holds an entry, Escape lets go.";

const themeSigns = { system: "◐", dark: "●", light: "○" };

export class Shell {
  constructor(schemas, dispatch, actions) {
    this.schemas = schemas;
    this.dispatch = dispatch;
    this.actions = actions;
    this.last = {};
    this.facts = {};
    this.speech = new Speech();
    this.controls = new Controls($("controls"), {
      set: (values, dragging) => dispatch({ do: "set", values, dragging }),
      view: (change) => dispatch({ do: "view", ...change }),
      facts: () => this.facts,
    });
    this.prompt = new Prompt(dispatch, actions.tokens);
    this.#bind();
  }

  #bind() {
    const themes = ["system", "dark", "light"];
    $("undo").onclick = () => this.dispatch({ do: "undo" });
    $("redo").onclick = () => this.dispatch({ do: "redo" });
    $("theme").onclick = () => this.dispatch({ do: "theme", theme: themes[(themes.indexOf(this.theme) + 1) % 3] });
    $("model").onclick = () => this.actions.chooseModel();
    document.querySelector(".skip").onclick = (event) => {
      event.preventDefault(); // the address is the view's
      $("canvas").focus();
    };
    bindSheet();
    measureBar();
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.matches?.("input, textarea")) return;
      this.dispatch({ do: event.shiftKey ? "redo" : "undo" });
      event.preventDefault();
    });
  }

  /** True once for each new value: lists are rebuilt only when what they show has changed. */
  #changed(name, value) {
    const text = JSON.stringify(value);
    if (this.last[name] === text) return false;
    this.last[name] = text;
    return true;
  }

  render(snapshot) {
    const focused = document.activeElement;
    this.#render(snapshot);
    // Whoever was on something that is gone now goes on at the other end of the history, or at the figure.
    if (focused === document.body || usable(focused)) return;
    const beside = focused.closest(".group")?.querySelector("button:not(:disabled)");
    if (document.activeElement === focused || document.activeElement === document.body) (beside ?? $("canvas")).focus({ preventScroll: true });
  }

  #render(snapshot) {
    const { figure, state, status, result } = snapshot;
    const schema = this.schemas.find((s) => s.id === state.study);
    const last = (count) => (count ? count - 1 : undefined);
    const opened = status.opened ?? {};
    this.facts = { last_position: last(opened.n_ctx), last_layer: last(opened.n_layer), last_head: last(opened.n_head), last_moment: figure.last_moment ?? undefined };
    if (this.theme !== state.theme) {
      this.theme = state.theme;
      applyTheme(state.theme);
      setText($("theme").querySelector(".sign"), themeSigns[state.theme]);
      $("theme").setAttribute("aria-label", `Theme: ${themeNames[state.theme]}`);
      $("theme").title = `Theme: ${themeNames[state.theme]}`;
      this.actions.themeChanged();
    }
    setText($("title"), figure.title);
    $("canvas").setAttribute("aria-label", figure.title || "Figure");
    setText($("subtitle"), figure.subtitle);
    $("undo").disabled = !snapshot.undo;
    $("redo").disabled = !snapshot.redo;
    this.#model(snapshot);
    this.#studies(state, schema);
    this.controls.render(schema, snapshot);
    this.prompt.render(schema, snapshot);
    for (const [name, shown] of [["for-axes", figure.has_axes], ["for-cells", figure.has_cells], ["for-list", !figure.has_axes && !figure.has_cells]])
      document.querySelector(`#help .${name}`).hidden = !shown;
    setText($("canvas-help"), keysHelp(figure));
    $("canvas").classList.toggle("cells", figure.has_cells);
    $("canvas").classList.toggle("list", !figure.has_axes && !figure.has_cells);
    setText($("provenance"), result.provenance);
    const rows = /^rows (\d+)\.\.(\d+)/.exec(result.provenance);
    setText($("data-rows"), rows ? ` · rows ${rows[1]} to ${rows[2]}` : "");
    const notes = [...figure.notes, ...(result.complete ? result.notes : []).map((text) => ({ kind: "caution", text }))];
    if (this.#changed("notes", notes)) $("notes").replaceChildren(...notes.map((n) => h("p", { class: n.kind }, n.text)));
    if (this.#changed("claims", result.claims)) replaceClaims(result.claims);
    this.#notices(status.notices);
    this.#tooltip(snapshot.reading);
    this.#overlay(snapshot, schema);
    this.speech.summary(result.complete && !status.busy ? figure.summary : "");
    this.speech.reading(snapshot.reading, state.focus);
  }

  #model({ state, status, models, models_known }) {
    const opened = status.opened;
    const entry = models.find((m) => m.name === state.model);
    const parts = [];
    if (opened?.precision) parts.push(opened.precision.toLowerCase());
    if (status.want && entry?.bytes) parts.push(`${megabytes(status.have)} of ${megabytes(entry.bytes)}`);
    const none = models_known && !models.length;
    if (!this.#changed("model", [state.model, parts, none])) return;
    $("model").classList.toggle("primary", none); // nothing is open: opening something is what there is to do
    const facts = parts.length ? [h("i", {}, h("span", { class: "joint" }, " · "), parts.join(" · "))] : [];
    $("model").replaceChildren(h("span", { class: "name" }, none ? "Open a GPT-2…" : state.model || "…"), ...facts);
    $("model").title = opened
      ? `${opened.n_layer} layers, d_model ${opened.d_model}, ${opened.n_ctx} positions. Only what the open study needs is read.`
      : "Choose a model";
  }

  #studies(state, schema) {
    const differing = schema.params.filter((p) => state.params[p.key] !== p.default).map((p) => `${p.key}=${state.params[p.key]}`).sort().join("&");
    if (!this.#changed("studies", [state.study, differing])) return;
    const groups = new Map();
    for (const s of this.schemas) groups.set(s.group, [...(groups.get(s.group) ?? []), s]);
    const nodes = [];
    for (const [group, list] of groups) {
      nodes.push(h("h2", {}, group));
      for (const s of list) {
        const open = s.id === state.study;
        nodes.push(h("button", { "aria-current": open && "page", "data-key": `study:${s.id}`, onclick: () => this.dispatch({ do: "study", id: s.id }) }, s.title));
        if (open && s.presets.length) nodes.push(h("ul", {}, ...s.presets.map((p) => h("li", {}, h("button", {
          "aria-current": p.params.split("&").filter(Boolean).sort().join("&") === differing && "true",
          "data-key": `preset:${p.id}`, title: p.note, onclick: () => this.dispatch({ do: "preset", id: p.id }),
        }, p.label)))));
      }
    }
    replaceKept($("studies"), ...nodes);
  }

  #notices(sentences) {
    if (!this.#changed("notices", sentences)) return;
    replaceKept($("notices"), ...sentences.map((sentence, i) => h("p", {}, h("span", {}, sentence),
      i === 0 ? h("button", { "aria-label": "Dismiss notices", "data-key": "dismiss", onclick: () => this.dispatch({ do: "dismiss" }) }, "×") : null)));
  }

  #tooltip(reading) {
    const box = $("tooltip");
    box.hidden = !reading || reading.x === undefined;
    if (box.hidden) return;
    if (this.#changed("reading", [reading.title, reading.lines]))
      box.replaceChildren(h("b", {}, reading.title), h("span", {}, reading.lines.join("\n")));
    box.classList.toggle("locked", reading.locked);
    const seen = seenPart($("stage"));
    const left = reading.x + 14 + box.offsetWidth > seen.right ? reading.x - 14 - box.offsetWidth : reading.x + 14;
    const top = Math.max(Math.min(reading.y - box.offsetHeight - 8, seen.bottom - box.offsetHeight), seen.top);
    box.style.transform = `translate(${Math.max(Math.min(left, seen.right - box.offsetWidth), 0)}px, ${top}px)`;
  }

  /** What can be done where the open model has not what the study reads. */
  #otherModels(schema, state, models, failure) {
    const able = models.filter((m) => m.suits && m.name !== state.model).slice(0, 2);
    const lacking = !models.find((m) => m.name === state.model)?.suits;
    const use = lacking ? able.map((m) => h("button", { class: "primary", "data-key": `use ${m.name}`, onclick: () => this.actions.openModel(m.name) }, `Use ${m.name}`)) : [];
    const another = schema.reads !== "weights" && !failure.retry && !failure.keep_last;
    return [...use, ...(another ? [h("button", { class: use.length ? "" : "primary", "data-key": "models", onclick: () => this.actions.chooseModel() }, "Open another model…")] : [])];
  }

  #overlay({ status, result, state, models }, schema) {
    const box = $("overlay");
    const empty = !result.study;
    const loading = status.busy && status.have < status.want;
    box.hidden = !status.failure && !(empty && status.busy) && !loading;
    box.classList.toggle("below", !empty);
    if (box.hidden) return this.#changed("overlay", null);
    if (!this.#changed("overlay", [status.failure, (empty || loading) && [status.have, status.want, loading], models, state.model])) return;
    if (status.failure) {
      replaceKept(box, h("div", { class: "card", role: "alert" }, h("div", {}, status.failure.sentence),
        ...(empty ? this.#otherModels(schema, state, models, status.failure) : []),
        status.failure.keep_last ? h("button", { class: "primary", "data-key": "keep-last", onclick: () => this.dispatch({ do: "keep_last", on: true }) }, `Keep the last ${status.opened.n_ctx.toLocaleString("en")} tokens`) : null,
        status.failure.retry ? h("button", { class: "primary", "data-key": "again", onclick: () => this.dispatch({ do: "retry" }) }, "Try again") : null,
        empty ? null : h("button", { "aria-label": "Dismiss", "data-key": "dismiss", onclick: () => this.dispatch({ do: "dismiss_failure" }) }, "×")));
      return;
    }
    const known = status.want > 0;
    replaceKept(box, h("div", { class: "loading" }, h("p", {}, known ? `This needs ${megabytes(status.want)}: ${megabytes(status.have)} are here.` : "Looking for a model…"),
      h("progress", { "aria-label": "Loading", ...(known ? { max: status.want, value: status.have } : {}) }),
      loading ? h("button", { "data-key": "cancel", onclick: () => this.actions.cancelLoading() }, "Cancel") : null));
  }
}

function replaceClaims(claims) {
  $("claims").hidden = !claims.length;
  $("claims").replaceChildren(h("h2", { class: "hidden" }, "Claims of the text"), ...claims.map(claimCard));
}

function claimCard(claim) {
  const [sign, word, kind] = claim.holds === true ? ["✓", "holds", "yes"] : claim.holds === false ? ["✗", "does not hold", "no"] : ["·", "shown", "open"];
  const numbers = [];
  if (claim.stated !== null) numbers.push(h("span", {}, `text: ${numberText(claim.stated, claim.unit)}`));
  if (claim.here !== null) numbers.push(h("span", {}, `here: ${numberText(claim.here, claim.unit)}`));
  return h("div", { class: "claim", "data-claim": claim.id }, h("div", {}, h("span", { class: `verdict ${kind}` }, `${sign} ${word}`), claim.text),
    h("div", { class: "numbers" }, ...numbers), h("small", {}, `${claim.id}: ${claim.convention}`));
}
