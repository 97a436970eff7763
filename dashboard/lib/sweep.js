// The data of one sweep: its file, its summary and its trials as columns. Every view of the sweep
// shares them; frames of the stream bring changes.
import { get } from "./api.js";
import { short } from "./format.js";
import { report } from "./report.js";
import { param, setParams } from "./route.js";

const fields = "trial,number,state,reason,value,phase,seeds,pinned,steps,seconds,params.*";
const notReachedWord = "not_reached";
const clockNames = { seconds: "seconds", cpu_seconds: "CPU seconds" };

// What a sweep's numbers are. A trial's value is the metric or, of an objective of time, how long
// it took to reach a bar; curves always show the metric.
export function objectiveOf(sweep) {
  const { goal, metric } = sweep.objective;
  const { reach, clock, goal: metricGoal = "maximize" } = sweep.spec?.objective ?? {};
  if (typeof reach !== "number")
    return {
      ...{ metric, metricGoal: goal, bar: null, value: metric, text: `${goal} ${metric}` },
      better: goal === "maximize" ? "larger is better" : "smaller is better",
    };
  const bar = `${metric} ${metricGoal === "minimize" ? "≤" : "≥"} ${short(reach)}`;
  const value = `${clockNames[clock] ?? sweep.spec.budget.unit} to ${bar}`;
  const text = `fewest ${value}`;
  return { metric, metricGoal, bar: reach, value, text, better: "sooner is better" };
}

const decoded = (column, rows) => {
  if (Array.isArray(column)) return column;
  if ("by" in column) return Array.from({ length: rows }, (_, i) => column.first + i * column.by);
  return column.codes.map((code) => (code === null ? null : column.words[code]));
};

export class SweepData {
  constructor(id) {
    this.id = id;
    this.seq = 0;
    this.rows = 0;
    this.columns = {};
    this.index = new Map(); // trial id -> row
    this.matching = null; // trial ids that the filter leaves; null: all
  }

  async loadSweep() {
    this.sweep = await get(`/v1/sweeps/${this.id}`);
    this.spec = this.sweep.spec;
    this.goal = this.sweep.objective.goal;
    this.objective = objectiveOf(this.sweep);
    this.metric = this.objective.metric;
    this.parameters = spaceOf(this.spec.parameters);
    return this;
  }

  async loadSummary() {
    this.summary = await get(`/v1/sweeps/${this.id}/summary`);
    return this.summary;
  }

  // All trials, or those that changed since the last call. Returns the number of rows read.
  async loadColumns() {
    if (report && this.seq > 0) return 0;
    const since = this.seq > 0 ? `&after=${this.seq}` : "";
    const answer = await get(`/v1/sweeps/${this.id}/columns?fields=${fields}${since}`);
    const columns = Object.fromEntries(
      Object.entries(answer.columns).map(([name, one]) => [name, decoded(one, answer.rows)]),
    );
    if (answer.complete) this.replaceRows(columns, answer.rows);
    else this.mergeRows(columns, answer.rows);
    this.seq = answer.seq;
    return answer.rows;
  }

  replaceRows(columns, rows) {
    this.columns = columns;
    this.rows = rows;
    this.index = new Map(columns.trial.map((trial, row) => [trial, row]));
  }

  mergeRows(columns, rows) {
    const names = Object.keys(this.columns);
    for (let i = 0; i < rows; i++) {
      let row = this.index.get(columns.trial[i]);
      if (row === undefined) {
        row = this.rows++;
        this.index.set(columns.trial[i], row);
      }
      for (const name of names) this.columns[name][row] = columns[name]?.[i] ?? null;
    }
  }

  // The number by which values are compared: larger is better; diverged below all, none below that.
  merit(row) {
    const value = this.columns.value[row];
    if (typeof value === "number") return this.goal === "maximize" ? value : -value;
    if (value === notReachedWord) return -Number.MAX_VALUE / 2;
    return value === "diverged" ? -Number.MAX_VALUE : -Infinity;
  }

  // The rows that the states and the filter leave, in the order of the trials.
  visible() {
    const states = new Set(param("states").split(",").filter(Boolean));
    const { state, trial } = this.columns;
    const found = [];
    for (let row = 0; row < this.rows; row++) {
      if (states.size > 0 && !states.has(state[row])) continue;
      if (this.matching && !this.matching.has(trial[row])) continue;
      found.push(row);
    }
    return found;
  }

  // Applies a filter of hone's language; refuses (ApiError) what the server refuses.
  async filter(where) {
    if (!where) {
      this.matching = null;
      return;
    }
    const answer = await get(
      `/v1/sweeps/${this.id}/columns?fields=trial&where=${encodeURIComponent(where)}`,
    );
    this.matching = new Set(decoded(answer.columns.trial, answer.rows));
  }

  byMerit(rows) {
    const merits = new Map(rows.map((row) => [row, this.merit(row)]));
    return [...rows].sort(
      (a, b) => merits.get(b) - merits.get(a) || this.columns.number[a] - this.columns.number[b],
    );
  }
}

export const isPopulation = (spec) => ["pbt", "pb2"].includes(spec?.search.method);

// The parameters that vary, in the order of the sweep file.
export function spaceOf(parameters) {
  return Object.entries(parameters ?? {})
    .map(([name, domain]) => ({ name, ...domain }))
    .filter((one) => ["float", "int", "choice", "bool"].includes(one.type));
}

const cache = new Map();
export function sweepData(id) {
  if (!cache.has(id)) {
    if (cache.size >= 2) cache.delete(cache.keys().next().value);
    cache.set(id, new SweepData(id));
  }
  return cache.get(id);
}

// The selected trials: one selection for all charts, in the address.
export const picked = () => param("pick").split(",").filter(Boolean).map(Number);
export function togglePick(trial) {
  const now = picked();
  setParams({
    pick: (now.includes(trial)
      ? now.filter((one) => one !== trial)
      : [...now, trial].slice(-8)
    ).join(","),
  });
}
