// The learning curves of a sweep.
import { get } from "../lib/api.js";
import { cssColour, ramp } from "../lib/colour.js";
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { plural } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { Curves } from "../lib/matrix.js";
import { links, param, setParams } from "../lib/route.js";
import { picked, sweepData, togglePick } from "../lib/sweep.js";
import { card } from "../ui/card.js";
import { CurvesPlot } from "../chart/curves.js";
import { choice } from "../ui/choice.js";
import { filterBar } from "../ui/filter.js";
import { link, runStates, stateMark, sweepTabs } from "../ui/parts.js";
import { colourLegend, differences, painter } from "./curve_colours.js";
import { sweepHeading } from "./heading.js";

const topShown = 3;

// The selected trials, or the first three.
function highlighted(data) {
  const chosen = picked();
  if (chosen.length > 0) return chosen;
  return data
    .byPlace(data.visible())
    .filter((row) => typeof data.columns.value[row] === "number")
    .slice(0, topShown)
    .map((row) => data.columns.trial[row]);
}

// Changes when the bands of those trials do: with another order, another phase or more seeds.
const bandsKey = (data) => {
  const { value, phase, seeds } = data.columns;
  return highlighted(data)
    .map((trial) => [trial, data.index.get(trial)])
    .map(([trial, row]) => [trial, value[row], phase[row], seeds[row]].join())
    .join(";");
};

async function readBands(data) {
  const trials = highlighted(data);
  const answers = await Promise.all(
    trials.map((trial) => get(`/v1/trials/tr_${trial}/curve`).catch(() => null)),
  );
  return answers.filter(Boolean).map((answer) => ({ name: answer.trial, items: answer.items }));
}

function zoomParam() {
  const parts = param("zoom").split(",").map(Number);
  return parts.length === 2 && parts.every(Number.isFinite) ? parts : null;
}

const drawnStates = ({ curves }, rows) => {
  const there = new Set(rows.map((row) => curves.matrix.stateOf(row)));
  return runStates.filter((state) => there.has(state));
};
function divergedNote({ curves: { matrix } }, rows) {
  const is = (row) => {
    for (let k = 0; k < matrix.points; k++)
      if (matrix.cells[row * matrix.points + k] === Infinity) return true;
    return false;
  };
  const found = rows.filter(is).length;
  return found ? h("span", {}, `${found} diverged: a tick at the lower rim`) : null;
}
const hasSeeds = (bands) => bands.some((band) => band.items.some((one) => one.n > 1));

function legend(state, rows) {
  const box = h("span.ramp");
  const colours = ramp(state.plot?.colours?.dark ?? false, 12)
    .slice(2)
    .map(cssColour);
  box.style.setProperty("background", `linear-gradient(90deg, ${colours.join(", ")})`);
  const many = rows.length > 150;
  return h(
    "div.legend",
    {},
    many
      ? h("span", {}, "1 run", box, plural(state.plot?.most ?? rows.length, "run"))
      : (colourLegend(state.curves.data, state.plot?.colours?.dark) ??
          drawnStates(state, rows).map((one) => stateMark(one))),
    h("span", {}, `${plural(rows.length, "run")} drawn`),
    divergedNote(state, rows),
    hasSeeds(state.bands)
      ? h("span", {}, "bands: interquartile mean over seeds with its 95 % t-interval")
      : null,
    param("y") === "log" && state.plot?.y?.kind === "symlog"
      ? h("span", {}, "symlog, as some values have no logarithm")
      : null,
    param("q")
      ? h("span", {}, "black: median and quartiles of each phase; red: the best value stopped there")
      : null,
    state.bands.map((band) => link(band.name)),
    h("span.muted", {}, "drag to zoom, double-click to reset"),
  );
}

export async function curvesPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  const curves = new Curves(data);
  const state = { curves, bands: [], phases: { items: [] } };
  const began = performance.now();
  const reading = Promise.all([data.loadSweep(), data.loadColumns(), curves.load()]);
  const side = h("div");
  const redraw = () => {
    state.rows = curves.rows();
    state.version = curves.version; // a picture that is ready asks for no newer one
    update(side, legend(state, state.rows));
    plot.redraw();
  };
  const view = () => {
    const rank = param("y") === "rank";
    const byPhase = param("x") === "phase";
    return {
      matrix: curves.matrix,
      cells: rank ? curves.rankCells(state.rows) : curves.matrix.cells,
      rows: state.rows,
      version: state.version,
      // Colours of a parameter are not to be mixed up with those of leaders.
      bands:
        param("colour") && picked().length === 0
          ? []
          : state.bands.map((band) => ({ ...band, byPhase })),
      phases: state.phases.items,
      unit: data.spec.budget.unit,
      metric: data.metric,
      colourOf: painter(data, curves.matrix, plot.colours?.dark),
      noteOf: (trial) => differences(data, trial),
      form: param("y", "linear"),
      rank,
      byPhase,
      zoom: zoomParam(),
      goal: data.objective.metricGoal,
      bar: data.objective.bar,
      showQuartiles: param("q") !== "",
    };
  };
  const plot = new CurvesPlot({
    view,
    zoom: (from, to) => {
      setParams({ zoom: `${from},${to}` });
      plot.redraw();
    },
    unzoom: () => {
      setParams({ zoom: "" });
      plot.redraw();
    },
    open: async (hit, event) => {
      if (!event.shiftKey && event.type !== "keydown") {
        togglePick(hit.trial);
        await more();
        return;
      }
      location.hash = links.run(hit.run);
    },
    onscale: () => update(side, legend(state, state.rows)),
    ondensity: () => update(side, legend(state, state.rows)),
    table: () => tableOf(curves, state.rows),
  });
  state.plot = plot;
  page.onLeave(() => plot.close());
  await reading; // its worker starts meanwhile
  const spent = performance.now() - began;
  const more = async () => {
    state.key = bandsKey(data);
    state.bands = await readBands(data);
    redraw();
  };
  const filter = filterBar(data, async () => {
    curves.version++;
    curves.ranks = null;
    await more();
  });
  await filter.ready;
  const quartiles = h(
    "button",
    {
      type: "button",
      "aria-pressed": String(param("q") !== ""),
      onclick: async () => {
        setParams({ q: param("q") ? "" : "1" });
        quartiles.setAttribute("aria-pressed", String(param("q") !== ""));
        if (param("q")) state.phases = await get(`/v1/sweeps/${id}/phases`);
        redraw();
      },
    },
    "Quartiles and stops",
  );
  if (param("q")) state.phases = await get(`/v1/sweeps/${id}/phases`);
  redraw();
  more();
  const colours = choice(
    "colour",
    "colour",
    [["state", "state"], ...data.parameters.map(({ name }) => [name, name])],
    redraw,
  );
  const leaders = async () => (state.key === bandsKey(data) ? redraw() : more());
  follow(page, { id, data, curves, filter, redraw, spent, plot, leaders });
  const bar = h(
    "div.bar",
    {},
    choice(
      "x",
      "x",
      [
        ["step", data.spec.budget.unit],
        ["phase", "phase"],
      ],
      () => {
        setParams({ zoom: "" });
        redraw();
      },
    ),
    choice(
      "y",
      "y",
      [
        ["linear", "linear"],
        ["log", "log"],
        ["symlog", "symlog"],
        ["rank", "rank"],
      ],
      redraw,
    ),
    colours,
    quartiles,
    h("span.muted.small", {}, "Click selects a trial; Shift-click or Enter opens its run."),
  );
  return [
    sweepHeading(page, data),
    sweepTabs(id, "curves"),
    filter.element,
    bar,
    card(`Learning curves: ${data.metric}`, [plot.element, side], { plot, id: "curves" }),
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
    timer ||= setTimeout(() => {
      timer = 0;
      last = performance.now();
      redraw();
    }, Math.max(0, wait));
  };
  call.cancel = () => clearTimeout(timer);
  return call;
}

// Reports are drawn soon after they arrive. New trials are read every two seconds, and all curves,
// for the states of runs and what forks inherit, less often if there are many.
function follow(page, { id, data, curves, filter, redraw, spent, plot, leaders }) {
  const paced = pacedBy(plot, redraw);
  const trials = throttled(2000, async () => {
    await data.loadColumns();
    filter.update();
    await leaders();
  });
  const all = throttled(
    2000,
    async () => {
      await curves.load();
      redraw();
    },
    spent,
  );
  page.onFrame((frame) => {
    if (!frame.resync && !frame.sweeps.includes(id)) return;
    if (!curves.add(frame.reports) || frame.resync || frame.reports.length < frame.events) {
      trials();
      all();
    }
    paced();
  });
  page.onLeave(() => {
    paced.cancel();
    trials.cancel();
    all.cancel();
  });
}

function tableOf({ matrix }, rows) {
  const list = [];
  for (const row of rows)
    for (let k = 0; k < matrix.points; k++) {
      const value = matrix.cells[row * matrix.points + k];
      if (!Number.isNaN(value))
        list.push([
          `rn_${matrix.trial[row]}.${matrix.replicate[row]}`,
          k,
          matrix.steps[k],
          Number.isFinite(value) ? Number(value.toPrecision(7)) : "diverged",
        ]);
    }
  return { header: ["run", "point", "step", "value"], rows: list };
}
