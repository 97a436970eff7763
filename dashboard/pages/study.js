// A study (docs/study.md): methods compared on problems, with the numbers of `hone study show`.
import { get } from "../lib/api.js";
import { h, toast } from "../lib/dom.js";
import { count, duration, percent, plural, short } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { address } from "../lib/route.js";
import { update } from "../lib/update.js";
import { BandsPlot } from "../chart/bands.js";
import { card } from "../ui/card.js";
import { facts, heading, link, stateMark, table } from "../ui/parts.js";

const rereadTime = 15000; // the server resamples all scores for an answer

const rangeOf = (interval) =>
  interval
    ? [" ", h("span.muted.num", {}, `[${short(interval[0])}, ${short(interval[1])}]`)]
    : null;

function stateOf({ outcomes, expected, running }) {
  if (outcomes === expected) return stateMark("completed", "complete");
  return running
    ? stateMark("running")
    : stateMark("paused", "not running: hone study run continues it");
}

const factsOf = (study) => [
  ["Whole repetitions", `${study.repetitions} of ${study.most_repetitions}`, "that every cell has"],
  ["Repetitions of cells", `${count(study.outcomes)} of ${count(study.expected)}`],
  study.seconds_left !== null && [
    study.sequential ? "Time left, at most" : "Time left",
    duration(study.seconds_left),
    "at the pace of the last 20",
  ],
];

const methodColumns = [
  ["Method", (one) => one.method],
  ["Score", (one) => [short(one.iqm), rangeOf(one.interval)], { num: true }],
  ["Mean rank", (one) => short(one.mean_rank), { num: true }],
  ["Beaten", (one) => percent(one.beaten), { num: true }],
  ["Optimism", (one) => short(one.optimism), { num: true }],
  ["Area", (one) => short(one.area), { num: true }],
];

const scoreNote =
  "Score: interquartile mean of the values on new seeds, as shares of the problems' scales, with its " +
  "95 % interval. Beaten: the chance that the first method is better in one run each.";

// The sweeps of a cell, as the list of sweeps filters them.
const sweepsOf = (study, { method, problem }) =>
  address([], { where: `tag = "study/${study}" and tag = "cell/${method}/${problem}"` });

function cellOf(study, found, { done, running, ...cell }) {
  return [
    found ? h("div", {}, short(found.value), rangeOf(found.interval)) : null,
    found?.without_value > 0 ? h("div.bad", {}, `${found.without_value} without a value`) : null,
    h("a.small", { href: sweepsOf(study.study, cell) }, `${done} of ${study.most_repetitions}`),
    running.map((id) => [" ", stateMark("running", link(id))]),
  ];
}

function cellsTable(study) {
  const methods = study.methods.length > 0 ? study.methods : study.progress;
  const names = [...new Set(methods.map((one) => one.method))];
  const problems = [...new Set(study.progress.map((one) => one.problem))];
  const find = (list, method, problem) =>
    list.find((one) => one.method === method && one.problem === problem);
  const columns = names.map((method) => [
    method,
    (problem) =>
      cellOf(study, find(study.cells, method, problem), find(study.progress, method, problem)),
  ]);
  return table([["Problem", (problem) => problem], ...columns], problems, "Cells");
}

const bandsOf = ({ anytime: { spent, methods }, repetitions }) =>
  methods.map(({ method, points }, style) => ({
    ...{ name: method, style },
    items: points.map(([iqm, low, high], i) => ({
      ...{ step: spent[i], n: repetitions },
      ...{ iqm, low, high },
    })),
  }));

export async function studyPage(page) {
  const path = `/v1/studies/${encodeURIComponent(page.ids[0])}`;
  let study = await get(path);
  const plot = new BandsPlot({
    label: "Score of the best report so far by cost",
    view: () => ({
      bands: bandsOf(study),
      x: { kind: "log", first: 0.01, label: "of a repetition's cost", format: percent },
      y: { label: "score", bar: null },
    }),
  });
  const [head, cards] = [h("div"), h("div.grid")];
  const curve = card("The best so far by cost", plot.element, { plot, id: "anytime" });
  const draw = () => {
    update(
      head,
      heading(study.study, [stateOf(study), study.question ? h("span", {}, study.question) : null]),
    );
    const noted = (content, note) => [content, h("p.legend.body", {}, note)];
    update(
      cards,
      h("div.whole", {}, facts(factsOf(study))),
      card(
        "What may be concluded",
        study.conclusions.map((sentence) => h("p", {}, sentence)),
      ),
      study.methods.length > 0
        ? card("Methods", noted(table(methodColumns, study.methods, "Methods"), scoreNote), {
            ...{ flush: true, id: "methods" },
          })
        : null,
      card(
        `${plural(study.progress.length, "cell")}: value on new seeds, repetitions, sweeps`,
        cellsTable(study),
        { flush: true, id: "cells" },
      ),
      curve,
    );
    plot.redraw();
  };
  draw();
  const again = throttled(rereadTime, async () => {
    study = await get(path).catch((error) => (toast(error.message), study));
    draw();
  });
  page.onFrame(again);
  page.onLeave(() => {
    again.cancel();
    plot.close();
  });
  return [head, cards];
}
