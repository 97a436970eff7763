// What a comparison is of, and in what its sides differ. Pure.
import { isExact } from "./exact.js";

export const comparedAtMost = 12;

/** @type {[RegExp, string][]} */
const kinds = [
  [/^sw_\d+$/, "sweep"],
  [/^tr_\d+$/, "trial"],
  [/^rn_\d+\.\d+$/, "run"],
];
/** @param {string} id @returns {string} */
export const kindOf = (id) => kinds.find(([form]) => form.test(id))?.[1] ?? "";

/**
 * The ids of an address, each once, or why they cannot be compared.
 * @param {string} text @returns {{ids: string[], trouble: string}}
 */
export function idsOf(text) {
  const ids = [...new Set(text.split(/[\s,]+/).filter(Boolean))];
  const other = ids.find((id) => kindOf(id) === "");
  const sweeps = ids.filter((id) => kindOf(id) === "sweep").length;
  const trouble = other
    ? `${other} is no id of a trial, a run or a sweep (tr_1, rn_1.0, sw_1)`
    : ids.length === 0
      ? "The address names nothing to compare: #/compare/tr_1,tr_2"
      : ids.length > comparedAtMost
        ? `At most ${comparedAtMost} can be compared; the address names ${ids.length}`
        : sweeps > 0 && sweeps < ids.length
          ? "Sweeps are compared with sweeps, trials and runs with trials and runs"
          : "";
  return { ids, trouble };
}

/** The text of a leaf of a document. @param {unknown} value @returns {string} */
export const leafText = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/**
 * "parameters.lr.min" -> its value, for every leaf of a document.
 * @param {unknown} value @param {string} [path] @param {Map<string, unknown>} [found]
 * @returns {Map<string, unknown>}
 */
export function leaves(value, path = "", found = new Map()) {
  const isBranch =
    value !== null && typeof value === "object" && !Array.isArray(value) && !isExact(value);
  if (!isBranch) return found.set(path, value);
  for (const [key, one] of Object.entries(value)) leaves(one, path ? `${path}.${key}` : key, found);
  return found;
}

// The long form of a command that is a list of words, with its defaults.
/** @param {unknown[]} words */
const longCommand = (words) => ({ run: words, params: "none", folder: "shared" });

// {type: "float", min: 0, max: 1} -> "float, min 0, max 1"
/** @param {object} domain */
const domainText = (domain) =>
  Object.entries(domain)
    .map(([name, value]) => (name === "type" ? value : `${name} ${leafText(value)}`))
    .join(", ");

/**
 * A sweep's file in the one form that can be compared, with one text for each parameter.
 * @param {{command?: unknown, parameters?: Record<string, object>}} spec @returns {object}
 */
export function canonical(spec) {
  const { command, parameters = {} } = spec;
  const texts = Object.entries(parameters).map(([name, domain]) => [name, domainText(domain)]);
  return {
    ...spec,
    parameters: Object.fromEntries(texts),
    ...(Array.isArray(command) ? { command: longCommand(command) } : {}),
  };
}

/**
 * Whether two leaves are equal; numbers that differ by rounding alone are.
 * @param {unknown} a @param {unknown} b
 */
function isSame(a, b) {
  if (typeof a === "number" && typeof b === "number")
    return Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * A row for each leaf of any side, in the order of the first side that has it; undefined where a
 * side has none.
 * @param {Map<string, unknown>[]} sides
 * @returns {{key: string, values: unknown[], differs: boolean}[]}
 */
export function rowsOf(sides) {
  const keys = [...new Set(sides.flatMap((side) => [...side.keys()]))];
  return keys.map((key) => {
    const values = sides.map((side) => side.get(key));
    return { key, values, differs: values.some((value) => !isSame(value, values[0])) };
  });
}

/**
 * Points of a value that holds until the next one, as the corners of a line that ends at `end`.
 * @param {{x: number, value: number}[]} points @param {number} end
 * @returns {{x: number, value: number}[]}
 */
export function staircase(points, end) {
  const corners = points.flatMap((one, k) =>
    k > 0 ? [{ ...points[k - 1], x: one.x }, one] : [one],
  );
  const last = points.at(-1);
  return last ? [...corners, { ...last, x: Math.max(end, last.x) }] : [];
}

/**
 * At most `most` points of a series: the means of equal parts of its range.
 * @param {{x: number, y: number}[]} points @param {number} most
 * @returns {{x: number, y: number}[]}
 */
export function thinned(points, most) {
  const finite = points.filter((one) => Number.isFinite(one.y));
  if (finite.length <= most) return finite;
  const [low, high] = [finite[0].x, finite[finite.length - 1].x];
  const bins = Array.from({ length: most }, () => ({ n: 0, x: 0, y: 0 }));
  for (const { x, y } of finite) {
    const bin = bins[Math.min(most - 1, Math.floor((most * (x - low)) / (high - low || 1)))];
    bin.n++;
    bin.x += x;
    bin.y += y;
  }
  return bins.filter(({ n }) => n > 0).map(({ n, x, y }) => ({ x: x / n, y: y / n }));
}

/**
 * The mean of several series at the steps that the first one has: of each, its newest point there.
 * Ends where the shortest one ends.
 * @param {{x: number, y: number}[][]} list @returns {{x: number, y: number}[]}
 */
export function meanOf(list) {
  if (list.length < 2 || list.some((one) => one.length === 0)) return list[0] ?? [];
  const end = Math.min(...list.map((one) => one[one.length - 1].x));
  const begin = Math.max(...list.map((one) => one[0].x));
  const at = list.map(() => 0);
  return list[0]
    .filter(({ x }) => x >= begin && x <= end)
    .map(({ x }) => {
      const values = list.map((one, i) => {
        while (at[i] + 1 < one.length && one[at[i] + 1].x <= x) at[i]++;
        return one[at[i]].y;
      });
      return { x, y: values.reduce((sum, y) => sum + y, 0) / values.length };
    });
}
