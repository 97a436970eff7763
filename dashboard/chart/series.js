// A metric of several runs over their steps: each side in the colour of its line.
import { lineStyle } from "../lib/colour.js";
import { count, short } from "../lib/format.js";
import { padded, robustRange } from "../lib/scale.js";
import { Plot } from "./plot.js";

const nearest = (points, at) =>
  points.reduce((a, b) => (Math.abs(b.x - at) < Math.abs(a.x - at) ? b : a));

// sides(): [{name, style, runs: [points], mean: points}], where points are {x, y}.
export function seriesPlot(name, sides, unit) {
  return new Plot({
    label: name,
    height: 180,
    paint: (p) => {
      const shown = sides().filter((side) => side.mean.length > 0);
      const points = shown.flatMap((side) => side.runs.flat());
      if (points.length === 0) return p.message("None of these logs it.");
      p.axes(
        { domain: [0, Math.max(...points.map((one) => one.x)) || 1], format: count },
        { domain: padded(robustRange(points.map((one) => one.y))) },
      );
      p.inside((ctx) => shown.forEach((side) => drawSide(p, ctx, side)));
      return undefined;
    },
    hit: (p, x) => valuesAt(p, sides(), unit(), p.x.value(x)),
    move: (p, key) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
      const [low, high] = p.x.domain;
      const at = (p.hovered?.at ?? low) + (by * (high - low)) / 20;
      return valuesAt(p, sides(), unit(), Math.min(high, Math.max(low, at)));
    },
    table: () => ({
      header: ["of", "step", name],
      rows: sides().flatMap((side) => side.mean.map((one) => [side.name, one.x, one.y])),
    }),
  });
}

function drawSide(p, ctx, { style, runs, mean }) {
  const { colour, dash } = lineStyle(style);
  ctx.strokeStyle = p.colours.series[colour];
  const line = (points) => {
    ctx.beginPath();
    for (const one of points) ctx.lineTo(p.x.at(one.x), p.y.at(one.y));
    ctx.stroke();
  };
  if (runs.length > 1) {
    ctx.globalAlpha = 0.3;
    ctx.lineWidth = 1;
    runs.forEach(line);
    ctx.globalAlpha = 1;
  }
  ctx.lineWidth = 1.8;
  ctx.setLineDash(dash);
  line(mean);
  ctx.setLineDash([]);
}

function valuesAt(p, sides, unit, at) {
  const shown = sides.filter((side) => side.mean.length > 0);
  if (shown.length === 0) return null;
  const points = shown.map((side) => nearest(side.mean, at));
  return {
    x: p.x.at(at),
    y: p.top + 10,
    at,
    text: [
      `${count(at)} ${unit}`,
      ...shown.map((side, i) => `${side.name} ${short(points[i].y)}`),
    ].join("\n"),
  };
}
