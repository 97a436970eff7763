// Lines on any axis, their smoothing, and the verdicts along them.
import assert from "node:assert/strict";
import { test } from "node:test";

import { between, extentOf, matrixLines, seriesLine } from "../../../dashboard/lib/curve_lines.js";
import { smoothed } from "../../../dashboard/lib/smooth.js";
import { cutoffText, cutoffValue, marksOf, rankText } from "../../../dashboard/lib/verdicts.js";

test("smoothing begins at the first value and leaves out what is no number", () => {
  assert.deepEqual(smoothed([3, 5, 4], 0), [3, 5, 4]);
  const [first, second, none, third] = smoothed([10, 20, NaN, 20], 0.5);
  assert.equal(first, 10);
  assert.ok(Math.abs(second - 50 / 3) < 1e-12);
  assert.ok(Number.isNaN(none));
  assert.ok(Math.abs(third - 130 / 7) < 1e-12);
  assert.ok(smoothed(Array(50).fill(7), 0.9).every((one) => Math.abs(one - 7) < 1e-12));
});

test("lines of a matrix leave out gaps and end where a run diverged", () => {
  const matrix = { points: 3, phases: 6, steps: [20, 40, 60] };
  const cells = [1, NaN, 5, 2, 4, Infinity];
  const lines = matrixLines(matrix, cells, [0, 1], (k) => matrix.steps[k], 0);
  assert.deepEqual(
    lines.get(0).points.map(({ x, y, phase }) => [x, y, phase]),
    [
      [20, 1, 1],
      [60, 5, 5],
    ],
  );
  assert.equal(lines.get(0).diverged, null);
  assert.equal(lines.get(1).diverged, 60);
  assert.equal(lines.get(1).points.length, 2);
  const smooth = matrixLines(matrix, cells, [0], (k) => matrix.steps[k], 0.5).get(0).points[1];
  assert.equal(smooth.raw, 5);
  assert.ok(smooth.y < 5 && smooth.y > 1);
});

test("a series has its x by step, phase, training and clock", () => {
  const items = [
    { step: 100, value: 1, at: "2026-01-01T00:00:01Z" },
    { step: 150, value: "diverged", at: "2026-01-01T00:00:02Z" },
  ];
  const clock = [
    { step: 100, seconds: 4 },
    { step: 200, seconds: 6 },
  ];
  const by = (x) => seriesLine(items, { x, weight: 0, perPhase: 100, clock });
  assert.equal(by("step").points[0].x, 100);
  assert.equal(by("phase").points[0].x, 0);
  assert.equal(by("phase").points[0].phase, 0);
  assert.equal(by("trained").points[0].x, 4);
  assert.equal(by("trained").diverged, 5);
  assert.equal(by("wall").points[0].x, Date.parse(items[0].at));
  assert.equal(between([0, 10], [0, 1], 99), 1);
  assert.ok(Number.isNaN(between([], [], 1)));
});

test("the range of lines is that of what a zoom shows", () => {
  const line = seriesLine(
    [
      { step: 1, value: 5 },
      { step: 2, value: 100 },
      { step: 3, value: 7 },
    ],
    { x: "step", weight: 0, perPhase: 1 },
  );
  const { xs, ys } = extentOf([line], [2.5, 3.5]);
  assert.deepEqual(xs, [1, 3]);
  assert.deepEqual([...new Set(ys)], [7]);
  assert.equal(extentOf([], null), null);
});

test("a verdict of any rule has its rank, its cutoff and a text", () => {
  const hypertrick = { reports: 7, quota: 3, rank_below: 2, cutoff: 3 };
  assert.equal(rankText(hypertrick), "5/7");
  assert.equal(cutoffText(hypertrick), "2 of 7 were worse, 3 needed");
  assert.equal(cutoffValue(hypertrick), null);
  assert.equal(rankText({ reports: 4, no_better: 4, bar: 2 }), "1/5");
  assert.equal(rankText({ phases: 3, reports: 9, ahead: 2, quota: 3 }), "3/9");
  assert.equal(rankText({ phases: 3, waiting: 9, ahead: 0, kept: 3 }), "1/9");
  assert.equal(cutoffValue({ maximize: 1, others: 3, best: 10, median: 12 }), 12);
  assert.equal(cutoffText({ maximize: 1, best: 10, value: 20 }), "best 10, threshold 20");
  assert.equal(rankText({ seeds_judged: 1, aggregate: 5 }), "");
  assert.equal(cutoffText({}), "");
  const marks = marksOf([
    { phase: 0, step: 1, value: 4, verdict: "continue", reason: "good_enough", inputs: hypertrick },
    { phase: 1, step: 2, value: 5, verdict: "stop", reason: "last_phase", inputs: {} },
    { phase: 2, step: 3, value: "diverged", verdict: "stop", reason: "diverged", inputs: {} },
  ]);
  assert.deepEqual(
    marks.map(({ rank, ends }) => [rank, ends]),
    [
      ["5/7", false],
      ["", false],
    ],
  );
});
