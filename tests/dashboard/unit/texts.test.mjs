// Texts of values and parameter sets, and the order of the leaderboard.
import assert from "node:assert/strict";
import { test } from "node:test";

import { param, short } from "../../../dashboard/lib/format.js";
import { cliText, pythonText, yamlText } from "../../../dashboard/lib/params_text.js";
import { placesOf } from "../../../dashboard/lib/find.js";
import { placeOrder } from "../../../dashboard/lib/place.js";
import { objectiveOf } from "../../../dashboard/lib/sweep_words.js";

const set = {
  learning_rate: 0.0012761578232276865,
  on: true,
  activation: null,
  layers: [64, null],
  name: "it's",
  "a b": "1",
};

test("a copied parameter set has all digits, and null as a value", () => {
  assert.deepEqual(JSON.parse(`{${yamlText({ x: 0.1, y: null }).trim().replaceAll(/^(\w+)/gm, '"$1"').replace("\n", ",")}}`), {
    x: 0.1,
    y: null,
  });
  assert.match(yamlText(set), /^learning_rate: 0\.0012761578232276865$/m);
  assert.match(yamlText(set), /^activation: null$/m);
  assert.match(yamlText(set), /^"a b": "1"$/m);
  assert.equal(
    pythonText(set),
    '{"learning_rate": 0.0012761578232276865, "on": True, "activation": None, ' +
      '"layers": [64, None], "name": "it\'s", "a b": "1"}',
  );
  assert.equal(pythonText({ text: "null", yes: "true" }), '{"text": "null", "yes": "true"}');
  assert.equal(
    cliText("sw_1", { a: 1, name: "it's", none: null }),
    "hone enqueue sw_1 --params 'a=1,name=it'\\''s,none=null'",
  );
});

test("null is written as null, and what is not there as nothing", () => {
  assert.equal(param(null), "null");
  assert.equal(param(undefined), "");
  assert.equal(short(null), "–");
});

test("trials are ordered by tier, the value that ranks, and number", () => {
  const columns = {
    tier: [2, 0, 2, 5, 0, 6, 2, 2, 1, 1],
    value: [-3, -99, -3, "diverged", 99, null, 1e12, "not_reached", 1, 2],
    confirmed: [null, 10, null, null, 2, null, null, null, null, null],
    expected: [null, null, null, null, null, null, null, null, 5, 4],
    number: [7, 1, 2, 3, 4, 5, 6, 0, 8, 9],
  };
  const rows = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  assert.deepEqual(placeOrder(columns, "minimize", rows), [4, 1, 9, 8, 2, 0, 6, 7, 3, 5]);
  assert.deepEqual(placeOrder(columns, "maximize", rows), [1, 4, 8, 9, 6, 2, 0, 7, 3, 5]);
});

test("the objectives of a sweep are all named, and times have units", () => {
  const budget = { unit: "frames" };
  const goals = [
    { metric: "return", goal: "maximize" },
    { metric: "latency_ms", goal: "minimize" },
  ];
  const two = objectiveOf({ objective: goals[0], spec: { objectives: goals, budget } });
  assert.equal(two.text, "maximize return, minimize latency_ms");
  assert.deepEqual(two.goals, goals);
  const soonest = { metric: "return", goal: "soonest" };
  const steps = objectiveOf({
    objective: soonest,
    spec: { objective: { metric: "return", reach: 400, clock: "steps" }, budget },
  });
  assert.equal(steps.show(600000), "600 k frames");
  assert.equal(steps.show("not_reached"), "not reached");
  const time = objectiveOf({
    objective: soonest,
    spec: { objective: { metric: "return", reach: 400, clock: "seconds" }, budget },
  });
  assert.equal(time.show(90), "1 min 30 s");
});

test("a text is found whatever its case, at places that do not overlap", () => {
  assert.deepEqual(placesOf("Error: an ERROR, error", "error"), [0, 10, 17]);
  assert.deepEqual(placesOf("aaaa", "aa"), [0, 2]);
  assert.deepEqual(placesOf("text", ""), []);
  assert.equal(placesOf("x".repeat(50), "x", 7).length, 7);
  // Lower case of this letter is longer: places stay those of the text.
  assert.deepEqual(placesOf("İİ stop", "STOP"), [3]);
});
