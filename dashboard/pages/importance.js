// How much of the objective each parameter explains, as bars with their spread.
import { h, replace } from "../lib/dom.js";
import { plural } from "../lib/format.js";

// An effect whose spread reaches 0 may be noise.
const barKind = ({ parameters, share, deviation }) =>
  `i${parameters.length > 1 ? ".pair" : ""}${share <= deviation ? ".doubtful" : ""}`;

export function drawBars({ items, why, explained, trials, phase, filtered }, place) {
  if (why) return void replace(place, h("p.muted", {}, `${why}.`));
  if (items.length === 0)
    return void replace(place, h("p.muted", { role: "status" }, "Computing …"));
  const most = Math.max(...items.map((one) => one.share), 1e-9);
  replace(
    place,
    h(
      "div.bars",
      {},
      items.slice(0, 14).map((one) => [
        h("span", {}, one.parameters.join(" × ")),
        h(barKind(one), {
          style: { width: `${(100 * Math.max(0, one.share)) / most}%` },
        }),
        h(
          "span.num",
          { title: `± ${(100 * one.deviation).toFixed(1)} % over the trees of the model` },
          `${(100 * one.share).toFixed(1)} ± ${(100 * one.deviation).toFixed(1)} %`,
        ),
      ]),
    ),
    h(
      "p.muted.small.legend",
      {},
      `${explained === undefined || explained === null ? "" : `The model explains ${(100 * explained).toFixed(0)} % of the variance of `}${plural(trials ?? 0, typeof phase === "number" ? "trial" : "completed trial")}${typeof phase === "number" ? `, compared after phase ${phase + 1}, as most trials were stopped early` : ""}${filtered ? ", of those that the filter leaves" : ""}. Pale: its spread reaches 0.`,
    ),
  );
  return undefined;
}
