// Presenter's mode: one figure for the back row. Arrow keys walk the steps of the open lesson, or the views of the open study; Space
// shows the answer, B blanks the screen, L is a pointer, Q shows a QR code, N opens the speaker's notes, Escape leaves.
import { $, h, setText } from "../shell/dom.js";
import { addressOf } from "../start/files.js";
import { Notes } from "./notes.js";
import { say } from "../words/words.js";

const style = addressOf("style/present.css");
const typing = "input:not([type=radio], [type=checkbox]), textarea, select";

export class Presenter {
  #on = false;
  #pointing = false; // the pointer stays on until it is switched off
  #written = "";

  /** `page`: as for Surroundings; `actions.leave()`. */
  constructor(/** @type {SurroundedPage} */ page, /** @type {{leave: () => void}} */ actions) {
    this.page = page;
    this.actions = actions;
    document.head.append(h("link", { rel: "stylesheet", href: style }));
    this.notes = new Notes((event) => this.#key(event));
    this.laser = h("div", { id: "laser", "aria-hidden": "true", hidden: true });
    this.blank = h("div", { id: "blank", role: "button", tabindex: "0", "aria-label": say("The screen is blank. Press any key."), hidden: true, onclick: () => this.#blank(false) });
    this.dashes = h("ol", { class: "dashes", "aria-hidden": "true" });
    this.where = h("span", { class: "where" });
    const button = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ title, /** @type {() => void} */ act) => h("button", { type: "button", class: name, title, onclick: act }, label);
    this.revealing = button("reveal", say("Show the answer"), say("Space"), () => this.#reveal());
    this.pointing = button("point", say("Pointer"), say("Hold L"), () => this.#point(!this.#pointing, { stays: true }));
    this.bar = h("nav", { id: "present-bar", "aria-label": say("Presenter’s mode"), hidden: true }, this.dashes,
      button("back", "←", say("The step before"), () => this.#walk(-1)), button("on", "→", say("The next step"), () => this.#walk(1)),
      this.revealing, button("dark", say("Blank"), "B", () => this.#blank(true)), this.pointing,
      button("code", say("QR code"), "Q", () => this.#showCode(/** @type {boolean} */ (this.code.hidden))), button("notes", say("Notes"), "N", () => this.#openNotes()), button("leave", say("Leave"), "Escape", () => this.actions.leave()), this.where);
    this.code = h("div", { id: "present-code", hidden: true, onclick: () => this.#showCode(false) });
    document.body.append(this.bar, this.code, this.blank, this.laser);
    addEventListener("keydown", (event) => this.#key(event), { capture: true });
    addEventListener("keyup", (event) => { if (event.key.toLowerCase() === "l" && !this.#pointing) this.#point(false); }, { capture: true });
    addEventListener("blur", () => { if (!this.#pointing) this.#point(false); });
    addEventListener("pointermove", ({ clientX, clientY }) => { this.laser.style.translate = `${clientX}px ${clientY}px`; }, { capture: true });
    addEventListener("pointerdown", ({ clientX, clientY }) => { this.laser.style.translate = `${clientX}px ${clientY}px`; }, { capture: true });
  }

  /** The open step of a lesson; null: a study alone is shown. */
  get #step() {
    return this.page.snapshot().state.lesson ? (this.page.lessons()?.presented() ?? null) : null;
  }

  #walk(/** @type {number} */ by) {
    const step = this.#step;
    if (step) return step.go(by);
    const { state, preset } = this.page.snapshot(), { presets } = /** @type {Schema} */ (this.page.schemas.find((s) => s.id === state.study));
    const at = presets.findIndex(({ id }) => id === preset), next = presets[Math.max(0, Math.min(presets.length - 1, at + by))];
    if (next && next.id !== preset) this.page.dispatch({ do: "preset", id: next.id });
  }

  #reveal() {
    this.#step?.reveal();
    this.render(this.page.snapshot());
  }

  #blank(/** @type {boolean} */ on) {
    this.blank.hidden = !on;
    if (on) this.blank.focus();
  }

  #point(/** @type {boolean} */ on, { stays = false } = {}) {
    this.#pointing = on && (stays || this.#pointing);
    this.laser.hidden = !on;
    document.body.classList.toggle("pointing", on);
    this.pointing.setAttribute("aria-pressed", String(on));
  }

  /** A code that opens the same step, or the same view, on the class's own devices. */
  async #showCode(/** @type {boolean} */ on) {
    this.code.hidden = !on;
    if (!on) return;
    const links = this.page.links({ present: false }), address = new URL((this.#step?.shown && links.short) || links.link, location.href).href;
    try {
      const { qrCode } = /** @type {typeof import("../share/share.js")} */ (await import(addressOf("share/share.js").href));
      this.code.replaceChildren(qrCode(address, say("QR code of this view")) ?? h("p", {}, say("The link of this view is too long for a QR code.")));
    } catch {
      this.code.replaceChildren(h("p", {}, say("The QR code could not be loaded. Check the connection and try again.")));
    }
  }

  #openNotes() {
    if (!this.notes.open()) return this.page.dispatch({ do: "notice", sentence: say("The browser has not opened a second window for the notes. Allow windows for this page.") });
    this.#written = "";
    this.render(this.page.snapshot());
  }

  #key(/** @type {KeyboardEvent} */ event) {
    if (!this.#on || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const at = /** @type {Partial<Element>} */ (event.target);
    if (at.closest?.(typing) && event.key !== "Escape") return;
    const pressed = event.key === " " || event.key === "Enter";
    if (pressed && at.closest?.("button, a, input")) return; // it presses what has the focus
    const act = this.#act(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) act();
  }

  #act(/** @type {string} */ key) {
    if (!this.blank.hidden) return () => this.#blank(false);
    const { revealed = true } = this.#step ?? {};
    return {
      ArrowRight: () => this.#walk(1), ArrowLeft: () => this.#walk(-1), PageUp: () => this.#walk(-1),
      PageDown: () => (revealed ? this.#walk(1) : this.#reveal()), // the one key of a remote control
      " ": () => this.#reveal(), b: () => this.#blank(true), ".": () => this.#blank(true), l: () => this.#point(true), q: () => this.#showCode(/** @type {boolean} */ (this.code.hidden)), n: () => this.#openNotes(),
      Escape: () => this.actions.leave(),
    }[key];
  }

  render(/** @type {Snapshot} */ snapshot) {
    const on = snapshot.state.present;
    if (on !== this.#on) {
      this.#on = on;
      this.bar.hidden = !on;
      if (!on) {
        this.#blank(false);
        this.#point(false);
        this.#showCode(false);
        this.notes.close();
      }
    }
    if (!on) return;
    const step = this.#step, model = document.querySelector("#model .name")?.textContent ?? "";
    const schema = /** @type {Schema} */ (this.page.schemas.find((s) => s.id === snapshot.state.study)), { presets } = schema;
    const count = step ? step.lesson.steps.length : presets.length, at = step ? step.step : presets.findIndex(({ id }) => id === snapshot.preset) + 1;
    const place = step ? say("Lesson {lesson}, step {at} of {count}", { lesson: step.lesson.number, at, count }) : at ? say("{study}, view {at} of {count}", { study: schema.title, at, count }) : schema.title;
    const where = `${place} · ${model}`, revealed = step?.revealed ?? true;
    const shown = JSON.stringify([where, revealed, step?.numbers(), snapshot.result.fingerprint]);
    if (shown === this.#written) return;
    this.#written = shown;
    if (!this.code.hidden) this.#showCode(true); // of what is shown now
    setText(this.where, where);
    document.body.classList.toggle("in-open-question", !revealed);
    this.revealing.hidden = revealed;
    this.dashes.replaceChildren(...Array.from({ length: count }, (_, i) => h("li", { class: i + 1 === at ? "here" : i + 1 < at ? "past" : "" })));
    this.notes.write(step, { place, title: $("title").textContent, subtitle: $("subtitle").textContent });
  }
}
