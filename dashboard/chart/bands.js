// The curves of several objects in one chart, each a line with its interval.
import { count, short } from "../lib/format.js";
import { padded, withBar } from "../lib/scale.js";
import { bandName, bandPoints, drawBands } from "./band_lines.js";
import { Plot } from "./plot.js";

const reach = 40; // pixels from the pointer to a point

// options: view() -> {bands: [{name, style, items: [{step, iqm, low, high, n, phase}]}], x: {label,
// format, ticks}, y: {label, bar}}; what a band's items hold as `step` is its place on the x axis.
export class BandsPlot extends Plot {
  constructor(options) {
    super({ height: 360, ...options });
  }

  paint() {
    const { bands, x, y } = this.view();
    const points = bands.flatMap((band) => bandPoints(band.items));
    if (points.length === 0) return this.message("No report yet.");
    const values = points.flatMap((one) => [one.iqm, one.low ?? one.iqm, one.high ?? one.iqm]);
    const [low, high] = withBar([Math.min(...values), Math.max(...values)], y.bar);
    this.roomForNames(bands.map(bandName));
    this.axes(
      {
        kind: x.kind,
        domain: [x.first ?? 0, Math.max(...points.map((one) => one.step)) || 1],
        label: x.label,
        format: x.format ?? count,
        whole: x.whole,
      },
      { domain: padded([low, high]), label: y.label },
    );
    this.inside((ctx) => drawBands(this, ctx, bands, this.hovered?.name ?? null));
    this.barLine(y.bar);
    return undefined;
  }

  // Draws again where another band is under the pointer.
  show(hit) {
    const before = this.hovered?.name;
    super.show(hit);
    if (before !== hit?.name && this.x) this.redraw();
  }

  hit(p, x, y) {
    let [best, least] = [null, reach];
    for (const band of this.view().bands)
      for (const one of bandPoints(band.items)) {
        const far = Math.hypot(this.x.at(one.step) - x, this.y.at(one.iqm) - y);
        if (far < least) [best, least] = [this.hitOf(band, one), far];
      }
    return best;
  }

  move(p, key) {
    const bands = this.view().bands.filter((band) => bandPoints(band.items).length > 0);
    if (bands.length === 0) return null;
    const now = bands.findIndex((band) => band.name === this.hovered?.name);
    const turn = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
    const band = bands[Math.min(bands.length - 1, Math.max(0, now + turn))];
    const list = bandPoints(band.items);
    const at = list.findLastIndex((one) => one.step <= (this.hovered?.step ?? list[0].step));
    const next = at + ({ ArrowLeft: -1, ArrowRight: now < 0 ? 0 : 1 }[key] ?? 0);
    return this.hitOf(band, list[Math.min(list.length - 1, Math.max(0, next))]);
  }

  hitOf(band, one) {
    const { x, y } = this.view();
    const interval =
      one.n > 1 && one.low !== null ? ` [${short(one.low)}, ${short(one.high)}], n = ${one.n}` : "";
    const phase = one.phase === undefined ? "" : `, phase ${one.phase + 1}`;
    return {
      x: this.x.at(one.step),
      y: this.y.at(one.iqm),
      name: band.name,
      step: one.step,
      text: [
        [band.name, band.note].filter(Boolean).join(", "),
        `${y.label} ${short(one.iqm)}${interval}`,
        `${x.text?.(one.step) ?? `${count(one.step)} ${x.label}`}${phase}`,
      ].join("\n"),
    };
  }

  table() {
    return {
      header: ["of", "x", "value", "low", "high", "n"],
      rows: this.view().bands.flatMap((band) =>
        bandPoints(band.items).map((one) => [
          ...[band.name, one.step, one.iqm],
          ...[one.low ?? "", one.high ?? "", one.n ?? ""],
        ]),
      ),
    };
  }
}
