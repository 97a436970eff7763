// All trials of a sweep as a table: sorted, filtered, copied.
import { copyText, csvText, h, save, toast } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { count, duration, param as shown, plural, shellWord, short, words } from "../lib/format.js";
import { followSweep } from "../lib/live.js";
import { kept, links, param, setParams } from "../lib/route.js";
import { trialsWhere } from "../lib/search.js";
import { pick, picked, sweepData } from "../lib/sweep.js";
import { ColumnChoice } from "../ui/columns.js";
import { filterBar } from "../ui/filter.js";
import { Grid } from "../ui/grid.js";
import { empty, link, stateMark, sweepTabs } from "../ui/parts.js";
import { tickedBar, Ticks } from "../ui/ticks.js";
import { sweepHeading } from "./heading.js";

const fixed = ["trial", "value", "state", "reason", "phase", "seeds", "steps", "seconds"];

// Those, with the further objectives, the confirmed and the expected values behind the value, the
// parameters, and what is not shown at first.
function namesOf(data) {
  const { columns } = data;
  const more = data.further().map((metric) => `further.${metric}`);
  for (const name of ["confirmed", "expected"])
    if ((columns[name] ?? []).some((value) => value !== null)) more.push(name);
  const params = Object.keys(columns).filter((name) => name.startsWith("params."));
  return [...fixed.slice(0, 2), ...more, ...fixed.slice(2), ...params, "number"];
}

const atFirst = (names) =>
  names
    .filter((name) => name !== "number")
    .map((name) => ({ name, pinned: ["trial", "value"].includes(name) }));

// -1, 0, 1 of two cells: numbers before texts, nothing last.
function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return String(a) < String(b) ? -1 : 1;
}

export function sortedRows(data, { name, down }) {
  const rows = data.visible();
  if (name === "value") {
    const best = data.byPlace(rows);
    const goalDown = data.goal === "maximize";
    const [some, none] = [
      best.filter((row) => data.columns.value[row] !== null),
      best.filter((row) => data.columns.value[row] === null),
    ];
    return [...(down === goalDown ? some : some.reverse()), ...none];
  }
  const column = data.columns[name] ?? data.columns.number;
  const sign = down ? -1 : 1;
  return rows.sort((a, b) => {
    const order = compare(column[a], column[b]);
    const missing = column[a] === null || column[b] === null;
    return (missing ? order : sign * order) || data.columns.number[a] - data.columns.number[b];
  });
}

// A column has null for a value that is null and for an inactive parameter.
const takesNull = (domain) => !domain?.when && (domain?.values ?? []).includes(null);

const tickColumn = (data, ticks) => ({
  title: h("span.visually-hidden", {}, "Selected"),
  pinned: true,
  cell: (i) => ticks.box(data.columns.trial[i], `tr_${data.columns.trial[i]}`),
});

const titles = {
  number: "No",
  trial: "Trial",
  confirmed: "Confirmed",
  expected: "Expected",
  state: "State",
  reason: "Reason",
  phase: "Phases",
  seeds: "Seeds",
  seconds: "Time",
};
const titleOf = (data, name) =>
  ({ value: data.objective.value, steps: data.spec.budget.unit })[name] ??
  titles[name] ??
  name.replace(/^(further|params)\./, "");

const cellsOf = ({ columns }) => ({
  trial: (i) => [
    link(`tr_${columns.trial[i]}`),
    columns.pinned[i] ? h("span.muted", { title: "pinned" }, " •") : "",
  ],
  state: (i) => stateMark(columns.state[i]),
  reason: (i) => (columns.reason[i] === "none" ? "" : words(columns.reason[i])),
  value: (i) => (columns.value[i] === null ? "–" : short(columns.value[i])),
  confirmed: (i) => short(columns.confirmed[i]),
  expected: (i) => short(columns.expected[i]),
  steps: (i) => count(columns.steps[i]),
  seconds: (i) => (columns.seconds[i] ? duration(columns.seconds[i]) : ""),
});

function paramCell({ columns, spec }, name) {
  const domain = spec.parameters[name.slice("params.".length)];
  return (i) =>
    columns[name][i] === null && !takesNull(domain)
      ? h("span.muted", { title: "inactive: its condition does not hold" }, "–")
      : shown(columns[name][i]);
}

function columnOf(data, { name, pinned }) {
  const { columns } = data;
  const isParam = name.startsWith("params.");
  const num = isParam
    ? columns[name].some((value) => typeof value === "number")
    : !["trial", "state", "reason"].includes(name);
  const cell = isParam
    ? paramCell(data, name)
    : (cellsOf(data)[name] ?? ((i) => short(columns[name][i])));
  return { title: titleOf(data, name), sort: name, num, cell, pinned };
}

const sorting = () => {
  const text = param("sort", "value");
  return { name: text.replace(/^-/, ""), down: text.startsWith("-") };
};

function csvOf(data, rows) {
  const names = Object.keys(data.columns);
  return csvText(
    names,
    rows.map((row) =>
      names.map((name) =>
        name === "trial" ? `tr_${data.columns.trial[row]}` : data.columns[name][row],
      ),
    ),
  );
}

function commandOf(data) {
  const states = param("states")
    .split(",")
    .filter(Boolean)
    .map((state) => `state = ${state}`)
    .join(" or ");
  const where = trialsWhere(param("where"), data.spec.parameters ?? {});
  const both = [states && where ? `(${states})` : states, where && states ? `(${where})` : where]
    .filter(Boolean)
    .join(" and ");
  return `hone ls trials ${data.id}${sorting().name === "value" ? " --sort value" : ""}${both ? ` --where ${shellWord(both)}` : ""}`;
}

// g, a number, Enter: to the trial of that number.
function jumps(grid, data) {
  let digits = null;
  return (event) => {
    if (event.target.closest("input, dialog")) return;
    if (event.key === "g") digits = "";
    else if (digits !== null && /^\d$/.test(event.key)) {
      digits += event.key;
      event.stopPropagation();
    } else if (digits && event.key === "Enter") {
      event.preventDefault();
      const at = grid.list.findIndex((row) => data.columns.number[row] === Number(digits));
      at < 0 ? toast(`Trial number ${digits} is not in this list.`) : grid.reveal(at);
      digits = null;
    } else digits = null;
  };
}

const selectedCurves = (id) =>
  links.sweep(id, "curves", { ...kept(), only: param("pick") ? 1 : "" });

function toolsOf({ data, grid, choice, total, chosen }) {
  const { id } = data;
  return h(
    "div.bar",
    {},
    total,
    chosen,
    h(
      "div.end",
      {},
      choice.element,
      h(
        "button",
        {
          type: "button",
          onclick: () =>
            save(`${id}-trials.csv`, new Blob([csvOf(data, grid.list)], { type: "text/csv" })),
        },
        "CSV",
      ),
      h(
        "button",
        {
          type: "button",
          onclick: () =>
            copyText(
              commandOf(data),
              `The command is in the clipboard${param("brush") ? ", without the brushes" : ""}.`,
            ),
        },
        "Copy as command",
      ),
      h(
        "a.button",
        {
          href: selectedCurves(id),
          onclick: (event) => {
            event.currentTarget.href = selectedCurves(id);
          },
        },
        "Curves of the selected",
      ),
    ),
  );
}

function gridOf(data, ticks, columns, rows) {
  const grid = new Grid({
    label: "Trials",
    columns,
    rows,
    sorted: sorting(),
    open: (row) => {
      location.hash = links.trial(`tr_${data.columns.trial[row]}`);
    },
    key: (row) => data.columns.trial[row],
    selected: (row) => ticks.has(data.columns.trial[row]),
    select: (row, shift) => ticks.toggle(data.columns.trial[row], shift),
    onSort: (name) => {
      const now = sorting();
      setParams({ sort: now.name === name && !now.down ? `-${name}` : name });
      grid.sorted = sorting();
      grid.refresh();
    },
  });
  return grid;
}

function follow(page, data, grid, filter) {
  const keys = jumps(grid, data);
  document.addEventListener("keydown", keys, true);
  const again = async () => {
    if ((await data.loadColumns()) === 0) return;
    if (param("where")) await data.filter(param("where"));
    filter.update();
    grid.refresh();
  };
  const close = () => document.removeEventListener("keydown", keys, true);
  followSweep(page, () => data.id, 1000, again, close);
}

export async function trialsPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  await Promise.all([data.loadSweep(), data.loadColumns()]);
  if (!param("sort")) setParams({ sort: data.goal === "maximize" ? "-value" : "value" });
  const total = h("span.muted", { role: "status" });
  const rows = () => {
    const list = sortedRows(data, sorting());
    total.textContent =
      list.length === data.rows
        ? plural(data.rows, "trial")
        : `${list.length} of ${plural(data.rows, "trial")}`;
    return list;
  };
  const ticks = new Ticks({
    get: picked,
    set: pick,
    order: () => grid.list.map((row) => data.columns.trial[row]),
    changed: () => {
      grid.draw();
      update(
        chosen,
        tickedBar(ticks, (trial) => `tr_${trial}`),
      );
    },
  });
  const chosen = h(
    "span.bar",
    {},
    tickedBar(ticks, (trial) => `tr_${trial}`),
  );
  const names = namesOf(data);
  const columns = () => [
    tickColumn(data, ticks),
    ...choice.list.map((column) => columnOf(data, column)),
  ];
  const choice = new ColumnChoice({
    all: names.map((name) => ({ name, title: titleOf(data, name) })),
    key: id,
    fallback: atFirst(names),
    change: () => {
      grid.columns = columns();
      grid.refresh();
    },
  });
  const grid = gridOf(data, ticks, columns(), rows);
  const filter = filterBar(data, () => grid.refresh());
  await filter.ready;
  grid.refresh();
  follow(page, data, grid, filter);
  return [
    sweepHeading(page, data),
    sweepTabs(id, "trials"),
    filter.element,
    toolsOf({ data, grid, choice, total, chosen }),
    data.rows === 0 ? empty("No trial has been proposed yet.") : h("div.card", {}, grid.element),
  ];
}
