// Orders of many numbers, and the ranks of runs by phase.
import assert from "node:assert/strict";
import { test } from "node:test";

import { flowOf } from "../../../dashboard/lib/flow.js";
import { ascending, sortedBy } from "../../../dashboard/lib/order.js";
import { orderAt, rankCells } from "../../../dashboard/lib/raster.js";

// A stream of shares that is the same in every run of the test.
function shares(seed) {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

test("places ascend, equal ones as they came, what is no number last", () => {
  const keys = [3, NaN, -Infinity, 3, 0, -0, Infinity, NaN, 2];
  assert.deepEqual([...ascending(Float64Array.from(keys))], [2, 4, 5, 8, 0, 3, 6, 1, 7]);
  assert.deepEqual([...ascending(new Float64Array(0))], []);
});

test("many keys of all magnitudes and both signs ascend, equal ones as they came", () => {
  const next = shares(3);
  const odd = [NaN, 0, -0, Infinity, -Infinity, 5e-324, -5e-324, Number.MAX_VALUE, -1e-300];
  const keys = Float64Array.from({ length: 9000 }, (_, i) =>
    i % 11 === 0 ? odd[i % odd.length] : (next() - 0.5) * 10 ** Math.floor(40 * next() - 20),
  );
  const order = ascending(keys);
  assert.equal(new Set(order).size, keys.length);
  const comesBefore = (a, b) =>
    Number.isNaN(keys[b])
      ? !Number.isNaN(keys[a]) || a < b
      : keys[a] < keys[b] || (keys[a] === keys[b] && a < b);
  for (let at = 1; at < order.length; at++)
    assert.ok(comesBefore(order[at - 1], order[at]), `${order[at - 1]} before ${order[at]}`);
});

test("items are sorted as by a function that compares two", () => {
  const next = shares(7);
  for (const size of [0, 1, 2, 50, 3000]) {
    const items = Array.from({ length: size }, (_, id) => ({ id, key: Math.floor(next() * 40) }));
    const plain = [...items].sort((a, b) => a.key - b.key);
    assert.deepEqual(
      sortedBy(items, (one) => one.key),
      plain,
    );
  }
});

test("diverged reports are behind all numbers, and runs without a report are absent", () => {
  const cells = Float32Array.from([5, Infinity, NaN, 7, 5]);
  const matrix = { cells, points: 1 };
  const best = (goal) => {
    const { order, count } = orderAt(matrix, 0, [0, 1, 2, 3, 4], goal);
    return [...order.slice(0, count)];
  };
  assert.deepEqual(best("maximize"), [3, 0, 4, 1]);
  assert.deepEqual(best("minimize"), [0, 4, 3, 1]);
  const ranks = [...rankCells(cells, 1, [0, 1, 2, 3, 4], "maximize")];
  assert.deepEqual(
    ranks.map((one) => (Number.isNaN(one) ? null : Math.round(one * 3))),
    [2, 0, null, 3, 1],
  );
});

test("the flow has the rank of each report among the rows that the filter leaves", () => {
  const cells = Float32Array.from([1, 5, 9, 2, 4, NaN, 3, NaN, NaN, 8, 8, 8]);
  const flow = flowOf({ cells, points: 3 }, [0, 1, 2], "maximize");
  assert.deepEqual([...flow.sizes], [3, 2, 1]);
  assert.deepEqual([...flow.ranks], [3, 1, 1, 2, 2, 0, 1, 0, 0]);
  // The run that came furthest first, then the one that ended in phase 2.
  assert.deepEqual([...flow.order], [0, 1, 2]);
  const filtered = flowOf({ cells, points: 3 }, [2, 3], "minimize");
  assert.deepEqual([...filtered.ranks], [1, 0, 0, 2, 1, 1]);
  assert.deepEqual([...filtered.order], [1, 0]);
});
