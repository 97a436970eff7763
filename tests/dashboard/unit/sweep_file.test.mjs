import assert from "node:assert/strict";
import test from "node:test";
import { changesOf, editOf, lineOf, parseFile, textOf } from "../../../dashboard/lib/sweep_file.js";

const file = {
  name: "cartpole",
  parameters: {
    "a/b": { type: "float", min: 0.1, max: 1, scale: "log" },
    optimizer: { type: "choice", values: ["adam", "sgd, {\"x\": 1}"] },
  },
  search: { method: "random", trials: 24 },
  command: ["python3", "train.py"],
  limits: { concurrency: null },
};
const changed = (change) => {
  const copy = structuredClone(file);
  change(copy);
  return copy;
};

test("a document is written so that it is read as the same one", () => {
  const text = textOf(file);
  assert.deepEqual(parseFile(text).document, file);
  assert.ok(text.includes('    "a/b": {"type": "float", "min": 0.1, "max": 1, "scale": "log"}'));
  assert.equal(textOf({}), "{}");
  assert.deepEqual(JSON.parse(textOf({ a: [], b: {}, c: null })), { a: [], b: {}, c: null });
});

test("a pointer is found in the line of its value", () => {
  const text = textOf(file);
  const lines = text.split("\n");
  const at = (pointer) => lines[lineOf(text, pointer) - 1].trim();
  assert.ok(at("/name").startsWith('"name"'));
  assert.ok(at("/parameters/a~1b/min").startsWith('"a/b"'));
  assert.ok(at("/parameters/optimizer/values/1").startsWith('"optimizer"'));
  assert.ok(at("/search/trials").startsWith('"search"'));
  assert.ok(at("/search/unknown").startsWith('"search"'));
  assert.equal(lineOf(text, "/nothing"), 1);
  const tall = '{\n"a": [\n1,\n{"b":\n2}\n]\n}';
  assert.equal(lineOf(tall, "/a/0"), 3);
  assert.equal(lineOf(tall, "/a/1/b"), 4);
});

test("a text that is no file has a fault with its line", () => {
  assert.equal(parseFile('{\n  "a": 1,\n  b\n}').fault.line, 3);
  assert.equal(parseFile('{\n  "a": 1').fault.line, 2);
  assert.equal(parseFile('{"a": [1,\n2,\n\n,3]}').fault.line, 4);
  assert.equal(parseFile('{"a": "x\n"}').fault.line, 1);
  assert.equal(parseFile('{"a": 1}\n\n}').fault.line, 3);
  assert.ok(parseFile("[".repeat(100_000)).fault.line >= 1);
  assert.equal(parseFile("[]").fault.line, 1);
  assert.equal(parseFile("null").document, undefined);
});

test("changes are the leaves that differ", () => {
  const after = changed((one) => {
    one.search.trials = 48;
    delete one.name;
  });
  assert.deepEqual(changesOf(file, after), [
    { path: "name", before: "cartpole", after: undefined },
    { path: "search.trials", before: 24, after: 48 },
  ]);
  assert.deepEqual(changesOf(file, structuredClone(file)), []);
});

test("an edit asks for what a running sweep can change", () => {
  const after = changed((one) => {
    one.search.trials = 48;
    one.limits.concurrency = 3;
    one.share = 2;
    one.parameters["a/b"].max = 10;
    one.parameters.optimizer.values.push("lion");
  });
  assert.deepEqual(editOf(file, after), {
    request: {
      ...{ trials: 48, concurrency: 3, share: 2 },
      widen: [
        { name: "a/b", max: 10 },
        { name: "optimizer", values: ["lion"] },
      ],
    },
    refused: [],
  });
});

test("an edit names what only another sweep can have", () => {
  const after = changed((one) => {
    one.search.method = "tpe";
    one.parameters["a/b"].scale = "linear";
    one.parameters.optimizer.values = ["sgd"];
    one.parameters.more = { type: "bool" };
    one.name = "other";
  });
  assert.deepEqual(editOf(file, after), {
    request: {},
    refused: ["name", "search.method", "parameters.a/b", "parameters.optimizer", "parameters.more"],
  });
  assert.deepEqual(editOf(file, structuredClone(file)), { request: {}, refused: [] });
});
