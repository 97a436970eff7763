// The value of every trial as a point, and the best so far as a line.
import { Plot } from "./plot.js";
import { count, duration, short } from "../lib/format.js";
import { padded, robustRange } from "../lib/scale.js";

const axisOf = {
  trial: { label: "trials", format: short, whole: true },
  time: { label: "time since submission", format: duration },
  spent: { label: "trained", format: count },
};

// options: data (SweepData), history(), by(), open(trial).
export function historyPlot({ data, history, by, open }) {
  const points = () => (by() === "trial" ? data.visible() : []);
  const plot = new Plot({
    label: `Best ${data.objective.value} so far`,
    height: 280,
    paint: (p) => paint(p, data, history(), by(), points()),
    hit: (p, x, y) => nearest(p, data, history(), points(), x, y),
    open: (hit) => hit.trial && open(hit.trial),
    move: (p, key) => step(p, history(), key),
    table: () => ({
      header: [by(), "best", "trial"],
      rows: history().points.map((one) => [one.x, one.value, one.trial]),
    }),
  });
  return plot;
}

function paint(p, data, history, by, rows) {
  if (!history || history.points.length === 0)
    return p.message(data.sweep.ended_at ? "No trial with a value can be compared." : "No report yet.");
  const values = rows
    .map((row) => data.columns.value[row])
    .filter((value) => typeof value === "number");
  const best = history.points.map((one) => one.value);
  const [low, high] = robustRange(values.length ? values : best);
  const domain = padded([Math.min(low, ...best.slice(-1)), Math.max(high, ...best.slice(-1))]);
  p.axes(
    { domain: [0, 1.01 * Math.max(history.end, 1)], ...axisOf[by] },
    { domain, label: data.objective.value },
  );
  p.inside((ctx) => {
    dots(p, ctx, data, rows, domain);
    stepLine(p, ctx, history);
  });
  rimCount(p, values, domain, rows.filter((row) => isDiverged(data, row)).length);
}

const isDiverged = ({ columns }, row) => columns.value[row] === "diverged";

function dots(p, ctx, data, rows, domain) {
  const { value, number, state } = data.columns;
  const size = rows.length > 3000 ? 1.5 : rows.length > 300 ? 2.5 : 4;
  ctx.globalAlpha = rows.length > 3000 ? 0.35 : 0.75;
  for (const row of rows) {
    if (isDiverged(data, row)) cross(p, ctx, p.x.at(number[row] + 1), p.bottom - 4);
    if (typeof value[row] !== "number") continue;
    const inside = Math.min(domain[1], Math.max(domain[0], value[row]));
    ctx.fillStyle = p.colours[state[row]];
    ctx.fillRect(p.x.at(number[row] + 1) - size / 2, p.y.at(inside) - size / 2, size, size);
  }
  ctx.globalAlpha = 1;
}

// A trial that diverged has no value: its mark is at the rim.
function cross(p, ctx, x, y) {
  ctx.strokeStyle = p.colours.failed;
  ctx.lineWidth = 1.5;
  p.line(x - 3, y - 3, x + 3, y + 3);
  p.line(x - 3, y + 3, x + 3, y - 3);
}

function stepLine(p, ctx, history) {
  ctx.strokeStyle = p.colours.ink;
  ctx.lineWidth = 2;
  ctx.beginPath();
  history.points.forEach((one, i) => {
    const x = p.x.at(one.x);
    if (i > 0) ctx.lineTo(x, p.y.at(history.points[i - 1].value));
    ctx.lineTo(x, p.y.at(one.value));
  });
  ctx.lineTo(p.x.at(history.end), p.y.at(history.points.at(-1).value));
  ctx.stroke();
}

// How many points are beyond the shown range.
export function rimCount(p, values, [low, high], diverged = 0) {
  const below = values.filter((value) => value < low).length;
  const above = values.filter((value) => value > high).length;
  p.ctx.fillStyle = p.colours["ink-2"];
  p.ctx.textAlign = "right";
  p.ctx.textBaseline = "top";
  if (above) p.ctx.fillText(`▲ ${above} above`, p.right, p.top);
  p.ctx.textBaseline = "bottom";
  const under = [below ? `▼ ${below} below` : "", diverged ? `× ${diverged} diverged` : ""];
  p.ctx.fillText(under.filter(Boolean).join("   "), p.right, p.bottom - 9);
}

function nearest(p, data, history, rows, x, y) {
  let best = null;
  let least = 400;
  const consider = (px, py, make) => {
    const far = (px - x) ** 2 + (py - y) ** 2;
    if (far < least) {
      least = far;
      best = { x: px, y: py, ...make() };
    }
  };
  const { value, number, trial, state } = data.columns;
  for (const row of rows) {
    if (isDiverged(data, row))
      consider(p.x.at(number[row] + 1), p.bottom - 4, () => ({
        trial: `tr_${trial[row]}`,
        text: `tr_${trial[row]}\ndiverged`,
      }));
    if (typeof value[row] !== "number") continue;
    consider(p.x.at(number[row] + 1), p.y.at(value[row]), () => ({
      trial: `tr_${trial[row]}`,
      text: `tr_${trial[row]}\n${data.objective.value} ${value[row]}\n${state[row]}`,
    }));
  }
  for (const one of history?.points ?? []) {
    consider(p.x.at(one.x), p.y.at(one.value), () => ({
      trial: one.trial,
      text: `best so far: ${one.value}\n${one.trial}`,
    }));
  }
  return best;
}

function step(p, history, key) {
  const points = history?.points ?? [];
  if (points.length === 0) return null;
  const by = key === "ArrowRight" || key === "ArrowUp" ? 1 : -1;
  p.at = Math.min(points.length - 1, Math.max(0, (p.at ?? (by > 0 ? -1 : points.length)) + by));
  const one = points[p.at];
  return {
    x: p.x.at(one.x),
    y: p.y.at(one.value),
    trial: one.trial,
    text: `best so far: ${one.value}\n${one.trial}`,
  };
}
