// The workers and what they ran: of all sweeps, or of one.
import { get, list, post, serverNow } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { duration, memory, time, words } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { links, param, setParams } from "../lib/route.js";
import { sweepData } from "../lib/sweep.js";
import { card } from "../ui/card.js";
import { sweepsOf, timelinePlot } from "../chart/timeline.js";
import { ask } from "../ui/dialog.js";
import { empty, facts, heading, link, stateMark, sweepTabs, table } from "../ui/parts.js";
import { sweepHeading } from "./heading.js";

const recent = 2 * 3600;
const usesAtMost = 50;
const rereadTime = 15000; // what an engine fails at, and when workers were seen, are no events

function rangeQuery(sweep) {
  const query = new URLSearchParams({ pixels: String(Math.min(4000, Math.max(300, innerWidth))) });
  const [from, to] = param("zoom").split(",").map(Number);
  if (Number.isFinite(from) && Number.isFinite(to) && to > from) {
    query.set("from", String(Math.floor(from)));
    query.set("to", String(Math.ceil(to)));
  } else if (!sweep) query.set("from", String(Math.floor(serverNow() / 1000) - recent));
  if (sweep) query.set("sweep", sweep);
  return query;
}

function spansOf(answer) {
  const now = Date.parse(answer.to);
  const spans = answer.items.map((one) => ({
    worker: one.worker,
    label: one.attempt,
    sweep: one.sweep,
    reason: one.reason,
    live: !one.to,
    t0: Date.parse(one.from),
    t1: one.to ? Date.parse(one.to) : now,
    run: one.attempt.replace(/#.*/, ""),
  }));
  for (const one of answer.busy) {
    const [t0, t1] = [Date.parse(one.from), Date.parse(one.to)];
    spans.push({
      worker: one.worker,
      label: `${one.attempts} short attempts`,
      sweep: "",
      reason: null,
      t0,
      t1,
      share: Math.min(1, Math.max(0.25, (1000 * one.seconds) / Math.max(1, t1 - t0))),
    });
  }
  return spans.sort((a, b) => a.t0 - b.t0);
}

// Of all workers: not before the first attempt of the time that was asked for.
function beginOf(answer, spans) {
  const from = Date.parse(answer.from);
  if (param("zoom") || spans.length === 0) return from;
  const first = Math.min(...spans.map((one) => one.t0));
  return Math.max(from, first - 0.02 * (Date.parse(answer.to) - first));
}

function endOf(answer, spans) {
  const to = Date.parse(answer.to);
  const last = Math.max(...spans.map((one) => one.t1), Date.parse(answer.from));
  return spans.some((one) => one.live) || param("zoom")
    ? to
    : Math.min(to, last + 0.02 * (last - Date.parse(answer.from)) + 1);
}

function timelinePart(page, sweep, hosts) {
  const state = { spans: [], from: 0, to: 1, hosts };
  const read = async () => {
    const answer = await get(`/v1/timeline?${rangeQuery(sweep)}`);
    state.spans = spansOf(answer);
    Object.assign(state, {
      from: beginOf(answer, state.spans),
      to: endOf(answer, state.spans),
      truncated: answer.truncated,
    });
    update(legend, note(state));
    plot.redraw();
  };
  const legend = h("div");
  const plot = timelinePlot({
    view: () => state,
    open: (hit) => {
      if (hit.span.run) location.hash = links.run(hit.span.run);
    },
    zoom: (from, to) => {
      setParams({ zoom: `${from / 1000},${to / 1000}` });
      read();
    },
    unzoom: () => {
      setParams({ zoom: "" });
      read();
    },
  });
  page.onLeave(() => plot.close());
  return { plot, read, state, legend };
}

// Of one sweep, colours are how an attempt ended; of several, the sweep.
function note(state) {
  const sweeps = sweepsOf(state.spans);
  const marks =
    sweeps.length < 2
      ? ["running", "completed", "stopped", "failed"].map((one) => stateMark(one))
      : sweeps
          .slice(0, 12)
          .map((one, i) =>
            h(
              "span",
              {},
              h("span.key.thick", { style: { "border-color": `var(--c${(i % 6) + 1})` } }),
              link(one),
            ),
          );
  return h(
    "div.legend",
    {},
    marks,
    sweeps.length > 12 ? "…" : null,
    h("span", {}, "Dark end: lost, failed or diverged. Grey ground: idle."),
    h("span", {}, "Drag to zoom, double-click to reset."),
  );
}

export async function workersPage(page) {
  const place = h("div.stack");
  const hosts = new Map();
  const part = timelinePart(page, "", hosts);
  const read = async () => {
    const [workers, fleets] = await Promise.all([
      list("/v1/workers?limit=1000", 5000),
      list("/v1/fleets").catch(() => []),
    ]);
    for (const one of workers) hosts.set(one.id, one.host);
    const uses = await readUses(workers);
    await part.read();
    draw(page, place, { workers, fleets, uses });
  };
  await read();
  const soon = throttled(3000, read);
  page.onFrame((frame) => {
    if (frame.resync || frame.workers || frame.sweeps.length > 0) soon();
  });
  const timer = setInterval(() => document.hidden || soon(), rereadTime);
  page.onLeave(() => {
    clearInterval(timer);
    soon.cancel();
  });
  return [
    heading("Workers"),
    card("Timeline", [part.plot.element, part.legend], { plot: part.plot, id: "timeline" }),
    place,
  ];
}

// A worker that waits for work is seen rarely: the server knows when it counts as away.
const isPresent = (one) => ["present", "quarantined"].includes(one.state);
const seenAgo = (one) => (serverNow() - Date.parse(one.last_seen_at)) / 1000;

// What the runs of the first workers in progress use, by worker.
async function readUses(workers) {
  const busy = workers.filter((one) => one.running > 0 && isPresent(one)).slice(0, usesAtMost);
  const all = await Promise.all(
    busy.map((one) => get(`/v1/workers/${one.id}`).catch(() => ({}))),
  );
  return new Map(all.map((one) => [one.id, one.use?.text]));
}

// Why an engine could not list a fleet's pilots; null where it answers.
const engineTrouble = ({ engine_trouble: trouble }) =>
  trouble &&
  h(
    "span.bad",
    {},
    `no complete list of its pilots since ${time(trouble.since)}: ${trouble.detail}`,
  );

const fleetsCard = (fleets) =>
  card(
    "Fleets",
    table(
      [
        ["Fleet", (one) => one.name],
        ["Engine", (one) => one.spec.engine],
        ["State", (one) => [words(one.state), one.detail ? `: ${one.detail}` : ""]],
        ["Wanted", (one) => one.want, { num: true }],
        ["Alive", (one) => one.pilots, { num: true }],
        ["Joined", (one) => one.joined, { num: true }],
        ["Why no more", (one) => one.rule_detail || words(one.rule)],
        ["Engine trouble", engineTrouble, { optional: true }],
      ],
      fleets.filter((one) => one.state !== "stopped"),
      "Fleets",
    ),
    { flush: true, id: "fleets" },
  );

const stateText = ({ state }) =>
  h(["present", "asks"].includes(state) ? "span" : "span.bad", {}, state);

function draw(page, place, { workers, fleets, uses }) {
  const active = fleets.some((one) => one.state !== "stopped") ? fleetsCard(fleets) : null;
  if (workers.length === 0)
    return void update(
      place,
      active,
      h(
        "div.card",
        {},
        empty(
          "No worker has joined this server. Start one:",
          "hone-worker --server " + location.origin,
        ),
      ),
    );
  const own = workers.filter((one) => one.state !== "asks");
  const live = own.filter(isPresent);
  const sum = (of) => live.reduce((all, one) => all + of(one), 0);
  const rows = [...workers].sort((a, b) => seenAgo(a) - seenAgo(b)).slice(0, 200);
  update(
    place,
    facts([
      ["Workers", String(live.length), `connected; ${own.length} ever`],
      ["Slots", String(sum((one) => one.cpus)), "of those workers"],
      sum((one) => one.gpus) ? ["GPUs", String(sum((one) => one.gpus)), "of those workers"] : null,
      ["Runs", String(sum((one) => one.running)), "in progress there"],
      own.length < workers.length
        ? ["Askers", String(workers.length - own.length), "clients of hone ask, without slots"]
        : null,
      ["Quarantined", String(workers.filter((one) => one.aside_until).length)],
    ]),
    active,
    h(
      "div.card",
      {},
      h(
        "div.body.flush",
        {},
        table(
          [
            ["Worker", (one) => one.id],
            ["Host", (one) => one.host],
            ["Slots", (one) => one.cpus, { num: true }],
            ["GPUs", (one) => one.gpus, { num: true }],
            ["Runs", (one) => one.running, { num: true }],
            ["State", stateText],
            ["Memory", (one) => (one.memory ? memory(one.memory) : null), { num: true, optional: true }],
            ["Labels", (one) => (one.labels ?? []).join(", ") || null, { optional: true }],
            ["Its runs use", (one) => uses.get(one.id), { optional: true }],
            ["Last seen", (one) => `${duration(seenAgo(one))} ago`, { num: true }],
            ["Joined", (one) => time(one.joined_at)],
            ["Version", (one) => one.hone_version],
            [
              "Quarantine",
              (one) =>
                one.aside_until
                  ? [
                      one.aside_why,
                      " until ",
                      time(one.aside_until),
                      " ",
                      page.can("admin") ? allowButton(page, one) : null,
                    ]
                  : "",
            ],
          ],
          rows,
          "Workers",
        ),
      ),
    ),
  );
  return undefined;
}

function allowButton(page, worker) {
  return h(
    "button",
    {
      type: "button",
      onclick: () =>
        ask({
          title: `Allow ${worker.id} again?`,
          yes: "Allow",
          text: "The quarantine ends now: the worker gets runs again.",
          act: async () => {
            await post(`/v1/workers/${worker.id}/allow`, {});
            page.again();
            return `${worker.id} gets runs again.`;
          },
        }),
    },
    "Allow",
  );
}

export async function timelinePage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  await data.loadSweep();
  const hosts = new Map();
  const part = timelinePart(page, id, hosts);
  await part.read();
  for (const one of await list("/v1/workers?limit=1000", 5000)) hosts.set(one.id, one.host);
  const soon = throttled(2000, part.read);
  page.onFrame((frame) => {
    if (frame.resync || frame.sweeps.includes(id)) soon();
  });
  page.onLeave(soon.cancel);
  return [
    sweepHeading(page, data),
    sweepTabs(id, "timeline"),
    card("Attempts by worker", [part.plot.element, part.legend], { plot: part.plot, id: "timeline" }),
  ];
}
