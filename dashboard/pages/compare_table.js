// The tables of a comparison: what its sides reached and cost, and in what they differ.
import { canonical, leafText, leaves, rowsOf } from "../lib/compare.js";
import { h } from "../lib/dom.js";
import { count, duration, param as shown, plural, short, time, words } from "../lib/format.js";
import { links } from "../lib/route.js";
import { objectiveOf } from "../lib/sweep_words.js";
import { empty, link, stateMark, strip } from "../ui/parts.js";
import { lineKey } from "../ui/key.js";

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
const unitOf = ({ sweep }) => sweep.spec.budget.unit;
const withReason = ({ state, reason }) =>
  stateMark(state, reason === "none" ? words(state) : `${words(state)}: ${words(reason)}`);

const valueOf = ({ kind, trial, runs, sweep }) =>
  kind === "run" ? runs[0].value : kind === "trial" ? trial.value : (sweep.best?.value ?? null);
const newest = (side) => side.items.findLast((one) => typeof one.iqm === "number");
const confirmedOf = ({ kind, trial, sweep }) => {
  const one = kind === "sweep" ? sweep.best : kind === "trial" ? trial : null;
  return one?.confirmed_seeds > 0 && typeof one.confirmed === "number" ? one.confirmed : null;
};
const expectedOf = ({ kind, trial, sweep }) => {
  const one = kind === "sweep" ? sweep.best : kind === "trial" ? trial : null;
  return typeof one?.expected === "number" ? one.expected : null;
};
const stepsOf = ({ kind, runs, summary }) =>
  kind === "sweep" ? summary.units.trained : sum(runs.map((run) => run.step));
const secondsOf = (side) => (side.kind === "sweep" ? side.sweep.work.run_seconds : side.seconds);
const speedOf = (side) => (secondsOf(side) > 0 ? stepsOf(side) / secondsOf(side) : null);
const showValue = (side, value) =>
  side.kind === "run" ? short(value) : objectiveOf(side.sweep).show(value);

// Slots times how long they were held.
const costOf = (side, kind) => {
  const { [kind]: each = 0 } = side.sweep.spec.resources ?? {};
  return each > 0 && secondsOf(side) > 0
    ? `${duration(each * secondsOf(side))} of ${kind === "gpus" ? "GPU" : "core"} time`
    : null;
};

function seedsOf({ kind, runs, sweep }) {
  if (kind === "sweep") return plural(sweep.spec.replicates?.seeds ?? 1, "seed");
  const shownSeeds = runs.slice(0, 3).map((run) => h("div.mono", {}, String(run.seed)));
  return [shownSeeds, runs.length > 3 ? `and ${runs.length - 3} more` : null];
}

const forkText = ({ fork }) =>
  fork
    ? [
        link(fork.run),
        ` after phase ${fork.phase + 1}`,
        fork.changed.map(([name, before, after]) =>
          h("div.mono", {}, `${name} ${shown(before)} → ${shown(after)}`),
        ),
      ]
    : null;

const codeText = ({ code, workflow }) =>
  code
    ? [
        h("a", { href: links.lineage(code) }, code),
        workflow?.git_commit
          ? h("span.mono.small", {}, ` ${workflow.git_commit.slice(0, 10)}`)
          : null,
        workflow?.patch_sha256 ? h("span.muted.small", {}, " with changes") : null,
      ]
    : null;

const lineageText = ({ id, sweep, kind, trial }) => [
  h("a", { href: links.lineage(id) }, "lineage"),
  kind === "sweep" && sweep.confirms ? h("div", {}, "confirms ", link(sweep.confirms)) : null,
  kind === "sweep" && sweep.learned?.length
    ? h(
        "div",
        {},
        "began with ",
        sweep.learned.map((one) => [link(one.sweep ?? one), " "]),
      )
    : null,
  kind !== "sweep" && trial.creator ? h("div", {}, `enqueued by ${trial.creator}`) : null,
];

// [name, cell(side), {score(side): what ranks the sides, larger: true where more is better}].
// Rows without a cell are left out.
const rows = [
  [
    "Of",
    (side) =>
      side.kind === "sweep" ? null : link(side.sweep.id, side.sweep.name || side.sweep.id),
  ],
  [
    "State",
    (side) =>
      withReason(
        side.kind === "run" ? side.runs[0] : side.kind === "trial" ? side.trial : side.sweep,
      ),
  ],
  [
    "Value",
    (side) => (valueOf(side) === null ? null : showValue(side, valueOf(side))),
    { score: valueOf },
  ],
  [
    "Interval",
    (side) => {
      const end = side.kind === "trial" ? newest(side) : null;
      return end?.n > 1 ? `[${short(end.low)}, ${short(end.high)}]` : null;
    },
  ],
  [
    "Confirmed",
    (side) => (confirmedOf(side) === null ? null : short(confirmedOf(side))),
    { score: confirmedOf },
  ],
  [
    "Expected",
    (side) => (expectedOf(side) === null ? null : short(expectedOf(side))),
    { score: expectedOf },
  ],
  ["Best trial", (side) => (side.kind === "sweep" && side.trial ? link(side.trial.id) : null)],
  [
    "Phases",
    (side) =>
      side.kind === "sweep"
        ? null
        : `${Math.max(0, ...side.runs.map((run) => run.phase))} / ${side.sweep.spec.budget.phases}`,
  ],
  [
    "Trials",
    ({ kind, sweep }) =>
      kind === "sweep" ? `${sweep.trials.proposed} / ${sweep.trials.total}` : null,
  ],
  ["Runs", ({ kind, sweep }) => (kind === "sweep" ? strip(sweep.runs) : null)],
  ["Seeds", seedsOf],
  ["Trained", (side) => `${count(stepsOf(side))} ${unitOf(side)}`],
  ["Time of runs", (side) => duration(secondsOf(side))],
  [
    "Speed",
    (side) => (speedOf(side) === null ? null : `${count(speedOf(side))} ${unitOf(side)}/s`),
    { score: speedOf, larger: true },
  ],
  [
    "Cost",
    (side) =>
      [costOf(side, "cpus"), costOf(side, "gpus")].filter(Boolean).map((one) => h("div", {}, one)),
  ],
  ["Attempts", (side) => (side.kind === "sweep" ? null : String(side.attempts.length))],
  [
    "Machines",
    (side) =>
      side.kind === "sweep"
        ? null
        : [...new Set(side.attempts.map((one) => one.host).filter(Boolean))].join(", "),
  ],
  ["Submitted", ({ kind, sweep }) => (kind === "sweep" ? time(sweep.submitted_at) : null)],
  ["Code", codeText],
  ["Continues", forkText],
  ["Lineage", lineageText],
];

const isThere = (cell) =>
  Array.isArray(cell)
    ? cell.flat().some(isThere)
    : cell !== null && cell !== undefined && cell !== "";

// The places of the best sides, where all are judged alike and any is better than another.
function bestOf(sides, { score, larger }) {
  const judged = new Set(sides.map((side) => objectiveOf(side.sweep).text));
  const scores = sides.map(score);
  const numbers = scores.filter((one) => typeof one === "number");
  if (numbers.length < 2 || new Set(numbers).size < 2) return [];
  if (!larger && judged.size > 1) return [];
  const up = larger || objectiveOf(sides[0].sweep).goals[0].goal === "maximize";
  const best = (up ? Math.max : Math.min)(...numbers);
  return scores.map((one) => one === best);
}

const head = (sides, leave) =>
  h(
    "thead",
    {},
    h(
      "tr",
      {},
      h("td"),
      sides.map(({ id, kind, name, style }) =>
        h(
          "th",
          { scope: "col" },
          lineKey(style),
          " ",
          link(id),
          sides.length > 1
            ? h(
                "button.quiet.small",
                {
                  type: "button",
                  "aria-label": `Leave ${id} out`,
                  title: "Leave out",
                  onclick: () => leave(id),
                },
                "×",
              )
            : null,
          kind === "sweep" ? h("div.muted.small", {}, name) : null,
        ),
      ),
    ),
  );

const line = (name, cells, mono = false) =>
  h(
    "tr",
    { dataset: { key: name } },
    h(mono ? "th.mono" : "th", { scope: "row" }, name),
    cells.map((cell) =>
      h(mono ? "td.mono" : "td", {}, isThere(cell) ? cell : h("span.muted", {}, "–")),
    ),
  );

const sideways = (label, sides, leave, body) =>
  h(
    "div.scroll.sides",
    { tabindex: "0", role: "region", "aria-label": `Table of ${label.toLowerCase()}` },
    h("table", { "aria-label": label }, head(sides, leave), body),
  );

export function resultTable(sides, leave) {
  const lines = rows
    .map(([name, cell, more]) => [name, sides.map(cell), more?.score ? bestOf(sides, more) : []])
    .filter(([, cells]) => cells.some(isThere))
    .map(([name, cells, best]) =>
      line(
        name,
        cells.map((cell, i) =>
          best[i] ? h("strong", { title: "the best of these" }, cell) : cell,
        ),
      ),
    );
  return sideways("Results and cost", sides, leave, h("tbody", {}, lines));
}

const unrelated = new Set(["id", "host", "user", "recorded_at", "cwd"]);
const codeLeaves = ({ workflow }) =>
  leaves(
    Object.fromEntries(Object.entries(workflow ?? {}).filter(([name]) => !unrelated.has(name))),
  );

// The groups of what may differ, of which each side is a map of leaves.
const groups = [
  ["Parameters", ({ trial }) => leaves(trial?.params ?? {})],
  ["Sweep file", ({ sweep }) => leaves(canonical(sweep.spec))],
  ["Code", codeLeaves],
];

const textOf = (value, number) =>
  value === undefined ? null : typeof value === "number" ? number(value) : leafText(value);

// Numbers have four digits, or all where different values would look equal.
function textsOf({ values, differs }) {
  const texts = values.map((value) => textOf(value, shown));
  return differs && new Set(texts).size === 1
    ? values.map((value) => textOf(value, String))
    : texts;
}

// all: equal settings as well.
export function settingsTable(sides, leave, all) {
  const isOfSweeps = sides[0].kind === "sweep";
  const parts = groups
    .map(([name, of]) => [
      name,
      rowsOf(sides.map(of)).filter((row) => row.key && (all || row.differs)),
    ])
    .filter(([, found]) => found.length > 0)
    .map(([name, found]) =>
      h(
        "tbody",
        { dataset: { key: name } },
        h(
          "tr.group",
          {},
          h(
            "th",
            { scope: "rowgroup", colspan: sides.length + 1 },
            name === "Parameters" && isOfSweeps ? "Parameters of the best trial" : name,
          ),
        ),
        found.map((row) =>
          line(
            row.key,
            textsOf(row).map((text) => (text && row.differs && all ? h("strong", {}, text) : text)),
            true,
          ),
        ),
      ),
    );
  return parts.length === 0
    ? empty(sides.length < 2 ? "Nothing to compare with yet." : "No setting differs; seeds may.")
    : sideways("What differs", sides, leave, parts);
}
