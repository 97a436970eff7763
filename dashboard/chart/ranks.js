// Rank flow by phase, and the verdicts of each phase as bars.
import { Density } from "./density.js";
import { Plot, phaseTick, phaseTicks } from "./plot.js";
import { short, words } from "../lib/format.js";
import { flowOf } from "../lib/flow.js";

const emphasized = 50;
const linesAtMost = 2000;
const leadersAtMost = 200; // drawn as lines over the density of more

export const isDense = (rows) => rows.length > linesAtMost;

// Each run is a line through its rank among the reports of each phase; 1 is the best. Of many runs
// it is a density, with lines for the best.
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
      rows: flowRows(curves, flowOf(curves.matrix, rows(), data.objective.metricGoal)),
    }),
  });
}

const runOf = ({ matrix }, row) => `rn_${matrix.trial[row]}.${matrix.replicate[row]}`;

function flowRows(curves, { rows, points, ranks, sizes }) {
  const list = [];
  rows.forEach((row, i) => {
    for (let k = 0; k < points; k++) {
      const rank = ranks[i * points + k];
      if (rank) list.push([runOf(curves, row), k + 1, rank, sizes[k]]);
    }
  });
  return list;
}

// The ranks change with the reports and with the filter only.
function currentFlow(p, curves, rows, goal) {
  if (p.flow?.rows !== rows || p.flow.version !== curves.version)
    p.flow = { ...flowOf(curves.matrix, rows, goal), version: curves.version };
  return p.flow;
}

function paintFlow(p, data, curves, rows) {
  const { matrix } = curves;
  if (rows.length === 0) return p.message("No run with a report is left by the filter.");
  const flow = currentFlow(p, curves, rows, data.objective.metricGoal);
  const most = Math.max(2, ...flow.sizes);
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
  p.inside((ctx) => {
    if (isDense(rows)) drawDensity(p, flow, most);
    drawLines(p, ctx, matrix, flow);
  });
  return undefined;
}

// As the density takes them: NaN is no report.
function cellsOf(ranks) {
  const cells = new Float32Array(ranks);
  for (let at = 0; at < cells.length; at++) if (cells[at] === 0) cells[at] = NaN;
  return cells;
}

function drawDensity(p, { ranks, points, rows, version }, most) {
  if (p.cellsOf !== ranks) p.cells = cellsOf(ranks);
  p.cellsOf = ranks;
  const every = [...rows.keys()];
  p.density ??= new Density(() => p.redraw());
  p.density.draw(p, {
    ...{ cells: p.cells, rows: every, points, version },
    ...{ key: every.length, domain: [most, 1], xOf: (k) => k },
  });
}

// The worst first, so that the best are on top.
function drawLines(p, ctx, matrix, flow) {
  const drawn = isDense(flow.rows) ? flow.order.slice(0, leadersAtMost) : flow.order;
  const weak = Math.max(0.05, Math.min(0.4, 60 / drawn.length));
  for (let at = drawn.length - 1; at >= 0; at--) {
    const strong = at < emphasized;
    ctx.globalAlpha = strong ? 0.95 : weak;
    drawFlow(p, ctx, matrix.stateOf(flow.rows[drawn[at]]), flow, drawn[at], strong);
  }
  ctx.globalAlpha = 1;
}

function drawFlow(p, ctx, state, { ranks, points }, i, strong) {
  ctx.strokeStyle = ctx.fillStyle = p.colours[state];
  ctx.lineWidth = strong ? 1.7 : 1;
  ctx.beginPath();
  let end = null;
  for (let k = 0; k < points; k++) {
    const rank = ranks[i * points + k];
    if (!rank) continue;
    const x = p.x.at(k);
    const y = p.y.at(rank);
    if (end) ctx.bezierCurveTo((end[0] + x) / 2, end[1], (end[0] + x) / 2, y, x, y);
    else ctx.moveTo(x, y);
    end = [x, y];
  }
  ctx.stroke();
  if (!end) return;
  ctx.beginPath();
  if (state === "stopped" || state === "failed") ctx.rect(end[0] - 2.5, end[1] - 2.5, 5, 5);
  else ctx.arc(end[0], end[1], 3, 0, 7);
  state === "paused" ? ctx.stroke() : ctx.fill();
}

function hitOf(p, curves, i, k) {
  const { matrix } = curves;
  const { points, ranks, rows, sizes } = p.flow;
  const row = rows[i];
  const rank = ranks[i * points + k];
  const run = runOf(curves, row);
  const value = matrix.cells[row * points + k];
  const reason = matrix.reasonOf(row);
  return {
    ...{ x: p.x.at(k), y: p.y.at(rank), i, k, run },
    text:
      `${run}\nrank ${rank} of ${sizes[k]} in phase ${k + 1}, ${Number.isFinite(value) ? short(value) : "diverged"}\n` +
      `${words(matrix.stateOf(row))}${reason === "none" ? "" : `: ${words(reason)}`}`,
  };
}

// The run of a rank in a phase, or -1.
function indexAt({ ranks, rows, points }, rank, k) {
  for (let i = 0; i < rows.length; i++) if (ranks[i * points + k] === rank) return i;
  return -1;
}

function nearest(p, curves, x, y) {
  if (!p.flow) return null;
  const { points, ranks, rows } = p.flow;
  const k = Math.min(points - 1, Math.max(0, Math.round(p.x.value(x))));
  let [best, least] = [-1, 14];
  for (let i = 0; i < rows.length; i++) {
    const rank = ranks[i * points + k];
    const far = rank ? Math.abs(p.y.at(rank) - y) : Infinity;
    if (far < least) [best, least] = [i, far];
  }
  return best < 0 ? null : hitOf(p, curves, best, k);
}

// To the phase before or after, or to the next rank of a phase.
function step(p, curves, key) {
  if (!p.flow || p.flow.rows.length === 0) return null;
  const { points, ranks, sizes } = p.flow;
  const now = p.hovered ?? { i: 0, k: 0 };
  const by = (key === "ArrowRight") - (key === "ArrowLeft");
  const k = Math.min(points - 1, Math.max(0, now.k + by));
  if (sizes[k] === 0) return null;
  const rank = (ranks[now.i * points + k] || 1) + (key === "ArrowDown") - (key === "ArrowUp");
  return hitOf(p, curves, indexAt(p.flow, Math.min(sizes[k], Math.max(1, rank)), k), k);
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
      if (!items) return p.message("Reading …");
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
    hit: (p, x) => hitPhase(p, phases() ?? [], Math.round(p.x.value(x))),
    move: (p, key) =>
      hitPhase(
        p,
        phases() ?? [],
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
      rows: (phases() ?? []).map((one) => [
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
