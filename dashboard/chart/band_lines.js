// Lines with intervals, each named at its end.
import { lineStyle } from "../lib/colour.js";

// The points of a band that have a value: an IQM over seeds with its interval.
export const bandPoints = (items) => items.filter((one) => typeof one.iqm === "number");

// Counts the seeds at the band's end: they may end at different phases.
export function bandName({ items, name }) {
  const seeds = bandPoints(items).at(-1)?.n ?? 0;
  return seeds > 1 ? `${name} (n = ${seeds})` : name;
}

const bandX = (p, byPhase) => (one) => p.x.at(byPhase ? one.phase : one.step);

function strokeBand(p, ctx, { items, byPhase }) {
  const x = bandX(p, byPhase);
  ctx.beginPath();
  for (const one of bandPoints(items)) ctx.lineTo(x(one), p.y.at(one.iqm));
  ctx.stroke();
}

function fillBand(p, ctx, { items, byPhase }, alpha) {
  const x = bandX(p, byPhase);
  const points = bandPoints(items);
  ctx.globalAlpha = 0.22 * alpha;
  ctx.beginPath();
  for (const one of points) ctx.lineTo(x(one), p.y.at(one.low ?? one.iqm));
  for (const one of [...points].reverse()) ctx.lineTo(x(one), p.y.at(one.high ?? one.iqm));
  ctx.fill();
  ctx.globalAlpha = 1;
}

// The name is where the line leaves the picture.
function nameBand(p, band) {
  const x = bandX(p, band.byPhase);
  const end = bandPoints(band.items).findLast((one) => x(one) <= p.right + 1);
  if (end) p.endLabel(bandName(band), x(end), p.y.at(end.iqm));
}

// All halos are below all lines: one halo would erase the lines that another band has there.
// A band has the line of its `style`, else of its place; all but the one named `held` are dimmed.
export function drawBands(p, ctx, bands, held = null) {
  const shown = bands
    .map((band, i) => ({ ...band, style: lineStyle(band.style ?? i) }))
    .filter((band) => bandPoints(band.items).length > 0);
  const alphaOf = (band) => (held === null || band.name === held ? 1 : 0.25);
  const colourOf = (band) => p.colours.series[band.style.colour];
  for (const band of shown) {
    ctx.fillStyle = colourOf(band);
    fillBand(p, ctx, band, alphaOf(band));
  }
  ctx.lineWidth = 4;
  ctx.strokeStyle = p.colours.ground;
  for (const band of shown) strokeBand(p, ctx, band);
  for (const band of shown) {
    ctx.lineWidth = band.name === held ? 3 : 2;
    ctx.strokeStyle = colourOf(band);
    ctx.globalAlpha = alphaOf(band);
    ctx.setLineDash(band.style.dash);
    strokeBand(p, ctx, band);
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
    nameBand(p, band);
  }
}
