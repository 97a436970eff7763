// Counts how many curves cross each pixel. Pure; runs in a worker. A curve adds the ends of its
// interval in each column, and the columns are summed at the end: the time does not depend on how
// steep the curves are.

// request: {cells, points, rows, xs, width, height, low, high, form}. cells holds the runs row by
// row: NaN is no report, Infinity a diverged one. xs[k] is the pixel of point k.
export function raster(request) {
  const { cells, points, rows, xs, width, height } = request;
  const steps = new Int32Array(width * (height + 1)); // column by column
  const pixel = pixelOf(request);
  for (let run = 0; run < rows.length; run++) {
    const offset = rows[run] * points;
    let [x0, y0] = [0, NaN];
    let [column, top, bottom] = [-1, 0, 0]; // of the curve, not added yet; -1: none
    for (let k = 0; k < points; k++) {
      const value = cells[offset + k];
      if (!Number.isFinite(value)) continue;
      const y1 = pixel(value);
      const x1 = xs[k];
      if (Number.isNaN(y0)) [x0, y0] = [x1, y1];
      const length = Math.max(1, x1 - x0);
      const slope = (y1 - y0) / length;
      const end = Math.min(width - 1, x1);
      for (let x = Math.max(0, x0); x <= end; x++) {
        const from = y0 + slope * Math.max(0, x - x0 - 0.5);
        const to = y0 + slope * Math.min(length, x - x0 + 0.5);
        const high = Math.round(from < to ? from : to);
        const low = Math.round(from < to ? to : from);
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
    if (column >= 0) add(steps, column, top, bottom, height);
  }
  return summed(steps, width, height);
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

// The rows with a report of phase `k`, best first; equal ones by row.
export function bestFirst({ cells, points }, k, rows, goal) {
  const merit = (row) => {
    const value = cells[row * points + k];
    return value === Infinity ? -Infinity : goal === "maximize" ? value : -value;
  };
  return rows
    .filter((row) => !Number.isNaN(cells[row * points + k]))
    .sort((a, b) => merit(b) - merit(a) || a - b);
}

// The rank of each report among those of its phase as a share: 0 is the worst, 1 the best.
export function rankCells(cells, points, rows, goal) {
  const ranks = new Float32Array(cells.length).fill(NaN);
  for (let k = 0; k < points; k++) {
    const there = bestFirst({ cells, points }, k, rows, goal);
    there.forEach((row, at) => {
      ranks[row * points + k] = there.length > 1 ? 1 - at / (there.length - 1) : 1;
    });
  }
  return ranks;
}
