// The parameters of a confirmed schedule, which change at recorded phases.
import { count, param as shown } from "../lib/format.js";
import { h } from "../lib/dom.js";
import { table } from "./parts.js";

// [{phase, params}]: the parameters that a trial begins with, then those of each later stage.
export const stagesOf = ({ params, schedule = [] }) => [{ phase: 0, params }, ...schedule];

// The parameters that any stage changes.
export const changingNames = (trial) => changing(stagesOf(trial));
const changing = (stages) =>
  [...new Set(stages.flatMap(({ params }) => Object.keys(params)))].filter((name) => {
    const first = JSON.stringify(stages[0].params[name]);
    return stages.some(({ params }) => JSON.stringify(params[name]) !== first);
  });

// "lr 0.01, from phase 3 on 0.02", for one line of a table; nothing without a schedule.
export function scheduleNote(trial) {
  if (!trial.schedule?.length) return null;
  const stages = stagesOf(trial);
  const names = changing(stages);
  const text = stages
    .slice(1)
    .map(({ phase, params }, i) => {
      const changed = names.filter(
        (name) => JSON.stringify(params[name]) !== JSON.stringify(stages[i].params[name]),
      );
      return `from phase ${phase + 1} on ${changed.map((name) => `${name}=${shown(params[name])}`).join(" ")}`;
    })
    .join("; ");
  return h("span.muted.small", {}, ` ${text}`);
}

// A row for each stage; nothing without a schedule. reached: reports of the run so far, or null.
export function scheduleTable(trial, budget, reached = null) {
  if (!trial.schedule?.length) return null;
  const stages = stagesOf(trial);
  const rows = stages.map((stage, i) => ({ ...stage, end: stages[i + 1]?.phase ?? budget.phases }));
  const step = (phase) => Math.floor((budget.per_run * phase) / budget.phases);
  return h(
    "div.stack",
    {},
    h("p", {}, "The parameters change at these phases, as they did along the forks that it confirms."),
    table(
      [
        ["Phases", (one) => (one.phase + 1 < one.end ? `${one.phase + 1} to ${one.end}` : one.end)],
        [`From ${budget.unit}`, (one) => count(step(one.phase)), { num: true }],
        ...changing(stages).map((name) => [name, (one) => shown(one.params[name]), { num: true }]),
        reached === null
          ? null
          : ["", (one) => (reached >= one.phase && reached < one.end ? "now" : "")],
      ].filter(Boolean),
      rows,
      "Schedule",
    ),
    h("p.muted.small", {}, "In all phases:"),
  );
}
