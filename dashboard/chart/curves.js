// The learning curves of all runs: as a density, or line by line when there are few; the bands of
// the selected trials; the ends of stopped runs.
import { Plot, phaseTick } from "./plot.js";
import { rasterer } from "../lib/rasterer.js";
import { lineStyle, ramp } from "../lib/colour.js";
import { count, short, words } from "../lib/format.js";
import { pointsIn, rangeOf } from "../lib/range.js";
import { padded, withBar } from "../lib/scale.js";

const linesAtMost = 150;
const forms = ["linear", "log", "symlog"];

// options: view() -> {matrix, cells, rows, bands, phases, unit, metric, form, rank, zoom, goal}.
export class CurvesPlot extends Plot {
  constructor(options) {
    super({ label: "Learning curves of all runs", height: 440, ...options });
    this.worker = rasterer(({ turn, counts }) => {
      this.image = { key: this.asked, turn, picture: this.pictureOf(counts) };
      this.took = performance.now() - this.began;
      this.asked = null;
      this.redraw();
    });
    this.turn = 0;
    this.asked = null; // what the worker draws now
    this.took = 0; // milliseconds of its last picture
  }

  close() {
    super.close();
    this.worker.terminate();
  }

  // Draws again where another trial is under the pointer.
  show(hit) {
    const before = this.hovered?.trial;
    super.show(hit);
    if (before !== hit?.trial) this.redraw();
  }

  hit(p, x, y) {
    return nearestRun(this, x, y);
  }
  move(p, key) {
    return stepRun(this, key);
  }

  paint() {
    const view = this.view();
    const { matrix, cells, rows } = view;
    if (rows.length === 0 || matrix.points === 0)
      return this.message("No run with a report is left by the filter.");
    this.at = xOf(view);
    const shown = pointsIn(this.at, matrix.points, view.zoom);
    const range = view.rank ? [0, 1] : rangeOf(cells, matrix.points, rows, ...shown);
    if (!range) return this.message("No report yet.");
    const domain = view.rank ? [-0.02, 1.02] : padded(withBar(range, view.bar));
    const form = view.rank ? "linear" : forms.includes(view.form) ? view.form : "linear";
    const positive = form === "log" && range[0] > 0 ? [range[0] / 1.1, range[1] * 1.1] : domain;
    this.roomForNames(view.rank ? [] : view.bands.map(bandName));
    this.axes(
      {
        domain: view.zoom ?? [0, this.at(matrix.points - 1)],
        label: view.byPhase ? "phase" : view.unit,
        format: view.byPhase ? phaseTick : count,
      },
      {
        kind: form,
        domain: positive,
        label: view.rank ? "rank among the runs of a phase" : view.metric,
        format: view.rank ? (value) => (value === 1 ? "best" : value === 0 ? "worst" : "") : short,
      },
    );
    if (this.drawnKind !== this.y.kind) this.onscale?.();
    this.drawnKind = this.y.kind;
    const many = rows.length > linesAtMost;
    this.inside((ctx) => {
      if (many) this.drawDensity(view, positive);
      else drawLines(this, ctx, view);
      if (!view.rank && view.showQuartiles) drawPhases(this, ctx, view);
      drawStops(this, ctx, view, many);
      if (!view.rank && !this.hovered) drawBands(this, ctx, view.bands);
      drawHeld(this, ctx, view);
    });
    if (!view.rank) this.barLine(view.bar);
  }

  drawDensity(view, domain) {
    const { matrix, rows } = view;
    const width = Math.round(this.right - this.left);
    const height = Math.round(this.bottom - this.top);
    const key = [
      view.version,
      width,
      height,
      ...domain,
      this.y.kind,
      ...this.x.domain,
      view.byPhase,
      view.rank,
      this.colours.dark,
    ].join();
    if (this.image) {
      this.ctx.drawImage(this.image.picture, this.left, this.top, width, height);
      this.canvas.dataset.density = String(this.image.turn);
    }
    // One picture at a time: what arrives meanwhile is in the next one.
    if (this.asked !== null || this.image?.key === key) return;
    this.asked = key;
    this.began = performance.now();
    const xs = Int32Array.from({ length: matrix.points }, (_, k) =>
      Math.round(this.x.at(this.at(k)) - this.left),
    );
    // The worker has a copy, which reports of the stream do not change.
    const current = this.sent?.cells === view.cells && this.sent.version === view.version;
    const sent = current ? {} : { cells: view.cells };
    this.sent = { cells: view.cells, version: view.version };
    this.size = [width, height];
    this.worker.postMessage({
      turn: ++this.turn,
      ...sent,
      request: {
        points: matrix.points,
        rows,
        xs,
        width,
        height,
        low: domain[0],
        high: domain[1],
        form: this.y.kind,
      },
    });
  }

  // The share of runs in each pixel, on a scale of logarithms: single runs stay visible.
  pictureOf(counts) {
    const [width, height] = this.size;
    const canvas = new OffscreenCanvas(width, height);
    const ctx = canvas.getContext("2d");
    const image = ctx.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const word = ([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r;
    const table = ramp(this.colours.dark).map(word);
    let most = 1;
    for (const one of counts) if (one > most) most = one;
    this.most = most;
    const colours = Uint32Array.from({ length: most + 1 }, (_, n) =>
      n === 0 ? 0 : table[Math.round(30 + (225 * Math.log1p(n)) / Math.log1p(most))],
    );
    for (let at = 0; at < counts.length; at++) pixels[at] = colours[counts[at]];
    ctx.putImageData(image, 0, 0);
    this.ondensity?.(most);
    return canvas;
  }
}

export function xOf({ matrix, byPhase }) {
  const stride = matrix.phases / matrix.points;
  return byPhase ? (k) => (k + 1) * stride - 1 : (k) => matrix.steps[k] || 0;
}

// With bands on top, single runs are their background.
// Under the pointer, the runs of one trial are before all others.
function drawLines(p, ctx, { matrix, rows, bands, rank, cells, colourOf }) {
  const held = p.hovered?.trial;
  const share = held !== undefined ? 0.2 : bands.length > 0 && !rank ? 0.7 : 1;
  ctx.lineWidth = 1.2;
  for (const row of rows) {
    const colour = colourOf(row);
    ctx.strokeStyle = colour ?? p.colours[matrix.stateOf(row)];
    ctx.globalAlpha = share * (!colour && matrix.stateOf(row) === "stopped" ? 0.55 : 0.8);
    strokeRun(p, ctx, { matrix, cells }, row);
  }
  ctx.globalAlpha = 1;
}

function strokeRun(p, ctx, { matrix, cells }, row) {
  ctx.beginPath();
  for (let k = 0; k < matrix.points; k++) {
    const value = cells[row * matrix.points + k];
    if (Number.isFinite(value)) ctx.lineTo(p.x.at(p.at(k)), p.y.at(value));
  }
  ctx.stroke();
}

function drawHeld(p, ctx, view) {
  const held = p.hovered?.trial;
  if (held === undefined) return;
  const own = view.rows.filter((row) => view.matrix.trial[row] === held);
  for (const [width, colour] of [
    [5, p.colours.ground],
    [2.5, null],
  ])
    for (const row of own) {
      ctx.lineWidth = width;
      ctx.strokeStyle = colour ?? view.colourOf(row) ?? p.colours[view.matrix.stateOf(row)];
      strokeRun(p, ctx, view, row);
    }
}

// The last report of a run, as [x, y], or nothing.
function lastPoint(p, { matrix, cells }, row) {
  for (let k = matrix.points - 1; k >= 0; k--) {
    const value = cells[row * matrix.points + k];
    if (!Number.isNaN(value))
      return Number.isFinite(value)
        ? [p.x.at(p.at(k)), p.y.at(value)]
        : [p.x.at(p.at(k)), p.bottom - 3];
  }
  return null;
}

function drawStops(p, ctx, view, many) {
  if (many) return;
  for (const row of view.rows) {
    const state = view.matrix.stateOf(row);
    const end = lastPoint(p, view, row);
    if (!end || !["stopped", "failed", "paused"].includes(state)) continue;
    ctx.strokeStyle = ctx.fillStyle = p.colours[state];
    ctx.lineWidth = 2;
    ctx.beginPath();
    if (state === "paused") ctx.arc(end[0], end[1], 3.5, 0, 7);
    else {
      ctx.moveTo(end[0] + 1, end[1] - 5);
      ctx.lineTo(end[0] + 1, end[1] + 5);
    }
    ctx.stroke();
  }
}

// Quartiles, and the best value that was stopped in each phase.
function drawPhases(p, ctx, { phases, byPhase }) {
  const x = (one) => p.x.at(byPhase ? one.phase : one.step);
  ctx.strokeStyle = p.colours.ink;
  for (const [quartile, dash] of [
    [1, [2, 3]],
    [2, []],
    [3, [2, 3]],
  ]) {
    ctx.setLineDash(dash);
    ctx.lineWidth = quartile === 2 ? 2 : 1;
    ctx.beginPath();
    for (const one of phases)
      if (one.quartiles) ctx.lineTo(x(one), p.y.at(one.quartiles[quartile]));
    ctx.stroke();
  }
  ctx.setLineDash([]);
  ctx.strokeStyle = p.colours.failed;
  ctx.lineWidth = 2;
  for (const one of phases) {
    if (one.best_stopped === null) continue;
    p.line(x(one) - 7, p.y.at(one.best_stopped), x(one) + 7, p.y.at(one.best_stopped));
  }
}

// IQM over seeds with its interval; n at the end.
export const bandPoints = (items) => items.filter((one) => typeof one.iqm === "number");

// Counts the seeds at the band's end: they may end at different phases.
export function bandName({ items, name }) {
  const seeds = bandPoints(items).at(-1)?.n ?? 0;
  return seeds > 1 ? `${name} (n = ${seeds})` : name;
}

const bandX = (p, byPhase) => (one) => p.x.at(byPhase ? one.phase : one.step);

function strokeBand(p, ctx, { items, byPhase }) {
  const x = bandX(p, byPhase);
  ctx.beginPath();
  for (const one of bandPoints(items)) ctx.lineTo(x(one), p.y.at(one.iqm));
  ctx.stroke();
}

function fillBand(p, ctx, { items, byPhase }, alpha) {
  const x = bandX(p, byPhase);
  const points = bandPoints(items);
  ctx.globalAlpha = 0.22 * alpha;
  ctx.beginPath();
  for (const one of points) ctx.lineTo(x(one), p.y.at(one.low ?? one.iqm));
  for (const one of [...points].reverse()) ctx.lineTo(x(one), p.y.at(one.high ?? one.iqm));
  ctx.fill();
  ctx.globalAlpha = 1;
}

// The name is where the line leaves the picture.
function nameBand(p, band) {
  const x = bandX(p, band.byPhase);
  const end = bandPoints(band.items).findLast((one) => x(one) <= p.right + 1);
  if (end) p.endLabel(bandName(band), x(end), p.y.at(end.iqm));
}

// All halos are below all lines: one halo would erase the lines that another band has there.
// A band has the line of its `style`, else of its place; all but the one named `held` are dimmed.
export function drawBands(p, ctx, bands, held = null) {
  const shown = bands
    .map((band, i) => ({ ...band, style: lineStyle(band.style ?? i) }))
    .filter((band) => bandPoints(band.items).length > 0);
  const alphaOf = (band) => (held === null || band.name === held ? 1 : 0.25);
  const colourOf = (band) => p.colours.series[band.style.colour];
  for (const band of shown) {
    ctx.fillStyle = colourOf(band);
    fillBand(p, ctx, band, alphaOf(band));
  }
  ctx.lineWidth = 4;
  ctx.strokeStyle = p.colours.ground;
  for (const band of shown) strokeBand(p, ctx, band);
  for (const band of shown) {
    ctx.lineWidth = band.name === held ? 3 : 2;
    ctx.strokeStyle = colourOf(band);
    ctx.globalAlpha = alphaOf(band);
    ctx.setLineDash(band.style.dash);
    strokeBand(p, ctx, band);
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
    nameBand(p, band);
  }
}

function nearestRun(p, x, y) {
  const view = p.view();
  const { matrix, cells, rows } = view;
  let k = 0;
  for (let i = 1; i < matrix.points; i++)
    if (Math.abs(p.x.at(p.at(i)) - x) < Math.abs(p.x.at(p.at(k)) - x)) k = i;
  let best = -1;
  let least = 30;
  for (const row of rows) {
    const value = cells[row * matrix.points + k];
    if (!Number.isFinite(value)) continue;
    const far = Math.abs(p.y.at(value) - y);
    if (far < least) {
      least = far;
      best = row;
    }
  }
  return best < 0 ? null : hitOf(p, view, best, k);
}

function hitOf(p, { matrix, cells, metric, unit, noteOf }, row, k) {
  const value = cells[row * matrix.points + k];
  const run = `rn_${matrix.trial[row]}.${matrix.replicate[row]}`;
  const state = words(matrix.stateOf(row));
  const reason = matrix.reasonOf(row);
  return {
    x: p.x.at(p.at(k)),
    y: p.y.at(value),
    row,
    k,
    run,
    trial: matrix.trial[row],
    text: [
      `tr_${matrix.trial[row]}, ${run}`,
      `${metric} ${short(value)}, ${count(matrix.steps[k])} ${unit}, ` +
        `phase ${Math.round((k + 1) * (matrix.phases / matrix.points))}`,
      `${state}${reason === "none" ? "" : `: ${words(reason)}`}`,
      ...noteOf(matrix.trial[row]),
    ].join("\n"),
  };
}

function stepRun(p, key) {
  const view = p.view();
  const { matrix, cells, rows } = view;
  if (rows.length === 0) return null;
  const now = p.hovered ?? { row: rows[0], k: 0 };
  let index = Math.max(0, rows.indexOf(now.row));
  let { k } = now;
  if (key === "ArrowRight") k++;
  if (key === "ArrowLeft") k--;
  if (key === "ArrowDown") index++;
  if (key === "ArrowUp") index--;
  const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
  k = Math.min(matrix.points - 1, Math.max(0, k));
  while (k > 0 && !Number.isFinite(cells[row * matrix.points + k])) k--;
  return Number.isFinite(cells[row * matrix.points + k]) ? hitOf(p, view, row, k) : null;
}
