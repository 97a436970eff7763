// The inputs of verdicts as short texts and values, whatever the rule. Pure.
import { short } from "./format.js";

/** @typedef {Record<string, number>} Inputs */

/** @param {Inputs} inputs @param {...string} names */
const has = (inputs, ...names) => names.every((name) => typeof inputs[name] === "number");

/**
 * The rank of a run among those it was judged with, as "3/7" from the best; "" where a verdict
 * ranks nothing.
 * @param {Inputs} inputs @returns {string}
 */
export function rankText(inputs) {
  if (has(inputs, "rank_below", "reports"))
    return `${inputs.reports - inputs.rank_below}/${inputs.reports}`;
  if (has(inputs, "no_better", "reports"))
    return `${inputs.reports + 1 - inputs.no_better}/${inputs.reports + 1}`;
  if (has(inputs, "ahead", "reports")) return `${inputs.ahead + 1}/${inputs.reports}`;
  if (has(inputs, "ahead", "waiting")) return `${inputs.ahead + 1}/${inputs.waiting}`;
  if (has(inputs, "place", "rivals")) return `${short(inputs.place)}/${short(inputs.rivals)}`;
  return "";
}

/**
 * What a rule compared, in a few words; "" where it judged nothing.
 * @param {Inputs} inputs @returns {string}
 */
export function cutoffText(inputs) {
  if (has(inputs, "rank_below", "cutoff"))
    return `${inputs.rank_below} of ${inputs.reports} were worse, ${inputs.cutoff} needed`;
  if (has(inputs, "no_better", "bar"))
    return `${inputs.no_better} of ${inputs.reports} were no better, ${inputs.bar} needed`;
  if (has(inputs, "ahead", "kept"))
    return `${inputs.ahead} ranked before it, ${inputs.kept} continue`;
  if (has(inputs, "ahead", "reports", "quota"))
    return `${inputs.ahead} ranked before it, ${inputs.quota} continue`;
  if (has(inputs, "place", "rivals", "quota"))
    return `place ${short(inputs.place)} of ${short(inputs.rivals)}, ${short(inputs.quota)} continue`;
  if (has(inputs, "median")) return `best ${short(inputs.best)}, median ${short(inputs.median)}`;
  if (has(inputs, "best", "value"))
    return `best ${short(inputs.best)}, threshold ${short(inputs.value)}`;
  if (has(inputs, "before", "since")) return `${short(inputs.since)} after ${short(inputs.before)}`;
  return "";
}

/**
 * The value of the metric that the rule compared with; null for a rule of ranks.
 * @param {Inputs} inputs @returns {number | null}
 */
export function cutoffValue(inputs) {
  if (has(inputs, "median")) return inputs.median;
  if (has(inputs, "best", "value")) return inputs.value;
  if (has(inputs, "before", "since")) return inputs.before;
  return null;
}

/**
 * What a run's reports were judged by, one mark for each phase.
 * @param {{phase: number, step: number, value: unknown, verdict?: string, reason?: string,
 *   inputs?: Inputs}[]} items
 */
export const marksOf = (items) =>
  items
    .filter((one) => typeof one.value === "number")
    .map(({ phase, step, value, verdict = "", reason = "", inputs = {} }) => ({
      ...{ phase, step, value, rank: rankText(inputs), cutoff: cutoffValue(inputs) },
      text: cutoffText(inputs),
      ends: ["stop", "pause"].includes(verdict) && reason !== "last_phase",
      pauses: verdict === "pause",
    }));
