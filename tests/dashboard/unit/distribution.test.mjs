import assert from "node:assert/strict";
import test from "node:test";
import {
  distributionOf,
  hypervolume,
  hypervolumeHistory,
  nondominated,
} from "../../../dashboard/lib/distribution.js";

test("a distribution rises from 0 at the least to 1 at the largest value", () => {
  assert.deepEqual(distributionOf([3, 1, NaN, 2, 2]), [
    { x: 1, y: 0 },
    { x: 1, y: 0.25 },
    { x: 2, y: 0.5 },
    { x: 2, y: 0.75 },
    { x: 3, y: 1 },
  ]);
  assert.deepEqual(distributionOf([Infinity]), []);
});

test("a distribution of many values keeps its ends and its middle", () => {
  const steps = distributionOf(Array.from({ length: 100_000 }, (_, i) => i), 100);
  assert.equal(steps.length, 101);
  assert.deepEqual(steps.at(-1), { x: 99_999, y: 1 });
  assert.deepEqual(steps[50], { x: 49_999, y: 0.5 });
});

test("the volume of boxes that overlap counts once", () => {
  assert.equal(hypervolume([[1, 1]], [3, 3]), 4);
  assert.equal(hypervolume([[1, 2], [2, 1]], [3, 3]), 3);
  assert.equal(hypervolume([[0, 0, 0]], [1, 2, 3]), 6);
  assert.equal(hypervolume([[0, 0, 1], [1, 1, 0]], [2, 2, 2]), 4 + 2 - 1);
  assert.equal(hypervolume([[3, 0]], [3, 3]), 0);
});

test("the volume equals the share of a grid that a front dominates", () => {
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let turn = 0; turn < 5; turn++) {
    const front = Array.from({ length: 6 }, () => [random(), random(), random()]);
    const cells = 24;
    let inside = 0;
    for (let i = 0; i < cells ** 3; i++) {
      const at = [i % cells, Math.floor(i / cells) % cells, Math.floor(i / cells ** 2)].map(
        (one) => (one + 0.5) / cells,
      );
      if (front.some((point) => point.every((value, k) => value <= at[k]))) inside++;
    }
    assert.ok(Math.abs(hypervolume(nondominated(front), [1, 1, 1]) - inside / cells ** 3) < 0.03);
  }
});

test("of equal points one stays", () => {
  assert.deepEqual(nondominated([[1, 1], [1, 1], [2, 2]]), [[1, 1]]);
});

test("the history never falls and steps where the front moves", () => {
  const steps = hypervolumeHistory([[5, 5], null, [3, 3], [4, 4], [1, 5], [0, 0]]);
  assert.deepEqual(steps.map((one) => one.x), [1, 3, 5, 6]);
  assert.deepEqual(steps.map((one) => one.y), [0, 0.4 * 0.4, 0.4 * 0.4, 1].map((y) => y));
  assert.deepEqual(hypervolumeHistory([null]), []);
});
