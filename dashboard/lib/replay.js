// The state of a sweep as of an event of the ledger, folded from its events. Pure.

const noRun = () => ({ state: "queued", reason: "none", points: [], phases: new Map() });

export class Replay {
  // goal: of the objective; seeds: runs of each trial.
  constructor(goal, seeds) {
    Object.assign(this, { goal, seeds, events: [] });
    this.reset();
  }

  reset() {
    this.done = 0; // how many events are folded
    this.runs = new Map();
    this.leases = new Map();
    this.trials = 0;
    this.reports = 0;
    this.best = null; // {run, value, seq}
    this.improvements = [];
    this.state = "running";
    this.trained = 0;
  }

  // Folds the first `count` events; going back begins again.
  to(count) {
    if (count < this.done) this.reset();
    while (this.done < Math.min(count, this.events.length)) this.fold(this.events[this.done++]);
    return this;
  }

  counts() {
    const counts = {};
    for (const { state } of this.runs.values()) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }

  run(id) {
    if (!this.runs.has(id)) this.runs.set(id, noRun());
    return this.runs.get(id);
  }

  fold(event) {
    folds[event.kind]?.(this, event);
  }
}

const runOf = (attempt) => attempt.replace(/#.*/, "");
const folds = {
  trial_proposed(all, { trial, origin }) {
    all.trials++;
    for (let i = 0; i < all.seeds; i++) all.run(`rn_${trial.slice(3)}.${i}`);
    const from = origin && all.runs.get(origin.run)?.phases.get(origin.phase);
    if (from) all.run(`rn_${trial.slice(3)}.0`).points.push(from);
  },
  run_added: (all, { run }) => all.run(run),
  lease_granted(all, { lease, attempt }) {
    all.leases.set(lease, runOf(attempt));
    all.run(runOf(attempt)).state = "leased";
  },
  run_started(all, { lease }) {
    if (all.leases.has(lease)) all.run(all.leases.get(lease)).state = "running";
  },
  run_returned(all, { run }) {
    all.run(run).state = "queued";
  },
  run_paused(all, { run }) {
    all.run(run).state = "paused";
  },
  run_ended(all, { run, state, reason }) {
    Object.assign(all.run(run), { state, reason });
  },
  report_recorded(all, { run, phase, step, value, seq }) {
    const one = all.run(run);
    all.reports++;
    if (typeof value !== "number") return;
    all.trained += Math.max(0, step - (one.points.at(-1)?.[0] ?? 0));
    one.points.push([step, value]);
    one.phases.set(phase, [step, value]);
    const better = all.goal === "maximize" ? value > all.best?.value : value < all.best?.value;
    if (all.best && !better) return;
    all.best = { run, value, seq };
    all.improvements.push([all.trained, value]);
  },
  sweep_steered(all, { verb }) {
    all.state = { pause: "paused", resume: "running", stop: "stopping" }[verb] ?? "stopping";
  },
  sweep_ended(all, { state }) {
    all.state = state;
  },
  sweep_edited(all) {
    all.state = "running";
  },
};
