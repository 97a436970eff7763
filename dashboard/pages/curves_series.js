// The curves of single runs on axes that the matrix of all curves has not: time, and the metrics
// that runs log. They are read for the runs that are drawn, and kept.
import { get, list } from "../lib/api.js";
import { seriesLine } from "../lib/curve_lines.js";
import { runOf } from "../chart/curve_lines.js";

export const linesAtMost = 150;
const pointsAtMost = 5000; // of one run's metric
const runsAtMost = 5000; // whose times of training are read
const namesFrom = 4; // runs that are asked for the names of their metrics

// The metrics that some of the runs log.
export async function metricNames(runs) {
  const answers = await Promise.all(
    runs
      .slice(0, namesFrom)
      .map((run) => get(`/v1/runs/${run}/metrics?fields=names`).catch(() => ({ items: [] }))),
  );
  return [...new Set(answers.flatMap(({ items }) => items.map((one) => one.name)))].sort();
}

export class Series {
  constructor(sweep) {
    this.sweep = sweep;
    this.answers = new Map();
  }

  // Forgets what running runs have continued since.
  forget(runs) {
    this.answers.delete("clocks");
    for (const key of [...this.answers.keys()])
      if (runs.has(key.split(" ")[0])) this.answers.delete(key);
  }

  once(key, read) {
    if (!this.answers.has(key)) this.answers.set(key, read());
    return this.answers.get(key);
  }

  // run -> its reports with the seconds that it had trained by then.
  clocks() {
    return this.once("clocks", async () => {
      const items = await list(`/v1/sweeps/${this.sweep}/curves?limit=1000`, runsAtMost);
      return new Map(items.map((one) => [one.run, one.curve]));
    });
  }

  items(run, metric) {
    return metric
      ? this.once(`${run} ${metric}`, () =>
          list(
            `/v1/runs/${run}/metrics?name=${encodeURIComponent(metric)}&limit=1000`,
            pointsAtMost,
          ),
        )
      : this.once(`${run} `, () => get(`/v1/runs/${run}/curve`).then(({ items }) => items));
  }

  // row -> its line, for rows of the matrix.
  async lines(matrix, rows, { x, metric, weight, perPhase }) {
    const clocks = x === "trained" ? await this.clocks() : new Map();
    const lines = await Promise.all(
      rows.map(async (row) => {
        const run = runOf(matrix, row);
        const items = await this.items(run, metric).catch(() => []);
        return [row, seriesLine(items, { x, weight, perPhase, clock: clocks.get(run) ?? [] })];
      }),
    );
    return new Map(lines);
  }
}
