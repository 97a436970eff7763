// The incumbent of a sweep as a line of a table row, read when it comes into view.
import { get } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { palette } from "../lib/colour.js";

const [width, height] = [120, 22];
const known = new Map();

const markOf = (sweep) => `${sweep.id} ${sweep.best?.value} ${sweep.trials.proposed}`;

async function readHistory(sweep) {
  const mark = markOf(sweep);
  if (!known.has(mark))
    known.set(
      mark,
      get(`/v1/sweeps/${sweep.id}/history?points=60`).catch(() => null),
    );
  return known.get(mark);
}

function draw(canvas, history) {
  const ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  if (!history || history.points.length === 0) return;
  const values = history.points.map((point) => point.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (at) => 2 + ((width - 4) * at) / (history.end || 1);
  const y = (value) => height - 3 - ((height - 6) * (value - low)) / (high - low || 1);
  ctx.strokeStyle = palette().c1;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  history.points.forEach((point, i) => {
    if (i > 0) ctx.lineTo(x(point.x), y(values[i - 1]));
    ctx.lineTo(x(point.x), y(point.value));
  });
  ctx.lineTo(x(history.end), y(values.at(-1)));
  ctx.stroke();
}

export function spark(sweep) {
  const canvas = h("canvas", {
    role: "img",
    style: { width: `${width}px`, height: `${height}px`, display: "block" },
    dataset: { mark: markOf(sweep) },
    "aria-label": `Best ${sweep.objective.metric} by trial`,
  });
  const view = new IntersectionObserver(async (entries) => {
    if (!entries.at(-1).isIntersecting) return;
    view.disconnect();
    draw(canvas, await readHistory(sweep));
  });
  view.observe(canvas);
  return canvas;
}
