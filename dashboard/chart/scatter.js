// Two values of every trial as points, or as counted cells when there are many. No interpolation.
import { Plot } from "./plot.js";
import { cssColour, ramp } from "../lib/colour.js";
import { short } from "../lib/format.js";
import { inactive } from "../lib/space.js";

const pointsAtMost = 5000;

// options: label, height, x, y (axes of space.js), rows(), shareX(row), shareY(row), colour(row)
// 0..1,
// text(row), open(row), cells: always draw cells, with the mean of `colour`.
export function scatterPlot(options) {
  const { rows, shareX, shareY } = options;
  return new Plot({
    height: 220,
    margin: { left: 50, right: 10, top: 10, bottom: 36 },
    ...options,
    paint: (p) => {
      frame(p, options);
      const list = rows().filter((row) => shareY(row) !== inactive);
      if (options.cells || list.length > pointsAtMost) paintCells(p, options, list);
      else paintPoints(p, options, list);
    },
    hit: (p, x, y) => (options.cells ? cellAt(p, options, x, y) : nearest(p, options, x, y)),
    open: (hit) => hit.row !== undefined && options.open(hit.row),
    move: (p, key) => {
      const list = rows().filter((row) => shareY(row) !== inactive && shareX(row) !== inactive);
      if (list.length === 0) return null;
      p.step =
        (list.length + (p.step ?? -1) + (key === "ArrowRight" || key === "ArrowUp" ? 1 : -1)) %
        list.length;
      return hitOf(p, options, list[p.step]);
    },
  });
}

const px = (p, share) =>
  share === inactive ? p.left - 0 : p.left + 8 + share * (p.right - p.left - 14);
const py = (p, share) =>
  share === inactive ? p.bottom : p.bottom - 6 - share * (p.bottom - p.top - 10);

function frame(p, { x, y }) {
  const { ctx, colours } = p;
  p.x = true;
  ctx.strokeStyle = colours.line;
  ctx.fillStyle = colours["ink-2"];
  ctx.lineWidth = 1;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const [share, text] of thinned(y.ticks(), 5)) {
    p.line(p.left, py(p, share), p.right, py(p, share));
    ctx.fillText(text.length > 8 ? `${text.slice(0, 7)}…` : text, p.left - 6, py(p, share));
  }
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  for (const [share, text] of thinned(
    x.ticks(),
    Math.max(2, Math.floor((p.right - p.left) / 60)),
  )) {
    p.line(px(p, share), p.bottom, px(p, share), p.bottom + 4);
    ctx.fillText(
      text.length > 9 ? `${text.slice(0, 8)}…` : text,
      Math.min(p.right - 12, px(p, share)),
      p.bottom + 6,
    );
  }
  ctx.strokeStyle = colours["line-strong"];
  p.line(p.left, p.bottom + 0.5, p.right, p.bottom + 0.5);
  ctx.fillText(x.name, (p.left + p.right) / 2, p.bottom + 21);
  p.yLabel(y.name);
}

const thinned = (list, most) => list.filter((_, i) => i % Math.ceil(list.length / most) === 0);

function paintPoints(p, { shareX, shareY, colour }, list) {
  const { ctx } = p;
  const table = ramp(p.colours.dark);
  const size = list.length > 1000 ? 2.5 : list.length > 200 ? 3.5 : 5;
  ctx.globalAlpha = list.length > 1000 ? 0.6 : 0.85;
  for (const row of list) {
    const share = shareX(row);
    ctx.fillStyle = cssColour(table[Math.round(40 + 215 * colour(row))]);
    ctx.beginPath();
    ctx.arc(px(p, share), py(p, shareY(row)), size / 2 + 0.5, 0, 7);
    share === inactive ? ctx.fillRect(p.left - 4, py(p, shareY(row)) - 1, 8, 2) : ctx.fill();
  }
  ctx.globalAlpha = 1;
}

function binned({ shareX, shareY, colour, x, y }, list, width, height) {
  const columns = x.discrete ? x.values.length : Math.max(4, Math.min(24, Math.floor(width / 14)));
  const lines = y.discrete ? y.values.length : Math.max(4, Math.min(20, Math.floor(height / 14)));
  const counts = new Uint32Array(columns * lines);
  const sums = new Float64Array(columns * lines);
  for (const row of list) {
    const [a, b] = [shareX(row), shareY(row)];
    if (a === inactive || b === inactive) continue;
    const at =
      Math.min(lines - 1, Math.floor(b * lines)) * columns +
      Math.min(columns - 1, Math.floor(a * columns));
    counts[at]++;
    sums[at] += colour(row);
  }
  return { columns, lines, counts, sums };
}

function paintCells(p, options, list) {
  const { ctx } = p;
  const table = ramp(p.colours.dark);
  const [width, height] = [p.right - p.left - 8, p.bottom - p.top - 6];
  const bins = (p.bins = binned(options, list, width, height));
  const most = bins.counts.reduce((a, b) => Math.max(a, b), 1);
  for (let at = 0; at < bins.counts.length; at++) {
    const n = bins.counts[at];
    if (n === 0) continue;
    const share = options.cells ? bins.sums[at] / n : Math.log1p(n) / Math.log1p(most);
    ctx.fillStyle = cssColour(table[Math.round(20 + 235 * share)]);
    const [w, t] = [width / bins.columns, height / bins.lines];
    const fill = options.cells ? 0.45 + 0.55 * Math.min(1, n / Math.max(1, most / 2)) : 1;
    const [cw, ct] = [(w - 1) * Math.sqrt(fill), (t - 1) * Math.sqrt(fill)];
    ctx.fillRect(
      p.left + 6 + (at % bins.columns) * w + (w - cw) / 2,
      p.bottom - 2 - (Math.floor(at / bins.columns) + 1) * t + (t - ct) / 2,
      cw,
      ct,
    );
  }
}

function cellAt(p, options, x, y) {
  if (!p.bins) return null;
  const { columns, lines, counts, sums } = p.bins;
  const a = Math.floor(((x - p.left - 6) / (p.right - p.left - 8)) * columns);
  const b = Math.floor(((p.bottom - 2 - y) / (p.bottom - p.top - 6)) * lines);
  if (a < 0 || b < 0 || a >= columns || b >= lines || counts[b * columns + a] === 0) return null;
  const n = counts[b * columns + a];
  const middle = (axis, i, all) =>
    axis.discrete ? axis.ticks()[i][1] : short(axis.value((i + 0.5) / all));
  return {
    x,
    y,
    text:
      `${n} trial${n === 1 ? "" : "s"}, mean rank share ${short(sums[b * columns + a] / n)} (1 is the best)\n` +
      `${options.x.name} about ${middle(options.x, a, columns)}\n${options.y.name} about ${middle(options.y, b, lines)}`,
  };
}

function hitOf(p, { shareX, shareY, text }, row) {
  return { x: px(p, shareX(row)), y: py(p, shareY(row)), row, text: text(row) };
}

function nearest(p, options, x, y) {
  let best = null;
  let least = 150;
  for (const row of options.rows()) {
    const share = options.shareY(row);
    if (share === inactive) continue;
    const far = (px(p, options.shareX(row)) - x) ** 2 + (py(p, share) - y) ** 2;
    if (far < least) {
      least = far;
      best = row;
    }
  }
  return best === null ? null : hitOf(p, options, best);
}
