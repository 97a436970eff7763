// How values are distributed, and how far a front has come. Pure.

/** @typedef {{x: number, y: number}} Step */

/**
 * The share of values up to each one: the steps of the empirical distribution, of many values those
 * at equal distances.
 * @param {number[]} values @param {number} [most] @returns {Step[]}
 */
export function distributionOf(values, most = 400) {
  const sorted = Float64Array.from(values).filter(Number.isFinite).sort();
  const n = sorted.length;
  if (n === 0) return [];
  const steps = [{ x: sorted[0], y: 0 }];
  const count = Math.min(n, most);
  for (let i = 1; i <= count; i++) {
    const upTo = Math.round((i * n) / count);
    steps.push({ x: sorted[upTo - 1], y: upTo / n });
  }
  return steps;
}

/**
 * The volume between a front and a reference that is worse in every objective; smaller is better in
 * all of them. Slices along the last one.
 * @param {number[][]} front @param {number[]} reference @returns {number}
 */
export function hypervolume(front, reference) {
  const inside = front.filter((point) => point.every((value, i) => value < reference[i]));
  if (inside.length === 0) return 0;
  const last = reference.length - 1;
  if (last === 0) return reference[0] - Math.min(...inside.map(([value]) => value));
  const sorted = [...inside].sort((a, b) => a[last] - b[last]);
  let volume = 0;
  sorted.forEach((point, i) => {
    const depth = (sorted[i + 1]?.[last] ?? reference[last]) - point[last];
    if (depth <= 0) return;
    const below = sorted.slice(0, i + 1).map((one) => one.slice(0, last));
    volume += depth * hypervolume(nondominated(below), reference.slice(0, last));
  });
  return volume;
}

/** @param {number[]} a @param {number[]} b */
const covers = (a, b) => a.every((value, i) => value <= b[i]);

/** @param {number[][]} points @returns {number[][]} */
export const nondominated = (points) =>
  points.filter(
    (one, i) =>
      !points.some((other, k) => k !== i && covers(other, one) && (k < i || !covers(one, other))),
  );

/**
 * The hypervolume of the front after each point that moved it, as a share of the box between the
 * best and the worst value of each objective. x: its place, from 1.
 * @param {(number[] | null)[]} points in order; null: has not a value of each objective
 * @returns {Step[]}
 */
export function hypervolumeHistory(points) {
  const known = /** @type {number[][]} */ (points.filter((one) => one !== null));
  if (known.length === 0) return [];
  const best = known.reduce((a, b) => a.map((value, i) => Math.min(value, b[i])));
  const worst = known.reduce((a, b) => a.map((value, i) => Math.max(value, b[i])));
  const scaled = (/** @type {number[]} */ point) =>
    point.map((value, i) => (value - best[i]) / (worst[i] - best[i] || 1));
  const reference = worst.map(() => 1);
  /** @type {number[][]} */
  let front = [];
  /** @type {Step[]} */
  const steps = [];
  points.forEach((given, i) => {
    if (given === null) return;
    const point = scaled(given);
    if (front.some((one) => covers(one, point))) return;
    front = [...front.filter((one) => !covers(point, one)), point];
    steps.push({ x: i + 1, y: hypervolume(front, reference) });
  });
  return steps;
}
