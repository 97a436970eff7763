// Two sweeps side by side: their best values over the same budget, and how their files differ.
import { get } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";
import { count, duration, short } from "../lib/format.js";
import { param, setParams } from "../lib/route.js";
import { padded } from "../lib/scale.js";
import { sweepData } from "../lib/sweep.js";
import { objectiveOf } from "../lib/sweep_words.js";
import { dashes } from "../lib/colour.js";
import { Plot } from "../chart/plot.js";
import { card } from "../ui/card.js";
import { empty, link, problem, sweepTabs, table } from "../ui/parts.js";
import { sweepHeading } from "./heading.js";

// "parameters.lr.min": value, for every leaf of a document.
export function leaves(value, path = "", found = new Map()) {
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    for (const [key, one] of Object.entries(value))
      leaves(one, path ? `${path}.${key}` : key, found);
  } else found.set(path, JSON.stringify(value));
  return found;
}

export function differences(a, b) {
  const [left, right] = [leaves(a), leaves(b)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((key) => left.get(key) !== right.get(key))
    .map((key) => ({ key, a: left.get(key), b: right.get(key) }));
}

function historyOf(state, by) {
  const label = { trial: "trials", time: "time since submission", spent: "trained" }[by];
  return new Plot({
    label: "Best values of both sweeps",
    height: 320,
    paint: (p) => {
      const both = state.sides.map((side) => side.history).filter((one) => one?.points.length);
      if (both.length === 0) return p.message("No report yet.");
      const values = both.flatMap((one) => one.points.map((point) => point.value));
      p.axes(
        {
          domain: [0, Math.max(...both.map((one) => one.end), 1)],
          label,
          format: by === "time" ? duration : count,
        },
        {
          domain: padded([Math.min(...values), Math.max(...values)]),
          label: objectiveOf(state.sides[0].sweep).value,
        },
      );
      p.inside((ctx) =>
        both.forEach((one, i) => {
          ctx.strokeStyle = p.colours.series[i];
          ctx.lineWidth = 2;
          ctx.setLineDash(dashes[i]);
          ctx.beginPath();
          one.points.forEach((point, k) => {
            if (k > 0) ctx.lineTo(p.x.at(point.x), p.y.at(one.points[k - 1].value));
            ctx.lineTo(p.x.at(point.x), p.y.at(point.value));
          });
          ctx.lineTo(p.x.at(one.end), p.y.at(one.points.at(-1).value));
          ctx.stroke();
          ctx.setLineDash([]);
        }),
      );
      return undefined;
    },
    table: () => ({
      header: ["sweep", by, "best", "trial"],
      rows: state.sides.flatMap((side) =>
        (side.history?.points ?? []).map((one) => [side.sweep.id, one.x, one.value, one.trial]),
      ),
    }),
  });
}

// The newest sweep of the same objective, if possible on the same data set.
function closest(sweep, others) {
  const { metric, goal } = sweep.objective;
  const same = others.filter(
    (one) => one.objective.metric === metric && one.objective.goal === goal,
  );
  return same.find((one) => one.dataset && one.dataset === sweep.dataset) ?? same[0] ?? others[0];
}

// Values of different objectives cannot be compared; the files still can.
const objectives = (sides) => {
  const [a, b] = sides.map(({ sweep }) => objectiveOf(sweep).text);
  return a === b
    ? null
    : h("p.warn.whole", {}, `The sweeps have different objectives: ${a}, and ${b}.`);
};

export async function comparePage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  await data.loadSweep();
  const others = (await get("/v1/sweeps?limit=200")).items.filter((one) => one.id !== id);
  const place = h("div.grid");
  let plot = null;
  const draw = async () => {
    const other = param("with") || closest(data.sweep, others)?.id;
    if (!other)
      return void replace(
        place,
        h("div.card", {}, empty("There is no other sweep to compare with.")),
      );
    const by = param("by") || "spent";
    try {
      const sides = await Promise.all(
        [id, other].map(async (one) => ({
          sweep: await get(`/v1/sweeps/${one}`),
          history: await get(`/v1/sweeps/${one}/history?by=${by}`),
        })),
      );
      plot?.close();
      plot = historyOf({ sides }, by);
      const diff = differences(...sides.map((side) => side.sweep.spec));
      const names = sides.map((side, i) =>
        h(
          "span",
          {},
          h("span.key", {
            style: {
              "border-color": `var(--c${i + 1})`,
              "border-top-style": i ? "dashed" : "solid",
            },
          }),
          link(side.sweep.id, side.sweep.name || side.sweep.id),
          ` leads with ${side.sweep.best ? short(side.sweep.best.value) : "–"}`,
        ),
      );
      replace(
        place,
        objectives(sides),
        card(
          by === "trial" ? "Best trial so far" : "Best report so far",
          [plot.element, h("div.legend", {}, names)],
          { plot, id: "compare" },
        ),
        card(
          "Differences of the sweep files",
          diff.length === 0
            ? empty("The sweep files are equal.")
            : table(
                [
                  ["Field", (one) => h("span.mono", {}, one.key)],
                  [id, (one) => h("span.mono", {}, one.a ?? "–")],
                  [other, (one) => h("span.mono", {}, one.b ?? "–")],
                ],
                diff,
                "Differences",
              ),
          { flush: true },
        ),
      );
    } catch (error) {
      replace(place, problem(error, draw));
    }
    return undefined;
  };
  await draw();
  page.onLeave(() => plot?.close());
  const choose = (name, options, fallback) =>
    h(
      "select",
      {
        "aria-label": name,
        onchange: (event) => {
          setParams({ [name]: event.target.value });
          draw();
        },
      },
      options.map(([value, text]) =>
        h("option", { value, selected: (param(name) || fallback) === value }, text),
      ),
    );
  return [
    sweepHeading(page, data),
    sweepTabs(id, "compare"),
    h(
      "div.bar",
      {},
      h(
        "label",
        {},
        "Compare with",
        choose(
          "with",
          others.map((one) => [one.id, `${one.id} ${one.name}`]),
          closest(data.sweep, others)?.id,
        ),
      ),
      h(
        "label",
        {},
        "over",
        choose(
          "by",
          [
            ["spent", "units trained"],
            ["trial", "trials"],
            ["time", "time"],
          ],
          "spent",
        ),
      ),
    ),
    place,
  ];
}
