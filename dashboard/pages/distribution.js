// How the values of trials are distributed, and how far a front has come.
import { stepsPlot } from "../chart/steps.js";
import { get } from "../lib/api.js";
import { distributionOf, hypervolumeHistory } from "../lib/distribution.js";
import { percent } from "../lib/format.js";

const share = { domain: [0, 1], label: "share of trials up to it", format: percent };

/** lines(): [{name, values, style, pale}]. */
export const distributionPlot = (label, lines) =>
  stepsPlot({
    label: "Distribution of values",
    lines: () => lines().map(({ values, ...line }) => ({ ...line, steps: distributionOf(values) })),
    axes: () => ({ x: { label: label() }, y: share }),
    none: "No trial has a value yet.",
  });

const numbers = (rows, column) =>
  rows.map((row) => column[row]).filter((value) => typeof value === "number");

// Whole sweeps by the ids of their sides; read() reads their values.
export function sweepsDistribution(sides, label) {
  const values = new Map();
  const read = async () => {
    for (const { id } of sides()) {
      const { columns } = await get(`/v1/sweeps/${id}/columns?fields=value`);
      const list = Array.isArray(columns.value) ? columns.value : [];
      values.set(
        id,
        list.filter((value) => typeof value === "number"),
      );
    }
  };
  const plot = distributionPlot(label, () =>
    sides().map(({ id, style }) => ({ name: id, style, values: values.get(id) ?? [] })),
  );
  return { plot, read };
}

// The trials of a page of parameters: all of them, and those that the brushes leave.
export function brushedDistribution(view) {
  const { value } = view.data.objective;
  return distributionPlot(
    () => value,
    () => {
      const column = view.data.columns.value;
      const all = { name: "all", values: numbers(view.all, column) };
      const kept = view.all.filter(view.passes);
      if (kept.length === view.all.length) return [{ ...all, name: "" }];
      return [
        { ...all, pale: true },
        { name: "brushed", values: numbers(kept, column) },
      ];
    },
  );
}

const objectivesAtMost = 4; // the time grows with the front's size to that power

// The share of the box between the best and worst values that the front has dominated, by trials.
export function hypervolumePlot(data) {
  const columns = () => [
    data.columns.value,
    ...data.further().map((name) => data.columns[`further.${name}`]),
  ];
  const steps = () => {
    const signs = data.objective.goals.map(({ goal }) => (goal === "maximize" ? -1 : 1));
    if (signs.length > objectivesAtMost) return [];
    const each = columns();
    const points = data.columns.trial.map((_, row) => {
      const values = each.map((column) => column[row]);
      const whole = values.every((value) => typeof value === "number");
      return whole && data.columns.state[row] === "completed"
        ? values.map((value, i) => signs[i] * value)
        : null;
    });
    return hypervolumeHistory(points);
  };
  return stepsPlot({
    ...{ label: "Hypervolume of the front", height: 220 },
    lines: () => [{ name: "", steps: steps() }],
    axes: () => ({
      x: { domain: [0, Math.max(1, data.rows)], label: "trials", whole: true },
      y: { domain: [0, 1], label: "hypervolume", format: percent },
    }),
    none: `No completed trial yet, or more than ${objectivesAtMost} objectives.`,
  });
}
