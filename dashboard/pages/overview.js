// A sweep at a glance: where it is, its best value, its leaders, its budget, what runs now.
import { get, list } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { count, param, plural, short, time, words } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { report } from "../lib/report.js";
import { links, param as query, setParams } from "../lib/route.js";
import { sweepData } from "../lib/sweep.js";
import { card } from "../ui/card.js";
import { historyPlot } from "../chart/history.js";
import { brushChips } from "../ui/filter.js";
import { empty, link, loading, pairs, problem, sweepTabs, table } from "../ui/parts.js";
import { lastLine } from "../lib/why.js";
import { resourcesOf, shareOf, shortageOf } from "../lib/slots.js";
import { noteLines, sweepHeading } from "./heading.js";
import { frontTable, frontTitle } from "./pareto.js";
import { endsOf, factsOf } from "./facts.js";
import { leaderboard } from "./leaderboard.js";
import { readCurve, winnerCard, winnerPlot } from "./winner.js";

async function readAll(id, data, state) {
  await data.loadSweep();
  const [summary, history, about, running, failed, waiting] = await Promise.all([
    data.loadSummary(),
    get(`/v1/sweeps/${id}/history?by=${state.by}`),
    get(`/v1/about/${id}`).catch(() => ({})),
    readRuns(
      id,
      data.sweep.runs.running + data.sweep.runs.leased,
      "state = running or state = leased",
    ),
    readRuns(id, data.sweep.runs.failed, "state = failed"),
    readWaiting(id, data),
  ]);
  Object.assign(state, { summary, history, about, running, failed, waiting });
}

function layoutOf({ id, data, state, plot, switches, several }, parts) {
  return [
    parts.head,
    sweepTabs(id, ""),
    parts.detail,
    parts.winner,
    parts.facts,
    parts.brushes,
    h(
      "div.grid",
      {},
      card(`Best ${data.objective.value}`, [plot.element, historyLegend(state)], {
        span: 8,
        plot,
        end: switches,
        id: "history",
      }),
      card("Ends of runs", parts.ends, { span: 4, id: "ends" }),
      parts.failed,
      card(several ? `Leaderboard by ${data.metric} alone` : "Leaderboard", parts.best, {
        flush: true,
        id: "best",
      }),
      data.sweep.ended_at
        ? null
        : card("Running now", parts.now, { span: 5, flush: true, id: "running" }),
      card("About", parts.notes, { span: data.sweep.ended_at ? "" : 7, id: "about" }),
    ),
  ];
}

const emptyParts = () => ({
  ...{ head: h("div"), winner: h("div"), facts: h("div"), ends: h("div"), best: h("div") },
  ...{ now: h("div"), notes: h("div"), brushes: h("div.chips") },
  ...{ failed: h("div.whole"), detail: h("div.whole") },
});

function drawParts(page, state, data, parts) {
  update(parts.head, sweepHeading(page, data, state.about));
  update(parts.facts, factsOf(state.summary, data, state.front));
  update(parts.ends, endsOf(state.summary, data));
  update(parts.failed, failedCard(state));
  update(parts.detail, remarksOf(state.summary));
  update(parts.now, runningOf(state, data));
  update(parts.notes, notesOf(state.about, data));
}

// These read all trials: of a large sweep, the page is there before they are.
async function readLeaders(id, data, state, several) {
  const [best, front] = await Promise.all([
    get(`/v1/sweeps/${id}/best?limit=10`),
    several ? get(`/v1/sweeps/${id}/pareto?limit=1000`) : null,
    data.loadOutcomes(),
  ]);
  const curve = several ? [] : await readCurve(best.items[0]);
  Object.assign(state, { best, front, curve });
}

function drawLeaders(page, { best, front, summary }, data, parts, winner) {
  update(parts.best, leaderboard(best, data));
  update(
    parts.winner,
    front
      ? card(frontTitle(front), frontTable(front), { flush: true, id: "front" })
      : winnerCard(page, best, data, winner),
  );
  update(parts.facts, factsOf(summary, data, front));
  winner?.redraw();
}

function follow(page, state, id, again, close) {
  const soon = throttled(1000, again);
  page.onFrame((frame) => {
    if (frame.resync || frame.sweeps.includes(id) || (frame.workers && state.waiting)) soon();
  });
  page.onLeave(() => {
    soon.cancel();
    close();
  });
}

export async function overviewPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  const state = { by: ["trial", "time", "spent"].includes(query("by")) ? query("by") : "trial" };
  const read = () => readAll(id, data, state);
  await read();
  const plot = historyPlot({
    data,
    history: () => state.history,
    by: () => state.by,
    open: (trial) => {
      location.hash = links.trial(trial);
    },
  });
  const several = data.objective.goals.length > 1;
  const winner = several ? null : winnerPlot(() => state.curve ?? [], data);
  const parts = emptyParts();
  const switches = bySwitch(state, async (by) => {
    state.by = by;
    setParams({ by: by === "trial" ? "" : by });
    state.history = await get(`/v1/sweeps/${id}/history?by=${by}`);
    plot.redraw();
  });
  const draw = () => {
    drawParts(page, state, data, parts);
    plot.redraw();
  };
  const readTrials = async () => {
    await readLeaders(id, data, state, several);
    drawLeaders(page, state, data, parts, winner);
    plot.redraw();
  };
  update(parts.best, loading());
  draw();
  readTrials().catch((error) => update(parts.best, problem(error)));
  const again = async () => {
    await read();
    draw();
    await readTrials();
  };
  follow(page, state, id, again, () => {
    plot.close();
    winner?.close();
  });
  const drawBrushes = () => {
    update(parts.brushes, brushChips(data, drawBrushes));
    plot.redraw();
  };
  drawBrushes();
  return layoutOf({ id, data, state, plot, switches, several }, parts);
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

// The causes of failures with their counts, as `hone show` groups them; one run has none to group.
const causesOf = ({ outcome }) =>
  (outcome?.causes ?? []).some((one) => one.runs > 1)
    ? table(
        [
          ["Cause", (one) => h("code", {}, one.cause)],
          ["Runs", (one) => one.runs, { num: true }],
          ["For example", (one) => link(one.run)],
        ],
        outcome.causes,
        "Causes of failures",
      )
    : null;

// Why runs failed, with the last line of their logs.
function failedCard(state) {
  if (state.failed.length === 0) return null;
  const more = state.summary.runs.failed - state.failed.length;
  const causes = causesOf(state.summary);
  const runs = [
    failedRuns(state.failed),
    more > 0 ? h("p.muted.small.body", {}, `${more} more: choose failed among the Trials.`) : null,
  ];
  return card(
    `Failed runs: ${state.summary.runs.failed}`,
    causes ? [causes, h("details.body", {}, h("summary", {}, "Each run"), runs)] : runs,
    { flush: true, id: "failed" },
  );
}

const failedRuns = (list) =>
  table(
    [
      ["Run", (run) => link(run.id)],
      ["Kind", (run) => words(run.failure)],
      ["What happened", (run) => run.detail || words(run.reason)],
      ["End of its log", (run) => h("code", {}, lastLine(run.log_tail).slice(0, 200))],
    ],
    list,
    "Failed runs",
  );

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

// Why nothing runs: no worker can hold a run, or what the server says about the first that waits.
async function readWaiting(id, { sweep, spec }) {
  const { leased, running, queued } = sweep.runs;
  if (report || sweep.ended_at || leased + running > 0) return "";
  if (sweep.state === "paused")
    return "The sweep is paused: no run is started until it is resumed.";
  const workers = await list("/v1/workers?limit=1000", 5000).catch(() => null);
  const short = workers && spec.trainer?.name !== "ask" ? shortageOf(spec, workers) : "";
  if (short) return short;
  if (queued === 0) return heldBy(id, spec);
  const first = await readRuns(id, queued, "state = queued");
  if (first.length === 0) return "";
  return (await get(`/v1/runs/${first[0].id}/explain`).catch(() => ({}))).text ?? "";
}

// Which sweeps have the slots that this one waits for.
async function heldBy(id, spec) {
  const where = encodeURIComponent("state = running or state = stopping");
  const answer = await get(`/v1/sweeps?limit=50&where=${where}`).catch(() => ({ items: [] }));
  const open = ({ runs }) => runs.running + runs.leased;
  const others = answer.items.filter((one) => one.id !== id && open(one) > 0);
  if (others.length === 0) return "";
  return [
    "Other sweeps hold the slots: ",
    others
      .slice(0, 5)
      .map((one, i) => [
        i > 0 ? ", " : "",
        link(one.id, one.name || one.id),
        ` with ${plural(open(one), "run")}`,
      ]),
    others.length > 5 ? " and more" : "",
    `. Share of this one: ${shareOf(spec)}.`,
  ];
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
