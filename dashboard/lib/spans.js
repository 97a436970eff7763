// Attempts as intervals of the slots of their workers, and what machines did, as the server gives
// them. Pure.

/**
 * @typedef {{sweep: string, seconds: number}} Part
 * @typedef {{worker: string, lanes: number[], label: string, run: string, sweep: string,
 *   reason: string | null, live: boolean, t0: number, t1: number, parts: Part[],
 *   share: number}} Span
 * @typedef {{worker: string, lanes: number, spans: Span[]}} Row
 * @typedef {{t0: number, t1: number, y: number}} Point
 */

// A bar of many short attempts that were rarely there is still seen.
const shareSeen = 0.35;

/**
 * @param {any} answer of /v1/timeline, or the history of a worker
 * @returns {Span[]} by their begin
 */
export function spansOf(answer) {
  const now = Date.parse(answer.to);
  /** @param {any} one @returns {Span} */
  const attempt = (one) => ({
    worker: one.worker,
    lanes: one.lanes,
    label: one.attempt,
    run: one.attempt.replace(/#.*/, ""),
    sweep: one.sweep,
    reason: one.reason,
    live: !one.to,
    t0: Date.parse(one.from),
    t1: one.to ? Date.parse(one.to) : now,
    parts: [],
    share: 1,
  });
  /** @param {any} one @returns {Span} */
  const many = (one) => {
    const [t0, t1] = [Date.parse(one.from), Date.parse(one.to)];
    const share = (1000 * one.seconds) / Math.max(1, t1 - t0);
    return {
      worker: one.worker,
      lanes: [one.lane],
      label: `${one.attempts} short attempts`,
      run: "",
      sweep: one.sweeps.length === 1 ? one.sweeps[0].sweep : "",
      reason: null,
      live: false,
      t0,
      t1,
      parts: one.sweeps,
      share: Math.min(1, Math.max(shareSeen, share)),
    };
  };
  return [...answer.items.map(attempt), ...answer.busy.map(many)].sort((a, b) => a.t0 - b.t0);
}

/** @param {Span} one */
export const isMany = (one) => one.parts.length > 0;

/**
 * The sweeps of spans in the order of their numbers.
 * @param {Span[]} spans @returns {string[]}
 */
export const sweepsOf = (spans) =>
  [
    ...new Set(
      spans.flatMap((one) => (isMany(one) ? one.parts.map((part) => part.sweep) : [one.sweep])),
    ),
  ].sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)));

/**
 * Spans side by side get lanes, where the server knows of no slots.
 * @param {Span[]} spans by their begin @returns {Span[]}
 */
function laned(spans) {
  /** @type {number[]} */
  const ends = [];
  return spans.map((span) => {
    const free = ends.findIndex((end) => end <= span.t0);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = span.t1;
    return { ...span, lanes: [lane] };
  });
}

/**
 * A row for each worker with slots, which has all of them as lanes where `whole`, and one row for
 * all clients of `hone ask`, which have none.
 * @param {Span[]} spans @param {Map<string, number>} slots of each worker @param {boolean} whole
 * @returns {Row[]}
 */
export function rowsOf(spans, slots, whole) {
  /** @type {Map<string, Span[]>} */
  const rows = new Map();
  const asked = "hone ask";
  for (const span of spans) {
    const name = slots.get(span.worker) === 0 ? asked : span.worker;
    rows.set(name, [...(rows.get(name) ?? []), span]);
  }
  return [...rows].map(([worker, own]) => {
    const placed = worker === asked ? laned(own) : own;
    const used = 1 + Math.max(0, ...placed.flatMap((one) => one.lanes));
    const least = whole ? (slots.get(worker) ?? 0) : 0;
    return { worker, lanes: Math.max(used, least), spans: placed };
  });
}

/**
 * A measured series of a machine: its points in order, without those that were not measured.
 * @param {any} machine of a worker's history, or null @param {string} key @returns {Point[]}
 */
export const seriesOf = (machine, key) =>
  (machine?.points ?? [])
    .filter((/** @type {any} */ one) => typeof one[key] === "number")
    .map((/** @type {any} */ one) => {
      const t0 = Date.parse(one.from);
      return { t0, t1: t0 + 1000 * one.seconds, y: one[key] };
    });

/**
 * The points as lines that break where nothing was measured.
 * @param {Point[]} points @returns {Point[][]}
 */
export function pieces(points) {
  /** @type {Point[][]} */
  const found = [];
  for (const point of points) {
    const last = found.at(-1)?.at(-1);
    // A worker that waits sends its samples every 20 s, and one of them may be late.
    const near = last && point.t0 - last.t1 <= Math.max(60e3, point.t1 - point.t0);
    if (near) found.at(-1)?.push(point);
    else found.push([point]);
  }
  return found;
}

/** @param {Point[]} points @returns {number | null} the newest value */
export const newest = (points) => points.at(-1)?.y ?? null;

/**
 * The share of the offered slot seconds that no attempt held; null where nothing was offered.
 * @param {{offered: number, held: number}[]} times of workers @returns {number | null}
 */
export function idleShare(times) {
  const offered = times.reduce((sum, one) => sum + one.offered, 0);
  const held = times.reduce((sum, one) => sum + one.held, 0);
  return offered > 0 ? Math.min(1, Math.max(0, 1 - held / offered)) : null;
}

/**
 * How the i-th of many sweeps looks: with more of them than there are colours, bars are split.
 * @param {number} i @param {number} colours @returns {{colour: number, split: boolean}}
 */
export const sweepStyle = (i, colours) => ({ colour: i % colours, split: i >= colours });
