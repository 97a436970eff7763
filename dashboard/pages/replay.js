// A sweep's events with a slider: the sweep as of any of them.
import { get } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { count, duration, plural, short, time, words } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { Replay } from "../lib/replay.js";
import { links, param, setParams } from "../lib/route.js";
import { padded, robustRange } from "../lib/scale.js";
import { sweepData } from "../lib/sweep.js";
import { Plot } from "../chart/plot.js";
import { card } from "../ui/card.js";
import { eventTable } from "../ui/event.js";
import { empty, facts, link, runStates, stateMark, strip, sweepTabs } from "../ui/parts.js";
import { sweepHeading } from "./heading.js";

const eventsAtMost = 30000; // 30 requests, and some 15 MB
const listed = 100;
const playSeconds = 20;

// Appends the events behind those that are there.
async function readMore(id, replay) {
  for (;;) {
    const after = replay.events.at(-1)?.seq ?? 0;
    const page = await get(`/v1/events?sweep=${id}&limit=1000&after=${after}`);
    replay.events.push(...page.items);
    if (!page.next || replay.events.length >= eventsAtMost) return;
  }
}

function factsOf(replay, data, event) {
  const begin = Date.parse(data.sweep.submitted_at);
  const { best } = replay;
  return facts([
    [
      "Time",
      event ? duration((Date.parse(event.at) - begin) / 1000) : "–",
      event ? `after the submission: ${time(event.at)}` : null,
    ],
    ["Sweep", stateMark(replay.state), `${plural(replay.trials, "trial")} proposed`],
    ["Reports", String(replay.reports), `${count(replay.trained)} ${data.spec.budget.unit} trained`],
    [
      "Best report",
      best ? short(best.value) : "–",
      best ? [link(best.run), ` at event ${best.seq}`] : "no report yet",
    ],
  ]);
}

function stripOf(replay) {
  const counts = replay.counts();
  return h(
    "div.stack",
    {},
    h(
      "div.legend",
      {},
      runStates
        .filter((state) => counts[state])
        .map((state) => h("span", {}, stateMark(state), String(counts[state]))),
      h("span", {}, "thick: the run with the best report"),
    ),
    strip(counts),
  );
}

// All runs as they were; the axes are those of the newest event, so that nothing jumps.
function curvesPlot(state, data) {
  return new Plot({
    label: "The learning curves as of the event",
    height: 300,
    paint: (p) => {
      const { replay, range, end } = state;
      if (!range) return p.message("No report yet.");
      p.axes(
        { domain: [0, end], label: data.spec.budget.unit, format: count },
        { domain: padded(range), label: data.metric },
      );
      p.inside((ctx) => {
        for (const [id, run] of replay.runs) drawRun(p, ctx, run, replay.best?.run === id);
      });
      p.ctx.globalAlpha = 1;
      return undefined;
    },
    table: () => ({
      header: ["run", "state", "step", "value"],
      rows: [...state.replay.runs].flatMap(([id, run]) =>
        run.points.map(([step, value]) => [id, run.state, step, value]),
      ),
    }),
  });
}

function drawRun(p, ctx, { points, state }, best) {
  if (points.length === 0) return;
  ctx.strokeStyle = ctx.fillStyle = best ? p.colours.ink : p.colours[state];
  ctx.globalAlpha = best ? 1 : 0.7;
  ctx.lineWidth = best ? 2.5 : 1.2;
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(p.x.at(x), p.y.at(y));
  ctx.stroke();
  const [x, y] = points.at(-1);
  ctx.beginPath();
  ctx.arc(p.x.at(x), p.y.at(y), state === "running" || points.length === 1 ? 3 : 1.5, 0, 7);
  ctx.fill();
}

function measured(state) {
  const points = state.replay.to(Infinity).runs;
  const all = [...points.values()].flatMap((run) => run.points);
  state.range = all.length ? robustRange(all.map(([, value]) => value)) : null;
  state.end = Math.max(1, ...all.map(([step]) => step));
}

// The number of events up to a number of the ledger.
const indexOf = (events, seq) => {
  const at = events.findIndex((one) => one.seq > seq);
  return at < 0 ? events.length : at;
};

function playButton(slider, moved) {
  let timer = 0;
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    button.textContent = "Play";
  };
  const button = h(
    "button",
    {
      type: "button",
      onclick: () => {
        if (timer) return stop();
        if (slider.value === slider.max) slider.value = "1";
        button.textContent = "Stop";
        timer = setInterval(() => {
          const by = Math.max(1, Math.round(Number(slider.max) / (playSeconds * 10)));
          slider.value = String(Math.min(Number(slider.max), Number(slider.value) + by));
          moved();
          if (slider.value === slider.max) stop();
        }, 100);
        return undefined;
      },
    },
    "Play",
  );
  return { button, stop };
}

export async function replayPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  await data.loadSweep();
  const state = { replay: new Replay(data.objective.metricGoal, data.spec.replicates?.seeds ?? 1) };
  const { replay } = state;
  await readMore(id, replay);
  measured(state);
  const { events } = replay;
  const plot = curvesPlot(state, data);
  const parts = { facts: h("div"), strip: h("div"), list: h("div") };
  const mark = h("output.num");
  const slider = h("input.wide", {
    type: "range",
    min: "1",
    max: String(Math.max(1, events.length)),
    "aria-label": "Event of the sweep",
  });
  slider.value = param("at") ? String(indexOf(events, Number(param("at")))) : slider.max;
  const kinds = h("select", { "aria-label": "Kind of event" });
  const drawKinds = () =>
    update(
      kinds,
      h("option", { value: "" }, "all kinds"),
      [...new Set(events.map((one) => one.kind))]
        .sort()
        .map((kind) => h("option", { value: kind, selected: kind === param("kind") }, words(kind))),
    );
  const list = () => {
    const shown = [];
    for (let i = Number(slider.value) - 1; i >= 0 && shown.length < listed; i--)
      if (!param("kind") || events[i].kind === param("kind")) shown.push(events[i]);
    update(
      parts.list,
      shown.length ? eventTable(shown, id, (lease) => replay.leases.get(lease)) : empty("No event of this kind up to there."),
    );
  };
  const draw = () => {
    const at = Number(slider.value);
    const event = events[at - 1];
    replay.to(at);
    const now = at === events.length && !param("at");
    mark.textContent = event
      ? `event ${event.seq} (${at} of the sweep's ${events.length})${now && !data.sweep.ended_at ? ", following" : ""}`
      : "no event";
    slider.setAttribute("aria-valuetext", mark.textContent);
    update(parts.facts, factsOf(replay, data, event));
    update(parts.strip, stripOf(replay));
    plot.redraw();
    list();
  };
  const moved = () => {
    setParams({ at: slider.value === slider.max ? "" : events[Number(slider.value) - 1]?.seq });
    draw();
  };
  slider.addEventListener("input", moved);
  kinds.addEventListener("change", () => {
    setParams({ kind: kinds.value });
    list();
  });
  drawKinds();
  draw();
  const player = playButton(slider, moved);
  const soon = throttled(1000, async () => {
    await readMore(id, replay);
    const following = !param("at");
    measured(state);
    slider.max = String(events.length);
    if (following) slider.value = slider.max;
    drawKinds();
    draw();
  });
  page.onFrame((frame) => {
    if (events.length < eventsAtMost && (frame.resync || frame.sweeps.includes(id))) soon();
  });
  page.onLeave(() => {
    soon.cancel();
    player.stop();
    plot.close();
  });
  return [
    sweepHeading(page, data),
    sweepTabs(id, "events"),
    h("div.bar", {}, player.button, slider, mark),
    events.length >= eventsAtMost
      ? h(
          "p.warn",
          {},
          `The first ${eventsAtMost} events are here; hone events ${id} lists all of them, and `,
          h("a", { href: links.sweep(id) }, "the overview"),
          " shows the newest state.",
        )
      : null,
    parts.facts,
    h(
      "div.grid",
      {},
      card(`${data.metric} as of that event`, [plot.element, parts.strip], { plot, id: "replay" }),
      card("Events up to there, newest first", parts.list, { flush: true, end: kinds, id: "events" }),
    ),
  ].filter(Boolean);
}
