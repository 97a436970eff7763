// The leaderboard of a sweep: the columns, order and remarks of `hone best`.
import { h } from "../lib/dom.js";
import { short } from "../lib/format.js";
import { isModelled } from "../lib/sweep_words.js";
import { empty, link, paramList, stateMark, table } from "../ui/parts.js";
import { certaintyText } from "./winner.js";

const confirmedOf = (item) =>
  typeof item.confirmed === "number" && item.confirmed_seeds > 0 ? short(item.confirmed) : null;

function interval(item) {
  return item.interval ? `[${item.interval.map(short).join(", ")}]` : null;
}

// Why a trial's place is not that of a complete one with its value.
const endedEarly = (item) => item.reason === "exited_early";
const ranksLast = (item) => item.comparable === false;
const markOf = (item) => (endedEarly(item) ? "*" : "") + (ranksLast(item) ? "+" : "");

function marksLegend(items) {
  const lines = [
    items.some(endedEarly) ? "*: its program ended before its budget." : null,
    items.some(ranksLast)
      ? "+: trained less than half as long as the longest trial, or with less than half of the seeds, so it ranks after the others whatever its value."
      : null,
  ].filter(Boolean);
  return lines.length ? h("p.muted.small.body", {}, lines.join(" ")) : null;
}

const spread = (item) =>
  isModelled(item) ? `[${[item.expected_low, item.expected_high].map(short).join(", ")}]` : null;
const noiseLegend = (noise) =>
  h(
    "p.muted.small.body",
    {},
    `Noise is ${Math.round(100 * noise)} % of the differences between values: trials rank by Expected, the likely value in another training by a model of all trials, with one standard deviation.`,
  );

// The columns that the route's rows have: a name of theirs that is not here is left out.
export function leaderboard(best, data) {
  if (best.items.length === 0)
    return empty(data.sweep.ended_at ? "No trial reported." : "No trial has a report yet.");
  const several = best.items.some((item) => item.seeds > 1);
  const modelled = best.items.some(isModelled);
  return h(
    "div",
    { dataset: { best: "" } },
    table(
      [
        ["#", (item) => `${item.rank}${markOf(item)}`, { num: true }],
        ["Trial", (item) => link(item.id)],
        [data.objective.value, (item) => short(item.value), { num: true }],
        ...data.objective.goals
          .slice(1)
          .map(({ metric }) => [metric, (item) => short(item.further?.[metric]), { num: true }]),
        ["Confirmed", confirmedOf, { num: true, optional: true }],
        several ? ["Interval", interval, { num: true }] : null,
        several || modelled
          ? [
              "Expected",
              (item) => (item.expected === null ? null : short(item.expected)),
              { num: true },
            ]
          : null,
        modelled ? ["Spread", spread, { num: true }] : null,
        several
          ? ["Ranks", (item) => (item.ranks ? item.ranks.join("–") : null), { num: true }]
          : null,
        several ? ["Seeds", (item) => item.seeds, { num: true }] : null,
        ["Phases", (item) => item.phase, { num: true }],
        ["State", (item) => stateMark(item.state)],
        ["Parameters", (item) => paramList(item.params)],
        ["Model", (item) => (item.model ? link(item.model) : null), { optional: true }],
      ].filter(Boolean),
      best.items,
      "Leaderboard",
    ),
    marksLegend(best.items),
    modelled ? noiseLegend(data.sweep.noise) : null,
    best.aggregate
      ? h(
          "p.muted.small.body",
          {},
          `Values are the ${best.aggregate} over seeds${best.scale ? `, by ${best.scale}` : ""}; intervals are 95 % t-intervals.`,
        )
      : null,
    data.objective.goals.length > 1 ? h("p.small.body", {}, certaintyText(best), ".") : null,
  );
}
