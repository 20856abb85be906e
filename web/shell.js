// Renders snapshots: everything around the canvas. Holds no state of its own.
import { $, h, megabytes, replaceKept, setText, usable } from "./dom.js";
import { Controls } from "./controls.js";
import { applyTheme } from "./theme.js";

const numberText = (value, unit) => {
  if (typeof value !== "number") return value ?? "–";
  if (unit === "fraction") return `${(value * 100).toFixed(2)} %`;
  return `${Number.isInteger(value) ? value : value.toFixed(2)}${unit ? ` ${unit}` : ""}`;
};

const themeNames = { system: "as the system", dark: "dark", light: "light" };
const themeSigns = { system: "◐", dark: "●", light: "○" };

const quiet = 150; // milliseconds without news until something is said: a screen reader that is interrupted says nothing

export class Shell {
  constructor(schemas, dispatch, actions) {
    this.schemas = schemas;
    this.dispatch = dispatch;
    this.actions = actions;
    this.last = {};
    this.facts = {};
    this.held = new Set(); // the pointers that are down: something may be dragged
    this.settled = ""; // what is to be said of the newest result
    this.byKeys = false; // the canvas was last used by its keys
    this.readAt = -1; // the position that was read out
    this.controls = new Controls($("controls"), {
      set: (values, dragging) => dispatch({ do: "set", values, dragging }),
      view: (change) => dispatch({ do: "view", ...change }),
      facts: () => this.facts,
    });
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
    this.#listen();
    bindSheet();
    measureBar();
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.matches?.("input, textarea")) return;
      this.dispatch({ do: event.shiftKey ? "redo" : "undo" });
      event.preventDefault();
    });
  }

  /** What the hand is doing, where it matters for what is said. */
  #listen() {
    addEventListener("pointerdown", (event) => this.held.add(event.pointerId), true);
    for (const name of ["pointerup", "pointercancel"])
      addEventListener(name, (event) => { if (this.held.delete(event.pointerId)) this.#speak(); }, true);
    $("canvas").addEventListener("keydown", () => { this.byKeys = true; }, true);
    let last = "";
    for (const name of ["pointerdown", "pointermove"])
      $("canvas").addEventListener(name, ({ clientX, clientY }) => {
        const at = `${clientX},${clientY}`;
        if (name === "pointerdown" || at !== last) this.byKeys = false; // browsers tell of a move also when only the page has moved
        last = at;
      }, true);
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
    this.facts = { last_position: status.opened?.n_ctx ? status.opened.n_ctx - 1 : 0 };
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
    setText($("provenance"), result.provenance);
    const rows = /^rows (\d+)\.\.(\d+)/.exec(result.provenance);
    setText($("data-rows"), rows ? ` · rows ${rows[1]} to ${rows[2]}` : "");
    const notes = [...figure.notes, ...(result.complete ? result.notes : []).map((text) => ({ kind: "caution", text }))];
    if (this.#changed("notes", notes)) $("notes").replaceChildren(...notes.map((n) => h("p", { class: n.kind }, n.text)));
    if (this.#changed("claims", result.claims)) replaceClaims(result.claims);
    this.#notices(status.notices);
    this.#tooltip(snapshot.reading);
    this.#overlay(snapshot);
    this.#say(result.complete && !status.busy ? figure.summary : "");
    this.#read(snapshot.reading, state.focus.position);
  }

  /** Spoken when a result has settled, not on every step of a drag. */
  #say(text) {
    if (text === this.settled) return;
    this.settled = text;
    this.#speak();
  }

  #speak() {
    clearTimeout(this.speech);
    if (this.settled && !this.held.size) this.speech = setTimeout(() => setText($("summary"), this.settled), quiet);
  }

  /** Read out when the keys have walked to another position; what the pointer passes over is not. */
  #read(reading, position) {
    const at = reading ? position : -1;
    if (at === this.readAt) return;
    this.readAt = at;
    clearTimeout(this.readTimer);
    const walked = at >= 0 && this.byKeys && document.activeElement === $("canvas");
    if (!walked) return setText($("reading"), "");
    const text = [reading.title, ...reading.lines].join(", ").replace(/\s+/g, " ");
    this.readTimer = setTimeout(() => setText($("reading"), text), quiet);
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

  #overlay({ status, result }) {
    const box = $("overlay");
    const empty = !result.study;
    box.hidden = !status.failure && !(empty && status.busy);
    box.classList.toggle("below", !empty);
    if (box.hidden) return this.#changed("overlay", null);
    if (!this.#changed("overlay", [status.failure, empty && [status.have, status.want]])) return;
    if (status.failure) {
      replaceKept(box, h("div", { class: "card", role: "alert" }, h("div", {}, status.failure.sentence),
        status.failure.retry ? h("button", { class: "primary", "data-key": "again", onclick: () => this.dispatch({ do: "retry" }) }, "Try again") : null,
        empty ? null : h("button", { "aria-label": "Dismiss", "data-key": "dismiss", onclick: () => this.dispatch({ do: "dismiss_failure" }) }, "×")));
      return;
    }
    const known = status.want > 0;
    box.replaceChildren(h("div", {}, h("p", {}, known ? `This needs ${megabytes(status.want)}: ${megabytes(status.have)} are here.` : "Looking for a model…"),
      h("progress", known ? { max: status.want, value: status.have } : {})));
  }
}

/** On a phone the study list is a sheet above the bar, behind a button; elsewhere it stands in the page, and this waits. */
function bindSheet() {
  const nav = $("studies"), button = $("open-studies"), shade = $("shade");
  const isOpen = () => nav.classList.contains("open");
  const show = (open) => {
    nav.classList.toggle("open", open);
    shade.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
  };
  const close = ({ back = true } = {}) => {
    if (!isOpen()) return;
    if (back) button.focus({ preventScroll: true });
    show(false);
  };
  button.onclick = () => {
    if (isOpen()) return close();
    show(true);
    nav.querySelector("[aria-current=page]")?.focus({ preventScroll: true });
  };
  shade.onclick = () => close(); // a click on nothing in particular is no click on some phones
  nav.addEventListener("click", (event) => { if (event.target.closest("button")) close(); });
  document.addEventListener("click", (event) => { if (!nav.contains(event.target) && !button.contains(event.target)) close({ back: nav.contains(document.activeElement) }); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  // Tab leaves it as it leaves any list; then it no longer lies over what comes next.
  nav.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !nav.contains(relatedTarget) && relatedTarget !== button) close({ back: false });
  });
  addEventListener("resize", () => { if (!usable(button)) close({ back: false }); });
}

/** How much of the lower edge the bar covers: what is fixed there or scrolled to keeps clear of it. */
function measureBar() {
  const bar = $("bar");
  const tell = () => {
    const fixed = getComputedStyle(bar).position === "fixed";
    document.documentElement.style.setProperty("--bar", fixed ? `${bar.offsetHeight}px` : "0px");
  };
  new ResizeObserver(tell).observe(bar, { box: "border-box" });
}

/** The part of an element that is on screen and not under the bar, in its own coordinates. */
function seenPart(element) {
  const box = element.getBoundingClientRect();
  const end = innerHeight - (parseFloat(document.documentElement.style.getPropertyValue("--bar")) || 0);
  return { right: Math.min(box.width, innerWidth - box.left), top: Math.max(0, -box.top), bottom: Math.min(box.height, end - box.top) };
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
