// How the runs of a sweep moved from phase to phase: verdicts, and the flow of ranks.
import { get } from "../lib/api.js";
import { h, replace, toast } from "../lib/dom.js";
import { followSweep } from "../lib/live.js";
import { Curves } from "../lib/matrix.js";
import { links } from "../lib/route.js";
import { sweepData } from "../lib/sweep.js";
import { card } from "../ui/card.js";
import { flowPlot, isDense, verdictKinds, verdictPlot } from "../chart/ranks.js";
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

// The verdicts of a large sweep take the server a second: the page does not wait for them.
const readVerdicts = async (id, state) => {
  state.phases = (await get(`/v1/sweeps/${id}/phases`)).items;
};

const showVerdicts = (id, state, plot) =>
  readVerdicts(id, state)
    .then(() => plot.redraw())
    .catch((error) => toast(error.message));

const densityNote = "Ground: the stronger, the more runs pass there. Lines: the 200 that came furthest.";

const readAll = (data, curves) =>
  Promise.all([data.loadSweep().then(() => data.loadOutcomes()), curves.load()]);

export async function phasesPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  const curves = new Curves(data);
  const state = { phases: null };
  const read = () => readAll(data, curves);
  await read();
  const why = h("div", { role: "status" }, h("p.muted", {}, whyHelp));
  const flow = flowPlot({
    data,
    curves,
    rows: () => state.rows,
    open: (hit) => whyOf(hit.run, why),
  });
  const verdicts = verdictPlot({ phases: () => state.phases, metric: data.metric });
  const note = h("p.legend");
  const redraw = () => {
    state.rows = curves.rows();
    note.textContent = isDense(state.rows) ? densityNote : "";
    flow.redraw();
    verdicts.redraw();
  };
  const filter = filterBar(data, redraw);
  await filter.ready;
  redraw();
  const shown = showVerdicts(id, state, verdicts);
  if (!isDense(state.rows)) await shown; // its table would have no rows
  const again = async () => {
    await read();
    await readVerdicts(id, state);
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
      flow.density?.close();
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
      card("Rank flow", [flow.element, note], { plot: flow, span: 8, id: "flow" }),
      card("Why", why, { span: 4 }),
    ),
  ];
}
