// A sweep at a glance: where it is, its best value, its leaders, its budget, what runs now.
import { get, list, serverNow } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";
import { count, duration, param, percent, plural, short, time, words } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { report } from "../lib/report.js";
import { links, param as query, setParams } from "../lib/route.js";
import { sweepData } from "../lib/sweep.js";
import { card } from "../ui/card.js";
import { historyPlot } from "../chart/history.js";
import {
  empty,
  facts,
  link,
  loading,
  pairs,
  paramList,
  problem,
  stateMark,
  strip,
  sweepTabs,
  table,
} from "../ui/parts.js";
import { resourcesOf, shareOf, shortageOf } from "../lib/slots.js";
import { noteLines, sweepHeading } from "./heading.js";

export async function overviewPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  const state = { by: ["trial", "time", "spent"].includes(query("by")) ? query("by") : "trial" };
  const read = async () => {
    await data.loadSweep();
    const [summary, history, about, running, failed, waiting] = await Promise.all([
      data.loadSummary(),
      get(`/v1/sweeps/${id}/history?by=${state.by}`),
      get(`/v1/about/${id}`).catch(() => ({})),
      readRuns(id, data.sweep.runs.running + data.sweep.runs.leased, "state = running or state = leased"),
      readRuns(id, data.sweep.runs.failed, "state = failed"),
      readWaiting(id, data),
    ]);
    Object.assign(state, { summary, history, about, running, failed, waiting });
  };
  await read();
  const plot = historyPlot({
    data,
    history: () => state.history,
    by: () => state.by,
    open: (trial) => {
      location.hash = links.trial(trial);
    },
  });
  const parts = {
    head: h("div"),
    facts: h("div"),
    ends: h("div"),
    best: h("div"),
    now: h("div"),
    notes: h("div"),
    failed: h("div.whole"),
    detail: h("div.whole"),
  };
  const switches = bySwitch(state, async (by) => {
    state.by = by;
    setParams({ by: by === "trial" ? "" : by });
    state.history = await get(`/v1/sweeps/${id}/history?by=${by}`);
    plot.redraw();
  });
  const draw = () => {
    replace(parts.head, sweepHeading(page, data, state.about));
    replace(parts.facts, factsOf(state.summary, data));
    replace(parts.ends, endsOf(state.summary));
    replace(parts.failed, failedCard(state));
    replace(parts.detail, remarksOf(state.summary));
    replace(parts.now, runningOf(state, data));
    replace(parts.notes, notesOf(state.about, data));
    plot.redraw();
  };
  // Both read all trials: of a large sweep, the page is there before they are.
  const readTrials = async () => {
    const best = get(`/v1/sweeps/${id}/best?limit=10`).then((answer) =>
      replace(parts.best, bestOf(answer, data)),
    );
    await Promise.all([best, data.loadColumns().then(() => plot.redraw())]);
  };
  replace(parts.best, loading());
  draw();
  readTrials().catch((error) => replace(parts.best, problem(error)));
  const soon = throttled(1000, async () => {
    await read();
    draw();
    await readTrials();
  });
  page.onFrame((frame) => {
    if (frame.resync || frame.sweeps.includes(id) || (frame.workers && state.waiting)) soon();
  });
  page.onLeave(() => {
    soon.cancel();
    plot.close();
  });
  return [
    parts.head,
    sweepTabs(id, ""),
    parts.detail,
    parts.facts,
    h(
      "div.grid",
      {},
      card(`Best ${data.objective.value}`, [plot.element, historyLegend(state)], { span: 8, plot, end: switches, id: "history" }),
      card("Ends of runs", parts.ends, { span: 4, id: "ends" }),
      parts.failed,
      card("Leaderboard", parts.best, { flush: true, id: "best" }),
      data.sweep.ended_at
        ? null
        : card("Running now", parts.now, { span: 5, flush: true, id: "running" }),
      card("About", parts.notes, { span: data.sweep.ended_at ? "" : 7, id: "about" }),
    ),
  ];
}

// Why it ended, and what of its runs did not go as planned: the server's sentences.
const remarksOf = ({ detail, outcome }) =>
  [...new Set([detail, ...(outcome?.remarks ?? [])])]
    .filter(Boolean)
    .map((remark) => h("p.warn", {}, remark));

const historyLegend = (state) =>
  h(
    "p.legend",
    {},
    h("span", {}, h("span.key", { style: { "border-color": "var(--ink)" } }), "best so far"),
    state.by === "trial" ? h("span", {}, "dots: trials, by the colour of their state") : null,
  );

async function readRuns(id, count, where) {
  if (count === 0 || (report && where === "state = failed")) return [];
  const path = `/v1/sweeps/${id}/runs?limit=12&where=${encodeURIComponent(where)}`;
  return (await get(path).catch(() => ({ items: [] }))).items;
}

// Why runs failed, with the last line of their logs.
function failedCard(state) {
  if (state.failed.length === 0) return null;
  const more = state.summary.runs.failed - state.failed.length;
  return card(
    `Failed runs: ${state.summary.runs.failed}`,
    [
      table(
        [
          ["Run", (run) => link(run.id)],
          ["Kind", (run) => words(run.failure)],
          ["What happened", (run) => run.detail || words(run.reason)],
          [
            "End of its log",
            (run) => h("code", {}, run.log_tail.trim().split("\n").at(-1).slice(0, 200)),
          ],
        ],
        state.failed,
        "Failed runs",
      ),
      more > 0 ? h("p.muted.small.body", {}, `${more} more: choose failed among the Trials.`) : null,
    ],
    { flush: true, id: "failed" },
  );
}

function bySwitch(state, choose) {
  const names = { trial: "Trials", time: "Time", spent: "Trained" };
  const buttons = Object.entries(names).map(([by, title]) =>
    h(
      "button.quiet.small",
      {
        type: "button",
        "aria-pressed": String(state.by === by),
        onclick: () => {
          buttons.forEach((one) =>
            one.setAttribute("aria-pressed", String(one.textContent === title)),
          );
          choose(by);
        },
      },
      title,
    ),
  );
  return buttons;
}

const secondsOf = (one) => (Date.parse(one.ended_at) - Date.parse(one.submitted_at)) / 1000;

function factsOf(summary, data) {
  const { units, pace, eta, best, trials, runs } = summary;
  const over = runs.completed + runs.stopped + runs.failed + runs.canceled;
  const planned = units.trained + units.not_trained;
  const took = secondsOf(summary);
  return facts([
    [
      "Best",
      best ? short(best.value) : "–",
      best
        ? [link(best.trial), best.seeds > 1 ? `, over ${plural(best.seeds, "seed")}` : ""]
        : summary.ended_at
          ? "no run reported a number"
          : "no report yet",
    ],
    [
      "Trials",
      `${trials.proposed}`,
      trials.proposed > trials.total
        ? `${trials.total} members, ${trials.proposed - trials.total} forks; ${plural(over, "run")} over`
        : `of ${trials.total}; ${plural(over, "run")} over`,
    ],
    ["Trained", count(units.trained), `${units.name}`],
    [
      "Not trained",
      count(units.not_trained),
      planned
        ? `${percent(units.not_trained / planned)} of ${count(planned)}, in stopped runs`
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

function endsOf(summary) {
  const name = (one) =>
    `${words(one.state)}${one.reason === "none" ? "" : `: ${words(one.reason)}`}${one.failure === "none" ? "" : ` (${words(one.failure)})`}`;
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
  ];
}

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

// The columns that the route's rows have: a name of theirs that is not here is left out.
function bestOf(best, data) {
  if (best.items.length === 0)
    return empty(data.sweep.ended_at ? "No trial reported." : "No trial has a report yet.");
  const several = best.items.some((item) => item.seeds > 1);
  return h(
    "div",
    { dataset: { best: "" } },
    table(
      [
        ["#", (item) => `${item.rank}${markOf(item)}`, { num: true }],
        ["Trial", (item) => link(item.id)],
        [data.objective.value, (item) => short(item.value), { num: true }],
        several ? ["Interval", interval, { num: true }] : null,
        several
          ? [
              "Expected",
              (item) => (item.expected === null ? null : short(item.expected)),
              { num: true },
            ]
          : null,
        several
          ? ["Ranks", (item) => (item.ranks ? item.ranks.join("–") : null), { num: true }]
          : null,
        several ? ["Seeds", (item) => item.seeds, { num: true }] : null,
        ["Phases", (item) => item.length, { num: true }],
        ["State", (item) => stateMark(item.state)],
        ["Parameters", (item) => paramList(item.params)],
        ["Model", (item) => (item.model ? link(item.model) : null), { optional: true }],
      ].filter(Boolean),
      best.items,
      "Leaderboard",
    ),
    marksLegend(best.items),
    best.aggregate
      ? h(
          "p.muted.small.body",
          {},
          `Values are the ${best.aggregate} over seeds${best.scale ? `, by ${best.scale}` : ""}; intervals are 95 % t-intervals.`,
        )
      : null,
    best.confirmation
      ? h(
          "p.small.body",
          {},
          "Confirmed on unused seeds by ",
          link(best.confirmation),
          ": ",
          h("a", { href: links.sweep(data.id, "confirm") }, "tuned against confirmed"),
        )
      : null,
  );
}

// Why nothing runs: no worker can hold a run, or what the server says about the first that waits.
async function readWaiting(id, { sweep, spec }) {
  const { leased, running, queued } = sweep.runs;
  if (report || sweep.ended_at || leased + running > 0) return "";
  if (sweep.state === "paused") return "The sweep is paused: no run is started until it is resumed.";
  const workers = await list("/v1/workers?limit=1000", 5000).catch(() => null);
  const short = workers && spec.trainer?.name !== "ask" ? shortageOf(spec, workers, serverNow()) : "";
  if (short || queued === 0) return short;
  const first = await readRuns(id, queued, "state = queued");
  if (first.length === 0) return "";
  return (await get(`/v1/runs/${first[0].id}/explain`).catch(() => ({}))).text ?? "";
}

function runningOf({ running: runs, waiting }, data) {
  if (runs.length === 0) return empty(waiting || "No run is in progress.");
  return table(
    [
      ["Run", (run) => link(run.id)],
      ["Phase", (run) => `${run.phase} / ${data.spec.budget.phases}`, { num: true }],
      ["Newest", (run) => (run.value === null ? null : short(run.value)), { num: true }],
      ["Worker", (run) => link(run.worker ?? "–")],
    ],
    runs,
    "Running now",
  );
}

const lineOf = (command) => [command?.run ?? command ?? []].flat().join(" ");

function trainerOf({ trainer, command, steps }) {
  if (steps)
    return h("code", {}, steps.map((step) => `${step.name}: ${lineOf(step.command)}`).join("; "));
  if (!trainer) return h("code", {}, lineOf(command));
  const { name, ...settings } = trainer;
  const list = Object.entries(settings).map(([key, value]) => `${key} ${param(value)}`);
  return [name, ...list].join(", ");
}

function notesOf(about, data) {
  const { sweep, spec } = data;
  return [
    pairs([
      ["Objective", data.objective.text],
      [
        "Search",
        `${spec.search.method}, ${plural(sweep.trials.total, "trial")}, seed ${spec.seed}`,
      ],
      ["Stopping rule", spec.terminator.rule],
      [
        "Budget of a run",
        `${count(spec.budget.per_run)} ${spec.budget.unit} in ${plural(spec.budget.phases, "phase")}`,
      ],
      ["Trainer", trainerOf(spec)],
      ["Parameters", data.parameters.map((one) => one.name).join(", ")],
      ["A run takes", resourcesOf(spec)],
      ["Share of the slots", shareOf(spec)],
      sweep.dataset ? ["Data", link(sweep.dataset)] : null,
      ["Submitted", time(sweep.submitted_at)],
      ["Lineage", h("a", { href: links.lineage(sweep.id) }, "commit, data, models")],
    ]),
    h("div.stack", {}, noteLines(about.notes)),
  ];
}
