// What a machine did: lines over one axis of time, which break where nothing was measured.
import { lineStyle } from "../lib/colour.js";
import { time } from "../lib/format.js";
import { timeTicks } from "../lib/scale.js";
import { pieces } from "../lib/spans.js";
import { Plot } from "./plot.js";
import { aheadOfUtc, clock } from "./timeline.js";

const within = (view, one) => one.t1 >= view.from && one.t0 <= view.to;

// options: label, format(value), view() -> {from, to, most, lines: [{name, points}]}, where most is
// the upper end of the axis; zoom(from, to), unzoom.
export function machinePlot({ label, format, view, zoom, unzoom }) {
  return new Plot({
    label,
    height: 170,
    margin: { left: 64, right: 16, top: 10, bottom: 26 },
    zoom,
    unzoom,
    paint: (p) => paint(p, view(), format),
    hit: (p, x) => valuesAt(p, view(), p.x.value(x), format),
    move: (p, key) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
      const [low, high] = p.x.domain;
      const at = (p.hovered?.at ?? high) + (by * (high - low)) / 40;
      return valuesAt(p, view(), Math.min(high, Math.max(low, at)), format);
    },
    table: () => ({
      header: ["of", "from", "seconds", "value"],
      rows: view().lines.flatMap(({ name, points }) =>
        points.map((one) => [
          name,
          new Date(one.t0).toISOString(),
          (one.t1 - one.t0) / 1000,
          one.y,
        ]),
      ),
    }),
  });
}

function paint(p, { from, to, most, lines }, format) {
  if (lines.every((one) => one.points.length === 0))
    return p.message("Nothing was measured in this time.");
  p.axes(
    {
      domain: [from, to],
      format: (at) => clock(at, to - from),
      ticks: timeTicks([from, to], Math.max(3, (p.right - p.left) / 90), aheadOfUtc(from)),
    },
    { domain: [0, most], format, ticks: [0, 0.25, 0.5, 0.75, 1].map((share) => share * most) },
  );
  p.inside((ctx) =>
    lines.forEach(({ points }, i) => {
      const { colour, dash } = lineStyle(i);
      ctx.strokeStyle = p.colours.series[colour];
      ctx.lineWidth = 1.6;
      ctx.setLineDash(dash);
      for (const piece of pieces(points)) drawPiece(p, ctx, piece);
      ctx.setLineDash([]);
    }),
  );
  return undefined;
}

// Through the middles of the intervals; a lone one is as long as it lasted.
function drawPiece(p, ctx, piece) {
  ctx.beginPath();
  ctx.lineTo(p.x.at(piece[0].t0), p.y.at(piece[0].y));
  for (const one of piece) ctx.lineTo(p.x.at((one.t0 + one.t1) / 2), p.y.at(one.y));
  ctx.lineTo(p.x.at(piece.at(-1).t1), p.y.at(piece.at(-1).y));
  ctx.stroke();
}

function valuesAt(p, view, at, format) {
  const there = view.lines
    .map(({ name, points }) => ({
      name,
      one: points.find((point) => point.t0 <= at && at < point.t1 && within(view, point)),
    }))
    .filter(({ one }) => one);
  if (there.length === 0) return null;
  const { t0, t1 } = there[0].one;
  return {
    x: p.x.at(at),
    y: p.top + 10,
    at,
    text: [
      `${time(new Date(t0).toISOString())}, mean of ${Math.round((t1 - t0) / 1000)} s`,
      ...there.map(({ name, one }) => `${name} ${format(one.y)}`),
    ].join("\n"),
  };
}
