// The ranks of runs among the reports of each phase. Pure.
import { ascending } from "./order.js";
import { orderAt } from "./raster.js";

/**
 * @typedef {{rows: number[], points: number, ranks: Int32Array, sizes: Int32Array,
 *   order: Int32Array}} Flow
 *   ranks: of the i-th of `rows` at point k ranks[i * points + k], from 1; 0: no report. sizes: the
 *   reports of each point. order: places in `rows`, the best end first.
 */

/**
 * @param {{cells: Float32Array, points: number}} matrix
 * @param {number[]} rows @param {string} goal @returns {Flow}
 */
export function flowOf(matrix, rows, goal) {
  const { points } = matrix;
  const ranks = new Int32Array(rows.length * points);
  const sizes = new Int32Array(points);
  for (let k = 0; k < points; k++) {
    const { order, count } = orderAt(matrix, k, rows, goal);
    sizes[k] = count;
    for (let at = 0; at < count; at++) ranks[order[at] * points + k] = at + 1;
  }
  return { rows, points, ranks, sizes, order: ascending(endsOf(ranks, points, rows.length)) };
}

/** Later ends are better; among equal ends the rank decides.
 * @param {Int32Array} ranks @param {number} points @param {number} count */
function endsOf(ranks, points, count) {
  const keys = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let last = points - 1;
    while (last > 0 && ranks[i * points + last] === 0) last--;
    keys[i] = ranks[i * points + last] - 1e9 * last;
  }
  return keys;
}
