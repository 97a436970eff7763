// A framed part of a page; that of a chart has its numbers as a table, as CSV and as PNG.
import { csvText, h, save } from "../lib/dom.js";

// A framed part of a page. plot: adds the buttons for its table, CSV and PNG.
export function card(
  title,
  body,
  { span = "", plot = null, end = [], flush = false, id = "" } = {},
) {
  const place = h(flush ? "div.body.flush" : "div.body", {}, body);
  const buttons = plot ? exportButtons(title, plot, place) : [];
  return h(
    `section.card${span ? `.span-${span}` : ""}`,
    { "aria-label": title, dataset: id ? { card: id } : {} },
    h("header", {}, h("h2", {}, title), h("div.end", {}, end, buttons)),
    place,
  );
}

function exportButtons(title, plot, place) {
  const name = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  let table = null;
  const toggle = h(
    "button.quiet.small",
    {
      type: "button",
      "aria-pressed": "false",
      onclick: () => {
        if (table) {
          table.remove();
          table = null;
        } else place.append((table = asTable(plot.table())));
        plot.element.hidden = table !== null;
        toggle.setAttribute("aria-pressed", String(table !== null));
        plot.redraw();
      },
    },
    "Table",
  );
  const csv = h(
    "button.quiet.small",
    {
      type: "button",
      onclick: () => {
        const { header, rows } = plot.table();
        save(`${name}.csv`, new Blob([csvText(header, rows)], { type: "text/csv" }));
      },
    },
    "CSV",
  );
  const png = h(
    "button.quiet.small.wide-only",
    { type: "button", onclick: () => plot.canvas.toBlob((blob) => save(`${name}.png`, blob)) },
    "PNG",
  );
  return plot.table ? [toggle, csv, png] : [png];
}

// At most 1,000 rows are shown; CSV has all of them.
export function asTable({ header, rows }) {
  const shown = rows.slice(0, 1000);
  const cell = (value) =>
    typeof value === "number" ? h("td.num", {}, String(value)) : h("td", {}, String(value ?? ""));
  const table = h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        header.map((name) => h("th", { scope: "col" }, name)),
      ),
    ),
    h(
      "tbody",
      {},
      shown.map((row) => h("tr", {}, row.map(cell))),
    ),
  );
  const note =
    rows.length > shown.length
      ? h("p.muted.small", {}, `The first ${shown.length} of ${rows.length} rows; CSV has all.`)
      : null;
  return h(
    "div.scroll.as-table",
    { tabindex: "0", role: "region", "aria-label": "The chart's numbers" },
    table,
    note,
  );
}
