// What a search field makes of what is typed.
import assert from "node:assert/strict";
import { test } from "node:test";

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
