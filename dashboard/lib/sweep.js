// The data of one sweep: its file, its summary and its trials as columns. Every view of the sweep
// shares them; frames of the stream bring changes.
import { get } from "./api.js";
import { brushWhere, isValueWithin, isWithin, objectiveKey, readBrushes } from "./brush.js";
import { cellsOf } from "./cells.js";
import { comparedAtMost } from "./compare.js";
import { placeOrder } from "./place.js";
import { report } from "./report.js";
import { param, setParams } from "./route.js";
import { trialsWhere } from "./search.js";
import { axisOf } from "./space.js";
import { objectiveOf, spaceOf } from "./sweep_words.js";
import { ticked } from "./ticks.js";

const outcomes = [
  "trial,number,state,value,confirmed,expected,tier,phase,seeds,pinned,steps,seconds",
  "further.*",
].join();
const others = "reason,params.*";
const fields = `${outcomes},${others}`;
const fewTrials = 5000; // of which one answer holds all columns

export class SweepData {
  constructor(id) {
    this.id = id;
    this.seq = 0;
    this.rows = 0;
    this.fields = fields; // of the next answer
    this.columns = {};
    this.index = new Map(); // trial id -> row
    /** @type {number[] | null} */
    this.order = null; // all rows in the order of the leaderboard, once it was asked for
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
    await this.loadParams();
    return this.loadChanges();
  }

  // As loadColumns; of a large sweep that was not read yet, without the parameters, which are most
  // of the bytes. For pages that show them later, by loadParams(). Call loadSweep() before.
  async loadOutcomes() {
    if (param("brush")) return this.loadColumns(); // may be of a parameter
    const isFirst = this.seq === 0 && !report && this.sweep.trials.proposed > fewTrials;
    if (isFirst) this.fields = outcomes;
    return this.loadChanges();
  }

  hasParams() {
    return this.fields === fields;
  }

  async loadParams() {
    if (this.hasParams()) return;
    const answer = await get(`/v1/sweeps/${this.id}/columns?fields=trial,${others}`);
    if (this.hasParams()) return; // another page was faster
    const trials = cellsOf(answer.columns.trial, answer.rows);
    const rows = trials.map((trial) => this.index.get(trial));
    for (const [name, one] of Object.entries(answer.columns)) {
      if (name === "trial") continue;
      const column = new Array(this.rows).fill(null);
      const cells = cellsOf(one, answer.rows);
      for (let i = 0; i < rows.length; i++) if (rows[i] !== undefined) column[rows[i]] = cells[i];
      this.columns[name] = column;
    }
    this.fields = fields;
  }

  async loadChanges() {
    if (report && this.seq > 0) return 0;
    const since = this.seq > 0 ? `&after=${this.seq}` : "";
    const answer = await get(`/v1/sweeps/${this.id}/columns?fields=${this.fields}${since}`);
    const columns = Object.fromEntries(
      Object.entries(answer.columns).map(([name, one]) => [name, cellsOf(one, answer.rows)]),
    );
    const longest = this.longest();
    if (answer.complete) this.replaceRows(columns, answer.rows);
    else this.mergeRows(columns, answer.rows);
    this.seq = answer.seq;
    // A longer trial, or one of more seeds, may change the tiers of others: they are read again.
    if (!answer.complete && this.longest() > longest) {
      this.seq = 0;
      await this.loadChanges();
    }
    return answer.rows;
  }

  longest() {
    const { phase = [], seeds = [] } = this.columns;
    let [phases, most] = [0, 0];
    for (let row = 0; row < this.rows; row++) {
      phases = Math.max(phases, phase[row]);
      most = Math.max(most, seeds[row]);
    }
    return phases + most;
  }

  replaceRows(columns, rows) {
    this.columns = columns;
    this.rows = rows;
    this.order = null;
    this.index = new Map(columns.trial.map((trial, row) => [trial, row]));
  }

  mergeRows(columns, rows) {
    const names = Object.keys(this.columns);
    this.order = null;
    for (let i = 0; i < rows; i++) {
      let row = this.index.get(columns.trial[i]);
      if (row === undefined) {
        row = this.rows++;
        this.index.set(columns.trial[i], row);
      }
      for (const name of names) this.columns[name][row] = columns[name]?.[i] ?? null;
    }
  }

  // Whether the states, the filter and the brushes leave a row; null where they leave all.
  passes(brushed = true) {
    const states = new Set(param("states").split(",").filter(Boolean));
    const brushes = brushed ? readBrushes(param("brush")) : new Map();
    if (states.size === 0 && !this.matching && brushes.size === 0) return null;
    const within = this.brush(brushes);
    const { state, trial } = this.columns;
    return (row) =>
      (states.size === 0 || states.has(state[row])) &&
      (!this.matching || this.matching.has(trial[row])) &&
      within(row);
  }

  // The rows that they leave, in the order of the trials.
  visible(brushed = true) {
    const passes = this.passes(brushed);
    const found = [];
    for (let row = 0; row < this.rows; row++) if (!passes || passes(row)) found.push(row);
    return found;
  }

  // The first rows of the leaderboard that they leave and that have a value.
  leaders(most) {
    const passes = this.passes();
    const found = [];
    for (const row of this.inOrder()) {
      if (found.length === most) break;
      if (typeof this.columns.value[row] === "number" && (!passes || passes(row))) found.push(row);
    }
    return found;
  }

  // Whether a row is within all brushes of the address.
  brush(brushes = readBrushes(param("brush"))) {
    const tests = [...brushes].map(([name, range]) => {
      if (name === objectiveKey)
        return (row) => isValueWithin(this.columns.value[row], range, this.goal);
      const parameter = this.parameters.find((one) => one.name === name);
      if (!parameter) return () => true;
      const { share } = axisOf(parameter);
      const column = this.columns[`params.${name}`] ?? [];
      return (row) => isWithin(share(column[row] ?? null), range);
    });
    return (row) => tests.every((test) => test(row));
  }

  // Applies a filter of hone's language or plain words; refuses (ApiError) what the server refuses,
  // and keeps the filter of before.
  async filter(text) {
    const where = trialsWhere(text, this.spec.parameters ?? {});
    if (!where) {
      this.matching = null;
      return;
    }
    const answer = await get(
      `/v1/sweeps/${this.id}/columns?fields=trial&where=${encodeURIComponent(where)}`,
    );
    this.matching = new Set(cellsOf(answer.columns.trial, answer.rows));
  }

  // What visible() leaves, in the server's filter language; "" where that is all.
  where() {
    const states = param("states").split(",").filter(Boolean);
    const text = trialsWhere(param("where"), this.spec.parameters ?? {});
    return [
      text && `(${text})`,
      states.length > 0 ? `state in (${states.join(", ")})` : "",
      brushWhere(readBrushes(param("brush")), this.parameters),
    ]
      .filter(Boolean)
      .join(" and ");
  }

  // All rows in the order of the leaderboard.
  inOrder() {
    this.order ??= placeOrder(this.columns, this.goal, [...Array(this.rows).keys()]);
    return this.order;
  }

  // Rows in that order.
  byPlace(rows) {
    if (rows.length === this.rows) return this.inOrder();
    const wanted = new Uint8Array(this.rows);
    for (const row of rows) wanted[row] = 1;
    return this.inOrder().filter((row) => wanted[row]);
  }

  // The parameters of a trial, as pairs in the order of the sweep file; without inactive ones.
  paramsOf(row) {
    return Object.keys(this.spec.parameters ?? {})
      .map((name) => [name, this.columns[`params.${name}`]?.[row] ?? null])
      .filter(([, value]) => value !== null);
  }

  // The metrics of the further objectives that the columns hold.
  further() {
    return Object.keys(this.columns)
      .filter((name) => name.startsWith("further."))
      .map((name) => name.slice("further.".length));
  }
}

// Whether an object of a trial is within the brushes. A trial that this sweep does not have is.
export function brushedTrials(data, idOf = (one) => one.id) {
  const passes = data.brush();
  return (one) => {
    const row = data.index.get(Number(idOf(one).slice(3)));
    return row === undefined || passes(row);
  };
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
export const pick = (trials) => setParams({ pick: trials.join(",") });
export const togglePick = (trial) =>
  pick(ticked(picked(), trial, { anchor: null, shift: false, most: comparedAtMost }));
