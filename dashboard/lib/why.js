// What an explanation of the server says first, and what can wait. Pure.

// Placement begins with the first attempt.
const placementStart = /(?:^|\s)(?=Attempt \d+ (?:started|waits|was))/;

/** @param {string} text @returns {{lead: string, placement: string}} */
export function parted(text) {
  const at = text.search(placementStart);
  return at < 0
    ? { lead: text, placement: "" }
    : { lead: text.slice(0, at).trim(), placement: text.slice(at).trim() };
}

/** The last line that a program wrote for people. @param {string} log */
export const lastLine = (log) =>
  log
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "" && !line.startsWith("@hone")) ?? "";

/**
 * The rows of a table of verdicts, with the inputs of the rule that any of them has.
 * @param {{phase: number, value: unknown, verdict: string, reason: string,
 *   inputs: Record<string, number>}[]} verdicts
 */
export function inputNames(verdicts) {
  return [...new Set(verdicts.flatMap((one) => Object.keys(one.inputs ?? {})))];
}
