// The curves of up to 150 runs line by line: their ends, the run under the pointer with the
// verdicts that it got, and which run is near a point.
import { count, duration, short, time, words } from "../lib/format.js";

const reach = 30; // pixels from the pointer to a line

// With bands on top, single runs are their background. Under the pointer, the runs of one trial
// are before all others. Smoothed lines have the reports behind them.
export function drawLines(p, ctx, { matrix, rows, bands, rank, lines, smooth, colourOf }) {
  const held = p.hovered?.trial;
  const share = held !== undefined ? 0.2 : bands.length > 0 && !rank ? 0.7 : 1;
  ctx.lineWidth = 1.2;
  for (const row of rows) {
    const colour = colourOf(row);
    ctx.strokeStyle = colour ?? p.colours[matrix.stateOf(row)];
    ctx.globalAlpha = share * (!colour && matrix.stateOf(row) === "stopped" ? 0.55 : 0.8);
    strokeLine(p, ctx, lines.get(row));
    if (!smooth) continue;
    ctx.globalAlpha *= 0.3;
    strokeLine(p, ctx, lines.get(row), "raw");
  }
  ctx.globalAlpha = 1;
}

function strokeLine(p, ctx, line, what = "y") {
  if (!line) return;
  ctx.beginPath();
  for (const one of line.points) ctx.lineTo(p.x.at(one.x), p.y.at(one[what]));
  ctx.stroke();
}

export function drawHeld(p, ctx, view) {
  const held = p.hovered?.trial;
  if (held === undefined || !view.lines) return;
  const own = view.rows.filter((row) => view.matrix.trial[row] === held);
  for (const [width, colour] of [
    [5, p.colours.ground],
    [2.5, null],
  ])
    for (const row of own) {
      ctx.lineWidth = width;
      ctx.strokeStyle = colour ?? view.colourOf(row) ?? p.colours[view.matrix.stateOf(row)];
      strokeLine(p, ctx, view.lines.get(row));
    }
  const row = p.hovered?.row;
  if (view.marks && !view.series && view.marks.run === runOf(view.matrix, row))
    drawMarks(p, ctx, view.marks.list, (mark) => p.x.at(view.byPhase ? mark.phase : mark.step));
}

// The verdict of each phase: the rank of the run there, the value that the rule compared with, and
// where it ended.
export function drawMarks(p, ctx, marks, x) {
  const room = marks.length > 1 ? Math.abs(x(marks[1]) - x(marks[0])) : Infinity;
  ctx.textBaseline = "bottom";
  for (const mark of marks) {
    const [left, at] = [x(mark), p.y.at(mark.value)];
    const end = mark.pauses ? p.colours.paused : p.colours.failed;
    ctx.fillStyle = ctx.strokeStyle = mark.ends ? end : p.colours.ink;
    ctx.beginPath();
    ctx.arc(left, at, mark.ends ? 5 : 2.5, 0, 7);
    ctx.fill();
    const text = mark.ends ? [mark.rank, mark.text].filter(Boolean).join(": ") : mark.rank;
    if (text && (room > 26 || mark.ends)) markText(p, ctx, text, left, at);
    if (mark.cutoff === null) continue;
    ctx.strokeStyle = p.colours.failed;
    ctx.lineWidth = 2;
    p.line(left - 8, p.y.at(mark.cutoff), left + 8, p.y.at(mark.cutoff));
  }
}

// Above its point, below where the picture ends; a long text is on the side with more room.
function markText(p, ctx, text, x, y) {
  const isLong = ctx.measureText(text).width > 40;
  const isRight = x > (p.left + p.right) / 2;
  ctx.textAlign = isLong ? (isRight ? "right" : "left") : "center";
  const above = y - 8 > p.top + 12;
  const at = above ? y - 8 : y + 20;
  const inside = isLong ? x : Math.min(p.right - 8, x);
  ctx.save();
  ctx.lineWidth = 4;
  ctx.strokeStyle = p.colours.ground;
  ctx.strokeText(text, inside, at);
  ctx.restore();
  ctx.fillText(text, inside, at);
}

// The place of a run's end, or nothing.
function endOf(p, line) {
  if (!line) return null;
  if (line.diverged !== null) return [p.x.at(line.diverged), p.bottom - 3];
  const end = line.points.at(-1);
  return end ? [p.x.at(end.x), p.y.at(end.y)] : null;
}

export function drawStops(p, ctx, view) {
  for (const row of view.rows) {
    const state = view.matrix.stateOf(row);
    const end = endOf(p, view.lines.get(row));
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
export function drawPhases(p, ctx, { phases, byPhase }) {
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

export const runOf = (matrix, row) => `rn_${matrix.trial[row]}.${matrix.replicate[row]}`;

const xText = (view, point) => {
  const step = `${count(point.step)} ${view.unit}`;
  if (view.axis === "trained") return `${step}, ${duration(point.x)} trained`;
  return view.axis === "wall" ? `${step}, ${time(new Date(point.x).toISOString())}` : step;
};

export function hitOf(p, view, row, point) {
  const { matrix, metric, noteOf, smooth } = view;
  const reason = matrix.reasonOf(row);
  const value = smooth ? `${short(point.raw)}, smoothed ${short(point.y)}` : short(point.raw);
  const run = runOf(matrix, row);
  const mark =
    view.marks?.run === run ? view.marks.list.find((one) => one.phase === point.phase) : null;
  return {
    x: p.x.at(point.x),
    y: p.y.at(point.y),
    row,
    point,
    run,
    trial: matrix.trial[row],
    text: [
      `tr_${matrix.trial[row]}, ${run}`,
      `${metric} ${value}, ${xText(view, point)}, phase ${point.phase + 1}`,
      `${words(matrix.stateOf(row))}${reason === "none" ? "" : `: ${words(reason)}`}`,
      ...(mark?.text ? [mark.text] : []),
      ...noteOf(matrix.trial[row]),
    ].join("\n"),
  };
}

// The point of a line that is nearest in x.
const nearestIn = (p, points, x) =>
  points.reduce((a, b) => (Math.abs(p.x.at(b.x) - x) < Math.abs(p.x.at(a.x) - x) ? b : a));

export function nearestRun(p, x, y) {
  const view = p.view();
  let [best, least] = [null, reach];
  for (const row of view.rows) {
    const points = view.lines?.get(row)?.points ?? [];
    if (points.length === 0) continue;
    const point = nearestIn(p, points, x);
    const aside = Math.max(0, Math.abs(p.x.at(point.x) - x) - reach);
    const far = Math.abs(p.y.at(point.y) - y) + aside;
    if (far < least) [best, least] = [{ row, point }, far];
  }
  return best && hitOf(p, view, best.row, best.point);
}

// The next point or run for an arrow key.
export function stepRun(p, key) {
  const view = p.view();
  const { rows } = view;
  if (rows.length === 0 || !view.lines) return null;
  const now = Math.max(0, rows.indexOf(p.hovered?.row));
  const turn = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
  const row = rows[Math.min(rows.length - 1, Math.max(0, now + turn))];
  const points = view.lines.get(row)?.points ?? [];
  if (points.length === 0) return null;
  const x = p.hovered ? p.hovered.point.x : points[0].x;
  const found = points.findLastIndex((one) => one.x <= x + 1e-9);
  const by = { ArrowLeft: -1, ArrowRight: p.hovered ? 1 : 0 }[key] ?? 0;
  return hitOf(
    p,
    view,
    row,
    points[Math.min(points.length - 1, Math.max(0, Math.max(0, found) + by))],
  );
}
