// What a search field makes of what is typed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { brushWhere } from "../../../dashboard/lib/brush.js";
import { sweepsWhere, trialsWhere } from "../../../dashboard/lib/search.js";

const space = {
  learning_rate: { type: "float" },
  state: { type: "choice", values: ["on", "off"] },
  optimizer: { type: "choice", values: ["adam", null] },
  layers: { type: "choice", values: [1, 2] },
};

test("bare names of parameters are parameters, fields stay fields", () => {
  assert.equal(
    trialsWhere("learning_rate < 0.001 and value>3", space),
    "params.learning_rate < 0.001 and value>3",
  );
  assert.equal(
    trialsWhere("(optimizer != adam or state = failed)", space),
    "(params.optimizer != adam or state = failed)",
  );
  assert.equal(trialsWhere("params.learning_rate < 1", space), "params.learning_rate < 1");
  assert.equal(trialsWhere('note = "optimizer = x"', space), 'note = "optimizer = x"');
  assert.equal(trialsWhere("unknown = 1", space), "unknown = 1");
});

test("a word is looked for in states, tags and the texts of choices", () => {
  const where = trialsWhere("ada", space);
  assert.match(where, /^\(.*params\.optimizer ~ "ada".*\)$/);
  assert.match(where, /state ~ "ada"/);
  assert.ok(!where.includes("params.layers"));
  assert.match(trialsWhere("ada stopped", space), /\) and \(/);
  assert.equal(trialsWhere("tr_12", space), "id = tr_12");
  assert.match(trialsWhere("12", space), /number = 12/);
  assert.equal(trialsWhere("  ", space), "");
});

test("words of sweeps are part of names, projects and tags", () => {
  assert.match(sweepsWhere("cart"), /name ~ "cart" or project ~ "cart" or tag ~ "cart"/);
  assert.equal(sweepsWhere("sw_3"), "id = sw_3");
  assert.equal(sweepsWhere("state = running"), "state = running");
  assert.ok(!sweepsWhere("a\\b").includes("\\"));
});

test("brushes become conditions of the filter language", () => {
  const parameters = [
    { name: "lr", type: "float", min: 0, max: 10 },
    { name: "batch size", type: "int", min: 0, max: 100 },
    { name: "clip", type: "choice", values: ["norm", null, 2] },
    { name: "big", type: "bool" },
  ];
  const of = (brushes) => brushWhere(new Map(Object.entries(brushes)), parameters);
  assert.equal(of({ lr: [0.25, 0.5] }), "params.lr and params.lr >= 2.5 and params.lr <= 5");
  assert.equal(of({ lr: [0, 1.001] }), "params.lr");
  assert.equal(of({ "batch size": [-1, -1] }), 'not params."batch size"');
  assert.equal(of({ clip: [0.9, 1.001] }), "(params.clip = 2)");
  assert.equal(of({ clip: [0, 0.6] }), "not (params.clip = 2)");
  assert.equal(of({ big: [0, 0.1] }), "(params.big = false)");
  assert.equal(of({ "=": [-Infinity, 3] }), "value <= 3");
  assert.equal(of({ lr: [-1, 0.5] }), "(not params.lr or params.lr and params.lr <= 5)");
  assert.equal(of({ gone: [0, 1], big: [0.9, 1], "=": [1, 2] }), "(params.big = true) and value >= 1 and value <= 2");
});
