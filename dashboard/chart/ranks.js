// Rank flow by phase, and the verdicts of each phase as bars.
import { Plot, phaseTick, phaseTicks } from "./plot.js";
import { short, words } from "../lib/format.js";
import { bestFirst } from "../lib/raster.js";

const emphasized = 50;

// Each run is a line through its rank among the reports of each phase; 1 is the best.
export function flowPlot({ data, curves, rows, open }) {
  return new Plot({
    label: "Ranks of the runs by phase",
    height: 460,
    paint: (p) => paintFlow(p, data, curves, rows()),
    hit: (p, x, y) => nearest(p, curves, x, y),
    move: (p, key) => step(p, curves, key),
    open: (hit) => open(hit),
    table: () => ({
      header: ["run", "phase", "rank", "of"],
      rows: flowRows(curves, ranksOf(curves, rows(), data.objective.metricGoal)),
    }),
  });
}

function ranksOf({ matrix }, rows, goal) {
  const { points } = matrix;
  const ranks = new Map(rows.map((row) => [row, new Int32Array(points)]));
  const sizes = new Int32Array(points);
  for (let k = 0; k < points; k++) {
    const there = bestFirst(matrix, k, rows, goal);
    sizes[k] = there.length;
    there.forEach((row, at) => {
      ranks.get(row)[k] = at + 1;
    });
  }
  return { ranks, sizes };
}

function flowRows({ matrix }, { ranks, sizes }) {
  const list = [];
  for (const [row, own] of ranks)
    own.forEach((rank, k) => {
      if (rank)
        list.push([`rn_${matrix.trial[row]}.${matrix.replicate[row]}`, k + 1, rank, sizes[k]]);
    });
  return list;
}

function paintFlow(p, data, curves, rows) {
  const { matrix } = curves;
  if (rows.length === 0) return p.message("No run with a report is left by the filter.");
  const { ranks, sizes } = (p.flow = ranksOf(curves, rows, data.objective.metricGoal));
  const most = Math.max(2, ...sizes);
  p.axes(
    {
      domain: [-0.3, Math.max(1, matrix.points - 1) + 0.3],
      label: matrix.points === matrix.phases ? "phase" : `of ${matrix.points} points`,
      format: phaseTick,
      ticks: phaseTicks(matrix.points - 1, p.right - p.left),
    },
    {
      domain: [1, most],
      kind: most > 200 ? "log" : "linear",
      label: "rank (1 is the best)",
      reverse: true,
      format: (value) => (Number.isInteger(value) ? String(value) : ""),
    },
  );
  const order = [...rows].sort((a, b) => finalRank(ranks.get(b)) - finalRank(ranks.get(a)));
  p.inside((ctx) => {
    order.forEach((row, at) => {
      const strong = at >= order.length - emphasized;
      ctx.globalAlpha = strong ? 0.95 : Math.max(0.05, Math.min(0.4, 60 / order.length));
      drawFlow(p, ctx, matrix, row, ranks.get(row), strong);
    });
    ctx.globalAlpha = 1;
  });
}

// Later ends are better; among equal ends the rank decides.
function finalRank(own) {
  let last = 0;
  own.forEach((rank, k) => {
    if (rank) last = k;
  });
  return -1e6 * last + own[last];
}

function drawFlow(p, ctx, matrix, row, own, strong) {
  const state = matrix.stateOf(row);
  ctx.strokeStyle = ctx.fillStyle = p.colours[state];
  ctx.lineWidth = strong ? 1.7 : 1;
  ctx.beginPath();
  let end = null;
  own.forEach((rank, k) => {
    if (!rank) return;
    const x = p.x.at(k);
    const y = p.y.at(rank);
    if (end) ctx.bezierCurveTo((end[0] + x) / 2, end[1], (end[0] + x) / 2, y, x, y);
    else ctx.moveTo(x, y);
    end = [x, y];
  });
  ctx.stroke();
  if (!end) return;
  ctx.beginPath();
  if (state === "stopped" || state === "failed") ctx.rect(end[0] - 2.5, end[1] - 2.5, 5, 5);
  else ctx.arc(end[0], end[1], 3, 0, 7);
  state === "paused" ? ctx.stroke() : ctx.fill();
}

function hitOf(p, { matrix }, row, k) {
  const rank = p.flow.ranks.get(row)[k];
  const run = `rn_${matrix.trial[row]}.${matrix.replicate[row]}`;
  const value = matrix.cells[row * matrix.points + k];
  const reason = matrix.reasonOf(row);
  return {
    x: p.x.at(k),
    y: p.y.at(rank),
    row,
    k,
    run,
    text:
      `${run}\nrank ${rank} of ${p.flow.sizes[k]} in phase ${k + 1}, ${Number.isFinite(value) ? short(value) : "diverged"}\n` +
      `${words(matrix.stateOf(row))}${reason === "none" ? "" : `: ${words(reason)}`}`,
  };
}

function nearest(p, curves, x, y) {
  if (!p.flow) return null;
  const k = Math.min(curves.matrix.points - 1, Math.max(0, Math.round(p.x.value(x))));
  let best = null;
  let least = 14;
  for (const [row, own] of p.flow.ranks) {
    if (!own[k]) continue;
    const far = Math.abs(p.y.at(own[k]) - y);
    if (far < least) {
      least = far;
      best = row;
    }
  }
  return best === null ? null : hitOf(p, curves, best, k);
}

function step(p, curves, key) {
  if (!p.flow || p.flow.ranks.size === 0) return null;
  const now = p.hovered ?? { row: [...p.flow.ranks.keys()][0], k: 0 };
  const k = Math.min(
    curves.matrix.points - 1,
    Math.max(0, now.k + (key === "ArrowRight") - (key === "ArrowLeft")),
  );
  const there = [...p.flow.ranks]
    .filter(([, own]) => own[k])
    .sort((a, b) => a[1][k] - b[1][k])
    .map(([row]) => row);
  if (there.length === 0) return null;
  const at = there.indexOf(now.row);
  const next = Math.min(
    there.length - 1,
    Math.max(0, (at < 0 ? 0 : at) + (key === "ArrowDown") - (key === "ArrowUp")),
  );
  return hitOf(p, curves, there[next], k);
}

// Bars of continued, paused, stopped, by phase.
export const verdictKinds = [
  ["continued", "running"],
  ["paused", "paused"],
  ["stopped", "stopped"],
  ["completed", "completed"],
  ["diverged", "failed"],
];

export function verdictPlot({ phases }) {
  return new Plot({
    label: "Verdicts by phase",
    height: 200,
    paint: (p) => {
      const items = phases();
      if (items.length === 0) return p.message("No report yet.");
      const last = items.at(-1).phase;
      const most = Math.max(...items.map((one) => one.reports));
      p.axes(
        {
          domain: [-0.6, last + 0.6],
          label: "phase",
          format: phaseTick,
          ticks: phaseTicks(last, p.right - p.left),
        },
        { domain: [0, most * 1.05], label: "runs" },
      );
      const width = Math.max(1, Math.min(48, p.x.at(1) - p.x.at(0) - 4));
      for (const one of items) drawBar(p, one, verdictKinds, width);
      return undefined;
    },
    hit: (p, x) => hitPhase(p, phases(), Math.round(p.x.value(x))),
    move: (p, key) =>
      hitPhase(
        p,
        phases(),
        (p.hovered?.phase ?? -1) + (key === "ArrowLeft" || key === "ArrowDown" ? -1 : 1),
      ),
    table: () => ({
      header: [
        "phase",
        "step",
        "reports",
        "continued",
        "paused",
        "stopped",
        "completed",
        "diverged",
        "best stopped",
        "worst continued",
      ],
      rows: phases().map((one) => [
        one.phase + 1,
        one.step,
        one.reports,
        one.continued,
        one.paused,
        one.stopped,
        one.completed,
        one.diverged,
        one.best_stopped,
        one.worst_continued,
      ]),
    }),
  });
}

// A diverged run is stopped; it is drawn once.
const countOf = (one, kind) => (kind === "stopped" ? one.stopped - one.diverged : one[kind]);

function drawBar(p, one, kinds, width) {
  let base = 0;
  const rest = one.reports - kinds.reduce((sum, [kind]) => sum + countOf(one, kind), 0);
  const parts = kinds.map(([kind, state]) => [countOf(one, kind), p.colours[state]]);
  for (const [n, colour] of [...parts, [rest, p.colours.line]]) {
    if (n <= 0) continue;
    p.ctx.fillStyle = colour;
    const [top, end] = [p.y.at(base + n), p.y.at(base)];
    p.ctx.fillRect(p.x.at(one.phase) - width / 2, top, width, Math.max(1, end - top - 1));
    base += n;
  }
}

function hitPhase(p, items, phase) {
  const one = items.find((item) => item.phase === phase);
  if (!one) return null;
  const cut = one.best_stopped === null ? "" : `\nbest value stopped ${short(one.best_stopped)}`;
  const kept =
    one.worst_continued === null ? "" : `\nworst value continued ${short(one.worst_continued)}`;
  return {
    x: p.x.at(phase),
    y: p.y.at(one.reports),
    phase,
    text: `phase ${phase + 1}: ${one.reports} reports\n${one.continued} continued, ${one.paused} paused, ${one.stopped} stopped${cut}${kept}`,
  };
}
