// The trials that no other beats in every objective; with one objective, value against cost.
import { get } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";
import { count, plural, short } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { links } from "../lib/route.js";
import { padded, robustRange } from "../lib/scale.js";
import { sweepData } from "../lib/sweep.js";
import { Plot } from "../chart/plot.js";
import { card } from "../ui/card.js";
import { empty, link, paramList, sweepTabs, table } from "../ui/parts.js";
import { sweepHeading } from "./heading.js";

// Points {x, y, trial, front}: the two objectives, or units trained and value.
function pointsOf(data, answer) {
  const { columns } = data;
  if (answer.objectives.length < 2) {
    const points = [];
    for (let row = 0; row < data.rows; row++) {
      if (typeof columns.value[row] === "number")
        points.push({
          x: columns.steps[row],
          y: columns.value[row],
          trial: `tr_${columns.trial[row]}`,
        });
    }
    return markFront(points, data.goal);
  }
  const [a, b] = answer.objectives.map((one) => one.metric);
  return answer.items
    .filter((one) => typeof one.values[a] === "number" && typeof one.values[b] === "number")
    .map((one) => ({ x: one.values[a], y: one.values[b], trial: one.id, front: true }));
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

function frontPlot(state, data) {
  const names = () =>
    state.answer.objectives.length < 2
      ? [`${data.spec.budget.unit} trained`, data.objective.value]
      : state.answer.objectives.map((one) => `${one.metric} (${one.goal})`);
  const hitOf = (p, one) => ({
    x: p.x.at(one.x),
    y: p.y.at(one.y),
    trial: one.trial,
    text: `${one.trial}${one.front ? ", on the front" : ""}\n${names()[0]} ${short(one.x)}\n${names()[1]} ${short(one.y)}`,
  });
  return new Plot({
    label: "Pareto front",
    height: 380,
    paint: (p) => {
      const { points } = state;
      if (points.length === 0) return p.message("No completed trial yet.");
      p.axes(
        {
          domain: padded(robustRange(points.map((one) => one.x))),
          label: names()[0],
          format: count,
        },
        { domain: padded(robustRange(points.map((one) => one.y))), label: names()[1] },
      );
      p.inside((ctx) => drawFront(p, ctx, points));
      return undefined;
    },
    hit: (p, x, y) => {
      let best = null;
      let least = 200;
      for (const one of state.points) {
        const far = (p.x.at(one.x) - x) ** 2 + (p.y.at(one.y) - y) ** 2;
        if (far < least) {
          least = far;
          best = one;
        }
      }
      return best && hitOf(p, best);
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
      rows: state.points.map((one) => [one.trial, one.x, one.y, one.front ? "yes" : "no"]),
    }),
  });
}

function drawFront(p, ctx, points) {
  ctx.globalAlpha = 0.6;
  ctx.fillStyle = p.colours.stopped;
  for (const one of points)
    if (!one.front) ctx.fillRect(p.x.at(one.x) - 2, p.y.at(one.y) - 2, 4, 4);
  ctx.globalAlpha = 1;
  ctx.fillStyle = ctx.strokeStyle = p.colours.c2;
  const front = points.filter((one) => one.front).sort((a, b) => a.x - b.x);
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

export async function paretoPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  const state = {};
  const read = async () => {
    await Promise.all([data.loadSweep(), data.loadColumns()]);
    state.answer =
      (data.spec.objectives ?? []).length > 1
        ? await get(`/v1/sweeps/${id}/pareto?limit=1000`)
        : { objectives: [], items: [] };
    state.points = pointsOf(data, state.answer);
  };
  await read();
  const plot = frontPlot(state, data);
  const list = h("div");
  const draw = () => {
    plot.redraw();
    const { answer } = state;
    replace(
      list,
      answer.items.length === 0
        ? empty("No completed trial yet.")
        : table(
            [
              ["Trial", (one) => link(one.id)],
              ...answer.objectives.map((goal) => [
                goal.metric,
                (one) => short(one.values[goal.metric]),
                { num: true },
              ]),
              ["Parameters", (one) => paramList(one.params)],
              ["Model", (one) => (one.model ? link(one.model) : null)],
            ],
            answer.items,
            "Pareto front",
          ),
    );
  };
  draw();
  const soon = throttled(2000, async () => {
    await read();
    draw();
  });
  page.onFrame((frame) => {
    if (frame.resync || frame.sweeps.includes(id)) soon();
  });
  page.onLeave(() => {
    soon.cancel();
    plot.close();
  });
  const title = state.answer.objectives.length < 2 ? "Value against cost" : "Pareto front";
  const front =
    state.answer.objectives.length < 2
      ? null
      : card(
          `${plural(state.answer.front, "trial")} of ${state.answer.completed} completed on the front`,
          list,
          { flush: true },
        );
  return [
    sweepHeading(page, data),
    sweepTabs(id, "pareto"),
    card(title, [plot.element, h("p.legend", {}, "Orange: no other trial is better in both.")], {
      plot,
      id: "pareto",
    }),
    front,
  ];
}
