// The order of the leaderboard (docs/leaderboard.md) from the columns of the server. Pure.
import { sortedBy } from "./order.js";

/** @typedef {number | string | null} Value a number, diverged, not_reached, or no report yet */

/**
 * Rows by the tier that the server gives them, then by the value that ranks, which is the confirmed
 * one in tier 0, then by number.
 * @param {{tier: number[], value: Value[], confirmed: Value[], number: number[]}} columns
 * @param {string} goal @param {number[]} rows @returns {number[]}
 */
export function placeOrder({ tier, value, confirmed, number }, goal, rows) {
  const sign = goal === "maximize" ? -1 : 1;
  /** @param {number} row */
  const key = (row) => {
    const ranked = tier[row] === 0 ? confirmed[row] : value[row];
    return typeof ranked === "number" ? sign * ranked : Infinity;
  };
  const byNumber = sortedBy(rows, (row) => number[row]);
  return sortedBy(sortedBy(byNumber, key), (row) => tier[row]);
}
