// The attempts of workers over time as a part of a page: of all workers, of one, or of a sweep.
import { get, serverNow } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { throttled } from "../lib/live.js";
import { links, param, setParams } from "../lib/route.js";
import { isMany, spansOf, sweepStyle, sweepsOf } from "../lib/spans.js";
import { update } from "../lib/update.js";
import { link, stateMark } from "../ui/parts.js";
import { timelinePlot } from "../chart/timeline.js";

export function zoomed() {
  const [from, to] = param("zoom").split(",").map(Number);
  return Number.isFinite(from) && Number.isFinite(to) && to > from ? [from, to] : null;
}

// usual: the seconds before now that are shown unless the reader zoomed; 0: what the server does.
export function rangeQuery(usual) {
  const query = new URLSearchParams({ pixels: String(Math.min(4000, Math.max(300, innerWidth))) });
  const zoom = zoomed();
  if (zoom) {
    query.set("from", String(Math.floor(zoom[0])));
    query.set("to", String(Math.ceil(zoom[1])));
  } else if (usual) query.set("from", String(Math.floor(serverNow() / 1000) - usual));
  return query;
}

// Of all workers: not before the first attempt of the time that was asked for.
function beginOf(answer, spans) {
  const from = Date.parse(answer.from);
  if (zoomed() || spans.length === 0) return from;
  const first = Math.min(...spans.map((one) => one.t0));
  return Math.max(from, first - 0.02 * (Date.parse(answer.to) - first));
}

function endOf(answer, spans) {
  const to = Date.parse(answer.to);
  const last = Math.max(...spans.map((one) => one.t1), Date.parse(answer.from));
  return spans.some((one) => one.live) || zoomed()
    ? to
    : Math.min(to, last + 0.02 * (last - Date.parse(answer.from)) + 1);
}

// Reads again after events, and after `pause` without any: a sample of a machine, what an engine
// fails at, and when workers were seen are none.
export function followWorkers(page, pause, read) {
  const soon = throttled(3000, read);
  page.onFrame((frame) => {
    if (frame.resync || frame.workers || frame.sweeps.length > 0) soon();
  });
  const timer = setInterval(() => document.hidden || soon(), pause);
  page.onLeave(() => {
    clearInterval(timer);
    soon.cancel();
  });
}

// options: path() of the answer; fit: the axis is as long as the attempts are; begin: the earliest
// time of the axis otherwise; whole: all slots are lanes; after(answer): once it is read. hosts and
// slots: Maps by worker, which the page fills.
export function lanesPart(page, options) {
  const { path, fit = true, begin = 0, whole = false, hosts, slots, after } = options;
  const state = { spans: [], from: 0, to: 1, hosts, slots, whole };
  const read = async () => {
    const answer = await get(path());
    state.spans = spansOf(answer);
    Object.assign(state, {
      from: fit
        ? beginOf(answer, state.spans)
        : Math.max(Date.parse(answer.from), zoomed() ? 0 : begin),
      to: fit ? endOf(answer, state.spans) : Date.parse(answer.to),
    });
    update(legend, note(state));
    plot.redraw();
    after?.(answer);
    return answer;
  };
  const legend = h("div");
  const [zoom, unzoom] = zoomsOf(read);
  const plot = timelinePlot({
    view: () => state,
    open: (hit) => {
      if (hit.span.run) location.hash = links.run(hit.span.run);
    },
    zoom,
    unzoom,
  });
  page.onLeave(() => plot.close());
  return { plot, read, state, legend, zoom, unzoom };
}

const zoomsOf = (read) => [
  (from, to) => {
    setParams({ zoom: `${from / 1000},${to / 1000}` });
    read();
  },
  () => {
    setParams({ zoom: "" });
    read();
  },
];

function sweepMark(sweep, i) {
  const { colour, split } = sweepStyle(i, 6);
  const style = {
    "border-color": `var(--c${colour + 1})`,
    "border-top-style": split ? "double" : "solid",
  };
  return h("span", {}, h("span.key.thick", { style }), link(sweep));
}

// Of one sweep, colours are how an attempt ended; of several, the sweep.
function note({ spans }) {
  const sweeps = sweepsOf(spans);
  const marks =
    sweeps.length < 2
      ? ["running", "completed", "stopped", "failed"].map((one) => stateMark(one))
      : sweeps.slice(0, 12).map(sweepMark);
  return h(
    "div.legend",
    {},
    marks,
    sweeps.length > 12 ? "…" : null,
    spans.some(isMany)
      ? h("span", {}, h("span.key.hatched", { "aria-hidden": "true" }), "many short attempts")
      : null,
    h("span", {}, "Dark end: lost, failed or diverged. Grey ground: idle."),
    h("span", {}, "Drag to zoom, double-click to reset."),
  );
}
