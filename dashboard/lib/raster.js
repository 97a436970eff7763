// Counts how many curves cross each pixel. Pure; runs in a worker. A curve adds the ends of its
// interval in each column, and the columns are summed at the end: the time does not depend on how
// steep the curves are.
import { ascending } from "./order.js";

const blockColumns = 48; // of 440 pixels: 85 kB, which stay in a processor's cache

// request: {cells, points, rows, xs, width, height, low, high, form}. cells holds the runs row by
// row: NaN is no report, Infinity a diverged one. xs[k] is the pixel of point k, ascending.
export function raster(request) {
  const { points, xs, width, height } = request;
  const steps = new Int32Array(width * (height + 1)); // column by column
  let visible = 0; // the first point in the picture
  while (visible < points - 1 && xs[visible] < 0) visible++;
  const ends = endsBefore(request, visible);
  for (let from = visible; from < points; ) {
    let to = from + 1;
    while (to < points && xs[to] < xs[from] + blockColumns) to++;
    addPoints(request, steps, ends, from, to);
    from = to;
  }
  for (let run = 0; run < request.rows.length; run++)
    if (ends.column[run] >= 0)
      add(steps, ends.column[run], ends.top[run], ends.bottom[run], height);
  return summed(steps, width, height);
}

// Where each curve is: its newest point before point `visible`, and its interval in the column of
// that point, which is not added yet (column -1: none).
function endsBefore(request, visible) {
  const { cells, points, rows, xs } = request;
  const pixel = pixelOf(request);
  const ends = {
    x: new Int32Array(rows.length),
    y: new Float64Array(rows.length).fill(NaN),
    column: new Int32Array(rows.length).fill(-1),
    top: new Int32Array(rows.length),
    bottom: new Int32Array(rows.length),
  };
  for (let run = 0; run < rows.length; run++)
    for (let k = visible - 1; k >= 0; k--) {
      const value = cells[rows[run] * points + k];
      if (!Number.isFinite(value)) continue;
      ends.x[run] = xs[k];
      ends.y[run] = pixel(value);
      break;
    }
  return ends;
}

// The nearest integer of a number of at least -1, in half the time of Math.round.
const rounded = (y) => ((y + 1.5) | 0) - 1;

// Draws the points from..to-1 of all curves: those of all runs in some columns, before the next
// columns.
function addPoints(request, steps, ends, from, to) {
  const { cells, points, rows, xs, width, height } = request;
  const pixel = pixelOf(request);
  for (let run = 0; run < rows.length; run++) {
    if (ends.x[run] >= width) continue; // has left the picture
    const offset = rows[run] * points;
    let x0 = ends.x[run];
    let y0 = ends.y[run];
    let column = ends.column[run];
    let top = ends.top[run];
    let bottom = ends.bottom[run];
    for (let k = from; k < to; k++) {
      const value = cells[offset + k];
      if (!Number.isFinite(value)) continue;
      const y1 = pixel(value);
      const x1 = xs[k];
      if (Number.isNaN(y0)) [x0, y0] = [x1, y1];
      const length = Math.max(1, x1 - x0);
      const slope = (y1 - y0) / length;
      const end = Math.min(width - 1, x1);
      let x = Math.max(0, x0);
      let left = rounded(y0 + slope * Math.max(0, x - x0 - 0.5));
      for (; x <= end; x++) {
        const right = rounded(y0 + slope * Math.min(length, x - x0 + 0.5));
        const high = left < right ? left : right;
        const low = left < right ? right : left;
        left = right;
        if (x === column) {
          if (high < top) top = high;
          if (low > bottom) bottom = low;
        } else {
          if (column >= 0) add(steps, column, top, bottom, height);
          column = x;
          top = high;
          bottom = low;
        }
      }
      x0 = x1;
      y0 = y1;
    }
    ends.x[run] = x0;
    ends.y[run] = y0;
    ends.column[run] = column;
    ends.top[run] = top;
    ends.bottom[run] = bottom;
  }
}

function add(steps, column, top, bottom, height) {
  if (bottom < 0 || top >= height) return;
  const base = column * (height + 1);
  steps[base + (top > 0 ? top : 0)]++;
  steps[base + (bottom < height ? bottom + 1 : height)]--;
}

function summed(steps, width, height) {
  const counts = new Uint32Array(width * height); // more runs than 65,535 may cross a pixel
  for (let x = 0; x < width; x++) {
    let count = 0;
    for (let y = 0; y < height; y++) {
      count += steps[x * (height + 1) + y];
      counts[y * width + x] = count;
    }
  }
  return counts;
}

// Values outside the range, or without a logarithm, are just outside the picture.
function pixelOf({ height, low, high, form }) {
  const to = formOf(form);
  const base = to(low);
  const span = to(high) - base;
  return (value) => {
    const y = Math.round((height - 1) * (1 - (to(value) - base) / span));
    return Number.isFinite(y) ? Math.max(-1, Math.min(height, y)) : height;
  };
}

function formOf(form) {
  if (form === "log") return (value) => (value > 0 ? Math.log10(value) : NaN);
  return form === "symlog" ? Math.asinh : (value) => value;
}

// The places in `rows` of the reports of phase `k`, best first; equal ones as they came. A diverged
// report, Infinity, is behind all numbers. count: how many there are; behind them are the others.
export function orderAt({ cells, points }, k, rows, goal) {
  const sign = goal === "maximize" ? -1 : 1;
  const keys = new Float64Array(rows.length);
  let count = 0;
  for (let i = 0; i < rows.length; i++) {
    const value = cells[rows[i] * points + k];
    keys[i] = value === Infinity ? Infinity : sign * value;
    if (!Number.isNaN(value)) count++;
  }
  return { order: ascending(keys), count };
}

// The rank of each report among those of its phase as a share: 0 is the worst, 1 the best.
export function rankCells(cells, points, rows, goal) {
  const ranks = new Float32Array(cells.length).fill(NaN);
  for (let k = 0; k < points; k++) {
    const { order, count } = orderAt({ cells, points }, k, rows, goal);
    for (let at = 0; at < count; at++)
      ranks[rows[order[at]] * points + k] = count > 1 ? 1 - at / (count - 1) : 1;
  }
  return ranks;
}
