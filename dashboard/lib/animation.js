// A sweep's curves as they grew, as a text of SVG that moves by itself: its segments appear in the
// order of the reports, again and again. It opens in any browser and in pages that show pictures.
// Pure.
import { scale } from "./scale.js";

const seconds = 12;
const moving = 0.9; // the rest shows the end
const pointsAtMost = 60; // of each run
const bestsAtMost = 60;
const box = { width: 960, height: 480, left: 70, right: 24, top: 58, bottom: 54 };

/**
 * A run has its `colour` from the moment `endAt` on; moments are shares of 1 of the sweep.
 * @typedef {{points: [number, number][], times: number[], colour: string, endAt: number | null,
 *   best: boolean}} MovingRun
 * @typedef {{title: string, subtitle: string, x: string, y: string, xs: [number, number],
 *   ys: [number, number], runs: MovingRun[], bests: {at: number, text: string}[],
 *   formatX: (x: number) => string, formatY: (y: number) => string,
 *   colours: Record<string, string>}} Scene
 */

// Texts of others: neither tags nor characters that no document may have.
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
/** @param {string} text */
export const escaped = (text) =>
  text
    .replace(forbidden, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** @param {number} x */
const shortened = (x) => String(Number(x.toFixed(2)));
/** @param {number} share */
const moment = (share) => String(Number((moving * Math.min(1, Math.max(0, share))).toFixed(5)));

/** An attribute that has values one after the other, from 0 and each from its moment on.
 * @param {string} name @param {[number, string | number][]} steps */
function steps(name, steps) {
  const times = steps.map(([at], i) => (i === 0 ? "0" : moment(at)));
  const values = steps.map(([, value]) => value);
  const clock = `dur="${seconds}s" repeatCount="indefinite" calcMode="discrete"`;
  const moments = `keyTimes="${times.join(";")}" values="${values.join(";")}"`;
  return `<animate attributeName="${name}" ${clock} ${moments}/>`;
}

/** The numbers of at most `most` of `length` things: the first, the last, and between at equal
 * distances. @param {number} length @param {number} most */
export function spread(length, most) {
  if (length <= most) return Array.from({ length }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.round((i * (length - 1)) / (most - 1)));
}

/** The length of the way to each of these places. @param {number[][]} places */
function lengthsOf(places) {
  const lengths = [0];
  for (let i = 1; i < places.length; i++) {
    const [[x0, y0], [x1, y1]] = [places[i - 1], places[i]];
    lengths.push(lengths[i - 1] + Math.hypot(x1 - x0, y1 - y0));
  }
  return lengths;
}

/** A line whose dash uncovers as much of it as was reported.
 * @param {MovingRun} run @param {{at: (x: number) => number}} x
 * @param {{at: (y: number) => number}} y @param {Record<string, string>} colours */
function runPath({ points, times, colour, endAt, best }, x, y, colours) {
  const kept = spread(points.length, pointsAtMost);
  const places = kept.map((i) => [x.at(points[i][0]), y.at(points[i][1])]);
  const lengths = lengthsOf(places);
  const whole = lengths[lengths.length - 1] + 1;
  /** @type {[number, string][]} */
  const drawn = kept.map((i, k) => [times[i], shortened(whole - lengths[k])]);
  const moves = [
    steps("stroke-opacity", [
      [0, 0],
      [times[0], best ? 1 : 0.7],
    ]),
    steps("stroke-dashoffset", [[0, drawn[0][1]], ...drawn]),
  ];
  let ink = best ? colours.ink : colour;
  if (endAt !== null && !best) {
    ink = colours.running;
    moves.push(
      steps("stroke", [
        [0, ink],
        [endAt, colour],
      ]),
    );
  }
  // The first report alone is a point.
  const way = `M${places.map((at) => at.map(shortened).join(" ")).join("L")}h0.1`;
  const pen = `stroke="${ink}" stroke-width="${best ? 2.5 : 1.3}"`;
  const dash = `stroke-dasharray="${shortened(whole)}" stroke-dashoffset="0"`;
  return `<path d="${way}" ${pen} ${dash}>${moves.join("")}</path>`;
}

/** @param {string | number} x @param {string | number} y @param {string} anchor
 * @param {string} text @param {string} more */
const label = (x, y, anchor, text, more = "") =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}"${more}>${escaped(text)}</text>`;

/** @param {Scene} scene @param {ReturnType<typeof scale>} x @param {ReturnType<typeof scale>} y */
function axes({ formatX, formatY, colours, x: xLabel, y: yLabel }, x, y) {
  const [left, right] = [box.left, box.width - box.right];
  const [top, bottom] = [box.top, box.height - box.bottom];
  const [line, strong] = [colours.line, colours["line-strong"]];
  const rows = y.ticks(7).map((/** @type {number} */ value) => {
    const at = shortened(y.at(value));
    const name = label(left - 8, at, "end", formatY(value), ' dy="4"');
    return `<path d="M${left} ${at}H${right}" stroke="${line}"/>${name}`;
  });
  const columns = x
    .ticks(8)
    .map((/** @type {number} */ value) =>
      label(shortened(x.at(value)), bottom + 18, "middle", formatX(value)),
    );
  const turned = ` transform="translate(16 ${(top + bottom) / 2}) rotate(-90)"`;
  return [
    ...rows,
    ...columns,
    label((left + right) / 2, bottom + 38, "middle", xLabel),
    label(0, 0, "middle", yLabel, turned),
    `<path d="M${left} ${bottom}H${right}" stroke="${strong}"/>`,
  ].join("\n");
}

const insideClip =
  `<clipPath id="inside"><rect x="${box.left - 4}" y="${box.top - 4}" ` +
  `width="${box.width - box.left - box.right + 10}" ` +
  `height="${box.height - box.top - box.bottom + 8}"/></clipPath>`;

/** @param {string} colour */
function progressBar(colour) {
  const times = `dur="${seconds}s" repeatCount="indefinite" keyTimes="0;${moving};1"`;
  const widths = `values="0;${box.width};${box.width}"`;
  const grows = `<animate attributeName="width" ${times} ${widths}/>`;
  const place = `y="${box.height - 4}" width="${box.width}" height="4"`;
  return `<rect ${place} fill="${colour}">${grows}</rect>`;
}

/** The best value so far, each from its moment on. @param {Scene["bests"]} bests */
function bestTexts(bests) {
  const kept = spread(bests.length, bestsAtMost).map((i) => bests[i]);
  const place = `x="${box.width - box.right}" y="34" text-anchor="end" class="best"`;
  const texts = kept.map(({ at, text }, i) => {
    /** @type {[number, number][]} */
    const shown = [
      [0, 0],
      [at, 1],
    ];
    const next = kept[i + 1];
    if (next) shown.push([next.at, 0]);
    const moves = steps("opacity", shown);
    return `<text ${place} opacity="${next ? 0 : 1}">${escaped(text)}${moves}</text>`;
  });
  return texts.join("\n");
}

/** @param {Scene} scene */
export function animatedSvg(scene) {
  const { colours, title, subtitle, runs, bests } = scene;
  const x = scale("linear", scene.xs, [box.left, box.width - box.right]);
  const y = scale("linear", scene.ys, [box.height - box.bottom, box.top]);
  const style = [
    `text{font:12px system-ui,sans-serif;fill:${colours["ink-2"]}}`,
    `.title{font-size:18px;font-weight:600;fill:${colours.ink}}`,
    `.best{font-size:16px;fill:${colours.ink}}`,
  ].join("");
  const { width, height } = box;
  const head = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"`;
  const lines = 'fill="none" stroke-linejoin="round" stroke-linecap="round"';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${head}>`,
    `<title>${escaped(title)}</title><style>${style}</style>`,
    `<rect width="100%" height="100%" fill="${colours.ground}"/>`,
    `<text x="${box.left}" y="28" class="title">${escaped(title)}</text>`,
    `<text x="${box.left}" y="46">${escaped(subtitle)}</text>`,
    insideClip,
    axes(scene, x, y),
    `<g ${lines} clip-path="url(#inside)">`,
    ...runs.map((run) => runPath(run, x, y, colours)),
    "</g>",
    bestTexts(bests),
    progressBar(colours.accent),
    "</svg>",
    "",
  ].join("\n");
}
