// The curves of a sweep as one matrix, kept current by the reports of the stream.
import { matrix as read } from "./api.js";
import { rankCells } from "./raster.js";

export class Curves {
  constructor(data) {
    this.data = data;
    this.version = 0;
  }

  async load() {
    const matrix = await read(this.data.id);
    matrix.stateOf = (row) => matrix.state.words[matrix.state.codes[row]];
    matrix.reasonOf = (row) => matrix.reason.words[matrix.reason.codes[row]];
    this.rowOf = new Map();
    for (let row = 0; row < matrix.rows; row++)
      this.rowOf.set(`rn_${matrix.trial[row]}.${matrix.replicate[row]}`, row);
    this.matrix = matrix;
    this.ranks = null;
    this.version++;
    return this;
  }

  // Takes reports [run, phase, value] over; false if one is of a run that is not here yet.
  add(reports) {
    const { matrix } = this;
    let known = true;
    for (const [run, phase, value] of reports) {
      const row = this.rowOf.get(run);
      if (row === undefined) {
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
    const trials = new Set(data.visible().map((row) => data.columns.trial[row]));
    const found = [];
    for (let row = 0; row < matrix.rows; row++) {
      if (!trials.has(matrix.trial[row])) continue;
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
