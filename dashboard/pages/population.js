// The runs of a sweep that continue one another: a population, or forks that a user enqueued.
import { get, list } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";
import { count, param as shown, plural, short } from "../lib/format.js";
import { followSweep } from "../lib/live.js";
import { Curves } from "../lib/matrix.js";
import { report } from "../lib/report.js";
import { links, param, setParams } from "../lib/route.js";
import { axisOf } from "../lib/space.js";
import { sweepData } from "../lib/sweep.js";
import { isPopulation } from "../lib/sweep_words.js";
import { card } from "../ui/card.js";
import { ancestors, placesPlot, reachedPlot, schedulePlot } from "../chart/population.js";
import { filterBar } from "../ui/filter.js";
import { empty, link, stateMark, sweepTabs, table } from "../ui/parts.js";
import { sweepHeading } from "./heading.js";

const runsAtMost = 5000;
const parametersAtMost = 8;

// A fork takes the place of the member that it replaces; other runs open a new one.
function placesOf(runs) {
  let slots = 0;
  const slotOf = new Map();
  for (const run of runs) {
    const slot = slotOf.get(run.origin?.replaces) ?? slots++;
    slotOf.set(run.id, slot);
  }
  return { slotOf, slots };
}

// The reports that a run trained itself, behind the one at which it forked.
function valuesOf(run, curves) {
  const { matrix } = curves;
  const row = curves.rowsById().get(run.id);
  const found = [];
  if (row === undefined) return found;
  const first = run.origin ? Math.floor((run.origin.phase * matrix.points) / matrix.phases) : 0;
  for (let k = first; k < matrix.points; k++) {
    const value = matrix.cells[row * matrix.points + k];
    if (Number.isFinite(value)) found.push([matrix.steps[k], value]);
  }
  return found;
}

function familyOf(data, curves, runs) {
  runs.sort((a, b) => Number(a.trial.slice(3)) - Number(b.trial.slice(3)));
  const { slotOf, slots } = placesOf(runs);
  const begin = Date.parse(data.sweep.submitted_at);
  const seconds = (text) => (text ? (Date.parse(text) - begin) / 1000 : null);
  const last = (run) => seconds(run.ended_at) ?? seconds(run.started_at) ?? 0;
  const now = Math.max(0, ...runs.map(last));
  const names = data.parameters.map((one) => one.name);
  const rows = runs.map((run) => {
    const row = data.index.get(Number(run.trial.slice(3)));
    return {
      ...run,
      slot: slotOf.get(run.id),
      from: run.origin?.step ?? 0,
      to: run.step,
      t0: seconds(run.started_at),
      t1: seconds(run.ended_at) ?? now,
      values: valuesOf(run, curves),
      params: Object.fromEntries(
        names.map((name) => [name, data.columns[`params.${name}`]?.[row]]),
      ),
    };
  });
  return {
    runs: rows,
    byId: new Map(rows.map((one) => [one.id, one])),
    slots,
    line: new Map(), // the chosen run and its ancestors -> the step at which the line leaves them
    end: Math.max(1, ...rows.map((one) => one.to)),
    unit: data.spec.budget.unit,
    metric: data.metric,
  };
}

// The parameters that a fork ever changed; without forks, those that the picture can show.
function changing(data, family) {
  const differs = ({ name }) =>
    family.runs.some((one) => {
      const before = family.byId.get(one.origin?.run);
      return before && JSON.stringify(before.params[name]) !== JSON.stringify(one.params[name]);
    });
  return data.parameters.filter(differs).slice(0, parametersAtMost);
}

function chosenOf(family, goal) {
  if (family.byId.has(param("run"))) return param("run");
  const sign = goal === "maximize" ? 1 : -1;
  const merit = (one) => (typeof one.value === "number" ? sign * one.value : -Infinity);
  // The best value of those that came furthest: the end of the schedule that one would train again.
  const furthest = family.runs.filter((one) => one.to === family.end);
  return furthest.sort((a, b) => merit(b) - merit(a))[0]?.id ?? "";
}

function scheduleTable(line, names) {
  const change = (one, before, name) => {
    const now = one.params[name];
    if (!before || JSON.stringify(before.params[name]) === JSON.stringify(now)) return shown(now);
    return h("strong", {}, shown(now));
  };
  return table(
    [
      ["Run", (row) => link(row.one.id)],
      ["From", (row) => count(row.one.from), { num: true }],
      ["To", (row) => count(row.to), { num: true }],
      ...names.map((name) => [name, (row) => change(row.one, row.before, name), { num: true }]),
      ["Value at its end", (row) => (row.value === null ? null : short(row.value)), { num: true }],
      ["State", (row) => stateMark(row.one.state)],
    ],
    line.map((one, i) => {
      const to = line[i + 1]?.from ?? one.to;
      const reached = one.values.filter(([x]) => x <= to).at(-1);
      return { one, before: line[i - 1], to, value: reached ? reached[1] : one.value };
    }),
    "Schedule",
  );
}

function forksTable(family) {
  const left = family.runs.filter((one) => one.origin && one.left);
  if (left.length === 0) return empty("The filter leaves no fork.");
  return table(
    [
      ["Run", (one) => link(one.id)],
      ["Continues", (one) => link(one.origin.run)],
      ["After phase", (one) => one.origin.phase + 1, { num: true }],
      ["In place of", (one) => (one.origin.replaces ? link(one.origin.replaces) : null)],
      ["Newest", (one) => (one.value === null ? null : short(one.value)), { num: true }],
      ["State", (one) => stateMark(one.state)],
    ],
    left.slice(-200),
    "Forks",
  );
}

const legend = (text) => h("p.legend", {}, text);

function drawTitle(place, chosen, continued) {
  replace(
    place,
    "Blue: ",
    link(chosen),
    continued > 0
      ? ` and the ${plural(continued, "run")} that it continues. `
      : ", which continues no other run. ",
    "Click another run to follow it.",
  );
}

async function readAll(id, data, curves, state) {
  const [runs] = await Promise.all([
    list(`/v1/sweeps/${id}/runs?limit=1000`, runsAtMost),
    data.loadSweep().then(() => data.loadOutcomes()),
    curves.load(),
  ]);
  if (isPopulation(data.spec) || runs.some((one) => one.origin)) await data.loadParams();
  state.family = familyOf(data, curves, runs);
  state.forks = state.family.runs.filter((one) => one.origin).length;
}

// The chosen run with what it continues, among those that the filter leaves.
function drawChosen({ family, names }, data, parts) {
  const left = new Set(data.visible().map((row) => `tr_${data.columns.trial[row]}`));
  for (const one of family.runs) one.left = left.has(one.trial);
  replace(parts.forks, forksTable(family));
  const chosen = chosenOf(family, data.goal);
  const line = ancestors(family.byId, chosen);
  family.line = new Map(line.map((one, i) => [one.id, line[i + 1]?.from ?? Infinity]));
  drawTitle(parts.title, chosen, line.length - 1);
  replace(parts.schedule, scheduleTable(line, names));
}

// A sweep of 100,000 runs without forks needs none of what its picture would be made of.
const mayHaveForks = async ({ id, spec }) =>
  report !== null ||
  isPopulation(spec) ||
  (await get(`/v1/sweeps/${id}/runs?where=forked&limit=1`)).items.length > 0;

function withoutForks(page, data) {
  const again = async () => {
    if (await mayHaveForks(data)) page.again();
  };
  followSweep(page, () => data.id, 3000, again, () => {});
  return [sweepHeading(page, data), sweepTabs(data.id, "population"), noForks(data)];
}

const noForks = ({ spec }) =>
  h(
    "div.card",
    {},
    isPopulation(spec)
      ? empty("No member has been replaced yet: forks appear after the first comparison.")
      : empty("No run of this sweep continues another one.", "hone enqueue --from RUN --params ..."),
  );

export async function populationPage(page) {
  const [id] = page.ids;
  const data = await sweepData(id).loadSweep();
  if (!(await mayHaveForks(data))) return withoutForks(page, data);
  const curves = new Curves(data);
  const state = {};
  const read = () => readAll(id, data, curves, state);
  await read();
  const filter = filterBar(data, () => state.choose?.());
  await filter.ready;
  const head = h("div");
  const place = h("div");
  const plots = [];
  const close = () => {
    for (const plot of plots.splice(0)) plot.close();
  };
  const parts = { title: h("p.muted"), schedule: h("div"), forks: h("div") };
  const choose = () => {
    drawChosen(state, data, parts);
    for (const plot of plots) plot.redraw();
  };
  state.choose = choose;
  const options = {
    family: () => state.family,
    open: (hit, event) => {
      if (event.shiftKey) location.hash = links.run(hit.id);
      setParams({ run: hit.id });
      choose();
    },
  };
  const build = () => {
    close();
    replace(head, sweepHeading(page, data));
    const changed = changing(data, state.family);
    state.names = changed.map((one) => one.name);
    const [places, reached] = [placesPlot(options), reachedPlot(options)];
    const schedules = changed.map((one) =>
      schedulePlot({ parameter: one.name, axis: axisOf(one), ...options }),
    );
    plots.push(places, reached, ...schedules);
    replace(place, cards(state, data, parts, { places, reached, schedules }));
    choose();
  };
  build();
  const again = async () => {
    const before = state.family.runs.length;
    await read();
    filter.update();
    if (state.family.runs.length !== before) build();
    else choose();
  };
  followSweep(page, () => id, 3000, again, close);
  return [head, sweepTabs(id, "population"), filter.element, place];
}

function cards({ family, forks, names }, data, parts, { places, reached, schedules }) {
  if (forks === 0) return noForks(data);
  return h(
    "div.grid",
    {},
    h("div.whole", {}, parts.title),
    card(
      "Members over time",
      [
        places.element,
        h(
          "p.legend",
          {},
          ["running", "completed", "stopped"].map((one) => stateMark(one)),
          "A row is a place, a bar one run. An arrow leads from the run that a fork continues.",
        ),
      ],
      { plot: places, span: 6, id: "places" },
    ),
    card(
      `${data.metric} along the forks`,
      [
        reached.element,
        legend(
          "Each run from its fork (dot) on. A fork continues the step count of its checkpoint.",
        ),
      ],
      { plot: reached, span: 6, id: "reached" },
    ),
    schedules.map((plot, i) =>
      card(`${names[i]} by ${family.unit}`, plot.element, {
        plot,
        span: schedules.length > 2 ? 4 : schedules.length > 1 ? 6 : "",
        id: `schedule-${i}`,
      }),
    ),
    card("Schedule of the chosen run", parts.schedule, { flush: true, id: "schedule" }),
    card(plural(forks, "fork"), parts.forks, { flush: true, id: "forks" }),
  );
}
