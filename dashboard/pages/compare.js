// 2 to 12 trials, runs or sweeps side by side: curves, results, cost, what differs, their metrics.
import { get } from "../lib/api.js";
import { comparedAtMost, idsOf, kindOf } from "../lib/compare.js";
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { duration, plural } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { report } from "../lib/report.js";
import { links, param, setParams } from "../lib/route.js";
import { objectiveOf } from "../lib/sweep_words.js";
import { BandsPlot } from "../chart/bands.js";
import { phaseTick } from "../chart/plot.js";
import { seriesPlot } from "../chart/series.js";
import { card } from "../ui/card.js";
import { choice } from "../ui/choice.js";
import { lineKey } from "../ui/key.js";
import { heading, link, problem } from "../ui/parts.js";
import { readSeries, readSides } from "./compare_sides.js";
import { resultTable, settingsTable } from "./compare_table.js";
import { sweepsDistribution } from "./distribution.js";

const metricsAtMost = 24; // charts at first
const axesOf = (ids, unit) =>
  isOfSweeps(ids)
    ? [
        ["spent", `${unit} trained`],
        ["trial", "trials"],
        ["time", "time"],
        ["best", `${unit} of the best trial`],
      ]
    : [
        ["step", unit],
        ["phase", "phase"],
        ["time", "relative time"],
      ];
const isOfSweeps = (ids) => kindOf(ids[0]) === "sweep";
const axisOf = (ids) => param("x") || (isOfSweeps(ids) ? "spent" : "step");

const hidden = () => param("hide").split(",").filter(Boolean);
const toggleHidden = (id) => {
  const now = hidden();
  setParams({
    hide: (now.includes(id) ? now.filter((one) => one !== id) : [...now, id]).join(","),
  });
};

// The x of a band's points, on the axis that was chosen.
function placed(side, x) {
  if (x === "phase") return side.items.map((one) => ({ ...one, step: one.phase }));
  if (x !== "time" || side.kind === "sweep") return side.items;
  return side.items
    .filter((one) => side.times.has(one.phase))
    .map((one) => ({ ...one, step: side.times.get(one.phase) }));
}

function viewOf({ sides, x }) {
  const units = [...new Set(sides.map(({ sweep }) => sweep.spec.budget.unit))].join(" or ");
  const { metric, bar } = objectiveOf(sides[0].sweep);
  const forms = {
    phase: { label: "phase", format: phaseTick, whole: true, text: () => "" },
    time: {
      label:
        sides[0].kind === "sweep" ? "time since submission" : "time since the start of the run",
      format: duration,
      text: duration,
    },
    trial: { label: "trials", whole: true },
  };
  return {
    bands: sides
      .filter(({ id }) => !hidden().includes(id))
      .map((side) => ({
        ...{ name: side.id, style: side.style, items: placed(side, x) },
        note: side.kind === "sweep" ? side.name : side.sweep.name,
      })),
    x: forms[x] ?? { label: units },
    y: { label: metric, bar },
  };
}

const legend = (state, redraw) =>
  h(
    "div.legend",
    { role: "group", "aria-label": "Curves that are drawn" },
    state.sides.map(({ id, style }) =>
      h(
        "button.chip.small",
        {
          type: "button",
          dataset: { key: id },
          "aria-pressed": String(!hidden().includes(id)),
          title: "Switch its curves on or off",
          onclick: () => {
            toggleHidden(id);
            redraw();
          },
        },
        lineKey(style),
        id,
      ),
    ),
    state.sides.some(({ items }) => items.some((one) => one.n > 1))
      ? h("span", {}, "bands: interquartile mean over seeds with its 95 % t-interval")
      : null,
  );

// Values of different objectives or budgets cannot be compared; the files still can.
function warnings(sides) {
  const texts = (of) => [...new Set(sides.map(({ sweep }) => of(sweep)))];
  const goals = texts((sweep) => objectiveOf(sweep).text);
  const units = texts((sweep) => sweep.spec.budget.unit);
  return [
    goals.length > 1 ? h("p.warn.whole", {}, `The objectives differ: ${goals.join("; ")}.`) : null,
    units.length > 1 ? h("p.warn.whole", {}, `The units differ: ${units.join(", ")}.`) : null,
  ];
}

// What may be added: sweeps, or the best trials of the first side's sweep.
async function offers(ids, sides) {
  const path = isOfSweeps(ids)
    ? "/v1/sweeps?limit=200"
    : `/v1/sweeps/${sides[0].sweep.id}/best?limit=${report ? 10 : 50}`;
  const { items } = await get(path).catch(() => ({ items: [] }));
  return items.filter((one) => !ids.includes(one.id));
}

function adder(ids, others) {
  const said = h("span.bad.small", { role: "alert" });
  const field = h("input", {
    ...{ type: "text", list: "others", autocomplete: "off", spellcheck: "false" },
    "aria-label": "Id to add",
    placeholder: isOfSweeps(ids) ? "sw_1" : "tr_1 or rn_1.0",
  });
  const add = (event) => {
    event.preventDefault();
    const next = idsOf([...ids, field.value].join());
    said.textContent = next.trouble;
    if (!next.trouble) location.hash = links.compare(next.ids);
  };
  return h(
    "form.bar",
    { onsubmit: add },
    h("label", {}, "Add", field),
    h(
      "datalist",
      { id: "others" },
      others.map((one) => h("option", { value: one.id }, one.name ?? "")),
    ),
    h("button", { type: "submit", disabled: ids.length >= comparedAtMost }, "Add"),
    said,
  );
}

function metricsCard(state) {
  const { series, cut } = state.read;
  const shown = state.allMetrics ? series : series.slice(0, metricsAtMost);
  for (const { name } of shown)
    if (!state.plots.has(name))
      state.plots.set(
        name,
        seriesPlot(
          name,
          () => seriesOf(state, name),
          () => state.unit,
        ),
      );
  const rest = series.length - shown.length;
  return card(
    isOfSweeps(state.ids) ? "Metrics of the best trials" : "Metrics",
    [
      series.length === 0 ? h("p.muted", {}, "None of these logs another metric.") : null,
      h(
        "div.small-grid",
        {},
        shown.map(({ name }) =>
          h("div", { dataset: { key: name } }, h("h2", {}, name), state.plots.get(name).element),
        ),
      ),
      rest > 0
        ? h("button", { type: "button", onclick: state.showAllMetrics }, `Show ${rest} more`)
        : null,
      cut ? h("p.muted.small", {}, "Of a run the first 10,000 points are read.") : null,
    ],
    { id: "metrics" },
  );
}

const seriesOf = ({ read, sides }, name) => {
  const one = read.series.find((each) => each.name === name);
  return sides
    .map((side, i) => ({ name: side.id, style: side.style, ...one.sides[i] }))
    .filter((side) => !hidden().includes(side.name));
};

function allSettings(redraw) {
  const box = h("input", { type: "checkbox" });
  box.checked = param("all") !== "";
  box.addEventListener("change", () => {
    setParams({ all: box.checked ? 1 : "" });
    redraw();
  });
  return h("label.small", {}, box, " Equal settings as well");
}

export async function comparePage(page) {
  const { ids, trouble } = idsOf(page.ids.join(","));
  if (trouble) return [heading("Compare"), problem({ message: `${trouble}.` })];
  const state = { ids, plots: new Map(), read: { series: [], cut: false } };
  const reread = async () => {
    state.x = axisOf(ids);
    state.sides = await readSides(ids, state.x);
    state.sides.forEach((side, i) => Object.assign(side, { style: i }));
    state.unit = state.sides[0].sweep.spec.budget.unit;
  };
  await reread();
  const others = await offers(ids, state.sides);
  const parts = { key: h("div"), metrics: h("div.whole"), results: h("div"), settings: h("div") };
  const warning = h("div.whole");
  const plot = new BandsPlot({ label: "Curves side by side", view: () => viewOf(state) });
  const shown = () => state.sides.filter(({ id }) => !hidden().includes(id));
  state.spread = isOfSweeps(ids)
    ? sweepsDistribution(shown, () => objectiveOf(state.sides[0].sweep).value)
    : null;
  const leave = (id) => {
    location.hash = links.compare(ids.filter((one) => one !== id));
  };
  const draw = () => {
    update(warning, warnings(state.sides));
    update(parts.key, legend(state, draw));
    update(parts.results, resultTable(state.sides, leave));
    update(parts.settings, settingsTable(state.sides, leave, param("all") !== ""));
    update(parts.metrics, metricsCard(state));
    for (const one of plots()) one.redraw();
  };
  const plots = () => [plot, state.spread?.plot, ...state.plots.values()].filter(Boolean);
  state.showAllMetrics = () => {
    state.allMetrics = true;
    draw();
  };
  const metrics = async () => {
    [state.read] = await Promise.all([readSeries(state.sides), state.spread?.read()]);
    draw();
  };
  draw();
  metrics();
  follow(page, state, async () => {
    await reread();
    await metrics();
  });
  page.onLeave(() => {
    for (const one of plots()) one.close();
  });
  return layout(state, { plot, parts, warning, others, draw, reread });
}

function layout(state, { plot, parts, warning, others, draw, reread }) {
  const { ids } = state;
  const axis = choice("x", "over", axesOf(ids, state.unit), async () => {
    await reread();
    draw();
  });
  return [
    titleOf(state),
    h("div.bar", {}, axis, adder(ids, others)),
    h(
      "div.grid",
      {},
      warning,
      card(curvesTitle(ids, state), [plot.element, parts.key], { plot, id: "compare" }),
      spreadCard(state),
      card("Results and cost", parts.results, { flush: true, id: "results" }),
      card("What differs", parts.settings, {
        flush: true,
        id: "differences",
        end: allSettings(draw),
      }),
      parts.metrics,
    ),
  ];
}

const spreadCard = ({ spread }) =>
  spread
    ? card("Distribution of values", spread.plot.element, {
        ...{ plot: spread.plot, id: "distribution" },
      })
    : null;

const curvesTitle = (ids, { sides }) =>
  `${isOfSweeps(ids) ? "Best reports" : "Learning curves"}: ${objectiveOf(sides[0].sweep).metric}`;

function titleOf({ ids, sides }) {
  const noun = [...new Set(ids.map(kindOf))];
  const title = noun.length === 1 ? plural(ids.length, noun[0]) : `${ids.length} trials and runs`;
  const sweeps = [...new Set(sides.map(({ sweep }) => sweep.id))];
  return heading(`Compare ${title}`, [
    isOfSweeps(ids)
      ? null
      : h(
          "span",
          {},
          "of ",
          sweeps.slice(0, 3).map((id) => [link(id), " "]),
        ),
    ids.length < 2 ? h("span", {}, "Add a second one to compare it with.") : null,
  ]);
}

function follow(page, state, again) {
  const soon = throttled(3000, again);
  page.onFrame((frame) => {
    const { sides } = state;
    if (frame.resync || sides.some(({ sweep }) => frame.sweeps.includes(sweep.id))) soon();
  });
  page.onLeave(soon.cancel);
}

// The newest sweep of the same objective, if possible on the same data set.
function closest(sweep, others) {
  const { metric, goal } = sweep.objective;
  const same = others.filter(
    (one) => one.objective.metric === metric && one.objective.goal === goal,
  );
  return same.find((one) => one.dataset && one.dataset === sweep.dataset) ?? same[0] ?? others[0];
}

// A sweep with another one, from its heading.
export async function sweepComparePage(page) {
  const [id] = page.ids;
  const [sweep, { items }] = await Promise.all([
    get(`/v1/sweeps/${id}`),
    get("/v1/sweeps?limit=200"),
  ]);
  const other =
    param("with") ||
    closest(
      sweep,
      items.filter((one) => one.id !== id),
    )?.id;
  history.replaceState(null, "", links.compare(other ? [id, other] : [id], { x: param("by") }));
  return comparePage({ ...page, ids: [[id, other].filter(Boolean).join()] });
}
