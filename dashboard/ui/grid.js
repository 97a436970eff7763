// A table of any number of rows of which only those in view exist. A row that stays in view keeps
// its nodes, its focus and the selection of its text.
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";

const rowHeight = 28;
const margin = 12;

const formOf = ({ num, pinned }) => `${num ? ".num" : ""}${pinned ? ".pin" : ""}`;
const placeOf = ({ pinned }, at) => (pinned ? { left: `var(--pin-${at})` } : {});

// A drag that selected text is no click on the row.
const isSelecting = () => getSelection()?.isCollapsed === false;

// options: columns [{title, cell(i) -> child, num, sort, pinned}], of which the pinned ones are
// first and stay when the table scrolls sideways; rows(): indices to show, label,
// open(i), selected(i), select(i, shift), onSort(name), sorted {name, down}, key(i).
export class Grid {
  constructor(options) {
    Object.assign(this, options);
    this.body = h("tbody");
    this.head = h("thead");
    this.table = h("table", { "aria-label": this.label }, this.head, this.body);
    this.element = h(
      "div.virtual",
      {
        tabindex: "0",
        role: "region",
        "aria-label": this.label,
        dataset: { scroll: "table" },
        onscroll: () => this.schedule(),
        onkeydown: (event) => this.keyPressed(event),
      },
      this.table,
    );
    this.focused = -1;
    new ResizeObserver(() => this.schedule()).observe(this.element);
  }

  schedule() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  refresh() {
    this.list = this.rows();
    this.table.setAttribute("aria-rowcount", String(this.list.length + 1));
    this.drawHead();
    this.draw();
  }

  drawHead() {
    update(
      this.head,
      h(
        "tr",
        {},
        this.columns.map((column, at) => {
          const mine = column.sort && this.sorted?.name === column.sort;
          const sort = mine ? (this.sorted.down ? "descending" : "ascending") : null;
          return h(
            `th${formOf(column)}`,
            { scope: "col", "aria-sort": sort, style: placeOf(column, at) },
            column.sort
              ? h(
                  "button",
                  { type: "button", onclick: () => this.onSort(column.sort) },
                  column.title,
                  mine ? (this.sorted.down ? " ↓" : " ↑") : "",
                )
              : column.title,
          );
        }),
      ),
    );
  }

  draw() {
    if (!this.list) return;
    const first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - margin);
    const shown = Math.ceil(this.element.clientHeight / rowHeight) + 2 * margin;
    const last = Math.min(this.list.length, first + shown);
    const rows = [];
    for (let at = first; at < last; at++) rows.push(this.row(at));
    update(this.body, this.gap(first), rows, this.gap(this.list.length - last));
    if (this.focused >= first && this.focused < last && this.refocus) {
      this.body.children[this.focused - first + 1].focus({ preventScroll: true });
    }
    this.refocus = false;
    this.placePins();
  }

  // Each pinned column is right of those before it.
  placePins() {
    const { cells } = this.head.rows[0];
    let left = 0;
    for (let at = 0; this.columns[at]?.pinned; at++) {
      this.table.style.setProperty(`--pin-${at}`, `${left}px`);
      left += cells[at].offsetWidth;
    }
  }

  gap(rows) {
    return h(
      "tr.gap",
      { "aria-hidden": "true" },
      h("td", { colspan: this.columns.length, style: { height: `${rows * rowHeight}px` } }),
    );
  }

  row(at) {
    const i = this.list[at];
    return h(
      "tr.row",
      {
        tabindex: "-1",
        dataset: { key: this.key?.(i) ?? i },
        "aria-rowindex": at + 2,
        "aria-selected": this.selected?.(i) ? "true" : null,
        // Shift would select text.
        onmousedown: (event) => event.shiftKey && event.preventDefault(),
        onclick: (event) => {
          if (!event.target.closest("a, button") && !isSelecting()) {
            this.focused = at;
            this.select?.(i, event.shiftKey);
          }
        },
      },
      this.columns.map((column, j) =>
        h(`td${formOf(column)}`, { style: placeOf(column, j) }, column.cell(i)),
      ),
    );
  }

  // Brings a row into view.
  reveal(at) {
    this.focused = Math.max(0, Math.min(this.list.length - 1, at));
    const top = this.focused * rowHeight;
    const view = this.element.clientHeight - 2 * rowHeight;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top > this.element.scrollTop + view) this.element.scrollTop = top - view;
    this.refocus = true;
    this.draw();
  }

  keyPressed(event) {
    const page = Math.floor(this.element.clientHeight / rowHeight) - 2;
    const steps = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    if (event.key in steps) {
      event.preventDefault();
      const to = this.focused + steps[event.key];
      this.reveal(to === -Infinity ? 0 : to === Infinity ? this.list.length - 1 : to);
      if (event.shiftKey) this.select?.(this.list[this.focused], true);
    } else if (event.key === "Enter" && this.focused >= 0 && !event.target.closest("a, button")) {
      this.open?.(this.list[this.focused]);
    } else if (event.key === " " && this.focused >= 0 && !event.target.closest("button")) {
      event.preventDefault();
      this.select?.(this.list[this.focused], event.shiftKey);
    }
  }
}
