// What a comparison is of, in what its sides differ, and the selection that leads to it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { lineStyle } from "../../../dashboard/lib/colour.js";
import {
  canonical,
  idsOf,
  leaves,
  meanOf,
  rowsOf,
  staircase,
  thinned,
} from "../../../dashboard/lib/compare.js";
import { ticked } from "../../../dashboard/lib/ticks.js";

test("ids of an address are taken once, and refused with a reason", () => {
  assert.deepEqual(idsOf("tr_1,rn_2.0, tr_1"), { ids: ["tr_1", "rn_2.0"], trouble: "" });
  assert.match(idsOf("tr_1,<b>").trouble, /<b> is no id/);
  assert.match(idsOf("").trouble, /names nothing/);
  assert.match(idsOf("tr_1,sw_1").trouble, /Sweeps are compared with sweeps/);
  const many = Array.from({ length: 13 }, (_, i) => `tr_${i + 1}`).join();
  assert.match(idsOf(many).trouble, /At most 12 .* names 13/);
});

test("a command as a list of words equals its long form", () => {
  const words = ["python3", "train.py"];
  const short = leaves(canonical({ command: words, parameters: {} }));
  const long = leaves(
    canonical({ command: { run: words, params: "none", folder: "shared" }, parameters: {} }),
  );
  assert.deepEqual(short, long);
});

test("a parameter of a sweep file is one text", () => {
  const domain = { type: "float", min: 0.1, max: 1, when: "a == 'b'" };
  const found = leaves(canonical({ parameters: { lr: domain }, budget: { phases: 3 } }));
  assert.equal(found.get("parameters.lr"), "float, min 0.1, max 1, when a == 'b'");
  assert.equal(found.get("budget.phases"), 3);
});

test("rows differ where a side has another value or none", () => {
  const rows = rowsOf([
    new Map([
      ["a", 0.3],
      ["b", null],
      ["c", [1, 2]],
    ]),
    new Map([
      ["a", 0.1 + 0.2],
      ["c", [1, 2]],
      ["d", "x"],
    ]),
  ]);
  assert.deepEqual(
    rows.map(({ key, differs }) => [key, differs]),
    [
      ["a", false],
      ["b", true],
      ["c", false],
      ["d", true],
    ],
  );
  assert.deepEqual(rows[3].values, [undefined, "x"]);
});

test("a value holds until the next one, and to the end", () => {
  const points = [
    { x: 1, value: 5 },
    { x: 3, value: 7 },
  ];
  assert.deepEqual(
    staircase(points, 9).map(({ x, value }) => [x, value]),
    [
      [1, 5],
      [3, 5],
      [3, 7],
      [9, 7],
    ],
  );
  assert.deepEqual(staircase([], 9), []);
});

test("a long series is thinned to means, and the mean of seeds ends with the shortest", () => {
  const long = Array.from({ length: 1000 }, (_, i) => ({ x: i, y: i }));
  const few = thinned(long, 10);
  assert.equal(few.length, 10);
  assert.ok(few.every(({ x, y }) => Math.abs(x - y) < 1e-9));
  assert.equal(
    thinned(
      [
        { x: 1, y: NaN },
        { x: 2, y: 3 },
      ],
      10,
    ).length,
    1,
  );
  const mean = meanOf([
    [
      { x: 1, y: 0 },
      { x: 2, y: 2 },
      { x: 3, y: 4 },
    ],
    [
      { x: 1, y: 10 },
      { x: 2, y: 12 },
    ],
  ]);
  assert.deepEqual(mean, [
    { x: 1, y: 5 },
    { x: 2, y: 7 },
  ]);
});

test("no two of 12 lines have both the colour and the dash", () => {
  const styles = Array.from({ length: 12 }, (_, i) => JSON.stringify(lineStyle(i)));
  assert.equal(new Set(styles).size, 12);
});

test("Shift selects the rows between, and a click switches one", () => {
  const how = { order: () => [1, 2, 3, 4, 5], anchor: 4, shift: true, most: 12 };
  assert.deepEqual(ticked([4], 2, how), [4, 3, 2]);
  assert.deepEqual(ticked([4, 3, 2], 3, { ...how, shift: false }), [4, 2]);
  assert.deepEqual(ticked([1], 9, how), [1, 9]);
  assert.deepEqual(ticked([4], 1, { ...how, most: 2 }), [4, 3]);
  assert.deepEqual(ticked([1, 2], 3, { ...how, shift: false, most: 2 }), [2, 3]);
});
