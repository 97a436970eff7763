// Tuned value against confirmed value: what selection over noisy runs promised, and what held.
import { get, post, requestId } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { percent, short } from "../lib/format.js";
import { links } from "../lib/route.js";
import { padded } from "../lib/scale.js";
import { sweepData } from "../lib/sweep.js";
import { Plot } from "../chart/plot.js";
import { card } from "../ui/card.js";
import { ask } from "../ui/dialog.js";
import { empty, link, paramList, stateMark, sweepTabs, table } from "../ui/parts.js";
import { scheduleNote } from "../ui/schedule.js";
import { sweepHeading } from "./heading.js";

// One row for each trial: a ring at the tuned value, a dot with an interval at the confirmed one.
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
            text: `${one.of ?? one.trial}\ntuned ${short(one.tuned_value)}\nconfirmed IQM ${short(one.iqm)}${one.interval ? ` [${one.interval.map(short).join(", ")}]` : ""}, n = ${one.seeds}`,
          }
        : null;
    },
    open: (hit) => {
      location.hash = links.trial(hit.trial);
    },
    table: () => ({
      header: [
        "rank",
        "trial",
        "tuned rank",
        "tuned",
        "confirmed IQM",
        "low",
        "high",
        "seeds",
        "optimism",
      ],
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

export async function confirmPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  await data.loadSweep();
  const best = await get(`/v1/sweeps/${id}/best?limit=1`);
  const answer =
    best.confirmation || data.sweep.confirms
      ? await get(`/v1/sweeps/${id}/confirm`)
      : { refused: `No confirmation of ${id} has been started` };
  const start = page.can("submit") && !data.sweep.confirms ? confirmButton(data) : null;
  const head = [sweepHeading(page, data), sweepTabs(id, "confirm")];
  if (answer.refused) {
    return [
      ...head,
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
      ),
    ];
  }
  const plot = dumbbells(answer, data);
  page.onLeave(() => plot.close());
  page.onFrame((frame) => {
    if (frame.sweeps.includes(answer.confirmation) && frame.events > frame.reports.length)
      page.again();
  });
  return [
    ...head,
    card(
      "Tuned against confirmed",
      [
        plot.element,
        h(
          "p.legend",
          {},
          h(
            "span",
            {},
            h("span.key", { style: { "border-color": "var(--c2)" } }),
            "tuned value (ring)",
          ),
          h(
            "span",
            {},
            h("span.key", { style: { "border-color": "var(--c1)" } }),
            `confirmed IQM over ${answer.seeds} seeds, with its 95 % t-interval`,
          ),
          h("span", {}, link(answer.confirmation), stateMark(answer.state)),
        ),
      ],
      { plot, end: start, id: "confirm" },
    ),
    card(
      "Ranking",
      table(
        [
          ["#", (one) => one.rank, { num: true }],
          [
            "Trial",
            (one) =>
              h(
                "span.one-line",
                {},
                link(one.of ?? one.trial),
                one.of ? h("span.muted.small", {}, " as ", link(one.trial)) : "",
              ),
          ],
          ["Tuned rank", (one) => one.tuned_rank, { num: true }],
          ["Tuned", (one) => short(one.tuned_value), { num: true }],
          ["Confirmed IQM", (one) => short(one.iqm), { num: true }],
          [
            "Interval",
            (one) => (one.interval ? `[${one.interval.map(short).join(", ")}]` : null),
            { num: true },
          ],
          [
            "Tuned − confirmed",
            (one) => (one.optimism === undefined ? null : short(one.optimism)),
            { num: true },
          ],
          ["Seeds", (one) => one.seeds, { num: true }],
          [
            "Chance of best",
            (one) => (typeof one.chance_best === "number" ? percent(one.chance_best) : null),
            { num: true },
          ],
          ["Parameters", (one) => [paramList(one.params), scheduleNote(one)]],
        ],
        answer.items,
        "Confirmation",
      ),
      { flush: true, id: "ranking" },
    ),
  ];
}
