// Where a run's training began, how its parameters changed along the runs that it continues, and
// which runs continue it.
import { get } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { count, param as shown } from "../lib/format.js";
import { links } from "../lib/route.js";
import { spaceOf } from "../lib/sweep_words.js";
import { card } from "../ui/card.js";
import { link, table } from "../ui/parts.js";

const lineAtMost = 100;

// The run and those that it descends from, the oldest first: [{run, from, to, params}].
export async function readLine(run) {
  const line = [];
  let to = run.step;
  for (let one = run; one && line.length < lineAtMost; ) {
    const { params } = await get(`/v1/trials/${one.trial}`);
    const from = one.origin?.step ?? 0;
    line.unshift({ run: one.id, from, to, params });
    to = from;
    one = one.origin ? await get(`/v1/runs/${one.origin.run}`) : null;
  }
  return line;
}

const sentence = ({ run }) =>
  run.origin
    ? h(
        "p",
        {},
        "Continues ",
        link(run.origin.run),
        ` after its phase ${run.origin.phase + 1} (step ${count(run.origin.step)}), from the checkpoint `,
        link(run.origin.model),
        run.origin.replaces ? [", in the place of ", link(run.origin.replaces)] : "",
        ".",
      )
    : null;

// Derived parameters follow from others and are left out.
const changedNames = (line, sweep) =>
  spaceOf(sweep.spec.parameters)
    .map((one) => one.name)
    .filter((name) => {
      const first = JSON.stringify(line[0].params[name]);
      return line.some(({ params }) => JSON.stringify(params[name]) !== first);
    });

function lineTable(line, sweep) {
  return table(
    [
      ["Run", (one) => link(one.run)],
      ["From step", (one) => count(one.from), { num: true }],
      ["To step", (one) => count(one.to), { num: true }],
      ...changedNames(line, sweep).map((name) => [
        name,
        (one) => shown(one.params[name]),
        { num: true },
      ]),
    ],
    line,
    "Schedule",
  );
}

// Nothing for a run that neither continues another one nor is continued.
export function originCard({ run, sweep, line, forks }) {
  const successor = run.successor;
  if (!run.origin && forks.length === 0 && !successor) return null;
  return card(
    "Origin and forks",
    h(
      "div.stack",
      {},
      sentence({ run }),
      forks.length
        ? h(
            "p",
            {},
            forks.length === 1 ? "One fork continues" : `${forks.length} forks continue`,
            " this run: ",
            forks.slice(0, 20).map((one) => [link(one.from), " "]),
            forks.length > 20 ? "…" : "",
          )
        : null,
      successor
        ? h("p", {}, "Its place in the population was taken by ", link(successor), ".")
        : null,
      line.length > 1 ? lineTable(line, sweep) : null,
      h(
        "p",
        {},
        h(
          "a",
          { href: links.sweep(sweep.id, "population", { run: run.id }) },
          "All forks of the sweep",
        ),
      ),
    ),
    { id: "origin" },
  );
}
