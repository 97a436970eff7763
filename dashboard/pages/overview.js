// A sweep at a glance: where it is, its best value, its leaders, its budget, what runs now.
import { get } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";
import { count, duration, percent, plural, short, time, words } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { links, param, setParams } from "../lib/route.js";
import { sweepData } from "../lib/sweep.js";
import { card } from "../chart/plot.js";
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
import { sweepHeading } from "./heading.js";

export async function overviewPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  const state = { by: ["trial", "time", "spent"].includes(param("by")) ? param("by") : "trial" };
  const read = async () => {
    await data.loadSweep();
    const [summary, history, about, running] = await Promise.all([
      data.loadSummary(),
      get(`/v1/sweeps/${id}/history?by=${state.by}`),
      get(`/v1/about/${id}`).catch(() => ({})),
      readRunning(id, data.sweep),
    ]);
    Object.assign(state, { summary, history, about, running });
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
    replace(parts.now, runningOf(state.running, data));
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
    if (frame.resync || frame.sweeps.includes(id)) soon();
  });
  page.onLeave(() => {
    soon.cancel();
    plot.close();
  });
  return [
    parts.head,
    sweepTabs(id, ""),
    parts.facts,
    h(
      "div.grid",
      {},
      card(`Best ${data.metric}`, plot.element, { span: 8, plot, end: switches, id: "history" }),
      card("Ends of runs", parts.ends, { span: 4, id: "ends" }),
      card("Leaderboard", parts.best, { flush: true, id: "best" }),
      data.sweep.ended_at
        ? null
        : card("Running now", parts.now, { span: 5, flush: true, id: "running" }),
      card("About", parts.notes, { span: data.sweep.ended_at ? "" : 7, id: "about" }),
    ),
  ];
}

async function readRunning(id, sweep) {
  if (sweep.runs.running + sweep.runs.leased === 0) return [];
  const where = encodeURIComponent("state = running or state = leased");
  return (await get(`/v1/sweeps/${id}/runs?limit=12&where=${where}`).catch(() => ({ items: [] })))
    .items;
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

function factsOf(summary, data) {
  const { units, pace, eta, best, trials, runs } = summary;
  const over = runs.completed + runs.stopped + runs.failed + runs.canceled;
  const planned = units.trained + units.not_trained;
  return facts([
    [
      "Best report",
      best ? short(best.value) : "–",
      best ? [link(best.trial), `, phase ${best.phase + 1}`] : "no report yet",
    ],
    ["Trials", `${trials.proposed}`, `of ${trials.total}; ${plural(over, "run")} over`],
    ["Trained", count(units.trained), `${units.name}`],
    [
      "Not trained",
      count(units.not_trained),
      planned
        ? `${percent(units.not_trained / planned)} of ${count(planned)}, in stopped runs`
        : null,
    ],
    [
      "Speed",
      `${count(pace.per_second)}/s`,
      `${plural(pace.reports, "report")} in ${duration(pace.seconds)}`,
    ],
    [
      "Left",
      eta ? duration(eta.seconds) : summary.ended_at ? "ended" : "–",
      eta
        ? `if runs to come train ${count(eta.mean_run)} ${units.name}, the mean of ${eta.runs} so far`
        : summary.ended_at
          ? time(summary.ended_at)
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

// The columns that the route's rows have: a name of theirs that is not here is left out.
function bestOf(best, data) {
  if (best.items.length === 0) return empty("No trial has a report yet.");
  const several = best.items.some((item) => item.seeds > 1);
  return h(
    "div",
    { dataset: { best: "" } },
    table(
      [
        ["#", (item) => item.rank, { num: true }],
        ["Trial", (item) => link(item.id)],
        [data.metric, (item) => short(item.value), { num: true }],
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
        ["Seeds", (item) => item.seeds, { num: true }],
        ["Phase", (item) => item.best_phase + 1, { num: true }],
        ["State", (item) => stateMark(item.state)],
        ["Parameters", (item) => paramList(item.params)],
        ["Model", (item) => (item.model ? link(item.model) : null)],
      ].filter(Boolean),
      best.items,
      "Leaderboard",
    ),
    best.aggregate
      ? h(
          "p.muted.small.body",
          {},
          `Values are the ${best.aggregate} over seeds${best.scale ? `, by ${best.scale}` : ""}; intervals hold 95 of 100 resamples.`,
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

function runningOf(runs, data) {
  if (runs.length === 0)
    return empty(data.sweep.ended_at ? "The sweep has ended." : "No run is in progress.");
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

const lineOf = (command) => (Array.isArray(command) ? command : (command?.run ?? [])).join(" ");

const programOf = (spec) =>
  spec.steps
    ? spec.steps.map((step) => `${step.name}: ${lineOf(step.command)}`).join("; ")
    : lineOf(spec.command);

function notesOf(about, data) {
  const { sweep, spec } = data;
  const notes = about.notes ?? [];
  return [
    pairs([
      ["Objective", `${sweep.objective.goal} ${sweep.objective.metric}`],
      [
        "Search",
        `${spec.search.method}, ${plural(sweep.trials.total, "trial")}, seed ${spec.seed}`,
      ],
      ["Stopping rule", spec.terminator.rule],
      [
        "Budget of a run",
        `${count(spec.budget.per_run)} ${spec.budget.unit} in ${plural(spec.budget.phases, "phase")}`,
      ],
      ["Trainer", spec.trainer ? spec.trainer.name : h("code", {}, programOf(spec))],
      ["Parameters", data.parameters.map((one) => one.name).join(", ")],
      ["Submitted", time(sweep.submitted_at)],
      ["Lineage", h("a", { href: links.lineage(sweep.id) }, "commit, data, models")],
      (about.tags ?? []).length
        ? [
            "Tags",
            h(
              "span.chips",
              {},
              about.tags.map((tag) => h("span.chip", {}, tag)),
            ),
          ]
        : null,
    ]),
    notes.map((note) => h("p.note", {}, note.text, " ", h("span.muted.small", {}, time(note.at)))),
  ];
}
