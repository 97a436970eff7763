// The filter that all views of a sweep share: chips of states and hone's filter language.
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { brushText, isWithin, objectiveKey, readBrushes } from "../lib/brush.js";
import { param as shown, short } from "../lib/format.js";
import { report } from "../lib/report.js";
import { param, setParams } from "../lib/route.js";
import { axisOf } from "../lib/space.js";
import { runStates } from "../lib/states.js";

// Words and conditions that select trials of this sweep.
function completions({ spec }) {
  const choices = Object.entries(spec.parameters ?? {}).flatMap(([name, domain]) =>
    domain.type === "choice" || domain.type === "bool"
      ? (domain.values ?? [true, false]).map((value) => `${name} = ${value}`)
      : [`${name} < `, `${name} > `],
  );
  return [...choices, ...runStates.map((state) => `state = ${state}`), "value > ", "tag = "];
}

const examples = ({ parameters }) => {
  const choice = parameters.find((one) => typeof one.values?.[0] === "string");
  const number = parameters.find((one) => one.type === "float" || one.type === "int");
  return [
    choice ? choice.values[0] : "stopped",
    number ? `${number.name} < ${number.max}` : "value > 0",
  ];
};

// A chip for each brush, which removes it.
export function brushChips(data, change) {
  const brushes = readBrushes(param("brush"));
  const texts = [...brushes].map(([name, range]) => [name, brushRange(data, name, range)]);
  return texts.map(([name, text]) =>
    h(
      "button.chip",
      {
        type: "button",
        dataset: { brush: name, key: `brush ${name}` },
        title: "Remove the brush",
        onclick: () => {
          const left = readBrushes(param("brush"));
          left.delete(name);
          setParams({ brush: brushText(left) });
          change();
        },
      },
      text,
      h("span", { "aria-hidden": "true" }, " ×"),
    ),
  );
}

function brushRange(data, name, [low, high]) {
  const parameter = data.parameters.find((one) => one.name === name);
  if (name === objectiveKey) return `${data.objective.value} ${short(low)} to ${short(high)}`;
  if (!parameter || low < 0) return `${name} inactive`;
  const axis = axisOf(parameter);
  if (axis.discrete) {
    const inside = axis.values.filter((value) => isWithin(axis.share(value), [low, high]));
    return `${name} ${inside.map((value) => shown(value)).join(", ") || "none"}`;
  }
  return `${name} ${[low, high].map((share) => short(axis.value(Math.min(1, share)))).join(" to ")}`;
}

const searchField = (data) =>
  h("input", {
    type: "search",
    id: "filter",
    value: param("where"),
    autocomplete: "off",
    spellcheck: "false",
    placeholder: `Filter, for example ${examples(data).join(", or ")}`,
    list: "filters",
    "aria-label": "Filter of the trials",
  });

function countsOf({ columns, rows }) {
  const counts = {};
  for (let row = 0; row < rows; row++)
    counts[columns.state[row]] = (counts[columns.state[row]] ?? 0) + 1;
  return counts;
}

// change(): called after the filter was applied. Returns {element, update()}.
export function filterBar(data, change) {
  const chips = h("div.chips", { role: "group", "aria-label": "States" });
  const trouble = h("span.bad.small", { role: "alert" });
  const field = searchField(data);
  const offers = h(
    "datalist",
    { id: "filters" },
    completions(data).map((value) => h("option", { value })),
  );
  const apply = async () => {
    trouble.textContent = "";
    try {
      await data.filter(field.value.trim());
      setParams({ where: field.value.trim() });
      change();
    } catch (error) {
      trouble.textContent = error.message;
    }
  };
  field.addEventListener("change", apply);
  field.addEventListener("search", apply);
  const toggle = (state) => {
    const now = new Set(param("states").split(",").filter(Boolean));
    now.has(state) ? now.delete(state) : now.add(state);
    setParams({ states: [...now].join(",") });
    draw();
    change();
  };
  const brushes = () => {
    draw();
    change();
  };
  function draw() {
    const counts = countsOf(data);
    const on = new Set(param("states").split(",").filter(Boolean));
    update(
      chips,
      runStates
        .filter((state) => counts[state] || on.has(state))
        .map((state) =>
          h(
            "button.chip",
            {
              type: "button",
              dataset: { state, key: state },
              "aria-pressed": String(on.has(state)),
              onclick: () => toggle(state),
            },
            h(`span.dot.${state}`, { "aria-hidden": "true" }),
            `${state} ${counts[state] ?? 0}`,
          ),
        ),
      brushChips(data, brushes),
    );
  }
  draw();
  // The server reads filters; in a report the chips remain.
  const element = h("div.bar", {}, chips, report ? null : [field, offers], trouble);
  return { element, update: draw, ready: param("where") && !report ? apply() : Promise.resolve() };
}
