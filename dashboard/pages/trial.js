// One parameter set: its parameters, its runs, its band, its verdicts, and what can be done with
// it.
import { get, post } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { count, param as shown, plural, short, words } from "../lib/format.js";
import { followSweep } from "../lib/live.js";
import { report } from "../lib/report.js";
import { links } from "../lib/route.js";
import { Plot } from "../chart/plot.js";
import { card } from "../ui/card.js";
import { bandName, drawBands } from "../chart/band_lines.js";
import { padded, withBar } from "../lib/scale.js";
import { isModelled, objectiveOf } from "../lib/sweep_words.js";
import { ask } from "../ui/dialog.js";
import { evaluationsCard, readEvaluations } from "../ui/evaluations.js";
import { facts, heading, link, pairs, stateMark, table } from "../ui/parts.js";
import { askEnqueue, boundsOf } from "../ui/params.js";
import { tickedBar, Ticks } from "../ui/ticks.js";
import { whyParts } from "../ui/why.js";
import { changingNames, scheduleTable } from "../ui/schedule.js";
import { noteButtons, noteLines, tagChips } from "./heading.js";

async function readAll(id, state) {
  const trial = await get(`/v1/trials/${id}`);
  const [sweep, runs, curve, why, about, evaluations, cells, rank] = await Promise.all([
    get(`/v1/sweeps/${trial.sweep}`),
    get(`/v1/trials/${id}/runs?limit=1000`),
    get(`/v1/trials/${id}/curve`),
    get(`/v1/trials/${id}/explain`).catch(() => null),
    get(`/v1/about/${id}`).catch(() => ({})),
    readEvaluations("trial", id).catch(() => []),
    readCells(trial),
    readRank(trial),
  ]);
  const curves = await Promise.all(
    runs.items.slice(0, 30).map((run) => get(`/v1/runs/${run.id}/curve`)),
  );
  Object.assign(state, {
    trial,
    sweep,
    runs: runs.items,
    curve: curve.items,
    curves: curves.map((one) => one.items),
    why,
    about,
    evaluations,
    rank,
    ...cells,
  });
}

function layoutOf(state, parts, plot) {
  return [
    parts.head,
    parts.facts,
    h(
      "div.grid",
      {},
      card(
        `${state.sweep.objective.metric} by ${state.sweep.spec.budget.unit}`,
        [
          plot.element,
          h(
            "p.legend",
            {},
            several(state)
              ? "thin: each run; thick: interquartile mean over its seeds, with its 95 % t-interval"
              : "one run: no interval; more seeds show how much of a value is luck",
          ),
        ],
        { plot, span: 8, id: "band" },
      ),
      card("Parameters", parts.params, { span: 4, id: "params" }),
      card("Runs", parts.runs, { flush: true, id: "runs", end: parts.chosen }),
      parts.evaluations,
      card("What happened, and why", parts.why, { id: "why" }),
    ),
  ];
}

export async function trialPage(page) {
  const [id] = page.ids;
  const state = {};
  await readAll(id, state);
  const plot = bandPlot(state);
  const parts = {
    head: h("div"),
    facts: h("div"),
    params: h("div"),
    runs: h("div"),
    evaluations: h("div.whole"),
    why: h("div"),
    chosen: h("span.bar"),
  };
  const draw = () => {
    update(parts.chosen, tickedBar(state.ticks));
    update(parts.head, trialHeading(page, state));
    update(parts.facts, factsOf(state));
    update(parts.params, paramsOf(state));
    update(parts.runs, runsOf(state));
    update(parts.evaluations, evaluationsCard(state.evaluations));
    update(
      parts.why,
      state.rank ? h("p", {}, h("strong", {}, state.rank)) : null,
      whyParts(state.why, ownRun(state)),
    );
    plot.redraw();
  };
  state.ticks = runTicks(state, draw);
  draw();
  const again = async () => {
    await readAll(id, state);
    draw();
  };
  followSweep(
    page,
    () => state.trial.sweep,
    1500,
    again,
    () => plot.close(),
  );
  return layoutOf(state, parts, plot);
}

// The trial's place, as the first sentence of `hone explain`; "" with several objectives.
async function readRank({ id, sweep }) {
  const path = report ? `/v1/sweeps/${sweep}/best?limit=10` : `/v1/sweeps/${sweep}/best?limit=1000`;
  const { items } = await get(path).catch(() => ({ items: [] }));
  const item = items.find((one) => one.id === id);
  if (!item || item.further) return "";
  const place = `${id} ranks ${item.rank}${report ? "" : ` of ${items.length}`} in ${sweep}`;
  return item.confirmed_seeds > 0 && typeof item.confirmed === "number"
    ? `${place}: confirmed on new seeds, its value is ${short(item.confirmed)}; ` +
        `in tuning it was ${short(item.value)}.`
    : isModelled(item)
      ? `${place}: a model of all trials expects ${short(item.expected)} of another training; ` +
        `its value is ${short(item.value)}.`
      : `${place}: its value is ${short(item.value)}.`;
}

// The run that the explanation is about; its log says more where it failed.
const ownRun = ({ why, runs }) => runs.find((run) => run.id === why?.run) ?? null;

async function readCells({ id, sweep }) {
  if (report) return { pinned: false, further: [] };
  const where = encodeURIComponent(`id = ${id}`);
  const path = `/v1/sweeps/${sweep}/columns?fields=trial,pinned,further.*&where=${where}`;
  const { columns } = await get(path);
  const further = Object.entries(columns)
    .filter(([name]) => name.startsWith("further."))
    .map(([name, [value]]) => [name.slice("further.".length), value]);
  return { pinned: columns.pinned[0] === 1, further };
}

function trialHeading(page, { trial, sweep, about, pinned }) {
  const sub = [
    pinned
      ? h("span.chip.small", { title: "All checkpoints of its runs are kept" }, "pinned")
      : null,
    stateMark(
      trial.state,
      trial.reason === "none"
        ? words(trial.state)
        : `${words(trial.state)}: ${words(trial.reason)}`,
    ),
    h("span", {}, `number ${trial.number} of `, link(sweep.id, sweep.name || sweep.id)),
    h("a", { href: links.lineage(trial.id) }, "lineage"),
    tagChips(page, trial.id, about.tags),
  ];
  return [
    heading(
      trial.id,
      sub,
      page.can("submit")
        ? [
            pinButton(page, trial, !pinned),
            sweep.ended_at ? null : enqueueButton(trial, sweep),
            noteButtons(page, trial.id),
          ]
        : [],
    ),
    noteLines(about.notes),
  ];
}

function pinButton(page, trial, pinned) {
  const title = pinned ? "Pin" : "Unpin";
  return h(
    "button",
    {
      type: "button",
      onclick: () =>
        ask({
          title: `${title} ${trial.id}?`,
          yes: title,
          text: pinned
            ? "All checkpoints of its runs are kept."
            : "Its checkpoints follow the sweep's rule again: those that are no longer needed are dropped.",
          act: async () => {
            await post(`/v1/trials/${trial.id}/pin`, { pinned });
            page.again();
            return `${trial.id} is ${pinned ? "pinned" : "not pinned"}.`;
          },
        }),
    },
    title,
  );
}

const enqueueButton = (trial, sweep) =>
  h("button", { type: "button", onclick: () => askEnqueue(sweep, trial) }, "Enqueue edited");

function factsOf({ trial, sweep, runs, further }) {
  const steps = runs.reduce((sum, run) => sum + run.step, 0);
  return facts([
    [
      objectiveOf(sweep).value,
      objectiveOf(sweep).show(trial.value),
      [trial.seeds > 1 ? `over ${plural(trial.seeds, "seed")}; ` : "", objectiveOf(sweep).better],
    ],
    ...further.map(([metric, value]) => [metric, short(value), "of its last report"]),
    typeof trial.confirmed === "number"
      ? [
          "Confirmed",
          short(trial.confirmed),
          `IQM over ${plural(trial.confirmed_seeds, "seed")} that tuning never used`,
        ]
      : null,
    isModelled(trial)
      ? [
          "Expected",
          short(trial.expected),
          `in another training, [${short(trial.expected_low)}, ${short(trial.expected_high)}]`,
        ]
      : null,
    [
      "Phases",
      `${Math.max(0, ...runs.map((run) => run.phase))} / ${sweep.spec.budget.phases}`,
      runs.length > 1 ? "of its longest run" : null,
    ],
    ["Runs", String(trial.runs), `${runs.filter((run) => run.ended_at).length} ended`],
    ["Trained", count(steps), `${sweep.spec.budget.unit}, all runs`],
  ]);
}

function paramsOf({ trial, sweep }) {
  const changed = changingNames(trial);
  const list = pairs(
    Object.entries(sweep.spec.parameters ?? {})
      .filter(([name]) => !changed.includes(name))
      .map(([name, domain]) => {
        const value = trial.params[name];
        const note = boundsOf(domain);
        return [
          name,
          [
            h("span.mono", {}, value === undefined ? "inactive" : shown(value) || String(value)),
            note ? h("span.muted.small", {}, `  ${note}`) : null,
          ],
        ];
      }),
  );
  return [scheduleTable(trial, sweep.spec.budget), list];
}

// The selection of runs is that of this page alone.
function runTicks(state, changed) {
  let ids = [];
  return new Ticks({
    get: () => ids,
    set: (next) => {
      ids = next;
    },
    order: () => state.runs.map((run) => run.id),
    changed,
  });
}

const selected = () => h("span.visually-hidden", {}, "Selected");

function runsOf({ runs, sweep, ticks }) {
  return table(
    [
      runs.length > 1 ? [selected(), (run) => ticks.box(run.id)] : null,
      ["Run", (run) => link(run.id)],
      ["Seed", (run) => run.seed, { num: true }],
      [
        "State",
        (run) =>
          stateMark(
            run.state,
            run.reason === "none" ? words(run.state) : `${words(run.state)}: ${words(run.reason)}`,
          ),
      ],
      ["Phases", (run) => `${run.phase} / ${sweep.spec.budget.phases}`, { num: true }],
      ["Newest", (run) => (run.value === null ? null : short(run.value)), { num: true }],
      ["Best", (run) => (run.best === null ? null : short(run.best)), { num: true }],
      ["Attempts", (run) => run.attempts, { num: true }],
      ["Worker", (run) => (run.worker ? link(run.worker) : null)],
      ["Detail", (run) => run.detail, { optional: true }],
    ].filter(Boolean),
    runs,
    "Runs",
  );
}

const several = (state) => state.curve.some((one) => one.n > 1);

function bandPlot(state) {
  return new Plot({
    label: "The learning curves of the trial",
    height: 300,
    paint: (p) => {
      const points = state.curves.flat().filter((one) => typeof one.value === "number");
      if (points.length === 0) return p.message("No report yet.");
      const values = points.map((one) => one.value);
      const { bar } = objectiveOf(state.sweep);
      const band = { items: state.curve, name: several(state) ? "IQM" : "" };
      p.roomForNames([bandName(band)]);
      p.axes(
        {
          domain: [0, Math.max(...points.map((one) => one.step))],
          label: state.sweep.spec.budget.unit,
          format: count,
        },
        {
          domain: padded(withBar([Math.min(...values), Math.max(...values)], bar)),
          label: state.sweep.objective.metric,
        },
      );
      p.barLine(bar);
      p.inside((ctx) => {
        ctx.lineWidth = 1;
        ctx.strokeStyle = p.colours["line-strong"];
        for (const items of state.curves) {
          ctx.beginPath();
          for (const one of items)
            if (typeof one.value === "number") ctx.lineTo(p.x.at(one.step), p.y.at(one.value));
          ctx.stroke();
        }
        drawBands(p, ctx, [band]);
      });
      return undefined;
    },
    hit: (p, x) => hitAt(p, state.curve, x),
    move: (p, key) => moveAt(p, state.curve, key),
    table: () => ({
      header: ["phase", "step", "n", "iqm", "low", "high", "mean", "min", "max"],
      rows: state.curve.map((one) => [
        one.phase + 1,
        one.step,
        one.n,
        one.iqm,
        one.low,
        one.high,
        one.mean,
        one.min,
        one.max,
      ]),
    }),
  });
}

function describe(p, one) {
  return {
    x: p.x.at(one.step),
    y: p.y.at(one.iqm),
    phase: one.phase,
    text: `phase ${one.phase + 1}, step ${one.step}\nIQM ${short(one.iqm)}${one.n > 1 ? ` [${short(one.low)}, ${short(one.high)}], n = ${one.n}` : ""}`,
  };
}
function hitAt(p, items, x) {
  const list = items.filter((one) => typeof one.iqm === "number");
  if (list.length === 0) return null;
  return describe(
    p,
    list.reduce((a, b) => (Math.abs(p.x.at(b.step) - x) < Math.abs(p.x.at(a.step) - x) ? b : a)),
  );
}
function moveAt(p, items, key) {
  const list = items.filter((one) => typeof one.iqm === "number");
  if (list.length === 0) return null;
  const by = key === "ArrowRight" || key === "ArrowUp" ? 1 : -1;
  const at = p.hovered
    ? list.findIndex((one) => one.phase === p.hovered.phase) + by
    : by > 0
      ? 0
      : list.length - 1;
  return describe(p, list[Math.min(list.length - 1, Math.max(0, at))]);
}
