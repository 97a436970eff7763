// What each worker ran when: rows are workers, lanes their slots, bars attempts.
import { Plot, clipped } from "./plot.js";
import { duration, time, words } from "../lib/format.js";
import { timeTicks } from "../lib/scale.js";

const laneHeight = 16;
const gap = 10;

// Attempts side by side get lanes of their worker.
export function lanesOf(spans) {
  const rows = new Map();
  for (const span of spans) {
    if (!rows.has(span.worker)) rows.set(span.worker, { worker: span.worker, ends: [], spans: [] });
    const row = rows.get(span.worker);
    let lane = row.ends.findIndex((end) => end <= span.t0);
    if (lane < 0) lane = row.ends.length;
    row.ends[lane] = span.t1;
    row.spans.push({ ...span, lane });
  }
  return [...rows.values()];
}

// options: view() -> {from, to, spans [{worker, t0, t1, label, sweep, reason, open}], hosts Map}.
export function timelinePlot({ view, open, zoom, unzoom }) {
  const plot = new Plot({
    label: "Attempts of each worker over time",
    height: 200,
    margin: { left: 110, right: 16, top: 8, bottom: 36 },
    open,
    zoom,
    unzoom,
    paint: (p) => paint(p, view()),
    hit: (p, x, y) => boxAt(p, x, y),
    move: (p, key) => {
      if (!p.boxes?.length) return null;
      p.at = Math.min(
        p.boxes.length - 1,
        Math.max(0, (p.at ?? -1) + (key === "ArrowRight" || key === "ArrowDown" ? 1 : -1)),
      );
      return hitOf(p.boxes[p.at]);
    },
    table: () => ({
      header: ["worker", "attempt", "sweep", "from", "to", "end"],
      rows: view().spans.map((one) => [
        one.worker,
        one.label,
        one.sweep,
        new Date(one.t0).toISOString(),
        new Date(one.t1).toISOString(),
        one.reason ?? "",
      ]),
    }),
  });
  return plot;
}

function paint(p, { from, to, spans, hosts }) {
  const rows = lanesOf(spans);
  const wanted =
    rows.reduce((sum, row) => sum + row.ends.length * laneHeight + gap, 0) +
    p.margin.top +
    p.margin.bottom +
    6;
  if (p.height !== Math.max(140, wanted)) {
    p.height = Math.max(140, wanted);
    p.canvas.height = 0;
    setTimeout(() => p.redraw());
    return undefined;
  }
  if (rows.length === 0) return p.message("No attempt in this time.");
  p.axes(
    {
      domain: [from, to],
      format: (at) => clock(at, to - from),
      ticks: timeTicks([from, to], Math.max(3, (p.right - p.left) / 90), aheadOfUtc(from)),
    },
    { domain: [0, 1], ticks: [] },
  );
  p.boxes = [];
  const colourOf = coloursOf(p, spans);
  let y = p.top;
  for (const row of rows) {
    const height = row.ends.length * laneHeight;
    p.ctx.fillStyle = p.colours.sunken;
    p.ctx.fillRect(p.left, y, p.right - p.left, height);
    p.ctx.fillStyle = p.colours.ink;
    p.ctx.textAlign = "right";
    p.ctx.textBaseline = "middle";
    p.ctx.fillText(
      clipped(p.ctx, `${row.worker} ${hosts.get(row.worker) ?? ""}`, p.left - 14),
      p.left - 8,
      y + height / 2,
    );
    p.inside(() =>
      row.spans.forEach((span) => bar(p, span, y + span.lane * laneHeight, colourOf(span))),
    );
    y += height + gap;
  }
  return undefined;
}

export const aheadOfUtc = (at) => -60000 * new Date(at).getTimezoneOffset();

export function clock(at, span) {
  const ms = Math.round(at);
  const text = time(new Date(ms).toISOString());
  if (span < 10e3) return `${text.slice(11)}.${String(ms % 1000).padStart(3, "0")}`;
  return span > 172800e3 ? text.slice(5, 10) : span > 7200e3 ? text.slice(11, 16) : text.slice(11);
}

// In the order of their numbers.
export const sweepsOf = (spans) =>
  [...new Set(spans.map((one) => one.sweep).filter(Boolean))].sort(
    (a, b) => Number(a.slice(3)) - Number(b.slice(3)),
  );

function coloursOf(p, spans) {
  const sweeps = sweepsOf(spans);
  if (sweeps.length < 2) return (span) => p.colours[endOf(span)];
  return (span) =>
    span.sweep
      ? p.colours.series[sweeps.indexOf(span.sweep) % p.colours.series.length]
      : p.colours["line-strong"];
}

// The state that an attempt left its run in; the colours of one sweep.
function endOf({ live, reason }) {
  if (live) return "running";
  if (badEnds.has(reason)) return "failed";
  return reason === "budget_reached" ? "completed" : "stopped";
}

const badEnds = new Set([
  "worker_lost",
  "retries_exhausted",
  "exit_code",
  "signal",
  "disk_limit",
  "cannot_start",
  "diverged",
]);

function bar(p, span, y, colour) {
  const x0 = Math.max(p.left, p.x.at(span.t0));
  const x1 = Math.max(x0 + 1, Math.min(p.right, p.x.at(span.t1)));
  p.ctx.globalAlpha = span.share ?? 1;
  p.ctx.fillStyle = colour;
  p.ctx.fillRect(x0, y + 1, Math.max(1, x1 - x0 - 1), laneHeight - 3);
  p.ctx.globalAlpha = 1;
  if (badEnds.has(span.reason)) {
    p.ctx.fillStyle = p.colours.ink;
    p.ctx.fillRect(x1 - 4, y, 3, laneHeight - 1);
  }
  p.boxes.push({ x0, x1, y, span });
}

function hitOf({ x0, x1, y, span }) {
  return {
    x: (x0 + x1) / 2,
    y: y + laneHeight / 2,
    span,
    text: `${span.label}\n${span.sweep ?? ""} on ${span.worker}\n${duration((span.t1 - span.t0) / 1000)}${span.live ? ", in progress" : ""}${span.reason ? `\n${words(span.reason)}` : ""}`,
  };
}

function boxAt(p, x, y) {
  const box = p.boxes?.findLast(
    (one) => x >= one.x0 - 1 && x <= one.x1 + 1 && y >= one.y && y <= one.y + laneHeight,
  );
  return box ? { ...hitOf(box), x, y } : null;
}
