// The menu of the views that the user named.
import { h } from "../lib/dom.js";
import { current, links } from "../lib/route.js";
import { update } from "../lib/update.js";
import { readViews, withView } from "../lib/views.js";

const key = "hone.views";

export function viewsMenu(id, page) {
  const panel = h("div.menu-panel");
  const element = h("details.menu", {}, h("summary.button", {}, "Views"), panel);
  const keep = (views) => {
    localStorage.setItem(key, JSON.stringify(views));
    draw();
  };
  const field = h("input", { type: "text", "aria-label": "Name of this view", maxlength: "60" });
  const form = h(
    "form.bar",
    {
      onsubmit: (event) => {
        event.preventDefault();
        keep(withView(readViews(localStorage.getItem(key)), field.value, page, current().query));
        field.value = "";
      },
    },
    ...[field, h("button", { type: "submit" }, "Save this view")],
  );
  function draw() {
    const views = readViews(localStorage.getItem(key));
    const row = (one) =>
      h(
        "li",
        { dataset: { key: one.name } },
        h("a", { href: links.sweep(id, one.page, one.query) }, one.name),
        h(
          "button.quiet.small",
          {
            type: "button",
            "aria-label": `Remove ${one.name}`,
            onclick: () => keep(views.filter((other) => other.name !== one.name)),
          },
          "×",
        ),
      );
    const none = h("p.muted.small", {}, "A name for this page with its filter, axes and choices.");
    update(panel, views.length > 0 ? h("ul", {}, views.map(row)) : none, form);
  }
  element.addEventListener("toggle", () => element.open && draw());
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    element.open = false;
    element.firstChild.focus();
  });
  return element;
}
