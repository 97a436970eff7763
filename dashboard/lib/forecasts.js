// How far forecasts were from what came, from the server's figures for Prometheus. Pure.

/** @typedef {{kind: string, error: number, scored: number}} ForecastError */

/** The kinds of forecasts that were compared with what came.
 * @param {string} text @returns {ForecastError[]} */
export function forecastErrors(text) {
  /** @type {Record<string, Record<string, number>>} */
  const found = {};
  const line = /^hone_(forecast_error|forecasts_scored)\{kind="(\w+)"\} (\S+)$/gm;
  for (const [, name, kind, value] of text.matchAll(line))
    (found[kind] ??= {})[name] = Number(value);
  return Object.entries(found)
    .map(([kind, one]) => ({ kind, error: one.forecast_error, scored: one.forecasts_scored ?? 0 }))
    .filter(({ error, scored }) => scored > 0 && Number.isFinite(error));
}
