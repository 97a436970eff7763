// The states of runs and trials, in the order in which pages list them. Pure.

/** @type {string[]} */
export const runStates = [
  "running",
  "leased",
  "queued",
  "paused",
  "completed",
  "stopped",
  "failed",
  "canceled",
];
