// The pages by the first word of the address. Each is a function of a context (app.js) that returns
// the page's elements.
import { comparePage } from "./compare.js";
import { confirmPage } from "./confirm.js";
import { curvesPage } from "./curves.js";
import { eventsPage } from "./events.js";
import { lineagePage } from "./lineage.js";
import { overviewPage } from "./overview.js";
import { parametersPage } from "./parameters.js";
import { paretoPage } from "./pareto.js";
import { phasesPage } from "./phases.js";
import { runPage } from "./run.js";
import { sweepsPage } from "./sweeps.js";
import { trialPage } from "./trial.js";
import { trialsPage } from "./trials.js";
import { timelinePage, workersPage } from "./workers.js";

export const pages = {
  sweeps: sweepsPage,
  trials: trialPage,
  runs: runPage,
  workers: workersPage,
  events: eventsPage,
  lineage: lineagePage,
};
// In the order of the keys 1 to 9.
export const sweepPages = {
  "": overviewPage,
  trials: trialsPage,
  curves: curvesPage,
  phases: phasesPage,
  parameters: parametersPage,
  pareto: paretoPage,
  confirm: confirmPage,
  timeline: timelinePage,
  events: eventsPage,
  compare: comparePage,
};
