// The figure's tables: those that are part of the figure stand below it, all others are built when the visitor opens them.
// Columns are sorted by a click or a key, long tables can be filtered, and a row may be a link.
import { $, h, replaceKept, scrolledTo } from "./dom.js";
import { cardsOf } from "./table_cards.js";
import { ordered } from "./row_order.js";
import { say } from "../words/words.js";

const firstRows = 200, filteredFrom = 12;
const longText = 28; // characters from which on a cell is wrapped

/** The key of the row whose button this is, if it is one. */
const keyOf = (/** @type {EventTarget | null} */ target) => (target instanceof HTMLElement && target.matches("button.link") ? target.dataset.key : undefined);

/** The state of a shown table: its order, its filter, and how much of it is shown. `go(fragment)` follows a row's link. */
class TableView {
  #order = { column: -1, up: true };
  #filter = "";
  #whole = false;
  #asTable = false; // its rows are cards unless the visitor wants lines
  /** @type {FigureTable} */
  #table = { headings: [], numeric: [], rows: [], go: [], title: "", help: "", open: false, cards: null };
  #body = h("tbody", {});
  #head = h("tr", {});
  #count = h("span", { class: "count", role: "status" });
  /** @type {string | undefined} */
  #stop = undefined; // the key of the row that the tab key stops at

  /** @param {string} title @param {(fragment: string) => void} go */
  constructor(title, go) {
    this.go = go;
    this.input = h("input", { type: "search", placeholder: say("Filter rows"), "aria-label": say("Filter rows: {table}", { table: title }), "data-key": `filter:${title}`, oninput: () => { this.#filter = this.input.value.toLowerCase(); this.#fill(); } });
    this.forms = h("div", { class: "segments", role: "group", "aria-label": title }, ...[false, true].map((asTable) =>
      h("button", { type: "button", "data-key": `as:${asTable}:${title}`, onclick: () => {
        this.#asTable = asTable;
        this.#fill();
      } }, asTable ? say("Table") : say("Cards"))));
    this.tools = h("div", { class: "tools" }, this.input, this.#count, this.forms);
    this.cards = h("div", {});
    this.scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title, "data-key": `table:${title}` },
      h("table", {}, h("caption", {}, this.caption = h("span", {})), h("thead", {}, this.#head), this.#body));
    this.more = h("button", { type: "button", "data-key": `all:${title}`, onclick: () => {
      this.#whole = true;
      this.scroll.focus({ preventScroll: true }); // before the button, which has the focus, is hidden
      this.#fill();
    } });
    this.#head.addEventListener("focusin", ({ target }) => { // a wide column's heading may be seen in part only, which browsers take for seen
      if (target instanceof Element) target.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
    this.#body.addEventListener("keydown", (event) => this.#walk(event));
    this.#body.addEventListener("focusin", (event) => { this.#stop = keyOf(event.target) ?? this.#stop; this.#markStop(); });
    this.element = h("div", { class: "table" }, this.tools, this.cards, this.scroll, this.more);
  }

  show(/** @type {FigureTable} */ table) {
    const same = JSON.stringify(table.headings) === JSON.stringify(this.#table.headings);
    this.#table = table;
    if (!same) this.#order = { column: -1, up: true };
    this.forms.hidden = !table.cards;
    this.input.hidden = table.rows.length <= filteredFrom;
    this.tools.hidden = this.input.hidden && !table.cards;
    this.caption.textContent = table.help ? `${table.title}. ${table.help}` : table.title;
    if (!same) this.#head.replaceChildren(...table.headings.map((text, column) => this.#heading(text, column)));
    this.#fill();
  }

  #heading(/** @type {string} */ text, /** @type {number} */ column) {
    const button = h("button", { type: "button", class: "sort", title: say("Sort by {column}", { column: text }), onclick: () => {
      const again = this.#order.column === column;
      this.#order = { column, up: again ? !this.#order.up : !this.#table.numeric[column] };
      this.#fill();
    } }, text);
    return h("th", { scope: "col" }, button);
  }

  #ordered() {
    const { rows, numeric } = this.#table, { column, up } = this.#order;
    const kept = [...rows.keys()].filter((i) => !this.#filter || rows[i].some((text) => text.toLowerCase().includes(this.#filter)));
    if (column < 0) return kept;
    return ordered(rows, kept, { column, numeric: numeric[column], up });
  }

  #row(/** @type {number} */ i) {
    const { rows, go, numeric } = this.#table, fragment = go[i];
    const cells = rows[i].map((text, j) => h("td", numeric[j] ? { class: "number" } : text.length > longText ? { class: "long" } : {}, text));
    if (!fragment) return h("tr", {}, ...cells);
    const follow = () => this.go(fragment);
    cells[0].replaceChildren(h("button", { type: "button", class: "link", "data-key": `row:${i}`, onclick: (event) => { event.stopPropagation(); follow(); } }, rows[i][0]));
    return h("tr", { class: "leads", onclick: follow }, ...cells);
  }

  get #links() {
    return /** @type {NodeListOf<HTMLElement>} */ (this.#body.querySelectorAll("button.link"));
  }

  /** Of the rows that lead somewhere, one is a stop of the tab key: that which had the focus last, else the first. */
  #markStop() {
    const links = [...this.#links], stop = links.find((link) => keyOf(link) === this.#stop) ?? links[0];
    for (const link of links) link.tabIndex = link === stop ? 0 : -1;
  }

  /** From it the arrows, Home and End lead to the others. */
  #walk(/** @type {KeyboardEvent} */ event) {
    const links = [...this.#links], at = links.findIndex((link) => link === event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (at < 0 || to === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    links[Math.max(0, Math.min(links.length - 1, to))].focus();
  }

  #fill() {
    const order = this.#ordered(), { title, rows, cards } = this.#table, asCards = Boolean(cards) && !this.#asTable;
    this.scroll.hidden = asCards;
    [...this.forms.children].forEach((button, i) => button.setAttribute("aria-pressed", String(asCards === (i === 0))));
    replaceKept(this.cards, ...(asCards ? cardsOf(/** @type {FigureTable & {cards: TableCards}} */ (this.#table), order, this.go) : []));
    const shown = this.#whole ? order.length : Math.min(order.length, firstRows);
    replaceKept(this.#body, ...(asCards ? [] : order.slice(0, shown)).map((i) => this.#row(i)));
    this.#markStop();
    [...this.#head.children].forEach((cell, j) => {
      const sorted = j === this.#order.column ? (this.#order.up ? "ascending" : "descending") : "none";
      cell.setAttribute("aria-sort", sorted);
      cell.classList.toggle("number", Boolean(this.#table.numeric[j])); // known with the first rows, which may come later
    });
    this.#count.textContent = order.length < rows.length ? say("{shown} of {all} rows", { shown: order.length, all: rows.length }) : say("{all} rows", { all: rows.length });
    this.more.hidden = asCards || shown >= order.length;
    this.more.textContent = say("Show all {all} rows", { all: order.length });
    this.more.setAttribute("aria-label", `${this.more.textContent}: ${title}`);
  }
}

/** Single numbers: one line each, with name and value. */
const numbersElement = (/** @type {FigureTable} */ { title, headings, rows }) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title, "data-key": `table:${title}` },
  h("table", {}, h("caption", {}, title), h("tbody", {}, ...headings.map((text, i) => h("tr", {}, h("th", { scope: "row" }, text), h("td", {}, rows[0][i]))))));

/** Puts another result into the same tables and keeps the reader's row. */
function replaceTables(/** @type {HTMLElement} */ place, /** @type {HTMLElement[]} */ blocks) {
  const scrolled = () => /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll(".scroll"));
  const places = new Map([...scrolled()].map((e) => [e.dataset.key, scrolledTo(e)]));
  replaceKept(place, ...blocks);
  for (const element of scrolled()) {
    const to = places.get(element.dataset.key);
    if (to) element.scrollTo(to);
  }
}

/**
 * `tables()` fetches them, `go(fragment)` follows a row's link; `update(fingerprint, described)` rebuilds them when the result has
 * changed and they are visible.
 * @param {() => FigureTable[]} tables
 * @param {(fragment: string) => void} go
 */
export function bindTables(tables, go) {
  const details = $("data");
  /** @type {Map<string, TableView>} */
  const views = new Map();
  let wanted = "", built = "", anyOpen = false;
  const element = (/** @type {FigureTable} */ table) => {
    if (table.rows.length === 1 && !table.go.length) return numbersElement(table);
    if (!views.has(table.title)) views.set(table.title, new TableView(table.title, go));
    const view = /** @type {TableView} */ (views.get(table.title));
    view.show(table);
    return view.element;
  };
  const build = () => {
    const key = `${wanted} ${details.open}`;
    if ((!details.open && !anyOpen) || built === key) return;
    built = key;
    const all = tables();
    replaceTables($("figure-tables"), all.filter((t) => t.open).map(element));
    replaceTables($("tables"), details.open ? all.filter((t) => !t.open).map(element) : []);
  };
  details.addEventListener("toggle", build);
  return (/** @type {string} */ fingerprint, /** @type {ShownFigure["tables"]} */ described) => {
    wanted = fingerprint + described.map((t) => t.title).join("|");
    anyOpen = described.some((t) => t.open);
    $("figure").parentElement?.classList.toggle("with-tables", anyOpen);
    $("figure").parentElement?.classList.toggle("with-cards", described.some((t) => t.open && t.cards));
    if (!anyOpen && $("figure-tables").hasChildNodes()) {
      $("figure-tables").replaceChildren();
      built = ""; // so that the same table is built again when it returns
    }
    build();
  };
}
