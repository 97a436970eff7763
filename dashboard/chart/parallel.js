// Parallel coordinates. An inactive parameter has a lane under its axis: no trial is ever left out.
import { Plot, clipped } from "./plot.js";
import { cssColour, ramp } from "../lib/colour.js";
import { param as shown } from "../lib/format.js";
import { inactive } from "../lib/space.js";

const linesAtMost = 3000;
const cellsPerAxis = 64;
const laneHeight = 26;

// options: axes(), rows() best last, shareOf(axis, row), rankShare(row), brushes (Map), onBrush().
export class ParallelPlot extends Plot {
  constructor(options) {
    super({
      label: "Parallel coordinates of the parameters",
      height: 380,
      margin: { left: 40, right: 56, top: 40, bottom: 40 },
      ...options,
    });
    this.canvas.style.touchAction = "none";
  }

  get lane() {
    return this.bottom + 12;
  }
  yOf(share) {
    return share === inactive ? this.lane : this.bottom - share * (this.bottom - this.top);
  }
  xOf(i) {
    return this.left + ((this.right - this.left) * i) / Math.max(1, this.axes_.length - 1);
  }

  paint() {
    this.axes_ = this.axes();
    this.x = true;
    const rows = this.rows();
    this.drawn = rows.length;
    this.canvas.dataset.lines = String(rows.length);
    const colours = ramp(this.colours.dark);
    const kept = rows.filter((row) => this.passes(row));
    if (rows.length > linesAtMost) this.bins(kept, colours);
    else this.lines(rows, kept, colours);
    if (rows.length > linesAtMost) this.lines([], kept.slice(-50), colours);
    this.axes_.forEach((axis, i) => this.axis(axis, i));
    this.onCount?.(kept.length, rows.length);
  }

  passes(row) {
    for (const [name, [low, high]] of this.brushes) {
      const axis = this.axes_.find((one) => one.name === name);
      if (!axis) continue;
      const share = this.shareOf(axis, row);
      if (share === inactive ? low >= 0 : share < low || share > high) return false;
    }
    return true;
  }

  lines(rows, kept, colours) {
    const { ctx } = this;
    const strong = new Set(kept);
    ctx.lineWidth = 1;
    ctx.globalAlpha = 0.12;
    ctx.strokeStyle = this.colours["ink-2"];
    for (const row of rows) if (!strong.has(row)) this.path(row);
    ctx.globalAlpha = kept.length > 800 ? 0.35 : kept.length > 150 ? 0.6 : 0.85;
    ctx.lineWidth = kept.length > 300 ? 1 : 1.4;
    for (const row of kept) {
      ctx.strokeStyle = cssColour(colours[Math.round(40 + 215 * this.rankShare(row))]);
      this.path(row);
    }
    ctx.globalAlpha = 1;
  }

  path(row) {
    this.ctx.beginPath();
    this.axes_.forEach((axis, i) => {
      const x = this.xOf(i);
      const y = this.yOf(this.shareOf(axis, row));
      if (i === 0) this.ctx.moveTo(x, y);
      else {
        const before = this.xOf(i - 1);
        const from = this.yOf(this.shareOf(this.axes_[i - 1], row));
        this.ctx.bezierCurveTo(
          before + (x - before) * 0.35,
          from,
          x - (x - before) * 0.35,
          y,
          x,
          y,
        );
      }
    });
    this.ctx.stroke();
  }

  // Between two axes: a band for each pair of cells, as wide as its share of trials.
  bins(rows, colours) {
    const cell = (share) =>
      share === inactive
        ? cellsPerAxis
        : Math.min(cellsPerAxis - 1, Math.floor(share * cellsPerAxis));
    const side = cellsPerAxis + 1;
    for (let i = 0; i + 1 < this.axes_.length; i++) {
      const counts = new Uint32Array(side * side);
      const sums = new Float64Array(side * side);
      for (const row of rows) {
        const at =
          cell(this.shareOf(this.axes_[i], row)) * side +
          cell(this.shareOf(this.axes_[i + 1], row));
        counts[at]++;
        sums[at] += this.rankShare(row);
      }
      this.bands(i, counts, sums, side, colours);
    }
  }

  bands(i, counts, sums, side, colours) {
    const { ctx } = this;
    const most = Math.log1p(counts.reduce((a, b) => Math.max(a, b), 1));
    const y = (cell) => (cell === cellsPerAxis ? this.lane : this.yOf((cell + 0.5) / cellsPerAxis));
    const used = [...counts.keys()]
      .filter((at) => counts[at] > 0)
      .sort((a, b) => counts[a] - counts[b]);
    for (const at of used) {
      ctx.globalAlpha = 0.08 + (0.5 * Math.log1p(counts[at])) / most;
      ctx.strokeStyle = cssColour(colours[Math.round(40 + (215 * sums[at]) / counts[at])]);
      ctx.lineWidth = 1 + (4 * Math.log1p(counts[at])) / most;
      this.line(this.xOf(i), y(Math.floor(at / side)), this.xOf(i + 1), y(at % side));
    }
    ctx.globalAlpha = 1;
  }

  axis(axis, i) {
    const { ctx, colours } = this;
    const x = this.xOf(i);
    ctx.strokeStyle = colours["line-strong"];
    ctx.lineWidth = 1;
    this.line(x, this.top, x, this.bottom);
    ctx.setLineDash([2, 2]);
    this.line(x - 5, this.lane, x + 5, this.lane);
    ctx.setLineDash([]);
    const room = (this.right - this.left) / Math.max(1, this.axes_.length - 1);
    ctx.fillStyle = colours.ink;
    ctx.font = `600 ${ctx.font.replace(/^600 /, "")}`;
    ctx.textBaseline = "bottom";
    ctx.textAlign = i === 0 ? "left" : i === this.axes_.length - 1 ? "right" : "center";
    ctx.fillText(
      clipped(ctx, axis.name, room - 8),
      i === 0 ? x - 36 : i === this.axes_.length - 1 ? x + 52 : x,
      this.top - (i % 2 && room < 90 ? 24 : 12),
    );
    ctx.font = ctx.font.replace(/^600 |^bold /, "");
    this.ticks(axis, x, room);
    this.brush(axis, x);
  }

  ticks(axis, x, room) {
    const { ctx, colours } = this;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    for (const [share, text] of axis.ticks()) {
      const y = this.yOf(share);
      this.line(x - 3, y, x + 3, y);
      const label = clipped(ctx, text, Math.min(70, room - 12));
      const width = ctx.measureText(label).width;
      ctx.globalAlpha = 0.8;
      ctx.fillStyle = colours.ground;
      ctx.fillRect(x + 5, y - 7, width + 4, 14);
      ctx.globalAlpha = 1;
      ctx.fillStyle = colours["ink-2"];
      ctx.fillText(label, x + 7, y);
    }
    if (x === this.left) ctx.fillText("inactive", 0, this.lane + laneHeight - 8);
  }

  brush(axis, x) {
    const range = this.brushes.get(axis.name);
    if (!range) return;
    const { ctx, colours } = this;
    const [top, end] =
      range[0] < 0 ? [this.lane - 8, this.lane + 8] : [this.yOf(range[1]), this.yOf(range[0])];
    ctx.globalAlpha = 0.3;
    ctx.fillStyle = colours.accent;
    ctx.fillRect(x - 8, top, 16, Math.max(3, end - top));
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colours.accent;
    ctx.strokeRect(x - 8, top, 16, Math.max(3, end - top));
  }

  nearestAxis(x) {
    let best = 0;
    this.axes_.forEach((_, i) => {
      if (Math.abs(this.xOf(i) - x) < Math.abs(this.xOf(best) - x)) best = i;
    });
    return best;
  }

  pointerPressed(event) {
    const [x, y] = this.place(event);
    const i = this.nearestAxis(x);
    if (Math.abs(this.xOf(i) - x) > 24) return;
    this.brushing = { axis: this.axes_[i], from: y };
    this.canvas.setPointerCapture(event.pointerId);
  }

  pointerMoved(event) {
    const [, y] = this.place(event);
    if (!this.brushing) {
      super.pointerMoved(event);
      return;
    }
    if (Math.abs(y - this.brushing.from) < 4) return;
    const share = (at) => (this.bottom - at) / (this.bottom - this.top);
    const [a, b] = [share(y), share(this.brushing.from)].sort((p, q) => p - q);
    // Beyond the end of an axis, a brush includes the end; below it, only the lane of the inactive.
    this.brushes.set(
      this.brushing.axis.name,
      b < -0.02 ? [-1, -1] : [Math.max(0, a), b > 1 ? 1.001 : b],
    );
    this.redraw();
  }

  pointerReleased(event) {
    const [, y] = this.place(event);
    if (this.brushing) {
      if (Math.abs(y - this.brushing.from) < 4) {
        if (y > this.bottom + 2) this.brushes.set(this.brushing.axis.name, [-1, -1]);
        else this.brushes.delete(this.brushing.axis.name);
      }
      this.brushing = null;
      this.onBrush();
      return;
    }
    super.pointerReleased(event);
  }

  hit(p, x, y) {
    if (!this.axes_) return null;
    const i = this.nearestAxis(x);
    let best = null;
    let least = 12;
    for (const row of this.rows()) {
      const far = Math.abs(this.yOf(this.shareOf(this.axes_[i], row)) - y);
      if (far <= least && this.passes(row)) {
        least = far;
        best = row;
      }
    }
    return best === null ? null : this.hitOf(best, i);
  }

  move(p, key) {
    const rows = this.rows().filter((row) => this.passes(row));
    if (rows.length === 0) return null;
    const by = key === "ArrowUp" || key === "ArrowRight" ? -1 : 1;
    this.at = Math.min(rows.length - 1, Math.max(0, (this.at ?? -1) + by));
    return this.hitOf(rows[rows.length - 1 - this.at], this.axes_.length - 1);
  }

  hitOf(row, i) {
    const lines = this.axes_.map(
      (axis) => `${axis.name}: ${shown(this.valueOf(axis, row)) || "inactive"}`,
    );
    return {
      x: this.xOf(i),
      y: this.yOf(this.shareOf(this.axes_[i], row)),
      row,
      text: `${this.nameOf(row)}\n${lines.join("\n")}`,
    };
  }
}
