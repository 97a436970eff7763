// The learning curves of a sweep.
import { get } from "../lib/api.js";
import { h, toast } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { throttled } from "../lib/live.js";
import { Curves } from "../lib/matrix.js";
import { report } from "../lib/report.js";
import { links, param, setParams } from "../lib/route.js";
import { sweepData, togglePick } from "../lib/sweep.js";
import { marksOf } from "../lib/verdicts.js";
import { card } from "../ui/card.js";
import { hitOf, runOf } from "../chart/curve_lines.js";
import { CurvesPlot } from "../chart/curves.js";
import { choice } from "../ui/choice.js";
import { filterBar } from "../ui/filter.js";
import { sweepTabs } from "../ui/parts.js";
import { legend } from "./curves_legend.js";
import { metricNames, Series } from "./curves_series.js";
import {
  axis,
  bandsKey,
  bandsOf,
  chooseRows,
  matrixLinesOf,
  readBands,
  viewOf,
  weight,
} from "./curves_view.js";
import { sweepHeading } from "./heading.js";

const weights = [
  ["", "none"],
  ["0.6", "light"],
  ["0.85", "medium"],
  ["0.95", "strong"],
];

// Reads what the axes need, and draws it. Returns when it is drawn.
async function readAndDraw(state) {
  const { curves, data, plot, side } = state;
  chooseRows(state);
  state.version = curves.version; // a picture that is ready asks for no newer one
  state.smooth = weight() > 0 && !state.dense;
  const draw = () => {
    state.bands = bandsOf(state);
    update(
      side,
      legend(state, () => state.redraw()),
    );
    plot.redraw();
  };
  const axes = [state.series, axis(), param("metric")].join();
  if (state.axes !== axes) state.lines = null; // those of other axes
  state.axes = axes;
  if (!state.series) {
    state.lines = matrixLinesOf(state);
    return draw();
  }
  if (!state.lines) draw();
  const turn = (state.turn = (state.turn ?? 0) + 1);
  const { per_run: perRun, phases } = data.spec.budget;
  const how = { x: axis(), metric: param("metric"), weight: weight(), perPhase: perRun / phases };
  const lines = await state.reader.lines(curves.matrix, state.rows, how);
  if (turn !== state.turn) return undefined;
  state.lines = lines;
  return draw();
}

// The verdicts of the stopped run under the pointer.
function marker(state) {
  let timer = 0;
  return (hit) => {
    clearTimeout(timer);
    if (!hit || state.series || state.marks?.run === hit.run) return;
    if (!["stopped", "paused"].includes(state.curves.matrix.stateOf(hit.row))) return;
    timer = setTimeout(async () => {
      const answer = await get(`/v1/runs/${hit.run}/curve`).catch(() => null);
      const { plot } = state;
      if (!answer || plot.hovered?.run !== hit.run) return;
      state.marks = { run: hit.run, list: marksOf(answer.items) };
      plot.show(hitOf(plot, viewOf(state), plot.hovered.row, plot.hovered.point));
      plot.redraw();
    }, 120);
  };
}

function plotOf(state, more) {
  const zoomTo = (zoom) => {
    setParams({ zoom });
    state.plot.redraw();
  };
  const legendAgain = () =>
    update(
      state.side,
      legend(state, () => state.redraw()),
    );
  return new CurvesPlot({
    view: () => viewOf(state),
    box: true,
    zoom: (from, to, ys) =>
      zoomTo([from, to, ...(ys ?? [])].map((one) => Number(one.toPrecision(9))).join(",")),
    unzoom: () => zoomTo(""),
    open: async (hit, event) => {
      if (event.shiftKey || event.type === "keydown") location.hash = links.run(hit.run);
      else {
        togglePick(hit.trial);
        await more();
      }
    },
    onhover: marker(state),
    onscale: legendAgain,
    ondensity: legendAgain,
    table: () => tableOf(state),
  });
}

const pressed = (name, text, change) =>
  h(
    "button",
    {
      type: "button",
      "aria-pressed": String(param(name) !== ""),
      onclick: async ({ currentTarget }) => {
        setParams({ [name]: param(name) ? "" : "1" });
        currentTarget.setAttribute("aria-pressed", String(param(name) !== ""));
        await change();
      },
    },
    text,
  );

const rezoom = (state) => {
  setParams({ zoom: "" });
  return state.redraw();
};

// The metrics that runs log are known later than the other choices.
function metricChoice(state, names) {
  if (names.length === 0) return null;
  const metrics = [["", state.data.metric], ...names.map((name) => [name, name])];
  return choice("metric", "metric", metrics, () => rezoom(state));
}

// The choices of axes, colours and what is drawn. In a report only its own curves are there.
function controls(state, metricPlace, readPhases) {
  const { data } = state;
  const { redraw } = state;
  const rezoomed = () => rezoom(state);
  const times = report
    ? []
    : [
        ["trained", "time of training"],
        ["wall", "time"],
      ];
  const forms = ["linear", "log", "symlog", "rank"].map((one) => [one, one]);
  return h(
    "div.bar",
    {},
    choice("x", "x", [["step", data.spec.budget.unit], ["phase", "phase"], ...times], rezoomed),
    metricPlace,
    choice("y", "y", forms, rezoomed),
    choice("smooth", "smoothing", weights, redraw),
    choice(
      "colour",
      "colour",
      [["state", "state"], ...data.parameters.map(({ name }) => [name, name])],
      redraw,
    ),
    pressed("q", "Quartiles and stops", async () => {
      await readPhases();
      redraw();
    }),
    pressed("only", "Only the selected", redraw),
  );
}

// The parameters of a large sweep, for colours and for what is under the pointer.
async function readParams(data, state) {
  if (data.hasParams()) return;
  // The first picture comes before.
  await new Promise((done) => (globalThis.requestIdleCallback ?? setTimeout)(done));
  await data.loadParams();
  if (param("colour")) state.redraw();
}

// What colours lines is read first.
const outcomesFor = (data) => (param("colour") ? data.loadColumns() : data.loadOutcomes());

export async function curvesPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  const curves = new Curves(data);
  const began = performance.now();
  const columns = data.loadSweep().then(() => outcomesFor(data));
  const reading = Promise.all([columns, curves.load()]);
  const state = { ...{ data, curves, read: [], bands: [], leaders: [], phases: { items: [] } } };
  Object.assign(state, { side: h("div"), reader: new Series(id), rows: [], drawn: [] });
  const more = async () => {
    state.key = bandsKey(data);
    state.read = await readBands(data);
    await state.redraw();
  };
  state.redraw = () => readAndDraw(state);
  state.plot = plotOf(state, more);
  page.onLeave(() => state.plot.close());
  await reading; // its worker starts meanwhile
  const spent = performance.now() - began;
  const filter = filterBar(data, async () => {
    curves.version++;
    curves.ranks = null;
    await more();
  });
  await filter.ready;
  const readPhases = async () => {
    if (param("q")) state.phases = await get(`/v1/sweeps/${id}/phases`);
  };
  await readPhases();
  state.redraw();
  more()
    .then(() => readParams(data, state))
    .catch((error) => toast(error.message));
  const leaders = async () => (state.key === bandsKey(data) ? state.redraw() : more());
  follow(page, { id, data, curves, filter, state, spent, leaders });
  const metric = h("span");
  const names = async () => {
    const runs = data.byPlace(data.visible()).map((row) => `rn_${data.columns.trial[row]}.0`);
    update(metric, metricChoice(state, await metricNames(runs)));
  };
  update(metric, metricChoice(state, param("metric") ? [param("metric")] : []));
  if (!report) names();
  return [
    sweepHeading(page, data),
    sweepTabs(id, "curves"),
    filter.element,
    controls(state, metric, readPhases),
    card("Learning curves", [state.plot.element, state.side], { plot: state.plot, id: "curves" }),
  ];
}

const longestWait = 500;

// Draws what has arrived, and then waits three times as long as the picture took, half a second at
// most: drawing 10,000 curves without a pause would occupy a processor that training could have.
function pacedBy(plot, redraw) {
  let timer = 0;
  let last = 0;
  const call = () => {
    const wait = last + Math.min(longestWait, 4 * plot.took) - performance.now();
    timer ||= setTimeout(
      () => {
        timer = 0;
        last = performance.now();
        redraw();
      },
      Math.max(0, wait),
    );
  };
  call.cancel = () => clearTimeout(timer);
  return call;
}

// Reports are drawn soon after they arrive. New trials are read every two seconds, and all curves,
// for the states of runs and what forks inherit, less often if there are many.
function follow(page, { id, data, curves, filter, state, spent, leaders }) {
  const matrixAgain = () => (state.series ? undefined : state.redraw());
  const paced = pacedBy(state.plot, matrixAgain);
  const running = () => {
    const open = state.rows.filter((row) =>
      ["running", "leased"].includes(curves.matrix.stateOf(row)),
    );
    return new Set(open.map((row) => runOf(curves.matrix, row)));
  };
  const trials = throttled(2000, async () => {
    await data.loadOutcomes();
    filter.update();
    await leaders();
  });
  const all = throttled(
    2000,
    async () => {
      await curves.load();
      state.redraw();
    },
    spent,
  );
  const series = throttled(5000, () => {
    state.reader.forget(running());
    state.redraw();
  });
  page.onFrame((frame) => {
    if (!frame.resync && !frame.sweeps.includes(id)) return;
    if (!curves.add(frame.reports) || frame.resync || frame.reports.length < frame.events) {
      trials();
      all();
    }
    paced();
    if (state.series) series();
  });
  page.onLeave(() => {
    for (const one of [paced, trials, all, series]) one.cancel();
  });
}

function tableOf({ curves: { matrix }, rows, lines, series }) {
  const header = ["run", "point", "step", "value"];
  const list = [];
  for (const row of rows) {
    const line = lines?.get(row) ?? { points: [], diverged: null };
    line.points.forEach((one, k) =>
      list.push([
        ...[runOf(matrix, row), k, one.step, Number(one.raw.toPrecision(7))],
        ...(series ? [one.x] : []),
      ]),
    );
    if (line.diverged !== null)
      list.push([runOf(matrix, row), line.points.length, series ? "" : line.diverged, "diverged"]);
  }
  return { header: series ? [...header, "x"] : header, rows: list };
}
