// The figure as tables, for screen readers and for copying numbers: built only when somebody opens them.
import { $, h } from "./dom.js";

const firstRows = 200;

function tableElement({ title, headings, rows }, count) {
  if (rows.length === 1) // single numbers: a name and its value a line
    return h("table", {}, h("caption", {}, title), h("tbody", {}, ...headings.map((text, i) =>
      h("tr", {}, h("th", { scope: "row" }, text), h("td", {}, rows[0][i])))));
  const head = h("thead", {}, h("tr", {}, ...headings.map((text) => h("th", { scope: "col" }, text))));
  const body = h("tbody", {}, ...rows.slice(0, count).map((row) => h("tr", {}, ...row.map((text) => h("td", {}, text)))));
  return h("table", {}, h("caption", {}, title), head, body);
}

function block(table) {
  const scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": table.title });
  scroll.append(tableElement(table, firstRows));
  if (table.rows.length <= firstRows) return [scroll];
  const all = h("button", { type: "button", onclick: () => { scroll.replaceChildren(tableElement(table, table.rows.length)); all.remove(); } },
    `Show all ${table.rows.length} rows`);
  return [scroll, all];
}

/** `tables()` fetches them; `update(subject)` rebuilds when the result is another one and the tables are open. */
export function bindTables(tables) {
  const details = $("data");
  let wanted = "", built = "";
  const build = () => {
    if (!details.open || built === wanted) return;
    built = wanted;
    $("tables").replaceChildren(...tables().flatMap(block));
  };
  details.addEventListener("toggle", build);
  return (subject) => {
    wanted = subject;
    build();
  };
}
