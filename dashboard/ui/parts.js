// Parts that several pages use: states, problems, empty places, tables of few rows, headings.
import { h } from "../lib/dom.js";
import { param, plural, words } from "../lib/format.js";
import { hasRuns, omissions, report } from "../lib/report.js";
import { kept, linkOf, links } from "../lib/route.js";
import { runStates } from "../lib/states.js";
import { sweepData } from "../lib/sweep.js";
import { isPopulation } from "../lib/sweep_words.js";
import { viewsMenu } from "./views.js";

export const stateMark = (state, text = words(state)) =>
  h("span.state", {}, h(`span.dot.${state}`, { "aria-hidden": "true" }), text);

// A bar of the runs by state.
export function strip(counts) {
  const total = runStates.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  const parts = runStates.filter((state) => counts[state] > 0);
  const label = parts.map((state) => `${counts[state]} ${state}`).join(", ") || "no runs";
  return h(
    "div.strip",
    { role: "img", "aria-label": label, title: label },
    parts.map((state) =>
      h(`span.seg.${state}`, { style: { width: `${(100 * counts[state]) / total}%` } }),
    ),
  );
}

// A refusal as one clear sentence. again: what the button does.
export function problem(error, again = null) {
  const sentences = {
    404: `${error.message}. It may have been deleted, or belongs to another server.`,
    403: `${error.message}. Ask for a token with that scope.`,
  };
  const text = sentences[error.status] ?? error.message ?? String(error);
  return h(
    "div.warn",
    { role: "alert" },
    text,
    " ",
    again ? h("button", { type: "button", onclick: again }, "Try again") : null,
  );
}

export const empty = (text, hint = null) =>
  h("div.empty", {}, h("p", {}, text), hint ? h("p", {}, h("code", {}, hint)) : null);

export const loading = () => h("p.muted", { role: "status" }, "Reading …");

export function link(id, text = id) {
  const to = linkOf(id);
  return to ? h("a", { href: to }, text) : h("span", {}, text);
}

// The project of a sweep; that of a study leads to its page.
export function projectName(project) {
  const [, study] = /^study (.+)$/.exec(project) ?? [];
  return study && !report ? h("a", { href: links.study(study) }, project) : project;
}

// A table of objects. columns: [title, value(row), {num, optional}]; an optional one is left out
// where no row has a value.
export function table(given, rows, caption = "") {
  const has = (value) => value !== null && value !== undefined && value !== "";
  const columns = given.filter(
    ([, value, more]) => !more?.optional || rows.some((row) => has(value(row))),
  );
  const head = columns.map(([title, , more]) =>
    h(more?.num ? "th.num" : "th", { scope: "col" }, title),
  );
  const body = rows.map((row) =>
    h(
      "tr",
      { dataset: typeof row.id === "string" ? { key: row.id } : {} },
      columns.map(([, value, more]) => {
        const cell = value(row);
        return h(more?.num ? "td.num" : more?.mono ? "td.mono" : "td", {}, cell ?? "–");
      }),
    ),
  );
  return h(
    "div.scroll",
    { tabindex: "0" },
    h("table", { "aria-label": caption }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)),
  );
}

export const facts = (pairs) =>
  h(
    "dl.facts",
    {},
    pairs
      .filter(Boolean)
      .map(([name, value, note]) =>
        h(
          "div",
          {},
          h("dt", {}, name),
          h("dd", {}, value ?? "–", note ? h("small", {}, note) : null),
        ),
      ),
  );

export const pairs = (list) =>
  h(
    "dl.pairs",
    {},
    list.filter(Boolean).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value ?? "–")]),
  );

export function heading(title, sub = [], actions = []) {
  return h(
    "div.head",
    {},
    h("div.title", {}, h("h1", {}, title), h("div.sub", {}, sub)),
    h("div.actions", {}, actions),
  );
}

const tabs = [
  ["", "Overview"],
  ["trials", "Trials"],
  ["curves", "Curves"],
  ["phases", "Phases"],
  ["population", "Population"],
  ["parameters", "Parameters"],
  ["pareto", "Pareto"],
  ["confirm", "Confirmation"],
  ["timeline", "Timeline"],
  ["events", "Events"],
];
const ofServer = ["timeline", "events"]; // not in a report

// Only a population has a page of its members among the tabs; forks of users link to it. A report
// has it where a run of the sweep continues another one.
const shownTab = (id, page, name) =>
  name === "population"
    ? page === name || (report ? hasRuns(id) : isPopulation(sweepData(id).spec))
    : !(report && ofServer.includes(name));

// What was filtered since the tabs were drawn is kept as well.
const keep =
  (id, name) =>
  ({ currentTarget }) => {
    currentTarget.href = links.sweep(id, name, kept());
  };

export function sweepTabs(id, page) {
  const there = tabs.filter(([name]) => shownTab(id, page, name));
  const nav = h(
    "nav.tabs",
    { "aria-label": "Views of the sweep" },
    there.map(([name, title]) =>
      h(
        "a",
        {
          href: links.sweep(id, name, kept()),
          "aria-current": name === page ? "page" : null,
          ...{ onpointerdown: keep(id, name), onclick: keep(id, name) },
        },
        title,
      ),
    ),
  );
  // On a narrow screen the tabs scroll; the current one is shown.
  requestAnimationFrame(() => {
    const now = nav.querySelector("[aria-current]");
    if (!now) return;
    const [all, one] = [nav.getBoundingClientRect(), now.getBoundingClientRect()];
    nav.scrollLeft += one.left + one.width / 2 - all.left - all.width / 2;
  });
  if (!report) return h("div.tabs-row", {}, nav, viewsMenu(id, page));
  const left = omissions();
  return left.length === 0 ? nav : [nav, h("p.muted.small", { role: "note" }, left.join(" "))];
}

export const budgetNote = (runs) => plural(runs, "run");

// A parameter set in one line.
export function paramList(params) {
  return h(
    "span.mono.params",
    {},
    Object.entries(params ?? {})
      .map(
        ([name, value]) =>
          `${name}=${param(value)}`,
      )
      .join("  "),
  );
}
