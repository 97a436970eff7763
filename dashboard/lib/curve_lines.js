// The curves of some runs as lists of points, on any axis. Pure.
import { smoothed } from "./smooth.js";

/**
 * A point has x and y as they are drawn, raw: y before smoothing, step and phase (from 0).
 * @typedef {{x: number, y: number, raw: number, step: number, phase: number}} Point
 * @typedef {{points: Point[], diverged: number | null}} Line diverged: the x of a value that is
 *   no number, at the end of the line
 */

/** @param {Point[]} given @param {number} weight @returns {Line} */
const lineOf = (given, weight) => {
  const points = given.filter((one) => Number.isFinite(one.raw) && Number.isFinite(one.x));
  const ys = smoothed(
    points.map((one) => one.raw),
    weight,
  );
  points.forEach((one, i) => {
    one.y = ys[i];
  });
  const end = given.at(-1);
  return { points, diverged: end?.raw === Infinity ? end.x : null };
};

/**
 * The lines of rows of a matrix.
 * @param {{points: number, phases: number, steps: number[]}} matrix
 * @param {Float32Array | number[]} cells @param {number[]} rows @param {(k: number) => number} at
 * @param {number} weight @returns {Map<number, Line>}
 */
export function matrixLines(matrix, cells, rows, at, weight) {
  const { points, phases, steps } = matrix;
  const lines = new Map();
  for (const row of rows) {
    const given = [];
    for (let k = 0; k < points; k++) {
      const raw = cells[row * points + k];
      if (Number.isNaN(raw)) continue;
      const phase = Math.round(((k + 1) * phases) / points) - 1;
      given.push({ x: at(k), y: raw, raw, step: steps[k], phase });
    }
    lines.set(row, lineOf(given, weight));
  }
  return lines;
}

/**
 * A value between known ones: `to` at `from`, linear, as the nearest end outside.
 * @param {number[]} from @param {number[]} to @param {number} at @returns {number}
 */
export function between(from, to, at) {
  const next = from.findIndex((one) => one >= at);
  if (next < 0) return to.at(-1) ?? NaN;
  if (next === 0 || from[next] === at) return to[next];
  const share = (at - from[next - 1]) / (from[next] - from[next - 1]);
  return to[next - 1] + share * (to[next] - to[next - 1]);
}

/** @typedef {{step: number, value: unknown, at?: string}} Report */

/**
 * The line of a run from its reports or from a series that it logged.
 * @param {Report[]} items
 * @param {{x: string, weight: number, perPhase: number, clock?: {step: number, seconds: number}[]}}
 *   how x: step, phase, trained or wall; clock: when the run's reports came, in seconds of training
 * @returns {Line}
 */
export function seriesLine(items, { x, weight, perPhase, clock = [] }) {
  const steps = [0, ...clock.map((one) => one.step)];
  const times = [0, ...clock.map((one) => one.seconds)];
  /** @type {Record<string, (one: Report) => number>} */
  const places = {
    step: (one) => one.step,
    phase: (one) => one.step / perPhase - 1,
    trained: (one) => between(steps, times, one.step),
    wall: (one) => Date.parse(one.at ?? ""),
  };
  const given = items.map((one) => {
    const raw = typeof one.value === "number" ? one.value : Infinity;
    const phase = Math.max(0, Math.ceil(one.step / perPhase - 1e-9) - 1);
    return { x: places[x](one), y: raw, raw, step: one.step, phase };
  });
  return lineOf(given, weight);
}

/**
 * The ends of what some lines show within a zoom of x; null without a point.
 * @param {Iterable<Line>} lines @param {[number, number] | null} zoom
 * @returns {{xs: [number, number], ys: number[]} | null}
 */
export function extentOf(lines, zoom) {
  let [low, high] = [Infinity, -Infinity];
  const ys = [];
  for (const { points } of lines)
    for (const { x, y, raw } of points) {
      low = Math.min(low, x);
      high = Math.max(high, x);
      if (zoom && (x < zoom[0] || x > zoom[1])) continue;
      ys.push(y, raw);
    }
  return low > high ? null : { xs: [low, high], ys };
}
