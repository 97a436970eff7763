// How the runs of a sweep moved from phase to phase: verdicts, and the flow of ranks.
import { get } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";
import { followSweep } from "../lib/live.js";
import { Curves } from "../lib/matrix.js";
import { links } from "../lib/route.js";
import { sweepData } from "../lib/sweep.js";
import { card } from "../ui/card.js";
import { flowPlot, verdictKinds, verdictPlot } from "../chart/ranks.js";
import { filterBar } from "../ui/filter.js";
import { problem, sweepTabs } from "../ui/parts.js";
import { sweepHeading } from "./heading.js";

async function whyOf(run, place) {
  replace(place, h("p.muted", {}, `Reading why ${run} ended as it did …`));
  try {
    const answer = await get(`/v1/runs/${run}/explain`);
    replace(place, h("p", {}, h("a", { href: links.run(run) }, run)), h("pre", {}, answer.text));
  } catch (error) {
    replace(place, problem(error));
  }
}

const verdictLegend = () =>
  h(
    "div.legend",
    {},
    verdictKinds.map(([name, state]) => h("span", {}, h(`span.dot.${state}`), name)),
    h("span", {}, "light: no verdict yet"),
  );

const whyHelp =
  "Click the end of a line, or press Enter on it: the reason of its verdict appears here.";

async function readAll(id, data, curves, state) {
  const [, , , phases] = await Promise.all([
    data.loadSweep(),
    data.loadColumns(),
    curves.load(),
    get(`/v1/sweeps/${id}/phases`),
  ]);
  Object.assign(state, { phases: phases.items, rows: curves.rows() });
}

export async function phasesPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  const curves = new Curves(data);
  const state = {};
  const read = () => readAll(id, data, curves, state);
  await read();
  const why = h("div", { role: "status" }, h("p.muted", {}, whyHelp));
  const flow = flowPlot({
    data,
    curves,
    rows: () => state.rows,
    open: (hit) => whyOf(hit.run, why),
  });
  const verdicts = verdictPlot({ phases: () => state.phases, metric: data.metric });
  const redraw = () => {
    state.rows = curves.rows();
    flow.redraw();
    verdicts.redraw();
  };
  const filter = filterBar(data, redraw);
  await filter.ready;
  redraw();
  const again = async () => {
    await read();
    filter.update();
    redraw();
  };
  followSweep(
    page,
    () => id,
    2000,
    again,
    () => {
      flow.close();
      verdicts.close();
    },
  );
  return [
    sweepHeading(page, data),
    sweepTabs(id, "phases"),
    filter.element,
    h(
      "div.grid",
      {},
      card("Verdicts by phase", [verdicts.element, verdictLegend()], {
        plot: verdicts,
        id: "verdicts",
      }),
      card("Rank flow", flow.element, { plot: flow, span: 8, id: "flow" }),
      card("Why", why, { span: 4 }),
    ),
  ];
}
