// Attempts as bars in the lanes of their workers, and the series of a machine.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  idleShare,
  isMany,
  newest,
  pieces,
  rowsOf,
  seriesOf,
  spansOf,
  sweepsOf,
  sweepStyle,
} from "../../../dashboard/lib/spans.js";

const at = (second) => new Date(1_800_000_000_000 + 1000 * second).toISOString();
const attempt = (worker, sweep, from, to, lanes) => ({
  worker,
  attempt: `rn_${from}.0#1`,
  sweep,
  from: at(from),
  to: to === null ? null : at(to),
  reason: null,
  lanes,
  cpus: lanes.length,
});
const answer = {
  from: at(0),
  to: at(100),
  items: [attempt("wk_1", "sw_2", 40, null, [0, 1]), attempt("wk_1", "sw_2", 0, 10, [1])],
  busy: [
    {
      worker: "wk_1",
      lane: 0,
      from: at(0),
      to: at(30),
      attempts: 300,
      seconds: 24,
      sweeps: [
        { sweep: "sw_10", seconds: 20 },
        { sweep: "sw_9", seconds: 4 },
      ],
    },
  ],
};

test("many short attempts keep their lane and the sweeps whose they were", () => {
  const spans = spansOf(answer);
  assert.deepEqual(
    spans.map((one) => one.label),
    ["rn_0.0#1", "300 short attempts", "rn_40.0#1"],
  );
  const [, many, live] = spans;
  assert.ok(isMany(many) && !isMany(live));
  assert.equal(many.share, 0.8);
  assert.deepEqual(sweepsOf(spans), ["sw_2", "sw_9", "sw_10"]);
  assert.ok(live.live);
  assert.equal(live.t1, Date.parse(at(100)));
});

test("a worker never has more lanes than slots, and all of them where its page asks", () => {
  const slots = new Map([["wk_1", 4]]);
  assert.equal(rowsOf(spansOf(answer), slots, false)[0].lanes, 2);
  assert.equal(rowsOf(spansOf(answer), slots, true)[0].lanes, 4);
});

test("clients of hone ask share one row", () => {
  const items = [
    attempt("wk_2", "sw_1", 0, 10, [0]),
    attempt("wk_3", "sw_1", 5, 15, [0]),
    attempt("wk_4", "sw_1", 20, 30, [0]),
  ];
  const slots = new Map(["wk_2", "wk_3", "wk_4"].map((id) => [id, 0]));
  const rows = rowsOf(spansOf({ from: at(0), to: at(40), items, busy: [] }), slots, false);
  assert.deepEqual(
    rows.map((row) => [row.worker, row.lanes]),
    [["hone ask", 2]],
  );
  assert.deepEqual(
    rows[0].spans.map((one) => one.lanes),
    [[0], [1], [0]],
  );
});

test("a line of a machine breaks where nothing was measured", () => {
  const point = (from, seconds, cpu) => ({ from: at(from), seconds, cpu });
  const machine = {
    points: [point(0, 600, 0.5), point(600, 60, 0.4), point(660, 10, null), point(2000, 10, 0)],
  };
  const series = seriesOf(machine, "cpu");
  assert.equal(series.length, 3);
  assert.deepEqual(
    pieces(series).map((piece) => piece.length),
    [2, 1],
  );
  assert.equal(newest(series), 0);
  assert.equal(newest(seriesOf(null, "cpu")), null);
  assert.deepEqual(pieces([]), []);
});

test("a fleet is idle in the share of its slots' time that no attempt held", () => {
  const times = [
    { offered: 100, held: 50 },
    { offered: 300, held: 250 },
  ];
  assert.equal(idleShare(times), 0.25);
  assert.equal(idleShare([{ offered: 10, held: 12 }]), 0);
  assert.equal(idleShare([{ offered: 0, held: 0 }]), null);
  assert.equal(idleShare([]), null);
});

test("twelve sweeps of six colours looked like six", () => {
  const marks = Array.from({ length: 12 }, (_, i) => JSON.stringify(sweepStyle(i, 6)));
  assert.equal(new Set(marks).size, 12);
});
