// What each worker ran when: rows are workers, lanes their slots, bars attempts. A hatched bar is
// many short ones, in the colours of their sweeps by the time that each took.
import { Plot, clipped } from "./plot.js";
import { duration, percent, time, words } from "../lib/format.js";
import { timeTicks } from "../lib/scale.js";
import { isMany, rowsOf, sweepStyle, sweepsOf } from "../lib/spans.js";

const laneHeight = 16;
const gap = 10;

// options: view() -> {from, to, spans (lib/spans.js), hosts and slots: Maps by worker, whole: all
// slots are lanes}.
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
        isMany(one) ? one.parts.map((part) => part.sweep).join(" ") : one.sweep,
        new Date(one.t0).toISOString(),
        new Date(one.t1).toISOString(),
        one.reason ?? "",
      ]),
    }),
  });
  return plot;
}

const heightOf = (row) => row.lanes * laneHeight;

function paint(p, { from, to, spans, hosts, slots = new Map(), whole = false }) {
  const rows = rowsOf(spans, slots, whole);
  const wanted =
    rows.reduce((sum, row) => sum + heightOf(row) + gap, 0) + p.margin.top + p.margin.bottom + 6;
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
    drawRow(p, row, y, colourOf, hosts.get(row.worker) ?? "");
    y += heightOf(row) + gap;
  }
  return undefined;
}

function drawRow(p, row, y, colourOf, host) {
  p.ctx.fillStyle = p.colours.sunken;
  p.ctx.fillRect(p.left, y, p.right - p.left, heightOf(row));
  p.ctx.fillStyle = p.colours.ink;
  p.ctx.textAlign = "right";
  p.ctx.textBaseline = "middle";
  p.ctx.fillText(
    clipped(p.ctx, `${row.worker} ${host}`, p.left - 14),
    p.left - 8,
    y + heightOf(row) / 2,
  );
  p.inside(() => {
    for (const span of row.spans)
      for (const lane of span.lanes) bar(p, span, y + lane * laneHeight, colourOf);
  });
}

export const aheadOfUtc = (at) => -60000 * new Date(at).getTimezoneOffset();

export function clock(at, span) {
  const ms = Math.round(at);
  const text = time(new Date(ms).toISOString());
  if (span < 10e3) return `${text.slice(11)}.${String(ms % 1000).padStart(3, "0")}`;
  return span > 172800e3 ? text.slice(5, 10) : span > 7200e3 ? text.slice(11, 16) : text.slice(11);
}

// Of one sweep, colours are how an attempt ended; of several, the sweep.
function coloursOf(p, spans) {
  const sweeps = sweepsOf(spans);
  const ofSweep = (sweep) => {
    const { colour, split } = sweepStyle(sweeps.indexOf(sweep), p.colours.series.length);
    return { colour: p.colours.series[colour], split };
  };
  if (sweeps.length >= 2) return (span, sweep = span.sweep) => ofSweep(sweep);
  return (span) => ({ colour: isMany(span) ? p.colours.c1 : p.colours[endOf(span)] });
}

function fill(p, { colour, split }, x, y, width, height) {
  p.ctx.fillStyle = colour;
  p.ctx.fillRect(x, y, width, height);
  if (!split) return;
  p.ctx.fillStyle = p.colours.sunken;
  p.ctx.fillRect(x, y + height / 3, width, height / 3);
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

const barHeight = laneHeight - 3;

function bar(p, span, y, colourOf) {
  const x0 = Math.max(p.left, p.x.at(span.t0));
  const x1 = Math.max(x0 + 1, Math.min(p.right, p.x.at(span.t1)));
  const width = Math.max(1, x1 - x0 - 1);
  p.ctx.globalAlpha = span.share;
  if (isMany(span)) layers(p, span, x0, y + 1, width, colourOf);
  else fill(p, colourOf(span), x0, y + 1, width, barHeight);
  p.ctx.globalAlpha = 1;
  if (isMany(span)) hatch(p, x0, y + 1, width);
  if (badEnds.has(span.reason)) {
    p.ctx.fillStyle = p.colours.ink;
    p.ctx.fillRect(x1 - 4, y, 3, laneHeight - 1);
  }
  p.boxes.push({ x0, x1, y, span });
}

// Each sweep as high as its share of the time.
function layers(p, span, x, y, width, colourOf) {
  const all = span.parts.reduce((sum, one) => sum + one.seconds, 0) || 1;
  let top = y;
  for (const { sweep, seconds } of span.parts) {
    const height = (barHeight * seconds) / all;
    fill(p, colourOf(span, sweep), x, top, width, height);
    top += height;
  }
}

function hatch(p, x, y, width) {
  const { ctx } = p;
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, width, barHeight);
  ctx.clip();
  ctx.strokeStyle = p.colours.sunken;
  ctx.lineWidth = 1.5;
  for (let at = x - barHeight - (x % 6); at < x + width; at += 6)
    p.line(at, y + barHeight, at + barHeight, y);
  ctx.restore();
}

function manyText(span) {
  const all = span.parts.reduce((sum, one) => sum + one.seconds, 0) || 1;
  return span.parts.map((one) => `${one.sweep} ${percent(one.seconds / all)}`).join(", ");
}

function hitOf({ x0, x1, y, span }) {
  return {
    x: (x0 + x1) / 2,
    y: y + laneHeight / 2,
    span,
    text: `${span.label}\n${isMany(span) ? manyText(span) : span.sweep} on ${span.worker}\n${duration((span.t1 - span.t0) / 1000)}${span.live ? ", in progress" : ""}${span.reason ? `\n${words(span.reason)}` : ""}`,
  };
}

function boxAt(p, x, y) {
  const box = p.boxes?.findLast(
    (one) => x >= one.x0 - 1 && x <= one.x1 + 1 && y >= one.y && y <= one.y + laneHeight,
  );
  return box ? { ...hitOf(box), x, y } : null;
}
