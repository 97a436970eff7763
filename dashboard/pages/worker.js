// One worker: what its machine did, what ran in its slots, who holds them, and what waits and why.
import { get, serverNow } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { ago, memory, percent, plural, time, words } from "../lib/format.js";
import { newest, seriesOf } from "../lib/spans.js";
import { param, setParams } from "../lib/route.js";
import { update } from "../lib/update.js";
import { card } from "../ui/card.js";
import { choice } from "../ui/choice.js";
import { lineKey } from "../ui/key.js";
import { facts, heading, link, pairs, stateMark, table } from "../ui/parts.js";
import { machinePlot } from "../chart/machine.js";
import { allowButton } from "./allow.js";
import { followWorkers, lanesPart, rangeQuery } from "./worker_lanes.js";

const rereadTime = 10000;
const spansOfTime = [
  ["2h", "2 hours", 2 * 3600],
  ["30m", "30 minutes", 1800],
  ["8h", "8 hours", 8 * 3600],
  ["24h", "24 hours", 24 * 3600],
];
const shown = () => spansOfTime.find(([name]) => name === param("last", "2h")) ?? spansOfTime[0];

// The charts of a machine: each line with the member of a point that it draws.
const charts = [
  {
    id: "cpu",
    title: "Processor",
    lines: [
      ["busy", "cpu"],
      ["some process waits for a core", "cpu_pressure"],
    ],
    format: percent,
    most: () => 1,
  },
  {
    id: "memory",
    title: "Memory",
    lines: [["used", "memory"]],
    format: memory,
    most: ({ memory: all }, points) => all || Math.max(1, ...points.map((one) => one.y)),
  },
  {
    id: "waits",
    title: "Waiting",
    lines: [
      ["for memory", "memory_pressure"],
      ["for a disk", "io_pressure"],
    ],
    format: percent,
    most: () => 1,
  },
  { id: "gpu", title: "GPU", lines: [["busy", "gpu"]], format: percent, most: () => 1 },
  {
    id: "gpu-memory",
    title: "GPU memory",
    lines: [["used", "gpu_memory"]],
    format: memory,
    most: (machine, points, worker) =>
      (worker.gpu_memory ?? []).reduce((sum, one) => sum + one, 0) ||
      Math.max(1, ...points.map((one) => one.y)),
  },
];

const isMeasured = (machine, { lines }) =>
  lines.some(([, key]) => seriesOf(machine, key).length > 0);

// On the time axis of the slots.
function viewOf(data, { lines, most }, { from, to }) {
  const { machine } = data.history;
  const drawn = lines.map(([name, key]) => ({ name, points: seriesOf(machine, key) }));
  return {
    from,
    to,
    lines: drawn,
    most: machine ? most(machine, drawn.flatMap((one) => one.points), data.worker) : 1,
  };
}

function chartCard(page, data, chart, { state, zoom, unzoom }) {
  const plot = machinePlot({
    label: `${chart.title} of ${data.worker.id} over time`,
    format: chart.format,
    view: () => viewOf(data, chart, state),
    zoom,
    unzoom,
  });
  page.onLeave(() => plot.close());
  const legend =
    chart.lines.length < 2
      ? null
      : h(
          "div.legend",
          {},
          chart.lines.map(([name], i) => h("span", {}, lineKey(i), name)),
        );
  const element = card(chart.title, [plot.element, legend], { plot, id: chart.id });
  element.keep = true;
  return { chart, plot, element };
}

function factsOf({ worker, history }) {
  const { machine, slot_seconds: slots, held } = history;
  const now = (key) => newest(seriesOf(machine, key));
  const inUse = held.reduce((sum, one) => sum + one.slots, 0);
  const [cpu, used, gpu] = [now("cpu"), now("memory"), now("gpu")];
  return facts([
    ["Slots", String(worker.cpus), `${inUse} held`],
    slots.idle === null
      ? null
      : ["Idle", percent(slots.idle), "of its slots' time that is shown"],
    cpu === null ? null : ["Processor", percent(cpu), `of ${plural(machine.cores, "core")}`],
    used === null
      ? null
      : ["Memory", memory(used), machine.memory ? `of ${memory(machine.memory)}` : ""],
    gpu === null ? null : ["GPUs", percent(gpu), `busy, of ${worker.gpus}`],
  ]);
}

const heldCard = ({ history: { held } }) =>
  card(
    "Who holds its slots",
    held.length === 0
      ? h("p.muted", {}, "No run: every slot is free.")
      : table(
          [
            ["Sweep", (one) => link(one.sweep)],
            ["Slots", (one) => one.slots, { num: true }],
            ["Runs", (one) => one.runs, { num: true }],
          ],
          held,
          "Who holds its slots",
        ),
    { flush: held.length > 0, id: "held" },
  );

const waitText = (one) => [
  `${one.why[0].toUpperCase()}${one.why.slice(1)}.`,
  one.story ? h("div.muted.small", {}, one.story) : null,
];

function waitingCard({ history: { waiting, waiting_left_out: more } }) {
  const body =
    waiting.length === 0
      ? h("p.muted", {}, "No sweep has a run or a trial to give.")
      : table(
          [
            ["Sweep", (one) => [link(one.sweep), " ", one.name]],
            ["Queued", (one) => one.queued, { num: true }],
            ["Why not here, now", waitText],
          ],
          waiting,
          "What waits",
        );
  const rest = more
    ? h(
        "p.muted.small",
        { style: { margin: "8px 16px" } },
        `${plural(more, "further sweep")} not shown.`,
      )
    : null;
  return card("What waits, and why", [body, rest], { flush: waiting.length > 0, id: "waiting" });
}

const aboutCard = ({ worker }) =>
  card(
    "About",
    pairs([
      ["Host", `${worker.host}, process ${worker.pid}`],
      ["Joined", time(worker.joined_at)],
      ["Last seen", ago(worker.last_seen_at, serverNow())],
      worker.gpus ? ["GPUs", String(worker.gpus)] : null,
      worker.labels?.length ? ["Labels", worker.labels.join(", ")] : null,
      worker.use ? ["Its runs", worker.use.text] : null,
      worker.aside_until
        ? ["Quarantined", `${worker.aside_why} until ${time(worker.aside_until)}`]
        : null,
      ["Version", worker.hone_version],
    ]),
    { id: "about" },
  );

const nothingMeasured = () =>
  card(
    "Machine",
    h(
      "p.muted",
      {},
      "Nothing was measured of its machine in this time. The server keeps what workers send for a ",
      "day, in memory: it begins with the server.",
    ),
    { id: "machine" },
  );

const stateOf = ({ state }) =>
  stateMark({ present: "running", asks: "running" }[state] ?? "failed", words(state));

export async function workerPage(page) {
  const [id] = page.ids;
  const data = { worker: await get(`/v1/workers/${id}`), history: null };
  const place = h("div.stack");
  const slots = new Map([[id, data.worker.cpus]]);
  const part = lanesPart(page, {
    path: () => `/v1/workers/${id}/history?${rangeQuery(shown()[2])}`,
    fit: false,
    begin: Date.parse(data.worker.joined_at),
    whole: true,
    hosts: new Map([[id, data.worker.host]]),
    slots,
    after: (history) => {
      data.history = history;
      draw();
    },
  });
  const parts = charts.map((chart) => chartCard(page, data, chart, part));
  const lanes = card("Slots", [part.plot.element, part.legend], { plot: part.plot, id: "slots" });
  lanes.keep = true;
  const draw = () => {
    const measured = parts.filter(({ chart }) => isMeasured(data.history.machine, chart));
    update(
      place,
      factsOf(data),
      lanes,
      heldCard(data),
      waitingCard(data),
      measured.length > 0 ? measured.map(({ element }) => element) : nothingMeasured(),
      aboutCard(data),
    );
    measured.forEach(({ plot }) => plot.redraw());
  };
  const read = async () => {
    data.worker = await get(`/v1/workers/${id}`);
    await part.read();
  };
  await read();
  followWorkers(page, rereadTime, read);
  return [headOf(page, data, read), place];
}

function headOf(page, { worker }, read) {
  const again = choice(
    "last",
    "Last",
    spansOfTime.map(([name, title]) => [name, title]),
    () => {
      setParams({ zoom: "" });
      read();
    },
  );
  const allow = worker.aside_until && page.can("admin") ? allowButton(page, worker) : null;
  return heading(worker.id, [worker.host, " ", stateOf(worker)], [again, allow]);
}
