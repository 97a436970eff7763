// The legend of the learning curves: what colours and marks mean, and which trials are drawn.
import { cssColour, ramp } from "../lib/colour.js";
import { h } from "../lib/dom.js";
import { plural } from "../lib/format.js";
import { param, setParams } from "../lib/route.js";
import { lineKey } from "../ui/key.js";
import { runStates } from "../lib/states.js";
import { link, stateMark } from "../ui/parts.js";
import { colourLegend } from "./curve_colours.js";

const switchesAtMost = 60;

export const hiddenTrials = () => new Set(param("off").split(",").filter(Boolean).map(Number));
function switchTrial(trial) {
  const off = hiddenTrials();
  off.has(trial) ? off.delete(trial) : off.add(trial);
  setParams({ off: [...off].join(",") });
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

function densityKey({ plot }, rows) {
  const box = h("span.ramp");
  const colours = ramp(plot?.colours?.dark ?? false, 12)
    .slice(2)
    .map(cssColour);
  box.style.setProperty("background", `linear-gradient(90deg, ${colours.join(", ")})`);
  return h("span", {}, "1 run", box, plural(plot?.most ?? rows.length, "run"));
}

const switchOf = (trial, style, change) =>
  h(
    "button.chip.small",
    {
      type: "button",
      dataset: { key: `tr_${trial}` },
      "aria-label": `Curves of tr_${trial}`,
      "aria-pressed": String(!hiddenTrials().has(trial)),
      title: "Switch its curves on or off",
      onclick: () => {
        switchTrial(trial);
        change();
      },
    },
    style === null ? `tr_${trial}` : lineKey(style),
  );

// The trials with bands first; the others are folded.
function switches({ leaders, drawn }, change) {
  const others = drawn.filter((trial) => !leaders.includes(trial));
  if (leaders.length + others.length === 0) return null;
  const rest = others.slice(0, switchesAtMost);
  return h(
    "div.stack.tight",
    { role: "group", "aria-label": "Trials that are drawn" },
    h(
      "div.legend",
      {},
      leaders.map((trial, i) =>
        h(
          "span",
          { dataset: { key: `tr_${trial}` } },
          switchOf(trial, i, change),
          link(`tr_${trial}`),
        ),
      ),
      hiddenTrials().size > 0
        ? h(
            "button.quiet.small",
            {
              type: "button",
              onclick: () => {
                setParams({ off: "" });
                change();
              },
            },
            "All on",
          )
        : null,
    ),
    rest.length === 0
      ? null
      : h(
          "details",
          {},
          h(
            "summary.small",
            {},
            `Other trials${others.length > rest.length ? `, the best ${rest.length}` : ""}`,
          ),
          h(
            "div.legend",
            {},
            rest.map((trial) => switchOf(trial, null, change)),
          ),
        ),
  );
}

function notes(state, rows) {
  return [
    hasSeeds(state.bands)
      ? h(
          "span",
          {},
          "bands: interquartile mean over seeds with its 95 % t-interval",
          state.smooth ? ", smoothed" : "",
        )
      : null,
    param("y") === "log" && state.plot?.y?.kind === "symlog"
      ? h("span", {}, "symlog, as some values have no logarithm")
      : null,
    state.smooth ? h("span", {}, "faint: before smoothing") : null,
    param("q") && !state.series
      ? h(
          "span",
          {},
          "black: median and quartiles of each phase; red: the best value stopped there",
        )
      : null,
    state.left > 0
      ? h("span", {}, `the best ${rows.length} of ${rows.length + state.left} runs`)
      : null,
  ];
}

export function legend(state, change) {
  const { rows, dense } = state;
  return [
    h(
      "div.legend",
      {},
      dense
        ? densityKey(state, rows)
        : (colourLegend(state.curves.data, state.plot?.colours?.dark) ??
            drawnStates(state, rows).map((one) => stateMark(one))),
      h("span", {}, state.lines ? `${plural(rows.length, "run")} drawn` : "Reading …"),
      divergedNote(state, rows),
      notes(state, rows),
      h(
        "span.muted",
        {},
        "drag to zoom, a box for both axes, double-click resets; click selects a trial, Shift-click or Enter opens its run",
      ),
    ),
    switches(state, change),
  ];
}
