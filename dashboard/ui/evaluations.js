// What was measured of models after their training: records of `hone evaluate` and of workers.
import { get } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { short, time } from "../lib/format.js";
import { card } from "../ui/card.js";
import { link, table } from "./parts.js";

const most = 200;

// of: "run" or "trial". Newest first.
export async function readEvaluations(of, id) {
  const where = encodeURIComponent(`evaluations where ${of} = ${id}`);
  return (await get(`/v1/find?where=${where}&limit=${most}`)).items;
}

const spread = (one) => {
  const n = one.values.length;
  if (n === 0) return null;
  const sorted = [...one.values].sort((a, b) => a - b);
  return `${short(sorted[0])} to ${short(sorted[n - 1])}`;
};

const conditions = (one) =>
  [
    one.environment,
    one.seed === undefined || one.seed === null ? "" : `seed ${one.seed}`,
    one.sample === true ? "sampled actions" : one.sample === false ? "greedy actions" : "",
  ]
    .filter(Boolean)
    .join(", ");

export const evaluationsTable = (items) =>
  table(
    [
      ["Evaluation", (one) => link(one.id)],
      ["Model", (one) => link(one.model)],
      ["Metric", (one) => one.metric],
      ["Mean", (one) => short(one.mean), { num: true }],
      ["Deviation", (one) => short(one.deviation), { num: true }],
      ["Range", spread, { num: true }],
      ["Episodes", (one) => one.values.length, { num: true }],
      ["Conditions", conditions],
      ["By", (one) => one.author ?? null],
      ["Recorded", (one) => h("span.num", {}, time(one.recorded_at))],
    ],
    items,
    "Evaluations",
  );

// A card, or nothing where no model was evaluated.
export const evaluationsCard = (items) =>
  items.length === 0
    ? null
    : card(
        "Evaluations of models",
        [
          evaluationsTable(items),
          items.length === most
            ? h("p.muted.small.body", {}, `The newest ${most}; hone find lists all.`)
            : null,
        ],
        { flush: true, id: "evaluations" },
      );
