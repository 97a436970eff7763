// Lines of steps: a value holds from its place to the next one.
import { lineStyle } from "../lib/colour.js";
import { short } from "../lib/format.js";
import { padded, robustRange } from "../lib/scale.js";
import { Plot } from "./plot.js";

const valueAt = (steps, x) => {
  let found = null;
  for (const one of steps) {
    if (one.x > x) break;
    found = one;
  }
  return found;
};

function drawSteps(p, ctx, { steps, style, pale, name }) {
  const { colour, dash } = lineStyle(style ?? 0);
  ctx.strokeStyle = pale ? p.colours["line-strong"] : p.colours.series[colour];
  ctx.setLineDash(pale ? [] : dash);
  ctx.lineWidth = pale ? 1.5 : 2;
  ctx.beginPath();
  steps.forEach((one, i) => {
    if (i > 0) ctx.lineTo(p.x.at(one.x), p.y.at(steps[i - 1].y));
    ctx.lineTo(p.x.at(one.x), p.y.at(one.y));
  });
  const last = steps.at(-1);
  ctx.lineTo(p.right, p.y.at(last.y));
  ctx.stroke();
  ctx.setLineDash([]);
  p.endLabel(name, p.right, p.y.at(last.y));
}

function hitOf(p, lines, at, { x, y }) {
  const there = lines
    .map((line) => ({ line, one: valueAt(line.steps, at) }))
    .filter(({ one }) => one !== null);
  if (there.length === 0) return null;
  const format = y.format ?? short;
  const texts = there.map(({ line, one }) => `${line.name || y.label} ${format(one.y)}`);
  const head = `${x.label} ${(x.format ?? short)(at)}`;
  return { x: p.x.at(at), y: p.y.at(there[0].one.y), text: [head, ...texts].join("\n") };
}

/** A plot of lines {name, steps, style, pale}. axes(): {x, y} as Plot.axes takes them; without a
 * domain, x has that of the steps. */
export function stepsPlot({ label, height = 260, lines, axes, none }) {
  const there = () => lines().filter((one) => one.steps.length > 0);
  const placesOf = ({ steps }) => steps.map(({ x }) => x);
  const domainOf = (list) => padded(robustRange(list.flatMap(placesOf)));
  return new Plot({
    ...{ label, height },
    paint: (p) => {
      const list = there();
      if (list.length === 0) return p.message(none);
      const { x, y } = axes();
      p.roomForNames(list.map(({ name }) => name ?? ""));
      p.axes({ domain: domainOf(list), ...x }, y);
      p.inside((ctx) => list.forEach((line) => drawSteps(p, ctx, line)));
      return undefined;
    },
    hit: (p, x) => hitOf(p, there(), p.x.value(x), axes()),
    move: (p, key) => {
      const [low, high] = p.x.domain;
      const by = ["ArrowRight", "ArrowUp"].includes(key) ? 0.02 : -0.02;
      p.share = Math.min(1, Math.max(0, (p.share ?? (by > 0 ? -0.02 : 1.02)) + by));
      return hitOf(p, there(), low + p.share * (high - low), axes());
    },
    table: () => {
      const { x, y } = axes();
      return {
        header: ["line", x.label, y.label],
        rows: there().flatMap(({ name, steps }) => steps.map((one) => [name ?? "", one.x, one.y])),
      };
    },
  });
}
