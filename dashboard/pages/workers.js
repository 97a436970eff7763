// The workers and what they ran: of all sweeps, or of one.
import { get, list, serverNow } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { duration, memory, percent, time, words } from "../lib/format.js";
import { idleShare } from "../lib/spans.js";
import { throttled } from "../lib/live.js";
import { sweepData } from "../lib/sweep.js";
import { card } from "../ui/card.js";
import { empty, facts, heading, link, sweepTabs, table } from "../ui/parts.js";
import { allowButton } from "./allow.js";
import { sweepHeading } from "./heading.js";
import { followWorkers, lanesPart, rangeQuery } from "./worker_lanes.js";

const recent = 2 * 3600;
const usesAtMost = 50;
const fleetsRead = 20;
const rereadTime = 15000;

const shareText = (share) => (typeof share === "number" ? percent(share) : null);

const placesOf = () => ({ hosts: new Map(), slots: new Map() });

function notePlaces({ hosts, slots }, workers) {
  for (const one of workers) {
    hosts.set(one.id, one.host);
    slots.set(one.id, one.cpus);
  }
}

export async function workersPage(page) {
  const place = h("div.stack");
  const places = placesOf();
  const part = lanesPart(page, {
    path: () => `/v1/timeline?${rangeQuery(recent)}`,
    ...places,
  });
  const read = async () => {
    const [workers, fleets] = await Promise.all([
      list("/v1/workers?limit=1000", 5000),
      list("/v1/fleets").catch(() => []),
    ]);
    notePlaces(places, workers);
    const uses = await readUses(workers);
    const answer = await part.read();
    const idle = new Map(answer.workers.map((one) => [one.worker, one.idle]));
    const fleetIdle = await readFleetIdle(fleets.filter(isActive), answer.workers);
    draw(page, place, { workers, fleets, uses, idle, fleetIdle, share: answer.slot_seconds.idle });
  };
  await read();
  followWorkers(page, rereadTime, read);
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

const isActive = (fleet) => fleet.state !== "stopped";

// The idle share of the slots that the newest pilots of each fleet brought, by fleet.
async function readFleetIdle(fleets, times) {
  const timeOf = new Map(times.map((one) => [one.worker, one]));
  const read = async ({ id }) => {
    const pilots = await get(`/v1/fleets/${id}/pilots?limit=1000`).catch(() => ({ items: [] }));
    const own = new Set(pilots.items.map((one) => one.worker).filter(Boolean));
    return [id, idleShare([...own].map((worker) => timeOf.get(worker)).filter(Boolean))];
  };
  return new Map(await Promise.all(fleets.slice(0, fleetsRead).map(read)));
}

// Why an engine could not list a fleet's pilots; null where it answers.
const engineTrouble = ({ engine_trouble: trouble }) =>
  trouble &&
  h(
    "span.bad",
    {},
    `no complete list of its pilots since ${time(trouble.since)}: ${trouble.detail}`,
  );

const fleetsCard = ({ fleets, fleetIdle }) =>
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
        ["Idle", (one) => shareText(fleetIdle.get(one.id)), { num: true, optional: true }],
        ["Why no more", (one) => one.rule_detail || words(one.rule)],
        ["Engine trouble", engineTrouble, { optional: true }],
      ],
      fleets.filter(isActive),
      "Fleets",
    ),
    { flush: true, id: "fleets" },
  );

const stateText = ({ state }) =>
  h(["present", "asks"].includes(state) ? "span" : "span.bad", {}, state);

const noWorker = () =>
  h(
    "div.card",
    {},
    empty(
      "No worker has joined this server. Start one:",
      "hone-worker --server " + location.origin,
    ),
  );

function draw(page, place, seen) {
  const { workers, fleets } = seen;
  const active = fleets.some(isActive) ? fleetsCard(seen) : null;
  if (workers.length === 0) return void update(place, active, noWorker());
  update(
    place,
    factsOf(seen),
    active,
    h("div.card", {}, h("div.body.flush", {}, workersTable(page, seen))),
  );
  return undefined;
}

function factsOf({ workers, share }) {
  const own = workers.filter((one) => one.state !== "asks");
  const live = own.filter(isPresent);
  const sum = (of) => live.reduce((all, one) => all + of(one), 0);
  return facts([
    ["Workers", String(live.length), `connected; ${own.length} ever`],
    ["Slots", String(sum((one) => one.cpus)), "of those workers"],
    sum((one) => one.gpus) ? ["GPUs", String(sum((one) => one.gpus)), "of those workers"] : null,
    ["Runs", String(sum((one) => one.running)), "in progress there"],
    typeof share === "number"
      ? ["Idle", percent(share), "of all slots' time that is shown"]
      : null,
    own.length < workers.length
      ? ["Askers", String(workers.length - own.length), "clients of hone ask, without slots"]
      : null,
    ["Quarantined", String(workers.filter((one) => one.aside_until).length)],
  ]);
}

const quarantine = (page) => (one) =>
  one.aside_until
    ? [
        one.aside_why,
        " until ",
        time(one.aside_until),
        " ",
        page.can("admin") ? allowButton(page, one) : null,
      ]
    : "";

function workersTable(page, { workers, uses, idle }) {
  const rows = [...workers].sort((a, b) => seenAgo(a) - seenAgo(b)).slice(0, 200);
  return table(
    [
      ["Worker", (one) => link(one.id)],
      ["Host", (one) => one.host],
      ["Slots", (one) => one.cpus, { num: true }],
      ["GPUs", (one) => one.gpus, { num: true }],
      ["Runs", (one) => one.running, { num: true }],
      ["Idle", (one) => shareText(idle.get(one.id)), { num: true, optional: true }],
      ["State", stateText],
      ["Memory", (one) => (one.memory ? memory(one.memory) : null), { num: true, optional: true }],
      ["Labels", (one) => (one.labels ?? []).join(", ") || null, { optional: true }],
      ["Its runs use", (one) => uses.get(one.id), { optional: true }],
      ["Last seen", (one) => `${duration(seenAgo(one))} ago`, { num: true }],
      ["Joined", (one) => time(one.joined_at)],
      ["Version", (one) => one.hone_version],
      ["Quarantine", quarantine(page)],
    ],
    rows,
    "Workers",
  );
}

export async function timelinePage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  await data.loadSweep();
  const places = placesOf();
  notePlaces(places, await list("/v1/workers?limit=1000", 5000));
  const part = lanesPart(page, {
    path: () => `/v1/timeline?${rangeQuery(0)}&sweep=${id}`,
    ...places,
  });
  await part.read();
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
