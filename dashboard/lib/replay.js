// The state of a sweep as of an event of its log, folded from its events. Pure.
import { runStates } from "./states.js";

/** @typedef {import("./event_log.js").EventLog} EventLog */

const none = -1;
const absent = 255; // not proposed yet
const [running, leased, queued, paused] = runStates.keys();
const steered = { pause: "paused", resume: "running", stop: "stopping" };

/** @type {Record<string, (all: Replay, i: number, run: number, detail: number) => void>} */
const folds = {
  trial_proposed(all, _i, run, detail) {
    all.trials++;
    for (let seed = 0; seed < all.log.seeds; seed++) all.appear(run + seed);
    all.newest[run] = detail;
  },
  run_added: (all, _i, run) => all.appear(run),
  lease_granted: (all, _i, run) => all.move(run, leased),
  run_started: (all, _i, run) => all.move(run, running),
  run_returned: (all, _i, run) => all.move(run, queued),
  run_paused: (all, _i, run) => all.move(run, paused),
  run_ended: (all, _i, run, detail) => all.move(run, detail),
  report_recorded(all, i, run, detail) {
    all.reports++;
    if (detail !== none) all.take(i, run, detail);
  },
  sweep_steered(all, i) {
    all.state = steered[/** @type {"stop"} */ (all.log.words.get(i))] ?? "stopping";
  },
  sweep_ended(all, i) {
    all.state = all.log.words.get(i) ?? "ended";
  },
  sweep_edited(all) {
    all.state = "running";
  },
};

export class Replay {
  done = 0; // how many events are folded
  seen = 0; // runs that there are
  trials = 0;
  reports = 0;
  trained = 0;
  state = "running";
  states = new Uint8Array(0);
  /** The newest report of each run. */
  newest = new Int32Array(0);
  /** @type {{run: string, value: number, seq: number} | null} */
  best = null;
  /** @type {{at: number, value: number}[]} by the number of events */
  improvements = [];

  /** @param {string} goal of the objective @param {EventLog} log */
  constructor(goal, log) {
    this.goal = goal;
    this.log = log;
  }

  reset() {
    Object.assign(this, new Replay(this.goal, this.log));
  }

  /** Folds the first `count` events; going back begins again.
   * @param {number} count */
  to(count) {
    if (count < this.done) this.reset();
    this.grow();
    const { log } = this;
    const steps = log.kinds.map((kind) => folds[kind]);
    const [kinds, runs, details] = [log.kind.cells, log.run.cells, log.detail.cells];
    for (const end = Math.min(count, log.length); this.done < end; this.done++)
      steps[kinds[this.done]]?.(this, this.done, runs[this.done], details[this.done]);
    return this;
  }

  /** Makes room for the runs of events that were read since. */
  grow() {
    const size = this.log.runs.length;
    if (this.states.length >= size) return;
    const states = new Uint8Array(2 * size).fill(absent);
    const newest = new Int32Array(2 * size).fill(none);
    states.set(this.states);
    newest.set(this.newest);
    this.states = states;
    this.newest = newest;
  }

  /** @param {number} run */
  appear(run) {
    if (this.states[run] !== absent) return;
    this.states[run] = queued;
    this.seen++;
  }

  /** @param {number} run @param {number} state */
  move(run, state) {
    if (run === none) return;
    this.appear(run);
    this.states[run] = state;
  }

  /** @param {number} i @param {number} run @param {number} report */
  take(i, run, report) {
    this.appear(run);
    const { step, value, seq } = this.log;
    const before = this.newest[run];
    const trained = step.cells[report] - (before === none ? 0 : step.cells[before]);
    this.trained += Math.max(0, trained);
    this.newest[run] = report;
    const one = value.cells[report];
    const better =
      this.best && (this.goal === "maximize" ? one > this.best.value : one < this.best.value);
    if (this.best && !better) return;
    this.best = { run: this.log.runs[run], value: one, seq: seq.cells[i] };
    this.improvements.push({ at: i + 1, value: one });
  }

  counts() {
    const tally = new Array(runStates.length).fill(0);
    for (const state of this.states) if (state !== absent) tally[state]++;
    return Object.fromEntries(runStates.map((word, i) => [word, tally[i]]));
  }

  /** The numbers of the runs that there are, at most `most` of them at equal distances, and the best.
   * @param {number} most */
  sample(most) {
    const stride = Math.max(1, Math.ceil(this.seen / most));
    const best = this.best ? this.log.numbers.get(this.best.run) : none;
    const runs = [];
    for (let run = 0, there = 0; run < this.log.runs.length; run++)
      if (this.states[run] !== absent && (there++ % stride === 0 || run === best)) runs.push(run);
    return runs;
  }
}
