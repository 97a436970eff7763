// Check boxes of a table's rows, and what can be done with those that are ticked.
import { comparedAtMost } from "../lib/compare.js";
import { h } from "../lib/dom.js";
import { links } from "../lib/route.js";
import { ticked } from "../lib/ticks.js";

// A box in a row; the row itself may take the click, and Space where it has the focus.
export const tickBox = (label, on, toggle) =>
  h("button.tick", {
    type: "button",
    role: "checkbox",
    "aria-checked": String(on),
    "aria-label": `Select ${label}`,
    title: "Select; with Shift all rows from the last one on",
    onclick: (event) => {
      event.stopPropagation();
      toggle(event.shiftKey);
    },
  });

// The selection of a table. get() and set(ids): where it is kept; order(): the ids of all rows as
// they are shown; changed(): draws it.
export class Ticks {
  constructor({ get, set, order, changed }) {
    Object.assign(this, { get, set, order, changed });
    this.anchor = null;
  }

  has(id) {
    return this.get().includes(id);
  }

  toggle(id, shift) {
    const how = { order: this.order, anchor: this.anchor, shift, most: comparedAtMost };
    this.set(ticked(this.get(), id, how));
    if (!shift) this.anchor = id;
    this.changed();
  }

  clear() {
    this.anchor = null;
    this.set([]);
    this.changed();
  }

  box(id, label = id) {
    return tickBox(label, this.has(id), (shift) => this.toggle(id, shift));
  }
}

// "3 selected", with the page that compares them. idOf(tick): the id of a tick.
export function tickedBar(ticks, idOf = (id) => id) {
  const ids = ticks.get().map(idOf);
  if (ids.length === 0) return null;
  return [
    h("span", { role: "status" }, `${ids.length} selected`),
    ids.length > 1
      ? h("a.button", { href: links.compare(ids), dataset: { act: "compare" } }, "Compare")
      : null,
    h("button.quiet", { type: "button", onclick: () => ticks.clear() }, "Clear"),
  ];
}
