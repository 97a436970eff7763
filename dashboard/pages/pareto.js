// The trials that no other beats in every objective; with one objective, value against cost.
import { get } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { count, param, plural, short, words } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { links } from "../lib/route.js";
import { padded, robustRange } from "../lib/scale.js";
import { sweepData } from "../lib/sweep.js";
import { Plot } from "../chart/plot.js";
import { card } from "../ui/card.js";
import { filterBar } from "../ui/filter.js";
import { empty, link, paramList, sweepTabs, table } from "../ui/parts.js";
import { hypervolumePlot } from "./distribution.js";
import { sweepHeading } from "./heading.js";

// Points {x, y, row, front}: the first two objectives of the rows that have them, or units
// trained and value. The server names the front.
function pointsOf(data, answer, rows) {
  const { columns } = data;
  const several = answer.objectives.length > 1;
  const [xs, ys] = several
    ? [columns.value, columns[`further.${answer.objectives[1].metric}`]]
    : [columns.steps, columns.value];
  const front = new Map(answer.items.map((one) => [Number(one.id.slice(3)), one.values]));
  const metrics = answer.objectives.map((one) => one.metric);
  const points = [];
  for (const row of rows) {
    const values = front.get(columns.trial[row]);
    const [x, y] = values ? metrics.map((metric) => values[metric]) : [xs[row], ys[row]];
    if (typeof x === "number" && typeof y === "number")
      points.push({ x, y, row, front: values !== undefined });
  }
  return several ? points : markFront(points, data.goal);
}

// Cheaper or better than every other.
function markFront(points, goal) {
  const merit = (one) => (goal === "maximize" ? one.y : -one.y);
  let best = -Infinity;
  for (const one of [...points].sort((a, b) => a.x - b.x || merit(b) - merit(a))) {
    one.front = merit(one) > best;
    best = Math.max(best, merit(one));
  }
  return points;
}

function nearest(p, points, x, y) {
  let best = null;
  let least = 200;
  for (const one of points) {
    const far = (p.x.at(one.x) - x) ** 2 + (p.y.at(one.y) - y) ** 2;
    if (far >= least) continue;
    least = far;
    best = one;
  }
  return best;
}

function frontPlot(state, data) {
  const names = () =>
    state.answer.objectives.length < 2
      ? [`${data.spec.budget.unit} trained`, data.objective.value]
      : state.answer.objectives.map((one) => `${one.metric} (${one.goal})`);
  const trialOf = (one) => `tr_${data.columns.trial[one.row]}`;
  const hitOf = (p, one) => ({
    x: p.x.at(one.x),
    y: p.y.at(one.y),
    trial: trialOf(one),
    text: [
      `${trialOf(one)}, ${one.front ? "on the front" : words(data.columns.state[one.row])}`,
      `${names()[0]} ${short(one.x)}`,
      `${names()[1]} ${short(one.y)}`,
      ...data.paramsOf(one.row).map(([name, value]) => `${name} ${param(value)}`),
    ].join("\n"),
  });
  return new Plot({
    label: "Pareto front",
    height: 380,
    paint: (p) => {
      const { points } = state;
      if (points.length === 0) return p.message("No trial has a value yet.");
      p.axes(
        {
          domain: padded(robustRange(points.map((one) => one.x))),
          label: names()[0],
          format: count,
        },
        { domain: padded(robustRange(points.map((one) => one.y))), label: names()[1] },
      );
      // Between two trials of the front the better of both in x has what is reached in y.
      const ascending = state.answer.objectives[0]?.goal !== "maximize";
      p.inside((ctx) => drawFront(p, ctx, points, ascending));
      return undefined;
    },
    hit: (p, x, y) => {
      const near = nearest(p, state.points, x, y);
      return near && hitOf(p, near);
    },
    move: (p, key) => {
      const front = state.points.filter((one) => one.front).sort((a, b) => a.x - b.x);
      p.step =
        (front.length + (p.step ?? -1) + (key === "ArrowRight" || key === "ArrowUp" ? 1 : -1)) %
        Math.max(1, front.length);
      return front.length ? hitOf(p, front[p.step]) : null;
    },
    open: (hit) => {
      location.hash = links.trial(hit.trial);
    },
    table: () => ({
      header: ["trial", ...names(), "front"],
      rows: state.points.map((one) => [trialOf(one), one.x, one.y, one.front ? "yes" : "no"]),
    }),
  });
}

function drawFront(p, ctx, points, ascending) {
  ctx.globalAlpha = 0.6;
  ctx.fillStyle = p.colours.stopped;
  for (const one of points)
    if (!one.front) ctx.fillRect(p.x.at(one.x) - 2, p.y.at(one.y) - 2, 4, 4);
  ctx.globalAlpha = 1;
  ctx.fillStyle = ctx.strokeStyle = p.colours.c2;
  const sign = ascending ? 1 : -1;
  const front = points.filter((one) => one.front).sort((a, b) => sign * (a.x - b.x));
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  front.forEach((one, i) => {
    if (i > 0) ctx.lineTo(p.x.at(one.x), p.y.at(front[i - 1].y));
    ctx.lineTo(p.x.at(one.x), p.y.at(one.y));
  });
  ctx.stroke();
  for (const one of front) {
    ctx.beginPath();
    ctx.arc(p.x.at(one.x), p.y.at(one.y), 4, 0, 7);
    ctx.fill();
  }
}

// Only completed trials can be on the front: others are judged by what they reached.
const legendOf = ({ answer: { objectives } }) => [
  h("span", {}, h("span.dot.front"), "no other trial is better in both"),
  h("span", {}, h("span.dot.stopped"), "the others"),
  objectives.length > 2
    ? h(
        "span",
        {},
        `The front is that of ${objectives.length} objectives: ${objectives.map((one) => one.metric).join(", ")}.`,
      )
    : null,
];

// The trials on the front, in the order of `hone best --pareto`.
export const frontTable = (answer, shown = () => true) =>
  answer.items.filter(shown).length === 0
    ? empty(
        answer.items.length
          ? "The filter leaves no trial of the front."
          : "No completed trial yet.",
      )
    : table(
        [
          ["Trial", (one) => link(one.id)],
          ...answer.objectives.map((goal) => [
            `${goal.metric} (${goal.goal})`,
            (one) => short(one.values[goal.metric]),
            { num: true },
          ]),
          ["Parameters", (one) => paramList(one.params)],
          ["Model", (one) => (one.model ? link(one.model) : null), { optional: true }],
        ],
        answer.items.filter(shown),
        "Pareto front",
      );

const ofFront = { flush: true, id: "front" };

const volumeNote =
  "The share that the front of completed trials dominates of the box between the best and the " +
  "worst value of each objective.";
const volumeCard = (plot) =>
  card("Hypervolume by trials", [plot.element, h("p.legend", {}, volumeNote)], {
    ...{ plot, id: "hypervolume" },
  });

export const frontTitle = (answer) =>
  `Pareto front: ${plural(answer.front, "trial")} of ${answer.completed} completed`;

export async function paretoPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  const state = {};
  const read = async () => {
    await Promise.all([data.loadSweep(), data.loadColumns()]);
    state.answer =
      data.objective.goals.length > 1
        ? await get(`/v1/sweeps/${id}/pareto?limit=1000`)
        : { objectives: [], items: [] };
  };
  await read();
  const plot = frontPlot(state, data);
  const several = state.answer.objectives.length > 1;
  const volume = several ? hypervolumePlot(data) : null;
  const list = h("div");
  const draw = () => {
    const rows = data.visible();
    const shown = new Set(rows.map((row) => data.columns.trial[row]));
    state.points = pointsOf(data, state.answer, rows);
    plot.redraw();
    volume?.redraw();
    update(
      list,
      frontTable(state.answer, (one) => shown.has(Number(one.id.slice(3)))),
    );
  };
  const filter = filterBar(data, draw);
  await filter.ready;
  draw();
  const soon = throttled(2000, async () => {
    await read();
    filter.update();
    draw();
  });
  page.onFrame((frame) => {
    if (frame.resync || frame.sweeps.includes(id)) soon();
  });
  page.onLeave(() => {
    soon.cancel();
    plot.close();
    volume?.close();
  });
  const title = several ? "Pareto front" : "Value against cost";
  return [
    sweepHeading(page, data),
    sweepTabs(id, "pareto"),
    filter.element,
    card(title, [plot.element, h("div.legend", {}, legendOf(state))], {
      plot,
      id: "pareto",
    }),
    several ? [volumeCard(volume), card(frontTitle(state.answer), list, ofFront)] : null,
  ];
}
