// What the chart of the learning curves shows, as the address and the selection have it.
import { get } from "../lib/api.js";
import { matrixLines } from "../lib/curve_lines.js";
import { count, duration } from "../lib/format.js";
import { param } from "../lib/route.js";
import { sortedBy } from "../lib/order.js";
import { timeTicks } from "../lib/scale.js";
import { smoothed } from "../lib/smooth.js";
import { picked } from "../lib/sweep.js";
import { phaseTick } from "../chart/plot.js";
import { aheadOfUtc, clock } from "../chart/timeline.js";
import { differences, painter } from "./curve_colours.js";
import { hiddenTrials } from "./curves_legend.js";
import { linesAtMost } from "./curves_series.js";

const topShown = 3;

// The selected trials, or the first three.
function highlighted(data) {
  const chosen = picked();
  if (chosen.length > 0) return chosen;
  return data.leaders(topShown).map((row) => data.columns.trial[row]);
}

// Changes when the bands of those trials do: with another order, another phase or more seeds.
export const bandsKey = (data) => {
  const { value, phase, seeds } = data.columns;
  return highlighted(data)
    .map((trial) => [trial, data.index.get(trial)])
    .map(([trial, row]) => [trial, value[row], phase[row], seeds[row]].join())
    .join(";");
};

export async function readBands(data) {
  const trials = highlighted(data);
  const answers = await Promise.all(
    trials.map((trial) => get(`/v1/trials/tr_${trial}/curve`).catch(() => null)),
  );
  return answers.filter(Boolean).map((answer) => ({ name: answer.trial, items: answer.items }));
}

function zoomParam() {
  const parts = param("zoom").split(",").map(Number);
  return [2, 4].includes(parts.length) && parts.every(Number.isFinite) ? parts : null;
}

export const axis = () => param("x", "step");
const isSeries = () => ["trained", "wall"].includes(axis()) || param("metric") !== "";
export const weight = () => Number(param("smooth")) || 0;

const axisForms = {
  step: (unit) => ({ label: unit, format: count, fromZero: true }),
  phase: () => ({ label: "phase", format: phaseTick, fromZero: true }),
  trained: () => ({ label: "time of training", format: duration, fromZero: true }),
  wall: () => ({
    label: "time",
    formatOf:
      ([from, to]) =>
      (at) =>
        clock(at, to - from),
    ticks: (domain, most) => timeTicks(domain, most, aheadOfUtc(domain[0])),
  }),
};

// The rows that are drawn: of the trials that the filter, the switches and "only the selected"
// leave; on axes that are read for each run, the best ones.
export function chooseRows(state) {
  const { curves } = state;
  const off = hiddenTrials();
  const only = param("only") && picked().length > 0 ? new Set(picked()) : null;
  const left = curves.rows();
  const all = only ? left.filter((row) => only.has(curves.matrix.trial[row])) : left;
  const rows = off.size > 0 ? all.filter((row) => !off.has(curves.matrix.trial[row])) : all;
  state.series = isSeries();
  state.dense = !state.series && rows.length > linesAtMost;
  state.left = state.series ? Math.max(0, rows.length - linesAtMost) : 0;
  state.rows = state.series ? byPlace(state, rows).slice(0, linesAtMost) : rows;
  state.drawn = state.dense
    ? []
    : [...new Set(byPlace(state, all).map((row) => curves.matrix.trial[row]))];
}

function byPlace({ curves, data }, rows) {
  const place = new Map(data.byPlace(data.visible()).map((row, i) => [data.columns.trial[row], i]));
  return sortedBy(rows, (row) => place.get(curves.matrix.trial[row]));
}

const atOf = ({ matrix }) => {
  const stride = matrix.phases / matrix.points;
  return axis() === "phase" ? (k) => (k + 1) * stride - 1 : (k) => matrix.steps[k] || 0;
};

// The lines of the rows; of many rows, each when it is asked for.
export function matrixLinesOf(state) {
  const { curves, rows, dense } = state;
  const cells = param("y") === "rank" ? curves.rankCells(rows) : curves.matrix.cells;
  const of = (some) => matrixLines(curves.matrix, cells, some, atOf(curves), dense ? 0 : weight());
  return dense ? { get: (row) => of([row]).get(row) } : of(rows);
}

// A trial's runs as lines of one style, named once.
const seriesBands = ({ curves, rows, lines, leaders }) =>
  leaders.flatMap((trial, style) =>
    rows
      .filter((row) => curves.matrix.trial[row] === trial && lines.get(row)?.points.length)
      .map((row, i) => ({
        ...{ name: i === 0 ? `tr_${trial}` : "", style },
        items: lines.get(row).points.map(({ x, y }) => ({ step: x, iqm: y })),
      })),
  );

function smoothBand(band) {
  const ofItem = (name) =>
    smoothed(
      band.items.map((one) => (typeof one[name] === "number" ? one[name] : NaN)),
      weight(),
    );
  const columns = { iqm: ofItem("iqm"), low: ofItem("low"), high: ofItem("high") };
  const value = (name, k) => (Number.isNaN(columns[name][k]) ? null : columns[name][k]);
  return {
    ...band,
    items: band.items.map((one, k) => ({
      ...{ ...one, iqm: value("iqm", k), low: value("low", k), high: value("high", k) },
    })),
  };
}

// The bands of the trials that are switched on, each in the style of its place among all.
export function bandsOf(state) {
  const { data, series, read } = state;
  const off = hiddenTrials();
  state.leaders = highlighted(data);
  // Colours of a parameter are not to be mixed up with those of leaders.
  if (param("colour") && picked().length === 0) return [];
  if (series) return state.lines ? seriesBands(state) : [];
  const bands = read
    .map((band, style) => ({ ...band, style, byPhase: axis() === "phase" }))
    .filter(({ name }) => !off.has(Number(name.slice(3))));
  return weight() > 0 && !state.dense ? bands.map(smoothBand) : bands;
}

export function viewOf(state) {
  const { curves, data, plot } = state;
  const rank = param("y") === "rank" && !state.series;
  return {
    matrix: curves.matrix,
    cells: rank ? curves.rankCells(state.rows) : curves.matrix.cells,
    ...{ rows: state.rows, lines: state.lines, version: state.version, bands: state.bands },
    ...{ dense: state.dense, series: state.series, smooth: state.smooth, marks: state.marks },
    at: atOf(curves),
    axis: axis(),
    x: axisForms[axis()]?.(data.spec.budget.unit) ?? axisForms.step(data.spec.budget.unit),
    phases: state.phases.items,
    unit: data.spec.budget.unit,
    metric: param("metric") || data.metric,
    colourOf: painter(data, curves.matrix, plot.colours?.dark),
    noteOf: (trial) => differences(data, trial),
    form: param("y", "linear"),
    rank,
    byPhase: axis() === "phase",
    zoom: zoomParam(),
    goal: data.objective.metricGoal,
    bar: param("metric") ? null : data.objective.bar,
    showQuartiles: param("q") !== "" && !rank && !state.series,
  };
}
