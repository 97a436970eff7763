// The range of a chart of curves.
import assert from "node:assert/strict";
import { test } from "node:test";

import { pointsIn, rangeOf, strideOf } from "../../../dashboard/lib/range.js";

// Curves that rise from 0 to a value of their own, the best of which is the last run's.
function rising(rows, points) {
  const cells = new Float32Array(rows * points);
  for (let row = 0; row < rows; row++)
    for (let k = 0; k < points; k++)
      cells[row * points + k] = (100 + (400 * row) / rows) * ((k + 1) / points);
  return cells;
}
const every = (rows) => Array.from({ length: rows }, (_, row) => row);

for (const [rows, points] of [
  [5000, 10],
  [5000, 20],
  [2500, 10],
  [10000, 12],
  [10000, 100],
  [100000, 10],
  [1000, 100],
  [7, 500],
])
  test(`the axis of ${rows} rising runs of ${points} phases ends above the best value`, () => {
    const [low, high] = rangeOf(rising(rows, points), points, every(rows));
    const best = (100 + (400 * (rows - 1)) / rows) * 1;
    assert.ok(high >= best * 0.999, `${high} < ${best}`);
    assert.ok(low <= 100 / points + 1);
  });

test("the sample of a range meets every phase equally often", () => {
  for (let points = 1; points <= 500; points += 7)
    for (const cells of [5000, 50_000, 99_999, 1_000_000]) {
      const stride = strideOf(cells, points);
      const met = new Set();
      for (let i = 0; i < points; i++) met.add((i * stride) % points);
      assert.equal(met.size, points, `${cells} cells of ${points} points: stride ${stride}`);
    }
});

test("an outlier stays outside of the axis, and cells without a number count as none", () => {
  const cells = rising(400, 10);
  cells[5] = 1e9;
  cells[6] = NaN;
  cells[7] = Infinity;
  const [, high] = rangeOf(cells, 10, every(400));
  assert.ok(high < 1e6, String(high));
  assert.equal(rangeOf([NaN, Infinity], 2, [0]), null);
  assert.equal(rangeOf([], 10, []), null);
});

test("a zoom in x fits y to the points that it shows", () => {
  const at = (k) => 100 * (k + 1);
  assert.deepEqual(pointsIn(at, 10, null), [0, 9]);
  assert.deepEqual(pointsIn(at, 10, [350, 650]), [2, 6]);
  assert.deepEqual(pointsIn(at, 10, [-5, 5000]), [0, 9]);
  assert.deepEqual(pointsIn(at, 10, [5000, 6000]), [9, 9]);
  const [low, high] = rangeOf(rising(50, 10), 10, every(50), 2, 6);
  assert.ok(low >= 100 * 0.3 && high <= 500 * 0.7);
});
