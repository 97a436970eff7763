// What a comparison reads: of each id its sweep, its runs with their attempts, its curve, its code
// and what it descends from.
import { get, list } from "../lib/api.js";
import { kindOf, meanOf, staircase, thinned } from "../lib/compare.js";

const runsAtMost = 12; // of one trial; more seeds count in its band and value alone
const pointsAtMost = 10000; // of one run's metrics
const pointsDrawn = 400; // of one series

const trialOf = (run) => `tr_${run.slice(3).split(".")[0]}`;
const secondsOf = (attempt) =>
  (Date.parse(attempt.ended_at) - Date.parse(attempt.granted_at)) / 1000 || 0;

// Reads each path once, though several sides may have the same sweep or workflow.
function reader() {
  const answers = new Map();
  return (path) => {
    if (!answers.has(path)) answers.set(path, get(path));
    return answers.get(path);
  };
}

export function readSides(ids, by) {
  const ask = reader();
  return Promise.all(
    ids.map((id) => (kindOf(id) === "sweep" ? sweepSide(id, by, ask) : trialSide(id, ask))),
  );
}

const workflowOf = (id, ask) => (id ? ask(`/v1/workflows/${id}`).catch(() => null) : null);

// A run as a band of one seed.
const bandOf = (items) =>
  items.map(({ phase, step, value }) => ({
    ...{ phase, step, n: 1 },
    iqm: typeof value === "number" ? value : null,
  }));

async function trialSide(id, ask) {
  const own = kindOf(id) === "run" ? id : null;
  const trial = await ask(`/v1/trials/${own ? trialOf(id) : id}`);
  const [sweep, all, curve] = await Promise.all([
    ask(`/v1/sweeps/${trial.sweep}`),
    own ? ask(`/v1/runs/${own}`).then((run) => [run]) : ask(`/v1/trials/${id}/runs?limit=1000`),
    ask(own ? `/v1/runs/${own}/curve` : `/v1/trials/${id}/curve`),
  ]);
  const runs = (all.items ?? all).slice(0, runsAtMost);
  const [attempts, curves] = await Promise.all([
    Promise.all(runs.map((run) => list(`/v1/runs/${run.id}/attempts`))),
    Promise.all(runs.map((run) => ask(`/v1/runs/${run.id}/curve`))),
  ]);
  const code = attempts.flat().find((one) => one.workflow)?.workflow ?? sweep.workflow;
  return {
    ...{ id, kind: own ? "run" : "trial", name: id, sweep, trial, runs, code },
    items: own ? bandOf(curve.items) : curve.items,
    attempts: attempts.flat(),
    seconds: attempts.flat().reduce((sum, one) => sum + secondsOf(one), 0),
    times: timesOf(runs, curves),
    workflow: await workflowOf(code, ask),
    fork: await forkOf(runs, trial, ask),
  };
}

// phase -> seconds after the start of a run, the mean of those that reported there.
function timesOf(runs, curves) {
  const times = new Map();
  curves.forEach(({ items }, i) => {
    for (const { phase, at } of items) {
      const seconds = (Date.parse(at) - Date.parse(runs[i].started_at)) / 1000;
      if (!times.has(phase)) times.set(phase, []);
      times.get(phase).push(seconds);
    }
  });
  for (const [phase, one] of times)
    times.set(phase, one.reduce((sum, each) => sum + each, 0) / one.length);
  return times;
}

// The run that the first run of a trial continues, and the parameters that changed there.
async function forkOf([run], { params }, ask) {
  if (!run?.origin) return null;
  const before = await ask(`/v1/trials/${trialOf(run.origin.run)}`).catch(() => null);
  const changed = Object.keys(params).filter(
    (name) => before && JSON.stringify(params[name]) !== JSON.stringify(before.params[name]),
  );
  return {
    ...run.origin,
    changed: changed.map((name) => [name, before.params[name], params[name]]),
  };
}

// A sweep with the best values so far and, as its runs, those of its best trial.
async function sweepSide(id, by, ask) {
  const [sweep, summary, history] = await Promise.all([
    ask(`/v1/sweeps/${id}`),
    ask(`/v1/sweeps/${id}/summary`),
    ask(`/v1/sweeps/${id}/history?by=${by === "best" ? "spent" : by}`),
  ]);
  const best = sweep.best ? await trialSide(sweep.best.trial, ask).catch(() => null) : null;
  const corners = staircase(history.points ?? [], history.end ?? 0);
  return {
    ...{ id, kind: "sweep", name: sweep.name || id, sweep, summary, best },
    trial: best?.trial ?? null,
    runs: best?.runs ?? [],
    times: best?.times ?? new Map(),
    items:
      by === "best"
        ? (best?.items ?? [])
        : corners.map(({ x, value }) => ({ step: x, iqm: value })),
    workflow: await workflowOf(sweep.workflow, ask),
    code: sweep.workflow,
  };
}

// The series that the runs of the sides logged: [{name, sides: [{runs, mean}]}] in the order of
// how many sides have them. Returns whether some were cut short as well.
export async function readSeries(sides) {
  const read = await Promise.all(
    sides.map((side) =>
      Promise.all(
        side.runs.map((run) =>
          list(`/v1/runs/${run.id}/metrics?limit=1000`, pointsAtMost).catch(() => []),
        ),
      ),
    ),
  );
  const named = read.map((runs) => runs.map(byName));
  const names = [...new Set(named.flat().flatMap((one) => [...one.keys()]))];
  const series = names.map((name) => ({
    name,
    sides: named.map((runs) => {
      const points = runs
        .map((one) => thinned(one.get(name) ?? [], pointsDrawn))
        .filter((one) => one.length > 0);
      return { runs: points, mean: meanOf(points) };
    }),
  }));
  const logged = ({ sides: list }) => list.filter((one) => one.mean.length > 0).length;
  return {
    series: series.sort((a, b) => logged(b) - logged(a) || (a.name < b.name ? -1 : 1)),
    cut: read.flat().some((points) => points.length >= pointsAtMost),
  };
}

function byName(points) {
  const series = new Map();
  for (const { name, step, value } of points) {
    if (!series.has(name)) series.set(name, []);
    series.get(name).push({ x: step, y: value });
  }
  return series;
}
