// The learning curves of all runs: as a density, or line by line when there are few; the bands of
// the selected trials; the ends of stopped runs.
import { Plot } from "./plot.js";
import { extentOf } from "../lib/curve_lines.js";
import { short } from "../lib/format.js";
import { pointsIn, rangeOf } from "../lib/range.js";
import { padded, robustRange, withBar } from "../lib/scale.js";
import { bandName, drawBands } from "./band_lines.js";
import { Density } from "./density.js";
import {
  drawHeld,
  drawLines,
  drawPhases,
  drawStops,
  hitOf,
  nearestRun,
  stepRun,
} from "./curve_lines.js";

const forms = ["linear", "log", "symlog"];

// options: view() -> {matrix, cells, rows, lines, dense, series, at, x, bands, phases, unit,
// metric, form, rank, zoom, goal}; lines.get(row) is the line of a row, at(k) the x of a column of
// the matrix.
export class CurvesPlot extends Plot {
  constructor(options) {
    super({ label: "Learning curves of all runs", height: 440, ...options });
    this.density = new Density(() => this.redraw());
    this.density.onpicture = (most) => {
      this.most = most;
      this.ondensity?.(most);
    };
  }

  get took() {
    return this.density.took;
  }

  close() {
    super.close();
    this.density.close();
  }

  // Draws again where another trial is under the pointer.
  show(hit) {
    const before = this.hovered?.run;
    super.show(hit);
    if (before !== hit?.run) this.redraw();
  }

  hit(p, x, y) {
    return this.view().dense ? nearestCell(this, x, y) : nearestRun(this, x, y);
  }
  move(p, key) {
    return stepRun(this, key);
  }

  paint() {
    const view = this.view();
    if (view.rows.length === 0 || view.matrix.points === 0)
      return this.message("No run with a report is left by the filter.");
    if (!view.lines) return this.message("Reading …");
    const ends = endsOf(view);
    if (!ends) return this.message("No report yet.");
    this.roomForNames(view.rank ? [] : view.bands.map(bandName));
    const most = Math.max(2, Math.floor((this.right - this.left) / 100));
    this.axes(xAxis(view, ends, most), yAxis(view, ends));
    if (this.drawnKind !== this.y.kind) this.onscale?.();
    this.drawnKind = this.y.kind;
    this.inside((ctx) => {
      if (view.dense) this.drawDensity(view, this.y.domain);
      else drawLines(this, ctx, view);
      if (view.showQuartiles) drawPhases(this, ctx, view);
      if (!view.dense) drawStops(this, ctx, view);
      if (!view.rank && !this.hovered) drawBands(this, ctx, view.bands);
      drawHeld(this, ctx, view);
    });
    if (!view.rank) this.barLine(view.bar);
    return undefined;
  }

  drawDensity(view, domain) {
    const { matrix, cells, rows, version } = view;
    const { points } = matrix;
    const key = [view.byPhase, view.rank].join();
    this.density.draw(this, { cells, rows, points, version, key, domain, xOf: view.at });
  }
}

// The ranges of what is drawn: {xs, ys}; null without a report.
function endsOf({ matrix, cells, rows, lines, series, rank, at, zoom, bar }) {
  const within = zoom?.slice(0, 2) ?? null;
  if (series) {
    const found = extentOf(rows.map((row) => lines.get(row)).filter(Boolean), within);
    return found && { xs: found.xs, ys: robustRange(found.ys.length ? found.ys : [0, 1]) };
  }
  const xs = [0, at(matrix.points - 1)];
  if (rank) return { xs, ys: [0, 1] };
  const shown = pointsIn(at, matrix.points, within);
  const ys = rangeOf(cells, matrix.points, rows, ...shown);
  return ys && { xs, ys: withBar(ys, bar) };
}

const xAxis = ({ x, zoom }, { xs }, most) => {
  const domain = zoom?.slice(0, 2) ?? (x.fromZero ? [Math.min(0, xs[0]), xs[1] || 1] : xs);
  return {
    domain,
    label: x.label,
    format: x.formatOf?.(domain) ?? x.format,
    ticks: x.ticks?.(domain, most),
  };
};

const rankTick = (value) => (value === 1 ? "best" : value === 0 ? "worst" : "");

function yAxis({ rank, form, zoom, metric }, { ys }) {
  const [low, high] = ys;
  const zoomed = zoom?.length === 4 ? zoom.slice(2) : null;
  if (rank)
    return {
      domain: zoomed ?? [-0.02, 1.02],
      label: "rank among the runs of a phase",
      format: rankTick,
    };
  const kind = forms.includes(form) ? form : "linear";
  const whole = kind === "log" && low > 0 ? [low / 1.1, high * 1.1] : padded(ys);
  return { kind, domain: zoomed ?? whole, label: metric, format: short };
}

// The report under the pointer among any number of runs: a column of the matrix is searched.
function nearestCell(p, x, y) {
  const view = p.view();
  const { matrix, cells, rows, at } = view;
  let k = 0;
  for (let i = 1; i < matrix.points; i++)
    if (Math.abs(p.x.at(at(i)) - x) < Math.abs(p.x.at(at(k)) - x)) k = i;
  let [best, least] = [-1, 30];
  for (const row of rows) {
    const value = cells[row * matrix.points + k];
    if (!Number.isFinite(value)) continue;
    const far = Math.abs(p.y.at(value) - y);
    if (far < least) [best, least] = [row, far];
  }
  const point = view.lines.get(best)?.points.find((one) => one.x === at(k));
  return point ? hitOf(p, view, best, point) : null;
}
