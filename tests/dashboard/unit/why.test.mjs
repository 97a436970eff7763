// What an explanation says first.
import assert from "node:assert/strict";
import { test } from "node:test";

import { inputNames, lastLine, parted } from "../../../dashboard/lib/why.js";

test("placement is apart from what was decided", () => {
  const text = "Run rn_2.0 was stopped early. 0 of 2 were worse. Attempt 1 started at X on wk_1.";
  assert.deepEqual(parted(text), {
    lead: "Run rn_2.0 was stopped early. 0 of 2 were worse.",
    placement: "Attempt 1 started at X on wk_1.",
  });
  assert.deepEqual(parted("It waits."), { lead: "It waits.", placement: "" });
});

test("the last line of a log is one for people", () => {
  assert.equal(lastLine('a\nValueError: no\n\n@hone {"report": 1}\n'), "ValueError: no");
  assert.equal(lastLine("@hone {}\n"), "");
  assert.equal(lastLine(""), "");
});

test("a table of verdicts has a column for each input of any verdict", () => {
  const verdicts = [{ inputs: { quota: 1 } }, { inputs: { quota: 2, cutoff: 3 } }, {}];
  assert.deepEqual(inputNames(verdicts), ["quota", "cutoff"]);
});
