// The order of the leaderboard (docs/leaderboard.md) from the columns of the server. Pure.

/**
 * Rows by the tier and the key that the server gives them, then by number: smaller is better.
 * @param {{tier: number[], key: (number|null)[], number: number[]}} columns
 * @param {number[]} rows @returns {number[]}
 */
export function placeOrder({ tier, key, number }, rows) {
  const keyOf = (/** @type {number} */ row) => key[row] ?? Infinity;
  const byKey = (/** @type {number} */ a, /** @type {number} */ b) =>
    keyOf(a) === keyOf(b) ? 0 : keyOf(a) - keyOf(b);
  return [...rows].sort((a, b) => tier[a] - tier[b] || byKey(a, b) || number[a] - number[b]);
}
