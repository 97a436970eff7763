// Numbers of a sweep at a glance: its best values, what was trained, how its runs ended.
import { h } from "../lib/dom.js";
import { count, duration, percent, plural, short, time, words } from "../lib/format.js";
import { links } from "../lib/route.js";
import { empty, facts, link, stateMark, strip, table } from "../ui/parts.js";

const secondsOf = (one) => (Date.parse(one.ended_at) - Date.parse(one.submitted_at)) / 1000;

// The best value of an objective among the trials of the front, where every best one is.
function bestOnFront(front, { metric, goal }) {
  const sign = goal === "minimize" ? -1 : 1;
  const found = (front?.items ?? []).filter((one) => typeof one.values[metric] === "number");
  if (found.length === 0) return ["–", "no completed trial yet"];
  const first = found.reduce((a, b) =>
    sign * b.values[metric] > sign * a.values[metric] ? b : a,
  );
  return [short(first.values[metric]), link(first.id)];
}

function bestFacts({ best, ended_at: ended }, data, front) {
  const { goals, show } = data.objective;
  if (goals.length > 1)
    return goals.map((goal) => [`Best ${goal.metric} (${goal.goal})`, ...bestOnFront(front, goal)]);
  if (!best) return [["Best", "–", ended ? "no run reported a number" : "no report yet"]];
  const confirmed = typeof best.confirmed === "number" && best.confirmed_seeds > 0;
  const seeds = best.seeds > 1 ? `, over ${plural(best.seeds, "seed")}` : "";
  const expected = typeof best.expected === "number" ? `; ${show(best.expected)} expected` : "";
  return [
    [
      confirmed ? "Best, confirmed" : "Best",
      show(confirmed ? best.confirmed : best.value),
      [
        link(best.trial),
        confirmed
          ? `, over ${plural(best.confirmed_seeds, "new seed")}; ${show(best.value)} in tuning`
          : seeds + expected,
      ],
    ],
  ];
}

export function factsOf(summary, data, front) {
  const { units, pace, eta, trials, runs } = summary;
  const over = runs.completed + runs.stopped + runs.failed + runs.canceled;
  const left = summary.ends.reduce((sum, one) => sum + (one.not_trained ?? 0), 0);
  const planned = units.trained + left;
  const took = secondsOf(summary);
  return facts([
    ...bestFacts(summary, data, front),
    [
      "Trials",
      `${trials.proposed}`,
      trials.proposed > trials.total
        ? `${trials.total} members, ${trials.proposed - trials.total} forks; ${plural(over, "run")} ended`
        : `of ${trials.total}; ${plural(over, "run")} ended`,
    ],
    ["Trained", count(units.trained), `${units.name}`],
    [
      "Not trained",
      count(left),
      planned
        ? `${percent(left / planned)} of ${count(planned)}${units.not_trained === left ? "" : `; ${count(units.not_trained)} by stopping early`}`
        : null,
    ],
    summary.ended_at
      ? ["Speed", `${count(units.trained / Math.max(took, 0.001))}/s`, `${units.name}, on average`]
      : [
          "Speed",
          `${count(pace.per_second)}/s`,
          `${units.name}; ${plural(pace.reports, "report")} in ${duration(pace.seconds)}`,
        ],
    summary.ended_at
      ? ["Took", duration(summary.work?.busy_seconds ?? took), `ended ${time(summary.ended_at)}`]
      : [
          "Time left",
          eta ? duration(eta.seconds) : "–",
          eta
            ? `80 % of such sweeps take ${duration(eta.low)} to ${duration(eta.high)}`
            : "unknown until reports arrive",
        ],
  ]);
}

// Why runs were stopped, in a sentence for a reader who does not know the rule's words.
const stoppedNote = ({ id, ends }, { spec }) =>
  ends.some((one) => ["evicted", "not_promoted"].includes(one.reason))
    ? h(
        "p.muted.small.before",
        {},
        `The rule ${spec.terminator.rule} stopped runs where others did better at the same phase. `,
        h("a", { href: links.sweep(id, "phases") }, "Each verdict"),
      )
    : null;

export function endsOf(summary, data) {
  const name = (one) =>
    words(one.state) +
    (one.reason === "none" ? "" : `: ${words(one.reason)}`) +
    (["none", one.reason].includes(one.failure) ? "" : ` (${words(one.failure)})`);
  if (summary.ends.length === 0) return empty("No run has been proposed yet.");
  return [
    strip(summary.runs),
    table(
      [
        [
          "Runs",
          (one) =>
            h(
              "a",
              { href: links.sweep(summary.id, "trials", { states: one.state }) },
              stateMark(one.state, name(one)),
            ),
        ],
        ["n", (one) => one.runs, { num: true }],
        ["Not trained", (one) => (one.not_trained ? count(one.not_trained) : null), { num: true }],
      ],
      summary.ends,
      "Ends of runs",
    ),
    stoppedNote(summary, data),
  ];
}
