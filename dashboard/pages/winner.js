// The winner of a sweep: its value, how certain that is, its parameters and its cost.
import { get } from "../lib/api.js";
import { copyText, h } from "../lib/dom.js";
import { count, duration, param, plural, short } from "../lib/format.js";
import { cliText, pythonText, yamlText } from "../lib/params_text.js";
import { report } from "../lib/report.js";
import { links } from "../lib/route.js";
import { isModelled } from "../lib/sweep_words.js";
import { bandName, drawBands } from "../chart/band_lines.js";
import { Plot } from "../chart/plot.js";
import { card } from "../ui/card.js";
import { link, stateMark } from "../ui/parts.js";
import { padded } from "../lib/scale.js";
import { confirmButton } from "./confirm.js";

const copyButton = (title, text) =>
  h(
    "button.quiet.small",
    {
      type: "button",
      dataset: { copy: title },
      onclick: () => copyText(text(), `The parameters are in the clipboard as ${title}.`),
    },
    title,
  );

export const paramChips = (params) =>
  h(
    "div.chips",
    {},
    Object.entries(params).map(([name, value]) =>
      h("span.chip.mono", {}, h("span.muted", {}, name), ` ${param(value)}`),
    ),
  );

// Whether new seeds confirmed the order.
const stageOf = ({ confirmation, confirms }) =>
  confirmation ? "confirmed" : confirms ? "confirmation" : "not confirmed";

// How far the order can be trusted, as `hone best` prints it.
function caution({ confirmation, confirms, items, trials }) {
  if (confirmation) return ["by ", link(confirmation), " on new seeds"];
  if (confirms) return ["trained on new seeds, for ", link(confirms)];
  if (items.some(isModelled))
    return "single runs are noisy: ranked by what a model expects";
  if (items.some((one) => one.seeds < 2))
    return `ranked by single runs: the best of ${trials} is likely the luckiest`;
  return "tuning scores are optimistic";
}

// Of noisy single runs a model expects it, with a deviation.
const expectedText = (item, show) =>
  isModelled(item)
    ? `${show(item.expected)} expected in another training, ${rangeText([item.expected_low, item.expected_high])}`
    : `${show(item.expected)} expected on new seeds`;

const rangeText = ([low, high]) => `[${short(low)}, ${short(high)}]`;

const isConfirmed = (item) => typeof item.confirmed === "number" && item.confirmed_seeds > 0;

const overlap = (one, other) => one && other && one[0] <= other[1] && other[0] <= one[1];

// The value of a trial of the kind that ranks `first`.
const rankedBy = (first) => (one) =>
  isConfirmed(first) ? one.confirmed : isModelled(first) ? one.expected : one.value;

// How far the first is ahead of the second, where both are ranked by the same kind of value.
function leadOf([first, second]) {
  if (second?.comparable === false) return "no other trial trained as long";
  if (!second) return null;
  const confirmed = isConfirmed(first);
  const [value, other] = [first, second].map(rankedBy(first));
  if (typeof value !== "number" || typeof other !== "number") return null;
  const close = !confirmed && overlap(first.interval, second.interval);
  const kind = !confirmed && isModelled(first) ? ", as expected in another training" : "";
  const lead = `${short(Math.abs(value - other))} ahead of ${second.id}${kind}`;
  return close ? `${lead}, intervals overlap` : lead;
}

// The value that ranks, and what else is known of it.
function valueOf(item, best, data) {
  const { show } = data.objective;
  const confirmed = isConfirmed(item);
  const notes = [
    confirmed
      ? `on ${plural(item.confirmed_seeds, "new seed")}; ${show(item.value)} in tuning`
      : item.seeds > 1
        ? `${best.aggregate ?? "mean"} of ${plural(item.seeds, "seed")}`
        : "of one run",
    leadOf(best.items),
    !confirmed && item.interval ? `95 % interval ${rangeText(item.interval)}` : null,
    !confirmed && typeof item.expected === "number" ? expectedText(item, show) : null,
  ];
  return h(
    "div.winner-value",
    {},
    h("strong", {}, show(confirmed ? item.confirmed : item.value)),
    h("span.muted", {}, notes.filter(Boolean).join(" · ")),
  );
}

export const certaintyText = (best) => [
  h("span.chip.small", {}, stageOf(best)),
  " ",
  caution(best),
];

function certainty(page, best, data) {
  const open = page.can("submit") && !best.confirmation && !best.confirms && data.sweep.ended_at;
  return h(
    "p",
    { dataset: { certainty: "" } },
    certaintyText(best),
    ". ",
    best.confirmation
      ? h("a", { href: links.sweep(data.id, "confirm") }, "Tuned against confirmed")
      : open
        ? confirmButton(data, "button")
        : null,
  );
}

function costText(item, data) {
  const row = data.index.get(Number(item.id.slice(3)));
  if (row === undefined) return "";
  const { steps, seconds } = data.columns;
  const time = seconds[row] ? `, ${duration(seconds[row])}` : "";
  return `${count(steps[row])} ${data.spec.budget.unit}${time}`;
}

/** The plot of the winner's curve; curve(): the items of /v1/trials/ID/curve. */
export function winnerPlot(curve, data) {
  return new Plot({
    label: "The learning curve of the winner",
    height: 150,
    paint: (p) => {
      const items = curve().filter((one) => typeof one.iqm === "number");
      if (items.length === 0) return p.message("No report yet.");
      const ends = items.flatMap((one) => [one.low ?? one.iqm, one.high ?? one.iqm]);
      const band = { items, name: "" };
      p.roomForNames([bandName(band)]);
      p.axes(
        { domain: [0, items.at(-1).step], label: data.spec.budget.unit, format: count },
        { domain: padded([Math.min(...ends), Math.max(...ends)]), label: data.metric },
      );
      p.inside((ctx) => drawBands(p, ctx, [band]));
      p.barLine(data.objective.bar);
      return undefined;
    },
  });
}

export const readCurve = async (item) =>
  item ? (await get(`/v1/trials/${item.id}/curve`).catch(() => ({ items: [] }))).items : [];

export function winnerCard(page, best, data, plot) {
  const item = best.items[0];
  if (!item) return null;
  const { params, model } = item;
  return card(
    `Winner by ${data.objective.value}`,
    h(
      "div.winner",
      {},
      h(
        "div.stack",
        {},
        h("div.winner-head", {}, link(item.id), stateMark(item.state), valueOf(item, best, data)),
        certainty(page, best, data),
        paramChips(params),
        h(
          "p.muted.small",
          {},
          model ? ["Model ", link(model), " · "] : null,
          costText(item, data),
          " · copy: ",
          copyButton("YAML", () => yamlText(params)),
          copyButton("CLI", () => cliText(data.id, params)),
          copyButton("Python", () => pythonText(params)),
          report ? null : [" · ", h("a", { href: links.sweep(data.id, "events") }, "replay")],
        ),
      ),
      plot.element,
    ),
    { id: "winner" },
  );
}
