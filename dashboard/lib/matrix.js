// The curves of a sweep as one matrix, kept current by the reports of the stream.
import { matrix as read } from "./api.js";
import { rankCells } from "./raster.js";

function codeOf({ words }, word) {
  if (!words.includes(word)) words.push(word);
  return words.indexOf(word);
}

export class Curves {
  constructor(data) {
    this.data = data;
    this.version = 0;
  }

  async load() {
    const matrix = await read(this.data.id);
    matrix.stateOf = (row) => matrix.state.words[matrix.state.codes[row]];
    matrix.reasonOf = (row) => matrix.reason.words[matrix.reason.codes[row]];
    this.rowOf = null;
    this.matrix = matrix;
    this.ranks = null;
    this.version++;
    return this;
  }

  // The rows by the ids of their runs, of which only reports of the stream have need.
  rowsById() {
    const { matrix } = this;
    this.rowOf ??= new Map(
      matrix.trial.map((trial, row) => [`rn_${trial}.${matrix.replicate[row]}`, row]),
    );
    return this.rowOf;
  }

  // A row for a new run of a known trial; null for a run of another trial.
  grow(run) {
    const { matrix } = this;
    const [trial, replicate] = run.slice(3).split(".").map(Number);
    if (!this.data.index.has(trial)) return null;
    const row = matrix.rows++;
    if (matrix.cells.length < matrix.rows * matrix.points) {
      const cells = new Float32Array(Math.ceil(1.25 * matrix.rows) * matrix.points).fill(NaN);
      cells.set(matrix.cells);
      matrix.cells = cells;
    }
    matrix.trial.push(trial);
    matrix.replicate.push(replicate);
    matrix.number.push(this.data.columns.number[this.data.index.get(trial)]);
    matrix.state.codes.push(codeOf(matrix.state, "running"));
    matrix.reason.codes.push(codeOf(matrix.reason, "none"));
    this.rowsById().set(run, row);
    return row;
  }

  // Takes reports [run, phase, value] over; false if one is of a trial that is not here yet.
  add(reports) {
    const { matrix } = this;
    let known = true;
    for (const [run, phase, value] of reports) {
      const row = this.rowsById().get(run) ?? this.grow(run);
      if (row === null) {
        known = false;
        continue;
      }
      const k = Math.floor((phase * matrix.points) / matrix.phases);
      if (k < matrix.points)
        matrix.cells[row * matrix.points + k] = typeof value === "number" ? value : Infinity;
    }
    this.ranks = null;
    this.version++;
    return known;
  }

  // The rows of the trials that the filter leaves and that have a report.
  rows() {
    const { data, matrix } = this;
    const passes = data.passes();
    const found = [];
    for (let row = 0; row < matrix.rows; row++) {
      const trial = data.index.get(matrix.trial[row]);
      if (trial === undefined || (passes && !passes(trial))) continue;
      for (let k = 0; k < matrix.points; k++) {
        if (Number.isNaN(matrix.cells[row * matrix.points + k])) continue;
        found.push(row);
        break;
      }
    }
    return found;
  }

  rankCells(rows) {
    const { metricGoal } = this.data.objective;
    this.ranks ??= rankCells(this.matrix.cells, this.matrix.points, rows, metricGoal);
    return this.ranks;
  }
}
