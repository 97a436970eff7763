// Questions to the user. Each states what will happen before it happens.
import { post } from "../lib/api.js";
import { h, toast } from "../lib/dom.js";

function inputOf({ kind = "text", value = "", options, min, hint = "" }) {
  if (kind === "area") return h("textarea", { rows: "6", value, spellcheck: "false" });
  if (!options) return h("input", { type: kind, value, min, placeholder: hint });
  const choices = options.map(([one, text]) =>
    h("option", { value: one, selected: one === value }, text),
  );
  return h("select", {}, choices);
}

// Asks; calls act(values) when the user agrees.
// fields: [{name, label, value, kind, hint, note, options: [[value, text]]}].
export function ask({ title, text, fields = [], yes, danger = false, act }) {
  const inputs = new Map(fields.map((field) => [field.name, inputOf(field)]));
  const trouble = h("p.bad", { role: "alert" });
  const go = h(danger ? "button.danger" : "button.primary", { type: "submit" }, yes);
  const form = h(
    "form",
    {
      method: "dialog",
      onsubmit: async (event) => {
        event.preventDefault();
        go.disabled = true;
        try {
          const said = await act(
            Object.fromEntries([...inputs].map(([name, input]) => [name, input.value])),
          );
          box.close();
          if (said) toast(said);
        } catch (error) {
          const name = (error.at ?? "").split("/").at(-1);
          trouble.textContent = inputs.has(name) ? `${name}: ${error.message}` : error.message;
          inputs.get(name)?.focus();
          go.disabled = false;
        }
      },
    },
    h("h2", {}, title),
    h("p", {}, text),
    h(
      "div.fields",
      {},
      fields.map((field) =>
        h(
          "label",
          {},
          h("span", {}, field.label, field.note ? h("span.muted.small", {}, ` ${field.note}`) : ""),
          inputs.get(field.name),
        ),
      ),
    ),
    trouble,
    h("div.actions", {}, h("button", { type: "button", onclick: () => box.close() }, "Back"), go),
  );
  const box = h("dialog", { onclose: () => box.remove(), "aria-label": title }, form);
  document.body.append(box);
  box.showModal();
  return box;
}

export const postTo = (path, body, said) => async () => {
  await post(path, body);
  return said;
};

export function showKeys() {
  const keys = [
    ["g s", "sweeps"],
    ["g w", "workers"],
    ["g e", "events"],
    ["/", "the filter"],
    ["1 … 9", "a view of the sweep"],
    ["b", "the best trial"],
    ["g, number, Enter in the table", "go to that trial"],
    ["↑ ↓ ← →", "next row, point or phase"],
    ["Enter", "open"],
    ["Space", "select a row"],
    ["Shift with a click, Space or ↑ ↓", "select all rows between"],
    ["Esc", "clear, zoom out"],
    ["?", "this list"],
  ];
  const box = h(
    "dialog",
    { onclose: () => box.remove(), "aria-label": "Keyboard shortcuts" },
    h("h2", {}, "Keyboard shortcuts"),
    h(
      "dl.pairs",
      {},
      keys.map(([key, what]) => [h("dt.mono", {}, key), h("dd", {}, what)]),
    ),
    h("form", { method: "dialog" }, h("div.actions", {}, h("button.primary", {}, "Close"))),
  );
  document.body.append(box);
  box.showModal();
}
