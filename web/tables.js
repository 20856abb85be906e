// The figure as tables, for screen readers and for copying numbers: built only when somebody opens them.
import { $, h, replaceKept } from "./dom.js";

const firstRows = 200;

function tableElement({ title, headings, rows }, count) {
  if (rows.length === 1) // single numbers: a name and its value a line
    return h("table", {}, h("caption", {}, title), h("tbody", {}, ...headings.map((text, i) =>
      h("tr", {}, h("th", { scope: "row" }, text), h("td", {}, rows[0][i])))));
  const head = h("thead", {}, h("tr", {}, ...headings.map((text) => h("th", { scope: "col" }, text))));
  const body = h("tbody", {}, ...rows.slice(0, count).map((row) => h("tr", {}, ...row.map((text) => h("td", {}, text)))));
  return h("table", {}, h("caption", {}, title), head, body);
}

/** One table in its own scrolling region; `whole` remembers the titles of those that were asked for in full. */
function block(table, whole) {
  const shown = whole.has(table.title) ? table.rows.length : firstRows;
  const scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": table.title, "data-key": `table:${table.title}` },
    tableElement(table, shown));
  if (table.rows.length <= shown) return [scroll];
  const text = `Show all ${table.rows.length} rows`;
  const all = h("button", { type: "button", "aria-label": `${text}: ${table.title}`, "data-key": `all:${table.title}`, onclick: () => {
    whole.add(table.title);
    scroll.replaceChildren(tableElement(table, table.rows.length));
    scroll.focus({ preventScroll: true }); // before the button goes, and the focus with it
    all.remove();
  } }, text);
  return [scroll, all];
}

/** Another result in the same tables: whoever reads them stays at the row they were at. */
function replaceTables(place, blocks) {
  const places = new Map([...place.querySelectorAll(".scroll")].map((e) => [e.dataset.key, [e.scrollLeft, e.scrollTop]]));
  replaceKept(place, ...blocks);
  for (const element of place.querySelectorAll(".scroll")) element.scrollTo(...(places.get(element.dataset.key) ?? [0, 0]));
}

/** `tables()` fetches them; `update(subject)` rebuilds when the result is another one and the tables are open. */
export function bindTables(tables) {
  const details = $("data");
  const whole = new Set();
  let wanted = "", built = "";
  const build = () => {
    if (!details.open || built === wanted) return;
    built = wanted;
    replaceTables($("tables"), tables().flatMap((table) => block(table, whole)));
  };
  details.addEventListener("toggle", build);
  return (subject) => {
    wanted = subject;
    build();
  };
}
