// The range of values that a chart of many runs shows. Pure.
import { robustRange } from "./scale.js";

const sampledAtMost = 5000;

/** @param {number} a @param {number} b @returns {number} */
const gcd = (a, b) => (b === 0 ? a : gcd(b, a % b));

/**
 * A distance between samples that meets every point of the runs equally often: a common factor
 * with `points` would only ever meet some of the phases.
 * @param {number} cells @param {number} points @returns {number}
 */
export function strideOf(cells, points) {
  let stride = Math.max(1, Math.floor(cells / sampledAtMost));
  while (gcd(stride, points) > 1) stride++;
  return stride;
}

/**
 * The range of the finite cells of `rows` at the points from..to: a sample decides which ends are
 * outliers, the ends themselves are those of all cells. null without a finite cell.
 * @param {Float32Array | number[]} cells @param {number} points @param {number[]} rows
 * @param {number} [from] @param {number} [to] @returns {[number, number] | null}
 */
export function rangeOf(cells, points, rows, from = 0, to = points - 1) {
  const width = to - from + 1;
  const stride = strideOf(rows.length * width, width);
  let [low, high, next] = [Infinity, -Infinity, 0];
  const values = [];
  for (let at = 0, i = 0; at < rows.length; at++)
    for (let k = from; k <= to; k++, i++) {
      const value = cells[rows[at] * points + k];
      if (i === next) {
        next += stride;
        if (Number.isFinite(value)) values.push(value);
      }
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  return low > high ? null : robustRange([...values, low, high]);
}

/**
 * The points whose x is within [low, high], and one more on either side, so that lines reach the
 * rim. [0, points - 1] without a zoom.
 * @param {(k: number) => number} at @param {number} points @param {[number, number] | null} zoom
 * @returns {[number, number]}
 */
export function pointsIn(at, points, zoom) {
  if (!zoom) return [0, points - 1];
  let [from, to] = [0, points - 1];
  while (from < points - 1 && at(from + 1) <= zoom[0]) from++;
  while (to > from && at(to - 1) >= zoom[1]) to--;
  return [from, to];
}
