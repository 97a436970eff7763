// Brushes: ranges of parameters and of the objective that trials must be in. Pure.
import { inactive } from "./space.js";

// Of a parameter, [low, high] are shares of its axis, below 0 for the inactive alone; of the
// objective, which has no fixed axis, they are values.
export const objectiveKey = "=";

/** @typedef {Map<string, [number, number]>} Brushes */

/** @param {string} text */
const bound = (text) => (text === "" ? NaN : Number(text));

/** @param {string} text @returns {Brushes} */
export function readBrushes(text) {
  /** @type {Brushes} */
  const brushes = new Map();
  for (const part of text.split(";").filter(Boolean)) {
    const [name, low = "", high = ""] = part.split("~");
    /** @type {[number, number]} */
    const range = [bound(low), bound(high)];
    if (range.some(Number.isNaN)) continue;
    try {
      brushes.set(decodeURIComponent(name), range);
    } catch {
      // An address that was cut short: the other brushes remain.
    }
  }
  return brushes;
}

/** @param {string} name */
const nameText = (name) => encodeURIComponent(name).replaceAll("~", "%7E");
/** @param {number} value */
const digits = (value) => String(Number(value.toPrecision(6)));

/** @param {Brushes} brushes @returns {string} */
export const brushText = (brushes) =>
  [...brushes].map(([name, range]) => [nameText(name), ...range.map(digits)].join("~")).join(";");

/** Whether a share of an axis is within a range. @param {number} share @param {number[]} range */
export const isWithin = (share, [low, high]) =>
  share === inactive ? low < 0 : share >= low && share <= high;

/**
 * Whether a value of the objective is within a range; what is no number is at the bad end.
 * @param {unknown} value @param {number[]} range @param {string} goal
 */
export function isValueWithin(value, [low, high], goal) {
  if (value === null || value === undefined) return false;
  const worst = goal === "maximize" ? -Infinity : Infinity;
  const number = typeof value === "number" ? value : worst;
  return number >= low && number <= high;
}
