// Brushes and columns, as the address has them.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  brushText,
  isValueWithin,
  isWithin,
  objectiveKey,
  readBrushes,
} from "../../../dashboard/lib/brush.js";
import {
  columnsText,
  moved,
  pinToggled,
  readColumns,
  toggled,
} from "../../../dashboard/lib/columns.js";
import { inactive } from "../../../dashboard/lib/space.js";

test("brushes survive an address, whatever the names", () => {
  const brushes = new Map([
    ["a;b~c %", [0.25, 0.5]],
    [objectiveKey, [-Infinity, 12.5]],
    ["inactive only", [-1, -1]],
  ]);
  assert.deepEqual(readBrushes(brushText(brushes)), brushes);
  assert.equal(readBrushes("").size, 0);
  assert.equal(readBrushes("a~x~1;b~1;%~0~1").size, 0);
});

test("a brush has the inactive only below the axis, and values that are no number at the bad end", () => {
  assert.ok(isWithin(0.3, [0.2, 0.4]) && !isWithin(0.5, [0.2, 0.4]));
  assert.ok(!isWithin(inactive, [0, 1]) && isWithin(inactive, [-1, -1]));
  assert.ok(isValueWithin(5, [1, 9], "maximize") && !isValueWithin(null, [1, 9], "maximize"));
  assert.ok(isValueWithin("diverged", [-Infinity, 9], "maximize"));
  assert.ok(!isValueWithin("diverged", [-Infinity, 9], "minimize"));
});

const all = ["trial", "value", "state", "seeds"];
const first = [
  { name: "trial", pinned: true },
  { name: "value", pinned: false },
];

test("columns of an address are known ones, once, the pinned first", () => {
  assert.deepEqual(
    columnsText(readColumns("state,bogus,value!,state", all, first)),
    "value!,state",
  );
  assert.deepEqual(readColumns("bogus", all, first), first);
  assert.deepEqual(readColumns("", all, first), first);
});

test("columns are shown, hidden, moved and pinned", () => {
  const list = readColumns("trial!,value,state", all, first);
  assert.equal(columnsText(toggled(list, "seeds")), "trial!,value,state,seeds");
  assert.equal(columnsText(toggled(list, "value")), "trial!,state");
  assert.equal(columnsText(toggled([first[0]], "trial")), "trial!");
  assert.equal(columnsText(moved(list, "state", -1)), "trial!,state,value");
  assert.equal(columnsText(moved(list, "value", -1)), "trial!,value,state");
  assert.equal(columnsText(moved(list, "bogus", 1)), "trial!,value,state");
  assert.equal(columnsText(pinToggled(list, "state")), "trial!,state!,value");
  assert.equal(columnsText(pinToggled(list, "trial")), "trial,value,state");
});
