// Pictures of runs that continue one another: which took the place of which, what they reached, and
// how their parameters changed along the forks. All three share the chosen run, whose ancestors are
// drawn in the accent colour.
import { Plot } from "./plot.js";
import { count, duration, param as shown, short, words } from "../lib/format.js";
import { padded, robustRange } from "../lib/scale.js";

// A family is {runs: [{id, trial, from, to, x0, t0, t1, slot, origin, successor, values, params,
// left: by the filter}], byId, line: Map of the chosen line (pages/population.js), slots, unit,
// metric}.

const filteredOut = 0.2; // what the filter does not leave: a fork may come from there

// The runs that a run descends from, itself last. A fork names its origin, which is older.
export function ancestors(byId, id) {
  const line = [];
  for (let one = byId.get(id); one; one = byId.get(one.origin?.run)) line.unshift(one);
  return line;
}

const tipOf = (one, family) =>
  [
    one.id,
    one.value === null ? "no report" : `${family.metric} ${short(one.value)}`,
    one.origin
      ? `continues ${one.origin.run} after phase ${one.origin.phase + 1}`
      : "begins from nothing",
    one.origin?.replaces ? `takes the place of ${one.origin.replaces}` : "",
    `${words(one.state)}${one.reason === "none" ? "" : `: ${words(one.reason)}`}`,
    one.successor ? `its place is taken by ${one.successor}` : "",
  ]
    .filter(Boolean)
    .join("\n");

// The parts that the charts share: marks are [{one, x0, y0, x1, y1}] in pixels.
class FamilyPlot extends Plot {
  hit(p, x, y) {
    let best = null;
    let least = 24;
    for (const mark of p.marks ?? []) {
      const far = distance(mark, x, y);
      if (far < least) [best, least] = [mark, far];
    }
    return best && this.hitOf(best, x, y);
  }
  hitOf(mark, x = mark.x1, y = mark.y1) {
    const text = this.textOf?.(mark.one) ?? tipOf(mark.one, this.family());
    return { x, y, id: mark.one.id, text };
  }
  move(p, key) {
    const marks = p.marks ?? [];
    if (marks.length === 0) return null;
    const by = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    p.step = (marks.length + (p.step ?? (by > 0 ? -1 : 0)) + by) % marks.length;
    return this.hitOf(marks[p.step]);
  }
  // Other runs first, so that the chosen line is on top.
  ordered({ runs, line }) {
    return [...runs.filter((one) => !line.has(one.id)), ...runs.filter((one) => line.has(one.id))];
  }
  pen(one, { line }, x = 0) {
    const own = line.has(one.id) && x < line.get(one.id);
    this.ctx.strokeStyle = this.ctx.fillStyle = own
      ? this.colours.accent
      : this.colours["line-strong"];
    this.ctx.lineWidth = own ? 2.5 : 1;
    this.ctx.globalAlpha = own ? 1 : one.left ? 0.75 : filteredOut;
  }
}

function distance({ x0, y0, x1, y1 }, x, y) {
  const long = (x1 - x0) ** 2 + (y1 - y0) ** 2;
  const at = long ? ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / long : 0;
  const share = Math.min(1, Math.max(0, at));
  return Math.hypot(x - x0 - share * (x1 - x0), y - y0 - share * (y1 - y0));
}

// Rows are the places of the population; a bar is one member's life, and an arrow leads from the
// run that a fork continues.
export function placesPlot(options) {
  const height = Math.min(640, Math.max(300, 52 + options.family().slots * 22));
  return new FamilyPlot({
    label: "Members of the population over time",
    height,
    margin: { left: 64, right: 16, top: 8, bottom: 36 },
    ...options,
    paint: (p) => paintPlaces(p, options.family()),
    table: () => ({
      header: ["run", "place", "from s", "to s", "state", "reason", "continues", "after phase"],
      rows: options
        .family()
        .runs.map((one) => [
          one.id,
          one.slot + 1,
          one.t0,
          one.t1,
          one.state,
          one.reason,
          one.origin?.run ?? "",
          one.origin ? one.origin.phase + 1 : "",
        ]),
    }),
  });
}

function paintPlaces(p, family) {
  const { ctx } = p;
  const runs = family.runs.filter((one) => one.t0 !== null);
  if (runs.length === 0) return p.message("No member has started yet.");
  const row = (p.bottom - p.top) / family.slots;
  const y = (one) => p.top + (one.slot + 0.5) * row;
  const stride = Math.ceil(18 / row);
  const places = Array.from({ length: family.slots }, (_, i) => i).filter((i) => i % stride === 0);
  p.axes(
    {
      domain: [0, Math.max(...runs.map((one) => one.t1)) || 1],
      label: "since the sweep's submission",
      format: duration,
    },
    {
      domain: [-0.5, family.slots - 0.5],
      reverse: true,
      ticks: places,
      format: (i) => String(i + 1),
      label: "place",
    },
  );
  p.marks = [];
  p.inside(() => {
    for (const one of p.ordered({ ...family, runs })) {
      const thick = Math.max(3, Math.min(16, row - 6));
      const [x0, x1] = [p.x.at(one.t0), Math.max(p.x.at(one.t0) + 2, p.x.at(one.t1) - 1)];
      ctx.fillStyle = p.colours[one.state] ?? p.colours.stopped;
      ctx.globalAlpha = family.line.has(one.id) ? 1 : one.left ? 0.6 : filteredOut;
      ctx.fillRect(x0, y(one) - thick / 2, x1 - x0, thick);
      if (family.line.has(one.id)) {
        ctx.strokeStyle = p.colours.accent;
        ctx.lineWidth = 2;
        ctx.strokeRect(x0, y(one) - thick / 2 - 2, x1 - x0, thick + 4);
      }
      p.marks.push({ one, x0, y0: y(one), x1, y1: y(one) });
    }
    for (const one of p.ordered({ ...family, runs })) arrow(p, family, one, y);
  });
  ctx.globalAlpha = 1;
  return undefined;
}

function arrow(p, family, one, y) {
  const from = family.byId.get(one.origin?.run);
  if (!from || from.slot === one.slot) return;
  const x = p.x.at(one.t0);
  const down = y(one) > y(from) ? 1 : -1;
  p.pen(one, family);
  p.line(x, y(from), x, y(one) - 7 * down);
  p.ctx.beginPath();
  p.ctx.moveTo(x, y(one) - 5 * down);
  p.ctx.lineTo(x - 4, y(one) - 11 * down);
  p.ctx.lineTo(x + 4, y(one) - 11 * down);
  p.ctx.fill();
}

// What each run reached from the step at which it forked.
export function reachedPlot(options) {
  return new FamilyPlot({
    label: "What the members reached",
    height: 300,
    ...options,
    paint: (p) => paintReached(p, options.family()),
    table: () => ({
      header: ["run", "step", "value"],
      rows: options
        .family()
        .runs.flatMap((one) => one.values.map(([x, value]) => [one.id, x, value])),
    }),
  });
}

function paintReached(p, family) {
  const values = family.runs.flatMap((one) => one.values.map(([, value]) => value));
  if (values.length === 0) return p.message("No report yet.");
  p.axes(
    { domain: [0, family.end], label: family.unit, format: count },
    { domain: padded(robustRange(values)), label: family.metric },
  );
  p.marks = [];
  p.inside((ctx) => {
    for (const one of p.ordered(family)) {
      const points = one.values.map(([x, value]) => [p.x.at(x), p.y.at(value)]);
      if (points.length === 0) continue;
      points.forEach(([x1, y1], i) => {
        const [x0, y0] = points[Math.max(0, i - 1)];
        p.pen(one, family, one.values[Math.max(0, i - 1)][0]);
        p.line(x0, y0, x1, y1);
        p.marks.push({ one, x0, y0, x1, y1 });
      });
      p.pen(one, family);
      const fork = one.origin ? points[0] : points.at(-1);
      ctx.beginPath();
      if (one.origin || points.length === 1)
        ctx.arc(...fork, family.line.has(one.id) ? 4 : 2.5, 0, 7);
      ctx.fill();
    }
  });
  p.ctx.globalAlpha = 1;
  return undefined;
}

// One parameter: each run holds its value from the step of its fork to its last report.
export function schedulePlot({ parameter, axis, ...options }) {
  const value = (one) => one.params[parameter];
  return new FamilyPlot({
    label: `Schedule of ${parameter}`,
    height: 190,
    ...options,
    textOf: (one) =>
      `${one.id}\n${parameter} = ${shown(value(one))}\nfrom step ${count(one.from)} to ${count(one.to)}`,
    paint: (p) => {
      const family = options.family();
      p.axes(
        { domain: [0, family.end], format: count },
        {
          domain: [-0.03, 1.03],
          ticks: axis.ticks().map(([share]) => share),
          format: (share) => axis.ticks().find(([at]) => at === share)?.[1].slice(0, 9) ?? "",
        },
      );
      p.marks = [];
      p.inside(() => paintSchedule(p, family, (one) => axis.share(value(one))));
    },
    table: () => ({
      header: ["run", "from", "to", parameter],
      rows: options.family().runs.map((one) => [one.id, one.from, one.to, value(one) ?? ""]),
    }),
  });
}

function paintSchedule(p, family, share) {
  for (const one of p.ordered(family)) {
    if (share(one) < 0) continue;
    p.pen(one, family);
    const [x0, x1, y] = [p.x.at(one.from), p.x.at(one.to), p.y.at(share(one))];
    const before = family.byId.get(one.origin?.run);
    if (before && share(before) >= 0) p.line(x0, p.y.at(share(before)), x0, y);
    const leaves = Math.min(x1, p.x.at(Math.min(one.to, family.line.get(one.id) ?? one.to)));
    p.line(x0, y, leaves, y);
    p.pen(one, family, Infinity);
    if (leaves < x1) p.line(leaves, y, x1, y);
    p.marks.push({ one, x0, y0: y, x1, y1: y });
  }
  p.ctx.globalAlpha = 1;
}
