// Counts how many curves cross each pixel. Pure; runs in a worker, and takes about 20 microseconds
// for a curve of 100 points.

// request: {cells, points, rows, xs, width, height, low, high, form}. cells holds the runs row by
// row: NaN is no report, Infinity a diverged one. xs[k] is the pixel of point k.
export function raster({ cells, points, rows, xs, width, height, low, high, form }) {
  const counts = new Uint16Array(width * height);
  const last = new Int32Array(width * height).fill(-1);
  const to = formOf(form);
  const [a, b] = [to(low), to(high)];
  const mark = (x, y, run) => {
    const at = y * width + x;
    if (last[at] !== run) {
      last[at] = run;
      counts[at]++;
    }
  };
  rows.forEach((row, run) => {
    let before = null;
    for (let k = 0; k < points; k++) {
      const value = cells[row * points + k];
      if (!Number.isFinite(value)) continue;
      const y = Math.round((height - 1) * (1 - (to(value) - a) / (b - a)));
      const point = [xs[k], Math.max(-1, Math.min(height, Number.isFinite(y) ? y : height))];
      if (before === null) {
        if (point[1] >= 0 && point[1] < height) mark(point[0], point[1], run);
      } else segment(before, point, run, width, height, mark);
      before = point;
    }
  });
  return counts;
}

function formOf(form) {
  if (form === "log") return (value) => (value > 0 ? Math.log10(value) : NaN);
  return form === "symlog" ? Math.asinh : (value) => value;
}

// Each column from the first to the last gets the pixels between its two crossings.
function segment([x0, y0], [x1, y1], run, width, height, mark) {
  const steps = Math.max(1, x1 - x0);
  for (let x = x0; x <= x1; x++) {
    if (x < 0 || x >= width) continue;
    const from = y0 + ((y1 - y0) * Math.max(0, x - x0 - 0.5)) / steps;
    const to = y0 + ((y1 - y0) * Math.min(steps, x - x0 + 0.5)) / steps;
    const top = Math.max(0, Math.round(Math.min(from, to)));
    const end = Math.min(height - 1, Math.round(Math.max(from, to)));
    for (let y = top; y <= end; y++) mark(x, y, run);
  }
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
