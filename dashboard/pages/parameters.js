// How the parameters relate to the objective: parallel coordinates, slices, pairs, importance.
import { get } from "../lib/api.js";
import { brushText, objectiveKey, readBrushes } from "../lib/brush.js";
import { h, replace } from "../lib/dom.js";
import { plural, short } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { report } from "../lib/report.js";
import { links, param, setParams } from "../lib/route.js";
import { padded, robustRange } from "../lib/scale.js";
import { axisOf, valueAxis } from "../lib/space.js";
import { sweepData } from "../lib/sweep.js";
import { card } from "../ui/card.js";
import { ParallelPlot } from "../chart/parallel.js";
import { scatterPlot } from "../chart/scatter.js";
import { ColumnChoice } from "../ui/columns.js";
import { filterBar } from "../ui/filter.js";
import { empty, sweepTabs } from "../ui/parts.js";
import { sweepHeading } from "./heading.js";
import { brushedDistribution } from "./distribution.js";
import { drawBars } from "./importance.js";
import { pairPart, rankLegend } from "./pair.js";

const axesShown = 8;
const axisLeast = 92; // pixels
const slicesShown = 12;
const importanceLeast = 10; // trials
const handRests = 250; // milliseconds

// What the charts of this page share: rows worst first, and the share of each one's rank.
class View {
  constructor(data) {
    this.data = data;
    this.importance = { items: [] };
    this.weights = []; // the importance by which axes are ordered: not that of a brush
    this.brushes = new Map();
  }

  update() {
    const { data } = this;
    const top = Number(param("top")) || 100;
    const best = data.byPlace(data.visible(false));
    this.passes = data.brush();
    this.all = best.slice(0, Math.max(1, Math.ceil((best.length * top) / 100))).reverse();
    this.share = new Float32Array(data.rows);
    this.all.forEach((row, at) => {
      this.share[row] = this.all.length > 1 ? at / (this.all.length - 1) : 1;
    });
    const values = this.all
      .map((row) => data.columns.value[row])
      .filter((value) => typeof value === "number");
    this.value = valueAxis(data.objective.value, data.goal, padded(robustRange(values), 0.02));
    this.params = ordered(data.parameters, this.weights).map((one) => ({
      ...axisOf(one),
      cells: data.columns[`params.${one.name}`] ?? [],
    }));
    this.value.cells = data.columns.value;
  }

  // The brushes of the address, with that of the objective as shares of its axis.
  readBrushes() {
    this.brushes.clear();
    for (const [name, range] of readBrushes(param("brush"))) {
      const isValue = name === objectiveKey;
      const shares = isValue ? range.map((one) => this.shareAt(one)) : range;
      this.brushes.set(isValue ? this.value.name : name, shares);
    }
  }

  shareAt(value) {
    const share = this.value.share(value);
    return value === Infinity ? 1.001 : value === -Infinity ? 0 : share;
  }

  // A brush that reaches an end of the axis of the objective has all values beyond it.
  writeBrushes() {
    const ofValue = ([low, high]) => [
      low <= 0 ? -Infinity : this.value.value(low),
      high >= 1 ? Infinity : this.value.value(high),
    ];
    const list = [...this.brushes].map(([name, range]) =>
      name === this.value.name ? [objectiveKey, ofValue(range)] : [name, range],
    );
    setParams({ brush: brushText(new Map(list)) });
    this.passes = this.data.brush();
  }

  // The most important ones, until others are chosen.
  firstAxes() {
    const hidden = new Set(param("hide").split(",").filter(Boolean));
    return this.params
      .filter((axis) => !hidden.has(axis.name))
      .slice(0, Number(param("axes")) || axesShown)
      .map(({ name }) => ({ name, pinned: false }));
  }

  axes() {
    const chosen = this.choice?.list ?? this.firstAxes();
    return [...chosen.map(({ name }) => this.params.find((one) => one.name === name)), this.value];
  }

  cell(axis, row) {
    return axis.cells[row] ?? null;
  }

  shareOf(axis, row) {
    return axis.share(this.cell(axis, row));
  }
  nameOf(row) {
    return `tr_${this.data.columns.trial[row]}: ${this.data.objective.value} ${short(this.data.columns.value[row])}`;
  }
}

// The most important first; without importance, as in the sweep file.
function ordered(parameters, items) {
  const weight = new Map(
    items.filter((one) => one.parameters.length === 1).map((one) => [one.parameters[0], one.share]),
  );
  return [...parameters].sort((a, b) => (weight.get(b.name) ?? -1) - (weight.get(a.name) ?? -1));
}

const tableOf = (view) => ({
  header: ["trial", view.data.objective.value, ...view.params.map((axis) => axis.name)],
  rows: [...view.all]
    .reverse()
    .map((row) => [
      `tr_${view.data.columns.trial[row]}`,
      view.data.columns.value[row],
      ...view.params.map((axis) => view.cell(axis, row)),
    ]),
});

// The charts of the page, which are drawn again by refresh().
class Charts {
  constructor(view) {
    this.view = view;
    this.counted = h("span.muted.small", { role: "status" });
    this.parts = { slices: h("div.small-grid"), pair: h("div"), bars: h("div") };
    this.plots = [];
    this.parallel = this.parallelPlot();
    this.distribution = brushedDistribution(view);
    this.filter = filterBar(view.data, () => this.refresh());
    view.choice = new ColumnChoice({
      all: view.data.parameters.map(({ name }) => ({ name, title: name })),
      ...{ key: `${view.data.id}.axes`, title: "Axes", query: "order", pins: false },
      fallback: [],
      change: () => this.redraw(),
    });
  }

  open(row) {
    location.hash = links.trial(`tr_${this.view.data.columns.trial[row]}`);
  }

  parallelPlot() {
    const { view, counted } = this;
    return new ParallelPlot({
      axes: () => view.axes(),
      rows: () => view.all,
      brushes: view.brushes,
      shareOf: (axis, row) => view.shareOf(axis, row),
      valueOf: (axis, row) => view.cell(axis, row),
      rankShare: (row) => view.share[row],
      nameOf: (row) => view.nameOf(row),
      open: (hit) => this.open(hit.row),
      onBrush: () => {
        view.writeBrushes();
        this.filter.update();
        this.redraw();
        this.wantImportance();
      },
      onCount: (kept, all) => {
        counted.textContent =
          kept === all ? plural(all, "trial") : `${kept} of ${plural(all, "trial")} brushed`;
      },
      table: () => tableOf(view),
    });
  }

  rebuild() {
    const { view, parts } = this;
    for (const plot of this.plots) plot.close();
    const base = {
      rows: () => view.all.filter(view.passes),
      colour: (row) => view.share[row],
      text: (row) => view.nameOf(row),
      open: (row) => this.open(row),
    };
    const slices = view.params.slice(0, slicesShown).map((axis) =>
      scatterPlot({
        ...base,
        label: `${view.data.objective.value} by ${axis.name}`,
        x: axis,
        y: view.value,
        shareX: (row) => view.shareOf(axis, row),
        shareY: (row) => view.shareOf(view.value, row),
      }),
    );
    replace(
      parts.slices,
      slices.map((plot) => plot.element),
    );
    this.plots = [...slices, ...pairPart(view, base, parts.pair)];
    drawBars(view.importance, parts.bars);
  }

  redraw() {
    const { parallel, view } = this;
    // On a narrow screen the axes keep a distance at which they can be read, and scroll.
    parallel.element.style.minWidth = `${view.axes().length * axisLeast}px`;
    parallel.redraw();
    const others = [this.distribution, ...this.plots];
    requestAnimationFrame(() => others.forEach((plot) => plot.redraw()));
  }

  refresh() {
    this.filter.update();
    this.view.update();
    this.view.choice.fallback = this.view.firstAxes();
    this.view.choice.draw();
    if (!this.parallel.brushing) this.view.readBrushes();
    this.rebuild();
    this.redraw();
    this.wantImportance();
  }

  // Reads the importance of what the filter leaves, once the hand rests. A report has that of all.
  wantImportance() {
    const where = report ? "" : this.view.data.where();
    if (where === this.where) return;
    this.where = where;
    clearTimeout(this.timer);
    if (where && this.leavesFew()) return;
    this.timer = setTimeout(() => this.readImportance(), handRests);
  }

  // The server refuses fewer.
  leavesFew() {
    const { value } = this.view.data.columns;
    const left = this.view.data.visible().filter((row) => typeof value[row] === "number").length;
    if (left >= importanceLeast) return false;
    const why = `Importance needs at least ${importanceLeast} trials; the filter leaves ${left}`;
    this.view.importance = { items: [], why };
    drawBars(this.view.importance, this.parts.bars);
    return true;
  }

  async readImportance() {
    const { view, where } = this;
    const query = where ? `?where=${encodeURIComponent(where)}` : "";
    const read = get(`/v1/sweeps/${view.data.id}/importance${query}`);
    const answer = await read.catch((error) => ({ items: [], why: error.message }));
    if (where !== this.where) return;
    view.importance = { ...answer, filtered: where !== "" };
    if (where && view.weights.length > 0) return void drawBars(view.importance, this.parts.bars);
    view.weights = answer.items;
    this.refresh();
    return undefined;
  }

  close() {
    clearTimeout(this.timer);
    this.parallel.close();
    this.distribution.close();
    this.plots.forEach((plot) => plot.close());
  }
}

function follow(page, charts) {
  const { data } = charts.view;
  const soon = throttled(2000, async () => {
    if ((await data.loadColumns()) > 0) charts.refresh();
  });
  const later = throttled(20000, () => charts.readImportance());
  page.onFrame((frame) => {
    if (!frame.resync && !frame.sweeps.includes(data.id)) return;
    soon();
    later();
  });
  page.onLeave(() => {
    soon.cancel();
    later.cancel();
    charts.close();
  });
}

const brushHelp =
  "Drag along an axis to brush; beyond its end includes the end; below it, only the inactive. " +
  "The most important parameter is first.";

export async function parametersPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  await Promise.all([data.loadSweep(), data.loadColumns()]);
  const head = [sweepHeading(page, data), sweepTabs(id, "parameters")];
  if (data.parameters.length === 0) return [...head, empty("No parameter of this sweep varies.")];
  const view = new View(data);
  const charts = new Charts(view);
  const { parallel, parts, filter } = charts;
  await filter.ready;
  charts.refresh();
  follow(page, charts);
  const legend = h("div.legend", {}, rankLegend(), h("span", {}, brushHelp));
  return [
    ...head,
    filter.element,
    toolbar(charts),
    h(
      "div.grid",
      {},
      card("Parallel coordinates", [h("div.scroll.sideways", {}, parallel.element), legend], {
        plot: parallel,
        id: "parallel",
      }),
      card("Importance", parts.bars, { span: 5, id: "importance" }),
      card("A pair of parameters", parts.pair, { span: 7, id: "pair" }),
      card("Slices", parts.slices, { id: "slices" }),
      card("Distribution of values", charts.distribution.element, {
        ...{ plot: charts.distribution, id: "distribution" },
      }),
    ),
  ];
}

const topOption = (value) => {
  const text = value === "100" ? "all trials" : `best ${value} %`;
  return h("option", { value, selected: (param("top") || "100") === value }, text);
};

function toolbar(charts) {
  const { view, counted } = charts;
  const top = h(
    "select",
    {
      "aria-label": "Share of the best trials",
      onchange: () => {
        setParams({ top: top.value === "100" ? "" : top.value });
        charts.refresh();
      },
    },
    ["100", "50", "20", "10", "5", "1"].map(topOption),
  );
  const axes = h(
    "select",
    {
      "aria-label": "Number of axes",
      onchange: () => {
        setParams({ axes: axes.value });
        view.choice.fallback = view.firstAxes();
        view.choice.take(view.choice.fallback);
      },
    },
    [...new Set([4, 8, 12, 16, view.params.length])]
      .filter((n) => n <= Math.max(8, view.params.length))
      .sort((a, b) => a - b)
      .map((n) =>
        h(
          "option",
          { value: String(n), selected: n === (Number(param("axes")) || axesShown) },
          plural(n, "axis").replace("axiss", "axes"),
        ),
      ),
  );
  const clear = h(
    "button",
    {
      type: "button",
      onclick: () => {
        view.brushes.clear();
        view.writeBrushes();
        charts.refresh();
      },
    },
    "Clear brushes",
  );
  return h(
    "div.bar",
    {},
    h("label", {}, "Show", top),
    h("label", {}, "with", axes),
    view.choice.element,
    clear,
    counted,
  );
}
