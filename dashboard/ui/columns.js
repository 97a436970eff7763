// The menu that chooses, orders and pins the columns of a table, or the axes of a chart. The choice
// is part of the address, and of this browser for the next visit.
import { columnsText, moved, pinToggled, readColumns, toggled } from "../lib/columns.js";
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { param, setParams } from "../lib/route.js";

export class ColumnChoice {
  // all: [{name, title}]; key: of the table in this browser; fallback: columns at first; query: in
  // the address.
  constructor({ all, key, fallback, change, title = "Columns", query = "cols", pins = true }) {
    Object.assign(this, { all, key: `hone.columns.${key}`, fallback, change, query, pins });
    this.panel = h("div.menu-panel");
    this.element = h("details.menu", {}, h("summary.button", {}, title), this.panel);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.element.open = false;
      this.element.firstChild.focus();
    });
    this.draw();
  }

  get list() {
    const text = param(this.query) || localStorage.getItem(this.key) || "";
    return readColumns(
      text,
      this.all.map((one) => one.name),
      this.fallback,
    );
  }

  take(list) {
    const isFirst = columnsText(list) === columnsText(this.fallback);
    setParams({ [this.query]: isFirst ? "" : columnsText(list) });
    isFirst ? localStorage.removeItem(this.key) : localStorage.setItem(this.key, columnsText(list));
    this.draw();
    this.change();
  }

  row({ name, title }, shown) {
    const { list } = this;
    const act = (text, label, next, more = {}) =>
      h(
        "button.quiet.small",
        {
          type: "button",
          "aria-label": `${label} ${title}`,
          onclick: () => this.take(next()),
          ...more,
        },
        text,
      );
    const box = h("input", {
      type: "checkbox",
      checked: shown !== undefined,
      onchange: () => this.take(toggled(list, name)),
    });
    return h(
      "li",
      { dataset: { key: name } },
      h("label", {}, box, ` ${title}`),
      shown
        ? [
            act("↑", "Move up", () => moved(list, name, -1)),
            act("↓", "Move down", () => moved(list, name, 1)),
            this.pins
              ? act("Pin", "Pin", () => pinToggled(list, name), {
                  "aria-pressed": String(shown.pinned),
                })
              : null,
          ]
        : null,
    );
  }

  draw() {
    const { list } = this;
    const shown = new Map(list.map((one) => [one.name, one]));
    const titled = new Map(this.all.map((one) => [one.name, one]));
    update(
      this.panel,
      h(
        "ul",
        {},
        list.map((one) => this.row(titled.get(one.name), one)),
        this.all.filter(({ name }) => !shown.has(name)).map((one) => this.row(one)),
      ),
      h("button", { type: "button", onclick: () => this.take(this.fallback) }, "Reset"),
    );
  }
}
