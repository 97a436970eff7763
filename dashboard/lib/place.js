// The order of the leaderboard (docs/leaderboard.md) from the columns of the server. Pure.
import { sortedBy } from "./order.js";

/** @typedef {number | string | null} Value a number, diverged, not_reached, or no report yet */

/**
 * Rows by the tier that the server gives them, then by the value that ranks, which is the confirmed
 * one in tier 0 and the expected one in tier 1, then by number.
 * @param {{tier: number[], value: Value[], confirmed: Value[], expected: Value[],
 *   number: number[]}} columns
 * @param {string} goal @param {number[]} rows @returns {number[]}
 */
export function placeOrder({ tier, value, confirmed, expected, number }, goal, rows) {
  const sign = goal === "maximize" ? -1 : 1;
  /** @param {number} row */
  const key = (row) => {
    const ranked = [confirmed, expected][tier[row]] ?? value;
    const one = ranked[row];
    return typeof one === "number" ? sign * one : Infinity;
  };
  const byNumber = sortedBy(rows, (row) => number[row]);
  return sortedBy(sortedBy(byNumber, key), (row) => tier[row]);
}
