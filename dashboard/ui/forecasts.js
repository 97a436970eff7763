// Forecasts against what came, as a card.
import { text } from "../lib/api.js";
import { forecastErrors } from "../lib/forecasts.js";
import { percent, plural } from "../lib/format.js";
import { card } from "./card.js";
import { table } from "./parts.js";

const kinds = {
  run_value: ["the last value of a run, from its first half", "of the range of its values", "run"],
  sweep_end: ["the end of a sweep, from its first half", "of its whole time", "sweep"],
};

// null where no forecast was compared yet, or where the token may not read the figures.
export async function forecastCard() {
  const errors = forecastErrors(await text("/metrics").catch(() => ""));
  const known = errors.filter(({ kind }) => kinds[kind]);
  if (known.length === 0) return null;
  const columns = [
    ["What was forecast", ({ kind }) => kinds[kind][0]],
    ["Median error", ({ kind, error }) => `${percent(error)} ${kinds[kind][1]}`],
    ["Compared with", ({ kind, scored }) => `the newest ${plural(scored, kinds[kind][2])}`],
  ];
  return card("Forecasts against what came", table(columns, known, "Forecasts"), {
    flush: true,
    id: "forecasts",
  });
}
