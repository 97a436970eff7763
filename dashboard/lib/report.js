// A report of `hone export --html`: the page has the server's answers inside and asks no server.
// null in a page that a server serves.

const block = document.querySelector("script#report");
export const report = block ? JSON.parse(block.textContent) : null;

// The answer to a path, as the server gave it when the report was written.
// Refuses with what the server said, or with a sentence on what the report holds.
export function recorded(path) {
  const found = report.answers[path];
  if (found !== undefined) return found;
  throw Object.assign(new Error(report.refused[path] ?? absence()), { status: 409 });
}

function absence() {
  const { sweep, detailed } = report.about;
  const trials = report.answers[`/v1/sweeps/${sweep}`].trials.proposed;
  return detailed < trials
    ? `This report has the details of the ${detailed} best of ${trials} trials; the command line has those of all: hone show, hone explain`
    : "This report does not hold this; the command line shows it: hone show";
}

// Whether the report has a page of the id.
export function holds(id) {
  return [`/v1/trials/${id}`, `/v1/runs/${id}`, `/v1/sweeps/${id}`].some(
    (path) => report.answers[path] !== undefined,
  );
}

// Whether the report has the list of all runs, which shows what continues what.
export const hasRuns = (sweep) => report.answers[`/v1/sweeps/${sweep}/runs?limit=1000`] !== undefined;

// What the report leaves out, as sentences.
export function omissions() {
  const { detailed, points, phases, sweep } = report.about;
  const trials = report.answers[`/v1/sweeps/${sweep}`].trials.proposed;
  return [
    detailed < trials
      ? `The pages of trials and runs are those of the ${detailed} best of ${trials} trials.`
      : "",
    points < phases ? `The curves of all runs have ${points} of ${phases} points.` : "",
  ].filter(Boolean);
}

export function matrixBytes() {
  const text = atob(report.matrix);
  return Uint8Array.from(text, (character) => character.charCodeAt(0)).buffer;
}
