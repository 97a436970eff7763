// The fold of a sweep's events, and the animation of its curves.
import assert from "node:assert/strict";
import { test } from "node:test";

import { animatedSvg, escaped, spread } from "../../../dashboard/lib/animation.js";
import { EventLog } from "../../../dashboard/lib/event_log.js";
import { Replay } from "../../../dashboard/lib/replay.js";

const at = "2026-01-01T00:00:00Z";
function logOf(events, seeds = 1) {
  const log = new EventLog(seeds);
  events.forEach((event, i) => log.push({ seq: 10 * (i + 1), at, ...event }));
  return log;
}

// Two runs, the second of which continues the first after its phase 0.
const forked = [
  { kind: "trial_proposed", trial: "tr_1" },
  { kind: "lease_granted", lease: "le_1", attempt: "rn_1.0#1" },
  { kind: "run_started", lease: "le_1" },
  { kind: "report_recorded", run: "rn_1.0", phase: 0, step: 100, value: 1 },
  { kind: "report_recorded", run: "rn_1.0", phase: 1, step: 200, value: 5 },
  { kind: "trial_proposed", trial: "tr_2", origin: { run: "rn_1.0", phase: 0 } },
  { kind: "report_recorded", run: "rn_2.0", phase: 1, step: 200, value: 3 },
  { kind: "report_recorded", run: "rn_2.0", phase: 2, step: 300, value: "diverged" },
  { kind: "run_ended", run: "rn_1.0", state: "completed", reason: "none" },
  { kind: "sweep_ended", state: "completed" },
];

test("a fork begins at the report that it continues, and trains from there", () => {
  const log = logOf(forked);
  const replay = new Replay("maximize", log).to(7);
  const run = log.numbers.get("rn_2.0");
  assert.deepEqual(log.pointsOf(run, replay.newest[run]), [
    [100, 1],
    [200, 3],
  ]);
  assert.equal(replay.trained, 300);
  assert.deepEqual(replay.best, { run: "rn_1.0", value: 5, seq: 50 });
});

test("the state as of each event is the same forwards and backwards", () => {
  const log = logOf(forked);
  const seen = (replay) =>
    JSON.stringify([replay.counts(), replay.reports, replay.best, replay.state, replay.trained]);
  const back = new Replay("maximize", log);
  for (let count = log.length; count >= 0; count--)
    assert.equal(
      seen(back.to(count)),
      seen(new Replay("maximize", log).to(count)),
      `event ${count}`,
    );
  assert.equal(back.to(log.length).state, "completed");
  assert.equal(back.counts().completed, 1);
});

test("a value that is no number counts as a report, and is never the best", () => {
  const replay = new Replay("minimize", logOf(forked)).to(Infinity);
  assert.equal(replay.reports, 4);
  assert.equal(replay.best.value, 1);
});

test("every seed of a trial is a run from its proposal on", () => {
  const replay = new Replay("maximize", logOf([{ kind: "trial_proposed", trial: "tr_4" }], 3)).to(
    1,
  );
  assert.equal(replay.counts().queued, 3);
});

test("events that come later extend a replay that is at the end", () => {
  const log = logOf(forked.slice(0, 3));
  const replay = new Replay("maximize", log).to(Infinity);
  forked.slice(3).forEach((event, i) => log.push({ seq: 40 + 10 * i, at, ...event }));
  assert.equal(replay.to(Infinity).reports, 4);
  assert.equal(replay.seen, 2);
});

test("numbers of the ledger are found among 100,000 events", () => {
  const log = new EventLog(1);
  for (let i = 0; i < 100_000; i++) log.push({ kind: "lease_renewed", seq: 3 * i + 7, at });
  for (const [seq, count] of [
    [6, 0],
    [7, 1],
    [8, 1],
    [10, 2],
    [300_004, 100_000],
    [9e9, 100_000],
  ])
    assert.equal(log.indexOf(seq), count, `seq ${seq}`);
});

test("a sample of many runs has the best of them, and those that there are", () => {
  const events = [];
  for (let i = 0; i < 1000; i++) {
    events.push({ kind: "trial_proposed", trial: `tr_${i}` });
    events.push({
      kind: "report_recorded",
      run: `rn_${i}.0`,
      phase: 0,
      step: 1,
      value: i === 617 ? 9 : 1,
    });
  }
  const replay = new Replay("maximize", logOf(events)).to(Infinity);
  const sample = replay.sample(100);
  assert.ok(sample.length <= 101);
  assert.ok(sample.includes(617));
  assert.equal(replay.to(10).sample(100).length, 5);
});

const scene = (changes = {}) => ({
  title: "</svg><script>&\u0000\ud800",
  subtitle: "two runs",
  x: "frames",
  y: "return",
  xs: [0, 200],
  ys: [0, 10],
  formatX: String,
  formatY: String,
  bests: [
    { at: 0.2, text: "best 1" },
    { at: 0.9, text: "best 5" },
  ],
  runs: [
    {
      points: [
        [100, 1],
        [200, 5],
      ],
      times: [0.2, 0.9],
      colour: "#00ff00",
      endAt: 0.95,
      best: false,
    },
  ],
  colours: {
    running: "#0000ff",
    ink: "#000",
    "ink-2": "#111",
    line: "#222",
    "line-strong": "#333",
    ground: "#fff",
    accent: "#00f",
  },
  ...changes,
});

test("every list of moments of an animation begins at 0, rises, and has a value for each", () => {
  const text = animatedSvg(scene());
  const found = [...text.matchAll(/keyTimes="([^"]*)" values="([^"]*)"/g)];
  assert.ok(found.length >= 5);
  for (const [, times, values] of found) {
    const numbers = times.split(";").map(Number);
    assert.equal(numbers[0], 0);
    assert.ok(
      numbers.every((one, i) => i === 0 || one >= numbers[i - 1]),
      times,
    );
    assert.ok(numbers.at(-1) <= 1);
    assert.equal(values.split(";").length, numbers.length);
  }
});

test("texts of others are only text in an animation", () => {
  const text = animatedSvg(scene());
  assert.ok(!text.includes("<script") && !text.includes("\u0000") && !text.includes("\ud800"));
  assert.equal(text.match(/<\/svg>/g).length, 1);
  assert.equal(escaped('a<b>&"'), "a&lt;b&gt;&amp;&quot;");
});

test("a long list keeps its ends", () => {
  assert.deepEqual(spread(3, 5), [0, 1, 2]);
  const some = spread(1000, 60);
  assert.equal(some.length, 60);
  assert.equal(some[0], 0);
  assert.equal(some.at(-1), 999);
});
