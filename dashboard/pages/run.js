// One run: its curve with verdicts, its other metrics, attempts, artifacts, log and explanation.
import { blob, get, list } from "../lib/api.js";
import { h, replace, save, toast } from "../lib/dom.js";
import { bytes, count, duration, short, time, words } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { recorded, report } from "../lib/report.js";
import { links } from "../lib/route.js";
import { padded, robustRange } from "../lib/scale.js";
import { Plot, card } from "../chart/plot.js";
import { empty, facts, heading, link, stateMark, table } from "../ui/parts.js";
import { evaluationsCard, readEvaluations } from "../ui/evaluations.js";
import { logView } from "../ui/log.js";
import { noteButtons } from "./heading.js";

const pointsAtMost = 20000;

export async function runPage(page) {
  const [id] = page.ids;
  const state = {};
  const read = async () => {
    const run = await get(`/v1/runs/${id}`);
    const all = await Promise.all([
      get(`/v1/sweeps/${run.sweep}`),
      get(`/v1/runs/${id}/curve`),
      list(`/v1/runs/${id}/attempts`),
      get(`/v1/runs/${id}/artifacts`),
      get(`/v1/runs/${id}/explain`).catch(() => null),
      list(`/v1/models?run=${id}`, 200).catch(() => []),
      list(`/v1/runs/${id}/metrics?limit=1000`, pointsAtMost),
      readEvaluations("run", id).catch(() => []),
    ]);
    const [sweep, curve, attempts, artifacts, why, models, metrics, evaluations] = all;
    Object.assign(state, {
      run,
      sweep,
      curve: curve.items,
      attempts,
      artifacts: artifacts.items,
      why,
      models,
      metrics: byName(metrics),
      evaluations,
    });
  };
  await read();
  const plots = new Map();
  const parts = {
    head: h("div"),
    facts: h("div"),
    why: h("div"),
    attempts: h("div"),
    files: h("div"),
    evaluations: h("div.whole"),
    thinned: h("p.muted.small"),
    metrics: h("div.small-grid"),
  };
  const curve = linePlot(
    () => state.sweep.objective.metric,
    () => state.curve.map((one) => ({ x: one.step, y: one.value, one })),
    () => state.sweep.spec.budget.unit,
    { ended: () => state.run.ended_at !== null },
  );
  const draw = () => {
    replace(parts.head, headOf(page, state));
    replace(parts.facts, factsOf(state));
    replace(parts.why, whyOf(state));
    replace(parts.attempts, attemptsOf(state.attempts));
    replace(parts.files, filesOf(state));
    parts.thinned.textContent = thinnedNote(id);
    replace(parts.evaluations, evaluationsCard(state.evaluations));
    drawMetrics(state, parts.metrics, plots);
    curve.redraw();
  };
  draw();
  const log = report ? null : logView(id);
  const soon = throttled(1500, async () => {
    await read();
    draw();
  });
  page.onFrame((frame) => {
    if (frame.resync || frame.sweeps.includes(state.run.sweep)) soon();
  });
  page.onLeave(() => {
    soon.cancel();
    curve.close();
    log?.close();
    for (const plot of plots.values()) plot.close();
  });
  return [
    parts.head,
    parts.facts,
    h(
      "div.grid",
      {},
      card(state.sweep.objective.metric, curve.element, { plot: curve, span: 8, id: "curve" }),
      card("What happened, and why", parts.why, { span: 4, id: "why" }),
      card("Metrics", [parts.metrics, parts.thinned], { id: "metrics" }),
      card("Attempts", parts.attempts, { flush: true, span: 7 }),
      card("Files and models", parts.files, { flush: true, span: 5 }),
      parts.evaluations,
      log ? card("Log", log.element, { id: "log" }) : null,
    ),
  ];
}

// In a report long series are thinned.
function thinnedNote(id) {
  const stride = report ? recorded(`/v1/runs/${id}/metrics?limit=1000`).thinned : 1;
  return stride > 1 ? `This report has every ${stride}th point of the longest series.` : "";
}

function byName(points) {
  const series = new Map();
  for (const point of points) {
    if (!series.has(point.name)) series.set(point.name, []);
    series.get(point.name).push({ x: point.step, y: point.value });
  }
  return series;
}

function drawMetrics({ metrics, sweep }, place, plots) {
  if (metrics.size === 0)
    return void replace(place, h("p.muted", {}, "The run logs no other metric."));
  for (const name of metrics.keys()) {
    if (plots.has(name)) {
      plots.get(name).redraw();
      continue;
    }
    const plot = linePlot(
      () => name,
      () => metrics.get(name),
      () => sweep.spec.budget.unit,
      { height: 170 },
    );
    plots.set(name, plot);
    if (plots.size === 1) replace(place);
    place.append(h("div", {}, h("h2", {}, name), plot.element));
  }
  return undefined;
}

function headOf(page, { run, sweep }) {
  return heading(
    run.id,
    [
      stateMark(
        run.state,
        run.reason === "none" ? words(run.state) : `${words(run.state)}: ${words(run.reason)}`,
      ),
      h("span", {}, "of ", link(run.trial)),
      h("span", {}, "in ", link(sweep.id, sweep.name || sweep.id)),
      h("span", {}, `seed ${run.seed}`),
      run.seed_applied === false
        ? h("span", {}, "the program did not apply the seed: a repeat")
        : null,
      h("a", { href: links.lineage(run.id) }, "lineage"),
    ],
    page.can("submit") ? noteButtons(page, run.id) : [],
  );
}

function factsOf({ run, sweep }) {
  const { goal } = sweep.objective;
  return facts([
    [
      "Newest",
      run.value === null ? "–" : short(run.value),
      `after ${count(run.step)} ${sweep.spec.budget.unit}`,
    ],
    [
      "Best",
      run.best === null ? "–" : short(run.best),
      goal === "maximize" ? "larger is better" : "smaller is better",
    ],
    ["Phases", `${run.phase} / ${sweep.spec.budget.phases}`],
    ["Attempts", String(run.attempts), run.worker ? ["newest on ", link(run.worker)] : null],
    ["Started", h("small", {}, time(run.started_at))],
    [
      "Ended",
      h("small", {}, time(run.ended_at)),
      run.ended_at && run.started_at
        ? `after ${duration((Date.parse(run.ended_at) - Date.parse(run.started_at)) / 1000)}`
        : null,
    ],
  ]);
}

function whyOf({ run, why }) {
  return [
    run.failure !== "none"
      ? h("p.bad", {}, `Failure: ${words(run.failure)}${run.detail ? `: ${run.detail}` : ""}`)
      : null,
    why ? h("pre", {}, why.text) : h("p.muted", {}, "Nothing has been decided yet."),
  ];
}

const attemptsOf = (attempts) =>
  attempts.length === 0
    ? empty("The run waits for a worker.")
    : table(
        [
          ["Attempt", (one) => one.id],
          ...(attempts.some((one) => one.step)
            ? [["Step", (one) => (one.finished ? `${one.step} (finished)` : one.step)]]
            : []),
          ["Worker", (one) => [link(one.worker), " ", h("span.muted.small", {}, one.host)]],
          ["Began", (one) => time(one.granted_at)],
          [
            "Took",
            (one) =>
              one.ended_at
                ? duration((Date.parse(one.ended_at) - Date.parse(one.granted_at)) / 1000)
                : "in progress",
            { num: true },
          ],
          ["End", (one) => words(one.end_reason ?? "")],
          ["Continued from", (one) => (one.resume ? link(one.resume) : null)],
          ["Detail", (one) => one.detail],
        ],
        attempts,
        "Attempts",
      );

async function download(name, sha256) {
  try {
    save(name.split("/").at(-1), await blob(sha256));
  } catch (error) {
    toast(error.message);
  }
}
const saveButton = (name, sha256) =>
  h("button.quiet.small", { type: "button", onclick: () => download(name, sha256) }, "Save");

function filesOf({ artifacts, models }) {
  const rows = [
    ...artifacts.map((one) => ({
      name: one.name,
      bytes: one.bytes,
      act: report ? null : saveButton(one.name, one.sha256),
    })),
    ...models.map((one) => ({
      name: [link(one.id), h("span.muted.small", {}, ` phase ${one.phase + 1}`)],
      bytes: one.bytes,
      act: one.dropped_at
        ? h("span.muted", {}, "dropped")
        : report
          ? null
          : saveButton(`${one.id}.model`, one.sha256),
    })),
  ];
  return rows.length === 0
    ? empty("The run kept no file.")
    : table(
        [
          ["Name", (one) => one.name],
          ["Size", (one) => bytes(one.bytes), { num: true }],
          ["", (one) => one.act],
        ],
        rows,
        "Files and models",
      );
}

// A line with points; verdicts that stopped or paused are marked.
function linePlot(name, points, unit, { height = 300, ended = () => false } = {}) {
  return new Plot({
    label: name(),
    height,
    paint: (p) => {
      const list = points().filter((one) => typeof one.y === "number");
      if (list.length === 0)
        return p.message(ended() ? "The run reported no number." : "No report yet.");
      p.axes(
        {
          domain: [Math.min(0, list[0].x), list.at(-1).x || 1],
          label: height > 200 ? unit() : "",
          format: count,
        },
        {
          domain: padded(robustRange(list.map((one) => one.y))),
          label: height > 200 ? name() : "",
        },
      );
      p.inside((ctx) => drawLine(p, ctx, list));
      return undefined;
    },
    hit: (p, x) => near(p, points(), x, name()),
    move: (p, key) => {
      const list = points();
      const by = key === "ArrowRight" || key === "ArrowUp" ? 1 : -1;
      p.at = Math.min(list.length - 1, Math.max(0, (p.at ?? -1) + by));
      return list.length ? tipOf(p, list[p.at], name()) : null;
    },
    table: () => ({ header: ["step", name()], rows: points().map((one) => [one.x, one.y]) }),
  });
}

function drawLine(p, ctx, list) {
  ctx.strokeStyle = ctx.fillStyle = p.colours.c1;
  ctx.lineWidth = 1.8;
  ctx.beginPath();
  for (const one of list) ctx.lineTo(p.x.at(one.x), p.y.at(one.y));
  ctx.stroke();
  if (list.length > 200) return;
  for (const one of list) {
    const stops =
      one.one?.verdict && one.one.verdict !== "continue" && one.one.reason !== "last_phase";
    ctx.fillStyle = stops ? p.colours.failed : p.colours.c1;
    ctx.beginPath();
    ctx.arc(p.x.at(one.x), p.y.at(one.y), stops ? 5 : 2.5, 0, 7);
    ctx.fill();
  }
}

function tipOf(p, point, name) {
  if (typeof point.y !== "number") return null;
  const one = point.one;
  const inputs = one
    ? Object.entries(one.inputs ?? {})
        .map(
          ([key, value]) =>
            `${words(key)} ${typeof value === "number" ? short(value) : JSON.stringify(value)}`,
        )
        .join(", ")
    : "";
  return {
    x: p.x.at(point.x),
    y: p.y.at(point.y),
    text: `${name} ${short(point.y)}\nstep ${point.x}${one ? `, phase ${one.phase + 1}` : ""}${one?.verdict ? `\n${one.verdict}: ${words(one.reason)}${inputs ? `\n${inputs}` : ""}` : ""}`,
  };
}

function near(p, list, x, name) {
  const there = list.filter((one) => typeof one.y === "number");
  if (there.length === 0) return null;
  return tipOf(
    p,
    there.reduce((a, b) => (Math.abs(p.x.at(b.x) - x) < Math.abs(p.x.at(a.x) - x) ? b : a)),
    name,
  );
}
