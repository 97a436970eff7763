// A metric of one run over its steps: a line with points, and what happened at them.
import { count, short, words } from "../lib/format.js";
import { padded, robustRange, withBar } from "../lib/scale.js";
import { cutoffText, marksOf } from "../lib/verdicts.js";
import { drawMarks } from "./curve_lines.js";
import { Plot } from "./plot.js";

// A line with points; verdicts that stopped or paused are marked.
export function linePlot(name, points, unit, options = {}) {
  const none = () => null;
  const { height = 300, ended = none, from = none, bar = none, format, open } = options;
  return new Plot({
    label: name(),
    height,
    paint: (p) => {
      const list = points().filter((one) => typeof one.y === "number");
      if (list.length === 0)
        return p.message(ended() ? "The run reported no number." : "No report yet.");
      p.axes(
        {
          domain: [Math.min(0, list[0].x), list.at(-1).x || 1],
          label: height > 200 ? unit() : "",
          format: count,
        },
        {
          // Verdicts are written above the points.
          domain: padded(
            withBar(robustRange(list.map((one) => one.y)), bar()),
            height > 200 ? 0.12 : 0.04,
          ),
          label: height > 200 ? name() : "",
          format,
        },
      );
      p.inside((ctx) => drawLine(p, ctx, list, from()));
      p.barLine(bar());
      return undefined;
    },
    open,
    hit: (p, x) => near(p, points(), x, name()),
    move: (p, key) => {
      const list = points();
      const by = key === "ArrowRight" || key === "ArrowUp" ? 1 : -1;
      p.at = Math.min(list.length - 1, Math.max(0, (p.at ?? -1) + by));
      return list.length ? tipOf(p, list[p.at], name()) : null;
    },
    table: () => ({ header: ["step", name()], rows: points().map((one) => [one.x, one.y]) }),
  });
}

// origin: of a fork, whose reports up to there are those of another run.
function drawLine(p, ctx, list, origin) {
  const own = origin ? list.findLastIndex((one) => one.x <= origin.step) : 0;
  const line = (points, colour) => {
    ctx.strokeStyle = p.colours[colour];
    ctx.lineWidth = 1.8;
    ctx.beginPath();
    for (const one of points) ctx.lineTo(p.x.at(one.x), p.y.at(one.y));
    ctx.stroke();
  };
  line(list.slice(0, own + 1), "line-strong");
  line(list.slice(Math.max(0, own)), "c1");
  if (origin) {
    const at = Math.round(p.x.at(origin.step)) + 0.5;
    ctx.strokeStyle = ctx.fillStyle = p.colours["ink-2"];
    ctx.lineWidth = 1;
    p.line(at, p.top, at, p.bottom);
    ctx.textAlign = "left";
    ctx.textBaseline = "top";
    ctx.fillText(`fork of ${origin.run}`, at + 5, p.bottom - 16);
  }
  if (list.length > 200) return;
  const drawn = list.slice(Math.max(0, own));
  const reports = drawn.map((one) => one.one).filter(Boolean);
  if (reports.length > 0)
    return void drawMarks(p, ctx, marksOf(reports), (one) => p.x.at(one.step));
  for (const one of drawn) {
    ctx.fillStyle = p.colours.c1;
    ctx.beginPath();
    ctx.arc(p.x.at(one.x), p.y.at(one.y), 2.5, 0, 7);
    ctx.fill();
  }
  return undefined;
}

function tipOf(p, point, name) {
  if (typeof point.y !== "number") return null;
  const one = point.one;
  const judged = cutoffText(one?.inputs ?? {});
  const inputs = one
    ? Object.entries(one.inputs ?? {})
        .map(
          ([key, value]) =>
            `${words(key)} ${typeof value === "number" ? short(value) : JSON.stringify(value)}`,
        )
        .join(", ")
    : "";
  return {
    x: p.x.at(point.x),
    y: p.y.at(point.y),
    phase: one?.phase,
    text: `${name} ${short(point.y)}\nstep ${point.x}${one ? `, phase ${one.phase + 1}` : ""}${one?.verdict ? `\n${one.verdict}: ${words(one.reason)}${judged ? `\n${judged}` : ""}${inputs ? `\n${inputs}` : ""}` : ""}`,
  };
}

function near(p, list, x, name) {
  const there = list.filter((one) => typeof one.y === "number");
  if (there.length === 0) return null;
  return tipOf(
    p,
    there.reduce((a, b) => (Math.abs(p.x.at(b.x) - x) < Math.abs(p.x.at(a.x) - x) ? b : a)),
    name,
  );
}
