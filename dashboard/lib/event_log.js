// The events of a sweep as columns: a few bytes an event, so that a page holds millions of them.
// Pure.
import { runStates } from "./states.js";

/** @typedef {{seq: number, at: string, kind: string, [member: string]: any}} Event */

/** Columns grow by doubling. */
class Column {
  /** @param {(size: number) => any} make */
  constructor(make) {
    this.make = make;
    this.size = 0;
    this.cells = make(1024);
  }
  /** @param {number} value */
  push(value) {
    if (this.size === this.cells.length) {
      const larger = this.make(2 * this.size);
      larger.set(this.cells);
      this.cells = larger;
    }
    this.cells[this.size++] = value;
  }
}

const runOf = (/** @type {string} */ attempt) => attempt.replace(/#.*/, "");
const none = -1;

/** @type {Record<string, (log: EventLog, event: Event) => number>} The run of an event, or none. */
const runsOf = {
  trial_proposed: (log, { trial }) => log.numberOf(`rn_${trial.slice(3)}.0`),
  run_added: (log, { run }) => log.numberOf(run),
  lease_granted(log, { lease, attempt }) {
    const run = log.numberOf(runOf(attempt));
    log.leases.set(lease, run);
    return run;
  },
  run_started: (log, { lease }) => log.leases.get(lease) ?? none,
  run_returned: (log, { run }) => log.numberOf(run),
  run_paused: (log, { run }) => log.numberOf(run),
  run_ended: (log, { run }) => log.numberOf(run),
  report_recorded: (log, { run }) => log.numberOf(run),
};

export class EventLog {
  /** @param {number} seeds runs of each trial */
  constructor(seeds) {
    this.seeds = seeds;
    /** @type {string[]} */
    this.kinds = [];
    /** @type {string[]} */
    this.runs = [];
    /** @type {Map<string, number>} */
    this.numbers = new Map();
    /** @type {Map<string, number>} the run of each lease */
    this.leases = new Map();
    this.seq = new Column((size) => new Float64Array(size));
    this.at = new Column((size) => new Float64Array(size));
    this.kind = new Column((size) => new Uint8Array(size));
    this.run = new Column((size) => new Int32Array(size));
    // Of a report its number; of the end of a run its state; of a fork the report it continues.
    this.detail = new Column((size) => new Int32Array(size));
    this.step = new Column((size) => new Float64Array(size));
    this.value = new Column((size) => new Float64Array(size));
    this.phase = new Column((size) => new Uint32Array(size));
    this.owner = new Column((size) => new Int32Array(size));
    // The report before it of the same run, or that of which it is a fork.
    this.before = new Column((size) => new Int32Array(size));
    /** @type {number[]} the newest report of each run */
    this.newest = [];
    /** @type {Map<number, string>} states of the sweep, by event */
    this.words = new Map();
  }

  get length() {
    return this.seq.size;
  }

  /** @param {string} run */
  numberOf(run) {
    let number = this.numbers.get(run);
    if (number === undefined) {
      number = this.runs.length;
      this.numbers.set(run, number);
      this.runs.push(run);
      this.newest.push(none);
    }
    return number;
  }

  /** @param {string} kind */
  kindOf(kind) {
    const known = this.kinds.indexOf(kind);
    return known >= 0 ? known : this.kinds.push(kind) - 1;
  }

  /** @param {Event} event */
  push(event) {
    const run = runsOf[event.kind]?.(this, event) ?? none;
    const detail = this.detailOf(event, run);
    this.seq.push(event.seq);
    this.at.push(Date.parse(event.at));
    this.kind.push(this.kindOf(event.kind));
    this.run.push(run);
    this.detail.push(detail);
  }

  /** @param {Event} event @param {number} run */
  detailOf(event, run) {
    if (event.kind === "report_recorded") return this.report(event, run);
    if (event.kind === "run_ended") return runStates.indexOf(event.state);
    if (event.kind === "trial_proposed") return this.forked(event, run);
    if (event.kind === "sweep_steered") this.words.set(this.length, event.verb);
    if (event.kind === "sweep_ended") this.words.set(this.length, event.state);
    return none;
  }

  /** Returns the report's number, or none for one without a number as its value.
   * @param {Event} event @param {number} run */
  report(event, run) {
    if (typeof event.value !== "number") return none;
    this.step.push(event.step);
    this.value.push(event.value);
    this.phase.push(event.phase);
    this.owner.push(run);
    this.before.push(this.newest[run]);
    this.newest[run] = this.step.size - 1;
    return this.newest[run];
  }

  /** The other runs of a trial are there from its proposal on; a fork begins at a report.
   * @param {Event} event @param {number} run */
  forked({ trial, origin }, run) {
    for (let seed = 1; seed < this.seeds; seed++) this.numberOf(`rn_${trial.slice(3)}.${seed}`);
    if (!origin) return none;
    let at = this.newest[this.numbers.get(origin.run) ?? none] ?? none;
    while (at !== none && this.owner.cells[at] === this.numbers.get(origin.run)) {
      if (this.phase.cells[at] === origin.phase) return (this.newest[run] = at);
      at = this.before.cells[at];
    }
    return none;
  }

  /** The reports of a run up to its newest one, oldest first; a fork begins with that of another.
   * @param {number} run @param {number} newest */
  reportsOf(run, newest) {
    const found = [];
    for (let at = newest; at !== none; at = this.before.cells[at]) {
      found.push(at);
      if (this.owner.cells[at] !== run) break;
    }
    return found.reverse();
  }

  /** Their [step, value]. @param {number} run @param {number} newest */
  pointsOf(run, newest) {
    return this.reportsOf(run, newest).map((at) => [this.step.cells[at], this.value.cells[at]]);
  }

  /** The number of events up to a number of the ledger. @param {number} seq */
  indexOf(seq) {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.seq.cells[middle] <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
