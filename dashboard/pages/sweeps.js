// All sweeps, newest first.
import { get, serverNow } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { ago, count, plural, short, time } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { links, param, setParams } from "../lib/route.js";
import { sweepsWhere } from "../lib/search.js";
import { spark } from "../chart/spark.js";
import { forecastCard } from "../ui/forecasts.js";
import { runStates } from "../lib/states.js";
import { empty, heading, problem, projectName, stateMark, strip, table } from "../ui/parts.js";
import { tickedBar, Ticks } from "../ui/ticks.js";

const limit = 50;

async function readSweeps(where, all, after) {
  const query = new URLSearchParams({ limit: String(limit) });
  if (where) query.set("where", sweepsWhere(where));
  if (all) query.set("all", "1");
  if (after) query.set("after", after);
  // The server reads + as a plus, not as a blank.
  return get(`/v1/sweeps?${String(query).replaceAll("+", "%20")}`);
}

// What users wrote about the sweeps that are shown: only those that have a tag or a note are asked.
async function readAbout(sweeps) {
  const marked = await get("/v1/sweeps?limit=1000&all=1&where=tag%20or%20note");
  const ids = new Set(marked.items.map((one) => one.id));
  const asked = sweeps.filter((one) => ids.has(one.id));
  const answers = await Promise.all(
    asked.map(({ id }) => get(`/v1/about/${id}`).catch(() => ({}))),
  );
  return new Map(asked.map(({ id }, i) => [id, answers[i]]));
}

// Reads them at once, and again soon after calls.
function markReader(shown, use) {
  const read = async () => use(await readAbout(shown()));
  read().catch(() => {}); // the next call tries again
  return throttled(10000, read);
}

const aboutParts = ({ tags = [], notes = [] } = {}) => [
  tags.map((tag) => [" ", h("span.chip.small", {}, tag)]),
  notes.length > 0
    ? [" ", h("span.muted.small", { title: notes.at(-1).text }, plural(notes.length, "note"))]
    : null,
];

const nameOf = (sweep) => h("a", { href: links.sweep(sweep.id) }, sweep.name || sweep.id);
// A population has forks in addition to its members.
const trialsOf = ({ proposed, total }) =>
  proposed > total ? `${total} + ${proposed - total} forks` : `${proposed} / ${total}`;

function progressOf({ phases, state }) {
  if (!(phases.expected > 0)) return "–";
  const share = Math.min(1, phases.done / phases.expected);
  const text = `${Math.round(100 * share)} %`;
  return h(
    "span.meter",
    { title: `${phases.done} of about ${phases.expected} reports` },
    h(
      "span",
      {},
      h(`i.seg.${state === "running" ? "running" : "stopped"}`, {
        style: { width: text.replace(" ", "") },
      }),
    ),
    text,
  );
}

// The value that ranks: the confirmed one, if there is one.
function bestOf({ best, objective }) {
  if (!best) return null;
  const confirmed = typeof best.confirmed === "number" && best.confirmed_seeds > 0;
  const value = confirmed ? best.confirmed : best.value;
  return [
    objective.goal === "soonest" && typeof value === "number" ? count(value) : short(value),
    confirmed
      ? h("span.muted", { title: `confirmed on new seeds; ${short(best.value)} in tuning` }, " ✓")
      : typeof best.expected === "number"
        ? h("span.muted", { title: "noisy: expected in another training" }, ` ~${short(best.expected)}`)
        : null,
  ];
}

const goalMarks = { maximize: "↑", minimize: "↓" };
const columnsOf = (ticks, about) => [
  [h("span.visually-hidden", {}, "Selected"), (one) => ticks.box(one.id)],
  [
    "Sweep",
    (one) => [
      ...[nameOf(one), " ", h("span.muted.small", {}, one.id)],
      one.project ? h("span.muted.small", {}, " ", projectName(one.project)) : null,
      aboutParts(about.get(one.id)),
    ],
  ],
  ["State", (one) => stateMark(one.state)],
  ["Best", bestOf, { num: true }],
  ["Runs", (one) => strip(one.runs)],
  ["Trials", (one) => trialsOf(one.trials), { num: true }],
  ["Progress", progressOf, { num: true }],
  [
    "Metric",
    (one) =>
      h("span.muted", {}, `${goalMarks[one.objective.goal] ?? "time to"} ${one.objective.metric}`),
  ],
  ["Best by trial", (one) => spark(one)],
  [
    "Submitted",
    (one) =>
      h("span.muted.num", { title: time(one.submitted_at) }, ago(one.submitted_at, serverNow())),
  ],
];

const filterField = () =>
  h("input", {
    type: "search",
    value: param("where"),
    "aria-label": "Filter of the sweeps",
    placeholder: "Filter, for example cartpole, or state = running",
    autocomplete: "off",
    spellcheck: "false",
  });

const noSweep = (filter) =>
  filter
    ? empty("No sweep matches the filter.")
    : empty("There is no sweep yet. Submit one:", "hone submit sdk/examples/ga3c-cartpole.yaml");

const olderButton = (more) =>
  h("div.body", {}, h("button", { type: "button", onclick: more }, "Show older sweeps"));

const listOf = (shown, ticks, about) => [
  h("div.body.flush", {}, table(columnsOf(ticks, about), shown, "Sweeps")),
  h(
    "p.legend.body",
    {},
    "Runs:",
    runStates
      .filter((state) => shown.some((one) => one.runs[state] > 0))
      .map((state) => stateMark(state)),
  ),
];

// Older sweeps that were asked for stay as they were read.
function follow(page, reread, marks, isFirstPage) {
  const soon = throttled(1000, reread);
  page.onFrame((frame) => {
    if (isFirstPage()) soon(frame);
    marks();
  });
  page.onLeave(() => {
    soon.cancel();
    marks.cancel();
  });
}

function forecastPart() {
  const place = h("div");
  forecastCard().then((one) => one && place.append(one));
  return place;
}

function archivedBox() {
  const box = h("input", { type: "checkbox" });
  box.checked = param("all") !== "";
  return box;
}

export async function sweepsPage(page) {
  const [trouble, place] = [h("div"), h("div.card", {}, h("div.body.flush"))];
  const field = filterField();
  const all = archivedBox();
  let shown = [];
  let next = null;
  let about = new Map();
  const chosen = h("span.bar");
  const ticks = new Ticks({
    get: () => param("pick").split(",").filter(Boolean),
    set: (ids) => setParams({ pick: ids.join(",") }),
    order: () => shown.map((one) => one.id),
    changed: () => draw(),
  });
  async function reread() {
    try {
      const first = await readSweeps(field.value.trim(), all.checked);
      shown = first.items;
      next = first.next;
      update(trouble);
      draw();
    } catch (error) {
      if (error.status === 401) throw error;
      update(trouble, problem(error, reread)); // the list stays
    }
  }
  async function more() {
    const answer = await readSweeps(field.value.trim(), all.checked, next);
    shown.push(...answer.items);
    next = answer.next;
    draw();
  }
  function draw() {
    update(chosen, tickedBar(ticks));
    if (shown.length === 0) update(place, noSweep(field.value));
    else update(place, listOf(shown, ticks, about), next ? olderButton(more) : null);
  }
  const apply = () => {
    setParams({ where: field.value.trim(), all: all.checked ? 1 : "" });
    return reread();
  };
  field.onchange = field.onsearch = all.onchange = apply;
  await reread();
  const marks = markReader(
    () => shown,
    (found) => {
      about = found;
      draw();
    },
  );
  const forecasts = forecastPart();
  follow(page, reread, marks, () => next === null || shown.length <= limit);
  return [
    heading("Sweeps"),
    h("div.bar", {}, field, h("label", {}, all, "Archived as well"), chosen),
    trouble,
    place,
    forecasts,
  ];
}
