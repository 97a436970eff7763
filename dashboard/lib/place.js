// The order of the leaderboard (docs/leaderboard.md) from the columns of the server. Pure.
import { sortedBy } from "./order.js";

/**
 * Rows by the tier and the key that the server gives them, then by number: smaller is better.
 * @param {{tier: number[], key: (number|null)[], number: number[]}} columns
 * @param {number[]} rows @returns {number[]}
 */
export function placeOrder({ tier, key, number }, rows) {
  const byNumber = sortedBy(rows, (row) => number[row]);
  const byKey = sortedBy(byNumber, (row) => key[row] ?? Infinity);
  return sortedBy(byKey, (row) => tier[row]);
}
