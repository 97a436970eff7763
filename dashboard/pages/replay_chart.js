// The learning curves as of an event, as a chart and as an animation.
import { count, short } from "../lib/format.js";
import { palette } from "../lib/colour.js";
import { padded, robustRange } from "../lib/scale.js";
import { runStates } from "../lib/states.js";
import { animatedSvg } from "../lib/animation.js";
import { Plot } from "../chart/plot.js";

const drawnAtMost = 1500;
const animatedAtMost = 500;
const sampledAtMost = 20000;
export const sampled = (seen) => seen > drawnAtMost;

// The axes are those of the newest event that was read, so that nothing jumps.
export function measured(log, replay) {
  const { cells } = log.value;
  const { size } = log.value;
  if (size === 0) return { range: null, end: 1 };
  const stride = Math.max(1, Math.ceil(size / sampledAtMost));
  const values = [replay.best?.value ?? cells[0]];
  let end = 1;
  for (let i = 0; i < size; i += stride) values.push(cells[i]);
  for (let i = 0; i < size; i++) end = Math.max(end, log.step.cells[i]);
  return { range: robustRange(values), end };
}

// state: {replay, log, range, end}.
export function curvesPlot(state, data) {
  return new Plot({
    label: "The learning curves as of the event",
    height: 300,
    paint: (p) => {
      const { replay, range, end } = state;
      if (!range) return p.message("No report yet.");
      p.axes(
        { domain: [0, end], label: data.spec.budget.unit, format: count },
        { domain: padded(range), label: data.metric },
      );
      p.inside((ctx) => {
        for (const run of replay.sample(drawnAtMost)) drawRun(p, ctx, state, run);
      });
      p.ctx.globalAlpha = 1;
      return undefined;
    },
    table: () => ({ header: ["run", "state", "step", "value"], rows: rowsOf(state) }),
  });
}

function rowsOf({ replay, log }) {
  return replay
    .sample(Infinity)
    .flatMap((run) =>
      log
        .pointsOf(run, replay.newest[run])
        .map(([step, value]) => [log.runs[run], runStates[replay.states[run]], step, value]),
    );
}

function drawRun(p, ctx, { replay, log }, run) {
  const points = log.pointsOf(run, replay.newest[run]);
  if (points.length === 0) return;
  const best = replay.best?.run === log.runs[run];
  const state = runStates[replay.states[run]];
  ctx.strokeStyle = ctx.fillStyle = best ? p.colours.ink : p.colours[state];
  ctx.globalAlpha = best ? 1 : 0.7;
  ctx.lineWidth = best ? 2.5 : 1.2;
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(p.x.at(x), p.y.at(y));
  ctx.stroke();
  const [x, y] = points.at(-1);
  ctx.beginPath();
  ctx.arc(p.x.at(x), p.y.at(y), state === "running" || points.length === 1 ? 3 : 1.5, 0, 7);
  ctx.fill();
}

// Of each report the number of events up to it, and of each run that up to its last end.
function momentsOf(log, upTo) {
  const reports = new Int32Array(log.value.size);
  const ends = new Int32Array(log.runs.length).fill(-1);
  const [reported, ended, leased] = ["report_recorded", "run_ended", "lease_granted"].map((kind) =>
    log.kinds.indexOf(kind),
  );
  for (let i = 0; i < upTo; i++) {
    const kind = log.kind.cells[i];
    if (kind === reported && log.detail.cells[i] >= 0) reports[log.detail.cells[i]] = i + 1;
    if (kind === ended) ends[log.run.cells[i]] = i + 1;
    if (kind === leased) ends[log.run.cells[i]] = -1;
  }
  return { reports, ends };
}

// An animation up to the event that the replay is at.
export function animationOf({ replay, log, range, end }, data) {
  const total = replay.done;
  const { reports, ends } = momentsOf(log, total);
  const colours = palette();
  const all = replay.sample(animatedAtMost);
  const runs = all
    .map((run) => movingRun(run, { replay, log, reports, ends, total, colours }))
    .filter(({ points }) => points.length > 0)
    .sort((one, other) => Number(one.best) - Number(other.best));
  const part = all.length < replay.seen ? `, ${all.length} of them drawn` : "";
  return animatedSvg({
    title: data.sweep.name,
    subtitle: `${count(replay.reports)} reports of ${count(replay.seen)} runs${part}; in ink the run with the best report`,
    x: data.spec.budget.unit,
    y: data.metric,
    xs: [0, end],
    ys: padded(range),
    formatX: count,
    formatY: short,
    bests: replay.improvements.map(({ at, value }) => ({
      at: at / total,
      text: `best ${short(value)}`,
    })),
    runs,
    colours,
  });
}

function movingRun(run, { replay, log, reports, ends, total, colours }) {
  const state = runStates[replay.states[run]];
  const numbers = log.reportsOf(run, replay.newest[run]);
  return {
    points: numbers.map((at) => [log.step.cells[at], log.value.cells[at]]),
    times: numbers.map((at) => reports[at] / total),
    colour: colours[state],
    endAt: ends[run] < 0 ? null : ends[run] / total,
    best: replay.best?.run === log.runs[run],
  };
}
