// A sweep's events with a slider: the sweep as of any of them, played, and saved as an animation.
import { h, save, toast } from "../lib/dom.js";
import { EventLog } from "../lib/event_log.js";
import { EventReader, eventsAtMost } from "../lib/event_reader.js";
import { count, duration, plural, short, time, words } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { Replay } from "../lib/replay.js";
import { param, setParams } from "../lib/route.js";
import { runStates } from "../lib/states.js";
import { sweepData } from "../lib/sweep.js";
import { update } from "../lib/update.js";
import { card } from "../ui/card.js";
import { eventTable } from "../ui/event.js";
import { empty, facts, link, stateMark, strip, sweepTabs } from "../ui/parts.js";
import { sweepHeading } from "./heading.js";
import { animationOf, curvesPlot, measured, sampled } from "./replay_chart.js";

// What is read without being asked for: 100 requests, a few seconds. More is a button.
const readAtOnce = 100_000;
const firstPause = 400; // the page appears with what was read in this time
const listed = 100;
const playSeconds = 20;

function factsOf({ replay, log }, data) {
  const begin = Date.parse(data.sweep.submitted_at);
  const { best, done } = replay;
  const at = done ? log.at.cells[done - 1] : null;
  return facts([
    [
      "Time",
      at ? duration((at - begin) / 1000) : "–",
      at ? `after the submission: ${time(at)}` : null,
    ],
    ["Sweep", stateMark(replay.state), `${plural(replay.trials, "trial")} proposed`],
    [
      "Reports",
      String(replay.reports),
      `${count(replay.trained)} ${data.spec.budget.unit} trained`,
    ],
    [
      "Best report",
      best ? short(best.value) : "–",
      best ? [link(best.run), ` at event ${best.seq}`] : "no report yet",
    ],
  ]);
}

function stripOf(replay) {
  const counts = replay.counts();
  const note = sampled(replay.seen) ? "; a part of the runs, at equal distances" : "";
  return h(
    "div.stack",
    {},
    h(
      "div.legend",
      {},
      runStates
        .filter((state) => counts[state])
        .map((state) => h("span", {}, stateMark(state), String(counts[state]))),
      h("span", {}, `thick: the run with the best report${note}`),
    ),
    strip(counts),
  );
}

function playButton(slider, moved) {
  let timer = 0;
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    button.textContent = "Play";
  };
  const step = () => {
    const by = Math.max(1, Math.round(Number(slider.max) / (playSeconds * 10)));
    slider.value = String(Math.min(Number(slider.max), Number(slider.value) + by));
    moved();
    if (slider.value === slider.max) stop();
  };
  const start = () => {
    if (slider.value === slider.max) slider.value = "1";
    button.textContent = "Stop";
    timer = setInterval(step, 100);
  };
  const button = h("button", { type: "button", onclick: () => (timer ? stop() : start()) }, "Play");
  return { button, stop };
}

const saveButton = (view) =>
  h(
    "button",
    {
      type: "button",
      title: "The curves up to this event as a file of SVG that moves by itself",
      onclick: () => {
        if (!view.state.range) return toast("There is no report to animate yet.");
        const text = animationOf(view.state, view.data);
        save(`${view.id}.svg`, new Blob([text], { type: "image/svg+xml" }));
        return undefined;
      },
    },
    "Save animation",
  );

// The parts of the page, and what is shown in them.
class ReplayView {
  constructor(id, data) {
    const log = new EventLog(data.spec.replicates?.seeds ?? 1);
    const replay = new Replay(data.objective.metricGoal, log);
    Object.assign(this, { id, data, reader: new EventReader(id, log) });
    this.state = { log, replay, range: null, end: 1 };
    this.plot = curvesPlot(this.state, data);
    this.parts = { facts: h("div"), strip: h("div"), list: h("div"), rest: h("div") };
    this.mark = h("output.num");
    this.slider = h("input.wide", { type: "range", min: "1", "aria-label": "Event of the sweep" });
    this.kinds = h("select", { "aria-label": "Kind of event" });
    this.slider.addEventListener("input", () => this.moved());
    this.kinds.addEventListener("change", () => {
      setParams({ kind: this.kinds.value });
      this.list();
    });
    this.listSoon = throttled(150, () => this.list());
    this.playing = playButton(this.slider, () => this.moved());
  }

  get length() {
    return this.state.log.length;
  }

  // The events that are read now: more of them move the slider's end.
  grown() {
    const { slider, state } = this;
    const at = Number(param("at"));
    state.replay.to(Infinity);
    Object.assign(state, measured(state.log, state.replay));
    slider.max = String(Math.max(1, this.length));
    slider.value = at ? String(state.log.indexOf(at)) : slider.max;
    this.drawKinds();
    this.drawRest();
    this.draw();
  }

  moved() {
    const at = Number(this.slider.value);
    const newest = at === Number(this.slider.max);
    setParams({ at: newest ? "" : this.state.log.seq.cells[at - 1] });
    this.draw();
  }

  draw() {
    const { slider, mark, parts, state, data } = this;
    const at = Math.min(Number(slider.value), this.length);
    state.replay.to(at);
    mark.textContent = this.markText(at);
    slider.setAttribute("aria-valuetext", mark.textContent);
    update(parts.facts, factsOf(state, data));
    update(parts.strip, stripOf(state.replay));
    this.plot.redraw();
    this.listSoon();
  }

  markText(at) {
    if (at === 0) return "no event";
    const seq = this.state.log.seq.cells[at - 1];
    const all = this.reader.complete;
    const following = all && at === this.length && !param("at") && !this.data.sweep.ended_at;
    const of = all ? `the sweep's ${this.length}` : `the ${this.length} that are read`;
    return `event ${seq} (${at} of ${of})${following ? ", following" : ""}`;
  }

  drawKinds() {
    const kinds = [...this.state.log.kinds].sort();
    update(
      this.kinds,
      h("option", { value: "" }, "all kinds"),
      kinds.map((kind) =>
        h("option", { value: kind, selected: kind === param("kind") }, words(kind)),
      ),
    );
  }

  async list() {
    const { log } = this.state;
    const end = Number(this.slider.value);
    const kind = param("kind");
    const shown = await this.reader.newest(end, listed, (one) => !kind || one.kind === kind);
    if (end !== Number(this.slider.value)) return;
    update(
      this.parts.list,
      shown.length
        ? eventTable(shown, this.id, (lease) => log.runs[log.leases.get(lease)])
        : empty("No event of this kind shortly before that event."),
    );
  }

  // What is not read yet, with the button that reads it.
  drawRest() {
    const { reader, parts, state } = this;
    if (reader.complete) return void update(parts.rest);
    const reports = this.data.sweep.phases.done;
    const share = `${count(state.replay.reports)} of ${count(reports)} reports`;
    const sentence = this.reading
      ? `Reading the events: ${count(this.length)}, with ${share}.`
      : reader.full
        ? `The first ${count(eventsAtMost)} events are here; hone events ${this.id} lists all of them.`
        : `The first ${count(this.length)} events are here, with ${share}.`;
    const onclick = () => (this.reading ? this.stop() : void this.read(Infinity));
    const button = h(
      "button.small",
      { type: "button", onclick },
      this.reading ? "Stop" : "Read all",
    );
    update(parts.rest, h("p.bar", { role: "status" }, sentence, reader.full ? null : button));
    return undefined;
  }

  // Reads on until so many events are there, and shows what came from time to time.
  async read(most) {
    this.reading = true;
    let shown = performance.now();
    const seen = () => {
      if (performance.now() - shown < 500) return;
      this.grown();
      shown = performance.now();
    };
    try {
      await this.reader.read(() => !this.reading || this.length >= most, seen);
    } catch (error) {
      toast(error.message);
    }
    this.reading = false;
    if (!this.closed) this.grown();
  }

  // A number in the address is reached, whatever it takes.
  readFirst() {
    const wanted = Number(param("at"));
    const { log } = this.state;
    const there = () => log.length > 0 && log.seq.cells[log.length - 1] >= wanted;
    return this.read(readAtOnce).then(() => (there() ? null : this.read(Infinity)));
  }

  stop() {
    this.reading = false;
  }

  close() {
    this.closed = true;
    this.stop();
    this.listSoon.cancel();
    this.playing.stop();
    this.plot.close();
  }
}

export async function replayPage(page) {
  const [id] = page.ids;
  const data = sweepData(id);
  await data.loadSweep();
  const view = new ReplayView(id, data);
  const { parts, plot } = view;
  await Promise.race([view.readFirst(), new Promise((done) => setTimeout(done, firstPause))]);
  view.grown();
  const soon = throttled(1000, () => view.read(Infinity));
  page.onFrame((frame) => {
    if (view.reader.complete && (frame.resync || frame.sweeps.includes(id))) soon();
  });
  page.onLeave(() => {
    soon.cancel();
    view.close();
  });
  return [
    sweepHeading(page, data),
    sweepTabs(id, "events"),
    h("div.bar", {}, view.playing.button, view.slider, view.mark, saveButton(view)),
    parts.rest,
    parts.facts,
    h(
      "div.grid",
      {},
      card(`${data.metric} as of that event`, [plot.element, parts.strip], { plot, id: "replay" }),
      card("Events up to there, newest first", parts.list, {
        flush: true,
        end: view.kinds,
        id: "events",
      }),
    ),
  ];
}
