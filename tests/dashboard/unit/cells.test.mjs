// The forms in which the server sends a column.
import assert from "node:assert/strict";
import { test } from "node:test";

import { cellsOf } from "../../../dashboard/lib/cells.js";

test("each form of a column has a cell for each row", () => {
  assert.deepEqual(cellsOf([1, null, "diverged"], 3), [1, null, "diverged"]);
  assert.deepEqual(cellsOf({ words: ["adam", 3], codes: [1, null, 0] }, 3), [3, null, "adam"]);
  assert.deepEqual(cellsOf({ first: 10, by: 3 }, 4), [10, 13, 16, 19]);
  assert.deepEqual(cellsOf(null, 2), [null, null]);
  assert.deepEqual(cellsOf([], 0), []);
});
