// A sweep's objectives and its space, as texts and lists. Pure.
import { count, duration, short } from "./format.js";

const clockNames = { seconds: "seconds", cpu_seconds: "CPU seconds" };

/** @typedef {{metric: string, goal: string}} Goal */

// The objectives of a sweep, of which the first one ranks its trials.
export const goalsOf = (sweep) => sweep.spec?.objectives ?? [sweep.objective];

// How a value of the objective is written. Times and steps have units, which they need to be read.
const writers = {
  metric: short,
  time: (value) => (typeof value === "number" ? duration(value) : short(value)),
  steps: (unit) => (value) =>
    typeof value === "number" ? `${count(value)} ${unit}` : short(value),
};

// What a sweep's numbers are. A trial's value is the metric or, of an objective of time, how long
// it took to reach a bar; curves always show the metric.
export function objectiveOf(sweep) {
  const goals = goalsOf(sweep);
  const one = firstObjective(sweep);
  if (goals.length < 2) return { ...one, goals };
  return { ...one, goals, text: goals.map((each) => `${each.goal} ${each.metric}`).join(", ") };
}

function firstObjective(sweep) {
  const { goal, metric } = sweep.objective;
  const { reach, clock, goal: metricGoal = "maximize" } = sweep.spec?.objective ?? {};
  if (typeof reach !== "number")
    return {
      ...{ metric, metricGoal: goal, bar: null, value: metric, text: `${goal} ${metric}` },
      better: goal === "maximize" ? "larger is better" : "smaller is better",
      show: writers.metric,
    };
  const bar = `${metric} ${metricGoal === "minimize" ? "≤" : "≥"} ${short(reach)}`;
  const value = `${clockNames[clock] ?? sweep.spec.budget.unit} to ${bar}`;
  const text = `fewest ${value}`;
  const show = clock in clockNames ? writers.time : writers.steps(sweep.spec.budget.unit);
  return { metric, metricGoal, bar: reach, value, text, better: "sooner is better", show };
}

export const isPopulation = (spec) => ["pbt", "pb2"].includes(spec?.search.method);

// The parameters that vary, in the order of the sweep file.
export function spaceOf(parameters) {
  return Object.entries(parameters ?? {})
    .map(([name, domain]) => ({ name, ...domain }))
    .filter((one) => ["float", "int", "choice", "bool"].includes(one.type));
}

/** Whether a model expects the value of this trial: its sweep has noisy single runs. */
export const isModelled = (trial) => typeof trial.expected_low === "number";
