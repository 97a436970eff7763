// Smoothing of curves. Pure.

/**
 * The exponential moving average, without the pull of a first value: weight 0 is the curve itself.
 * What is no number stays where it is, and has no part in the average.
 * @param {number[]} values @param {number} weight below 1 @returns {number[]}
 */
export function smoothed(values, weight) {
  let [sum, share] = [0, 0];
  return values.map((value) => {
    if (!Number.isFinite(value)) return value;
    sum = weight * sum + (1 - weight) * value;
    share = weight * share + (1 - weight);
    return sum / share;
  });
}
