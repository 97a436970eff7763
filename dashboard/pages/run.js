// One run: its curve with verdicts, its other metrics, attempts, artifacts, log and explanation.
import { get, list, serverNow } from "../lib/api.js";
import { h, replace, toast } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { ago, count, duration, param, plural, short, time, words } from "../lib/format.js";
import { followSweep } from "../lib/live.js";
import { recorded, report } from "../lib/report.js";
import { links } from "../lib/route.js";
import { objectiveOf } from "../lib/sweep_words.js";
import { linePlot } from "../chart/line.js";
import { card } from "../ui/card.js";
import { empty, facts, heading, link, pairs, stateMark, table } from "../ui/parts.js";
import { evaluationsCard, readEvaluations } from "../ui/evaluations.js";
import { Files } from "../ui/files.js";
import { logView } from "../ui/log.js";
import { askFork } from "../ui/params.js";
import { verdictTable, whyParts } from "../ui/why.js";
import { useCard, useNames } from "../ui/use.js";
import { changingNames, scheduleTable } from "../ui/schedule.js";
import { noteButtons, noteLines, tagChips } from "./heading.js";
import { originCard, readLine } from "./origin.js";

const pointsAtMost = 20000;
const verdictsShown = 12; // more are folded

async function readAll(id, state) {
  const run = await get(`/v1/runs/${id}`);
  const all = await Promise.all([
    get(`/v1/sweeps/${run.sweep}`),
    get(`/v1/trials/${run.trial}`),
    readLine(run).catch(() => []),
    get(`/v1/lineage/${id}?depth=1&direction=down`).catch(() => null),
    get(`/v1/runs/${id}/curve`),
    list(`/v1/runs/${id}/attempts`),
    get(`/v1/runs/${id}/artifacts`),
    get(`/v1/runs/${id}/explain`).catch(() => null),
    list(`/v1/models?run=${id}`, 200).catch(() => []),
    list(`/v1/runs/${id}/metrics?limit=1000`, pointsAtMost),
    readEvaluations("run", id).catch(() => []),
    get(`/v1/about/${id}`).catch(() => ({})),
  ]);
  const [sweep, trial, line, children, curve, attempts, ...more] = all;
  const [artifacts, why, models, metrics, evaluations, about] = more;
  Object.assign(state, {
    ...{ run, sweep, trial, line },
    forks: (children?.edges ?? []).filter((one) => one.relation === "forked_from"),
    curve: curve.items,
    attempts,
    artifacts: artifacts.items,
    why,
    models,
    metrics: byName(metrics),
    evaluations,
    about,
  });
}

// A click on a point forks the run there, where that is offered.
const curvePlot = (page, state) =>
  linePlot(
    () => state.sweep.objective.metric,
    () => state.curve.map((one) => ({ x: one.step, y: one.value, one })),
    () => state.sweep.spec.budget.unit,
    {
      ended: () => state.run.ended_at !== null,
      from: () => state.run.origin,
      bar: () => objectiveOf(state.sweep).bar,
      open: page.can("submit") && !state.sweep.ended_at ? (hit) => forkAt(state, hit) : undefined,
    },
  );

// Of a failed run, why it failed and its log come first; of others, its curve.
function firstCards(state, parts, curve, log) {
  const failed = state.run.state === "failed";
  const params = card("Parameters", parts.params, { id: "params", span: failed ? 4 : "" });
  const drawn = (span) =>
    card(state.sweep.objective.metric, [curve.element, parts.verdicts], {
      ...{ plot: curve, span, id: "curve" },
    });
  if (failed)
    return [
      card("What happened, and why", parts.why, { id: "why", span: 8 }),
      ...[params, log, drawn("")],
    ];
  const why = card("What happened, and why", parts.why, { id: "why" });
  return [drawn(8), h("div.stack.span-4", {}, why, params)];
}

function layoutOf(state, parts, curve, log) {
  const logCard = log ? card("Log", log.element, { id: "log" }) : null;
  const first = firstCards(state, parts, curve, logCard);
  return [
    parts.head,
    parts.facts,
    h(
      "div.grid",
      {},
      first,
      parts.origin,
      card("Metrics", [parts.metrics, parts.thinned], { id: "metrics" }),
      parts.use,
      card("Attempts", parts.attempts, { flush: true, span: 7 }),
      card("Files and models", parts.files.element, { flush: true, span: 5 }),
      parts.evaluations,
      first.includes(logCard) ? null : logCard,
    ),
  ];
}

export async function runPage(page) {
  const [id] = page.ids;
  const state = {};
  await readAll(id, state);
  const plots = new Map();
  const parts = {
    head: h("div"),
    facts: h("div"),
    why: h("div"),
    verdicts: h("div"),
    attempts: h("div"),
    evaluations: h("div.whole"),
    thinned: h("p.muted.small"),
    params: h("div"),
    origin: h("div.whole"),
    use: h("div.whole"),
    metrics: h("div.small-grid"),
  };
  parts.files = new Files();
  const curve = curvePlot(page, state);
  const draw = () => {
    update(parts.head, headOf(page, state));
    update(parts.facts, factsOf(state));
    update(parts.why, whyParts(state.why, state.run, false));
    update(parts.verdicts, verdictsOf(state));
    update(parts.params, paramsOf(state));
    update(parts.attempts, attemptsOf(state.attempts));
    parts.files.draw(state);
    parts.thinned.textContent = thinnedNote(id);
    update(parts.evaluations, evaluationsCard(state.evaluations));
    update(parts.origin, originCard(state));
    useCard(state, parts.use, plots);
    drawMetrics(state, parts.metrics, plots);
    curve.redraw();
  };
  draw();
  const log = report ? null : logView(id);
  const again = async () => {
    await readAll(id, state);
    draw();
  };
  const close = () => {
    curve.close();
    parts.files.close();
    log?.close();
    for (const plot of plots.values()) plot.close();
  };
  followSweep(page, () => state.run.sweep, 1500, again, close);
  return layoutOf(state, parts, curve, log);
}

// What the chart draws, as a table.
const verdictsOf = ({ why }) =>
  why?.verdicts?.length > 0
    ? h(
        "details",
        { open: why.verdicts.length <= verdictsShown },
        h("summary", {}, `${plural(why.verdicts.length, "verdict")}`),
        verdictTable(why.verdicts),
      )
    : null;

// In a report long series are thinned.
function thinnedNote(id) {
  const stride = report ? recorded(`/v1/runs/${id}/metrics?limit=1000`).thinned : 1;
  return stride > 1 ? `This report has every ${stride}th point of the longest series.` : "";
}

function byName(points) {
  const series = new Map();
  for (const point of points) {
    if (!series.has(point.name)) series.set(point.name, []);
    series.get(point.name).push({ x: point.step, y: point.value });
  }
  return series;
}

function drawMetrics({ metrics, sweep }, place, plots) {
  const own = [...metrics.keys()].filter((name) => !useNames.has(name));
  if (own.length === 0)
    return void update(place, h("p.muted", {}, "The run logs no other metric."));
  for (const name of own) {
    if (plots.has(name)) {
      plots.get(name).redraw();
      continue;
    }
    const plot = linePlot(
      () => name,
      () => metrics.get(name),
      () => sweep.spec.budget.unit,
      { height: 170 },
    );
    plots.set(name, plot);
    if (name === own[0]) replace(place);
    place.append(h("div", {}, h("h2", {}, name), plot.element));
  }
  return undefined;
}

// The phases of the checkpoints that are kept, newest first.
const keptPhases = (models) =>
  [...new Set(models.filter((one) => !one.dropped_at).map((one) => one.phase))].sort(
    (a, b) => b - a,
  );

function forkAt({ run, sweep, trial, models }, { phase }) {
  const phases = keptPhases(models);
  if (phases.length === 0) toast("No checkpoint of this run is kept: it cannot be forked.");
  else askFork(sweep, run, trial, phases, phase);
}

function forkButton({ run, sweep, trial, models }) {
  const phases = keptPhases(models);
  if (sweep.ended_at || phases.length === 0) return null;
  return h(
    "button",
    {
      type: "button",
      dataset: { verb: "fork" },
      onclick: () => askFork(sweep, run, trial, phases),
    },
    "Fork",
  );
}

function headOf(page, state) {
  const { run, sweep, about } = state;
  const title = heading(
    run.id,
    [
      stateMark(
        run.state,
        run.reason === "none" ? words(run.state) : `${words(run.state)}: ${words(run.reason)}`,
      ),
      h("span", {}, "of ", link(run.trial)),
      h("span", {}, "in ", link(sweep.id, sweep.name || sweep.id)),
      h("span", {}, `seed ${run.seed}`),
      run.seed_applied === false
        ? h("span", {}, "the program did not apply the seed: a repeat")
        : null,
      h("a", { href: links.lineage(run.id) }, "lineage"),
      tagChips(page, run.id, about.tags),
    ],
    page.can("submit") ? [forkButton(state) ?? [], noteButtons(page, run.id)] : [],
  );
  return [title, noteLines(about.notes)];
}

const secondsOf = (one) => (Date.parse(one.ended_at) - Date.parse(one.granted_at)) / 1000 || 0;
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

function factsOf({ run, sweep, attempts }) {
  const { bar, value, better, show } = objectiveOf(sweep);
  const trained = `after ${count(run.step)} ${sweep.spec.budget.unit}`;
  return facts([
    bar === null ? ["Newest", short(run.value), trained] : [value, show(run.value), trained],
    bar === null ? ["Best", short(run.best), better] : null,
    ["Phases", `${run.phase} / ${sweep.spec.budget.phases}`],
    ["Attempts", String(run.attempts), run.worker ? ["newest on ", link(run.worker)] : null],
    run.ended_at && run.started_at
      ? ["Took", duration(sum(attempts.map(secondsOf))), `ended ${time(run.ended_at)}`]
      : ["Started", run.started_at ? ago(run.started_at, serverNow()) : "–", time(run.started_at)],
  ]);
}

const paramsOf = ({ trial, sweep, run }) => [
  scheduleTable(trial, sweep.spec.budget, run.ended_at ? null : run.phase),
  pairs(
    Object.entries(trial.params)
      .filter(([name]) => !changingNames(trial).includes(name))
      .map(([name, value]) => [name, h("span.mono", {}, param(value))]),
  ),
];

const attemptsOf = (attempts) =>
  attempts.length === 0
    ? empty("The run waits for a worker.")
    : table(
        [
          ["Attempt", (one) => one.id],
          ...(attempts.some((one) => one.step)
            ? [["Step", (one) => (one.finished ? `${one.step} (finished)` : one.step)]]
            : []),
          ["Worker", (one) => [link(one.worker), " ", h("span.muted.small", {}, one.host)]],
          ["Began", (one) => time(one.granted_at)],
          [
            "Took",
            (one) => (one.ended_at ? duration(secondsOf(one)) : "in progress"),
            { num: true },
          ],
          ["End", (one) => (one.end_reason === "none" ? "paused" : words(one.end_reason ?? ""))],
          ["From", (one) => (one.resume ? link(one.resume) : null), { optional: true }],
          ["Detail", (one) => one.detail, { optional: true }],
        ],
        attempts,
        "Attempts",
      );
