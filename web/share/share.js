// The link builder: a link to what is on the screen, with parts of the page left out and the theme fixed; the same as a QR code and
// as code for another page.
import { forClass } from "../lessons/seeds.js";
import { copyButton } from "../shell/copy_button.js";
import { $, h, setText } from "../shell/dom.js";
import { addressOf } from "../start/files.js";
import { qrCode } from "./qr.js";
import { marked, number, say, sayParts } from "../words/words.js";

export { qrCode };

const style = addressOf("style/share.css");
/** @type {Record<string, string>} */
const names = {
  menu: marked("Menu of studies"), model: marked("Choice of the model"), prompt: marked("Prompt"), edits: marked("Edits"), settings: marked("Settings"), compare: marked("Comparison"),
  presets: marked("Views"), explanation: marked("Explanation"), leads: marked("Next steps"), lesson: marked("Lessons"), share: marked("Copy and export"), theme: marked("Choice of the theme"),
};
const kinds = { page: marked("The page"), embed: marked("The figure alone, for another page"), present: marked("Presenter’s mode") };
const themes = { system: marked("as the visitor’s system"), dark: marked("dark"), light: marked("light") };

const escaped = (/** @type {string} */ text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/**
 * A text to copy, with its button.
 * @param {string} id
 * @param {string} label
 * @param {number} rows
 */
function copied(id, label, rows) {
  const field = h("textarea", { id, readonly: true, rows: String(rows), spellcheck: "false", onfocus: () => field.select() });
  return { field, block: h("div", { class: "copied" }, h("label", { for: id }, label), field, copyButton(field, say("Copy"))) };
}

export class Share {
  /** @param {{links: Ui["links"], hideNames: string[], snapshot: () => Snapshot, lessons: () => OpenedLessons | null}} page */
  constructor(page) {
    this.page = page;
    document.head.append(h("link", { rel: "stylesheet", href: style }));
    const radio = (/** @type {[string, string]} */ [value, label], /** @type {number} */ i) => h("label", {}, h("input", { type: "radio", name: "share-kind", value, checked: i === 0 }), say(label));
    /** @type {{name: string, box: HTMLInputElement}[]} */
    this.hidden = page.hideNames.filter((/** @type {string} */ name) => name !== "theme").map((/** @type {string} */ name) => ({ name, box: h("input", { type: "checkbox", value: name }) }));
    this.theme = h("select", { id: "share-theme", "aria-label": say("Theme of the link") }, ...Object.entries(themes).map(([value, label]) => h("option", { value }, say(label))));
    this.fixed = h("input", { type: "checkbox", id: "share-fixed" });
    this.short = h("input", { type: "checkbox", id: "share-short" });
    this.shortLine = h("label", { id: "share-short-line" }, this.short, say("Short: the step of the lesson as it is written"));
    this.own = h("input", { type: "checkbox", id: "share-own" });
    this.ownLine = h("label", { id: "share-own-line" }, this.own, say("For a class: each pupil’s page draws other numbers for the questions"));
    this.width = h("input", { type: "number", min: "200", max: "4000", value: "800", "aria-label": say("Width in pixels") });
    this.height = h("input", { type: "number", min: "150", max: "4000", value: "560", "aria-label": say("Height in pixels") });
    this.link = copied("share-link", say("Link"), 3);
    this.code = copied("share-code", say("Code for another page"), 4);
    this.length = h("p", { class: "length", role: "status" });
    this.qr = h("div", { class: "qr" });
    this.try = h("a", { target: "_blank", rel: "noopener" }, say("Open it in a new window"));
    this.form = h("form", { novalidate: true, onsubmit: (event) => event.preventDefault(), oninput: () => this.#write() },
      h("fieldset", { id: "share-kinds" }, h("legend", {}, say("It shows")), ...Object.entries(kinds).map(radio)),
      h("fieldset", { id: "share-hidden" }, h("legend", {}, say("Left out")), ...this.hidden.map(({ name, box }) => h("label", {}, box, say(names[name] ?? name)))),
      h("fieldset", {}, h("legend", {}, say("Theme")), this.theme, h("label", {}, this.fixed, say("Visitors cannot change it"))),
      this.shortLine, this.ownLine);
    this.size = h("p", { class: "size" }, ...sayParts("Size {width} × {height} pixels", { width: this.width, height: this.height }));
    this.size.addEventListener("input", () => this.#write());
    this.dialog = h("dialog", { id: "share", "aria-labelledby": "share-title" }, h("h2", { id: "share-title" }, say("Share")), this.form,
      h("div", { class: "result" }, this.qr, h("div", {}, this.link.block, this.length, h("p", {}, this.try))),
      h("div", { id: "share-frame" }, this.size, this.code.block),
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.dialog.close() }, say("Close"))));
    document.body.append(this.dialog);
  }

  show() {
    const { state } = this.page.snapshot(), step = state.lesson ? this.page.lessons()?.presented() : null;
    for (const { name, box } of this.hidden) box.checked = state.hide.includes(name);
    this.#kind.value = state.embed ? "embed" : state.present ? "present" : "page";
    this.theme.value = state.theme;
    this.fixed.checked = state.hide.includes("theme");
    this.shortLine.hidden = !step;
    this.short.checked = Boolean(step?.shown);
    this.ownLine.hidden = !step?.lesson.steps.some(({ versions }) => versions);
    this.own.checked = false;
    this.#write();
    this.dialog.showModal();
    this.dialog.scrollTop = 0;
  }

  get #kind() {
    return /** @type {RadioNodeList} */ (this.form.elements.namedItem("share-kind"));
  }

  get #options() {
    const kind = this.#kind.value, hide = this.hidden.filter(({ box }) => box.checked).map(({ name }) => name);
    return { embed: kind === "embed", present: kind === "present", theme: this.theme.value, hide: [...hide, ...(this.fixed.checked ? ["theme"] : [])] };
  }

  #write() {
    const options = this.#options, links = this.page.links(options);
    for (const { box } of this.hidden) box.disabled = options.embed || options.present; // these show none of it
    const own = !this.ownLine.hidden && this.own.checked, short = !this.shortLine.hidden && this.short.checked;
    this.short.disabled = own; // the view is that of the numbers that each page draws
    const link = own ? forClass(links.short) : short ? links.short : links.link, address = new URL(link, location.href).href;
    this.link.field.value = address;
    this.try.href = address;
    const code = qrCode(address, say("QR code of the link"));
    this.qr.replaceChildren(code ?? h("p", {}, say("This link is too long for a QR code.")));
    setText(this.length, say("{count} characters after the #.", { count: number(link.length - 1) }));
    $("share-frame").hidden = !options.embed;
    const size = (/** @type {HTMLInputElement} */ field, /** @type {number} */ usual) => Math.round(Math.min(Math.max(Number(field.value) || usual, Number(field.min)), Number(field.max)));
    this.code.field.value = `<iframe src="${escaped(address)}" width="${size(this.width, 800)}" height="${size(this.height, 560)}" style="border: 0" title="${escaped($("title").textContent)}" loading="lazy"></iframe>`;
  }
}
