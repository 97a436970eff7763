// A choice that is part of the address; its first option is the one that the address leaves out.
import { h } from "../lib/dom.js";
import { param, setParams } from "../lib/route.js";

export function choice(name, title, options, change) {
  const select = h(
    "select",
    {
      "aria-label": title,
      onchange: ({ target }) => {
        setParams({ [name]: target.value === options[0][0] ? "" : target.value });
        change();
      },
    },
    options.map(([value, text]) =>
      h("option", { value, selected: param(name, options[0][0]) === value }, text),
    ),
  );
  return h("label", {}, title, select);
}
