// Tuned value against confirmed value: what selection over noisy runs promised, and what held.
import { get, post, requestId } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { percent, short } from "../lib/format.js";
import { links } from "../lib/route.js";
import { padded } from "../lib/scale.js";
import { brushedTrials, sweepData } from "../lib/sweep.js";
import { Plot } from "../chart/plot.js";
import { card } from "../ui/card.js";
import { brushChips } from "../ui/filter.js";
import { ask } from "../ui/dialog.js";
import { link, paramList, stateMark, sweepTabs, table } from "../ui/parts.js";
import { scheduleNote } from "../ui/schedule.js";
import { sweepHeading } from "./heading.js";

// One row for each trial: a ring at the tuned value, a dot with an interval at the confirmed one.
function dumbbellText(one) {
  const interval = one.interval ? ` [${one.interval.map(short).join(", ")}]` : "";
  return [
    one.of ?? one.trial,
    `tuned ${short(one.tuned_value)}`,
    `confirmed IQM ${short(one.iqm)}${interval}, n = ${one.seeds}`,
  ].join("\n");
}

const dumbbellHeader = [
  ...["rank", "trial", "tuned rank", "tuned", "confirmed IQM"],
  ...["low", "high", "seeds", "optimism"],
];

function dumbbells(answer, data) {
  const items = answer.items.filter((one) => typeof one.iqm === "number");
  const values = items
    .flatMap((one) => [one.iqm, ...(one.interval ?? []), one.tuned_value])
    .filter((value) => typeof value === "number");
  return new Plot({
    label: "Tuned against confirmed value",
    height: Math.max(140, 34 * items.length + 60),
    margin: { left: 130, right: 24, top: 10, bottom: 36 },
    paint: (p) => {
      if (items.length === 0) return p.message("No run of the confirmation has ended yet.");
      p.axes(
        {
          domain: padded([Math.min(...values), Math.max(...values)]),
          label: data.objective.value,
        },
        { domain: [0, 1], ticks: [] },
      );
      items.forEach((one, i) =>
        dumbbell(p, one, p.top + (i + 0.5) * ((p.bottom - p.top) / items.length)),
      );
      return undefined;
    },
    hit: (p, x, y) => {
      const one = items[Math.floor(((y - p.top) / (p.bottom - p.top)) * items.length)];
      return one
        ? {
            x,
            y,
            trial: one.of ?? one.trial,
            text: dumbbellText(one),
          }
        : null;
    },
    open: (hit) => {
      location.hash = links.trial(hit.trial);
    },
    table: () => ({
      header: dumbbellHeader,
      rows: answer.items.map((one) => [
        one.rank,
        one.of ?? one.trial,
        one.tuned_rank,
        one.tuned_value,
        one.iqm,
        one.interval?.[0],
        one.interval?.[1],
        one.seeds,
        one.optimism,
      ]),
    }),
  });
}

function dumbbell(p, one, y) {
  const { ctx, colours } = p;
  ctx.fillStyle = colours.ink;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  ctx.fillText(`${one.rank}.  ${one.of ?? one.trial}`, p.left - 10, y);
  ctx.strokeStyle = colours["line-strong"];
  ctx.lineWidth = 1;
  if (typeof one.tuned_value === "number") p.line(p.x.at(one.tuned_value), y, p.x.at(one.iqm), y);
  ctx.strokeStyle = ctx.fillStyle = colours.c1;
  ctx.lineWidth = 3;
  if (one.interval?.every((end) => typeof end === "number"))
    p.line(p.x.at(one.interval[0]), y, p.x.at(one.interval[1]), y);
  ctx.beginPath();
  ctx.arc(p.x.at(one.iqm), y, 5, 0, 7);
  ctx.fill();
  if (typeof one.tuned_value !== "number") return;
  ctx.strokeStyle = colours.c2;
  ctx.fillStyle = colours.ground;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.arc(p.x.at(one.tuned_value), y, 5, 0, 7);
  ctx.fill();
  ctx.stroke();
}

export function confirmButton(data, kind = "button.primary") {
  return h(
    kind,
    {
      type: "button",
      dataset: { verb: "confirm" },
      onclick: () =>
        ask({
          title: `Confirm the leaders of ${data.id}`,
          yes: "Start the confirmation",
          text: "A new sweep trains the best trials in full, on seeds that tuning never used. Nothing of this sweep changes.",
          fields: [
            { name: "top", label: "Trials", value: "3", kind: "number", min: 1 },
            { name: "seeds", label: "Seeds for each", value: "10", kind: "number", min: 2 },
          ],
          act: async ({ top, seeds }) => {
            const answer = await post(`/v1/sweeps/${data.id}/confirm`, {
              request_id: requestId(),
              top: Number(top),
              seeds: Number(seeds),
            });
            location.hash = links.sweep(answer.sweep);
            return `${answer.sweep} confirms ${data.id}.`;
          },
        }),
    },
    "Confirm the leaders",
  );
}

const nothingConfirmed = (answer, start) =>
  h(
    "div.card",
    {},
    h(
      "div.empty",
      {},
      h("p", {}, `${answer.refused}.`),
      h(
        "p",
        {},
        "The best of many noisy runs looks better than it is. A confirmation trains the leaders again on unused seeds.",
      ),
      start,
    ),
  );

const legendOf = (answer) =>
  h(
    "p.legend",
    {},
    h("span", {}, h("span.key", { style: { "border-color": "var(--c2)" } }), "tuned value (ring)"),
    h(
      "span",
      {},
      h("span.key", { style: { "border-color": "var(--c1)" } }),
      `confirmed IQM over ${answer.seeds} seeds, with its 95 % t-interval`,
    ),
    h("span", {}, link(answer.confirmation), stateMark(answer.state)),
  );

const trialCell = (one) =>
  h(
    "span.one-line",
    {},
    link(one.of ?? one.trial),
    one.of ? h("span.muted.small", {}, " as ", link(one.trial)) : "",
  );
const num = { num: true };
const rankingColumns = [
  ["#", (one) => one.rank, num],
  ["Trial", trialCell],
  ["Tuned rank", (one) => one.tuned_rank, num],
  ["Tuned", (one) => short(one.tuned_value), num],
  ["Confirmed IQM", (one) => short(one.iqm), num],
  ["Interval", (one) => (one.interval ? `[${one.interval.map(short).join(", ")}]` : null), num],
  ["Tuned − confirmed", (one) => (one.optimism === undefined ? null : short(one.optimism)), num],
  ["Seeds", (one) => one.seeds, num],
  [
    "Chance of best",
    (one) => (typeof one.chance_best === "number" ? percent(one.chance_best) : null),
    num,
  ],
  ["Parameters", (one) => [paramList(one.params), scheduleNote(one)]],
];

async function readConfirmation(id, data) {
  await data.loadSweep();
  const best = await get(`/v1/sweeps/${id}/best?limit=1`);
  if (!best.confirmation && !data.sweep.confirms)
    return { refused: `No confirmation of ${id} has been started` };
  const answer = await get(`/v1/sweeps/${id}/confirm`);
  if (!answer.refused) await data.loadOutcomes();
  return answer;
}

export async function confirmPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  const answer = await readConfirmation(id, data);
  const start = page.can("submit") && !data.sweep.confirms ? confirmButton(data) : null;
  const head = [sweepHeading(page, data), sweepTabs(id, "confirm")];
  if (answer.refused) return [...head, nothingConfirmed(answer, start)];
  answer.items = answer.items.filter(brushedTrials(data, (one) => one.of ?? one.trial));
  const plot = dumbbells(answer, data);
  page.onLeave(() => plot.close());
  page.onFrame((frame) => {
    if (frame.sweeps.includes(answer.confirmation) && frame.events > frame.reports.length)
      page.again();
  });
  const ranking = table(rankingColumns, answer.items, "Confirmation");
  return [
    ...head,
    h("div.chips", {}, brushChips(data, page.again)),
    card("Tuned against confirmed", [plot.element, legendOf(answer)], {
      plot,
      end: start,
      id: "confirm",
    }),
    card("Ranking", ranking, { flush: true, id: "ranking" }),
  ];
}
