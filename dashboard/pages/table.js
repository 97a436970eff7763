// The pages by the first word of the address. Each is a function of a context (app.js) that returns
// the page's elements. Their files are read when a page is opened, the others while nothing else
// happens.

const loads = [];

function page(load, name) {
  loads.push(load);
  const open = async (context) => {
    const module = await load().catch(() => {
      const why = "The server does not answer, or was updated: this page could not be read. Reload.";
      throw Object.assign(new Error(why), { status: 0 });
    });
    return module[name](context);
  };
  return Object.assign(open, { load });
}

// The page of a list, or of the one of it that the address names.
const listOrOne = (all, one) =>
  Object.assign((context) => (context.ids.length > 0 ? one : all)(context), { load: all.load });

export const loadAll = () => Promise.allSettled(loads.map((load) => load()));

export const pages = {
  sweeps: page(() => import("./sweeps.js"), "sweepsPage"),
  trials: page(() => import("./trial.js"), "trialPage"),
  runs: page(() => import("./run.js"), "runPage"),
  workers: listOrOne(
    page(() => import("./workers.js"), "workersPage"),
    page(() => import("./worker.js"), "workerPage"),
  ),
  events: page(() => import("./events.js"), "eventsPage"),
  compare: page(() => import("./compare.js"), "comparePage"),
  studies: page(() => import("./study.js"), "studyPage"),
  lineage: page(() => import("./lineage.js"), "lineagePage"),
};
// In the order of the keys 1 to 9.
export const sweepPages = {
  "": page(() => import("./overview.js"), "overviewPage"),
  trials: page(() => import("./trials.js"), "trialsPage"),
  curves: page(() => import("./curves.js"), "curvesPage"),
  phases: page(() => import("./phases.js"), "phasesPage"),
  parameters: page(() => import("./parameters.js"), "parametersPage"),
  pareto: page(() => import("./pareto.js"), "paretoPage"),
  confirm: page(() => import("./confirm.js"), "confirmPage"),
  timeline: page(() => import("./workers.js"), "timelinePage"),
  events: page(() => import("./replay.js"), "replayPage"),
  compare: page(() => import("./compare.js"), "sweepComparePage"),
  population: page(() => import("./population.js"), "populationPage"),
  clone: page(() => import("./sweep_file.js"), "clonePage"),
  edit: page(() => import("./sweep_file.js"), "editPage"),
};
