// What a run used of its worker: metrics that the worker measures, with their units.
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { memory, short } from "../lib/format.js";
import { linePlot } from "../chart/line.js";
import { card } from "../ui/card.js";

const names = {
  "hone.cpu_cores": ["Processor cores kept busy", short],
  "hone.memory_bytes": ["Memory", memory],
  "hone.gpu_busy": ["GPUs busy, share of time", short],
  "hone.gpu_memory_bytes": ["Memory of the GPUs", memory],
};
export const useNames = new Set(Object.keys(names));

// plots: those of the page, by the name of the metric.
export function useCard({ metrics, sweep, why }, place, plots) {
  const there = Object.keys(names).filter((name) => metrics.has(name));
  if (there.length === 0) return;
  for (const name of there) {
    const [title, format] = names[name];
    if (plots.has(name)) plots.get(name).redraw();
    else
      plots.set(
        name,
        linePlot(
          () => title,
          () => metrics.get(name),
          () => sweep.spec.budget.unit,
          { height: 170, format },
        ),
      );
  }
  const said = why?.use?.text;
  if (place.dataset.said === (said ?? "")) return;
  place.dataset.said = said ?? "";
  update(
    place,
    card(
      "Use of the worker",
      [
        said ? h("p.before", {}, said) : null,
        h(
          "div.small-grid",
          {},
          there.map((name) => h("div", {}, h("h2", {}, names[name][0]), plots.get(name).element)),
        ),
      ],
      { id: "use" },
    ),
  );
}
