// How many of many lines cross each pixel of a chart: a picture that is made away from the page.
import { ramp } from "../lib/colour.js";
import { rasterer } from "../lib/rasterer.js";

// The time of a picture grows with its lines and its columns: of many lines, a column is up to four
// pixels wide.
const linesForColumns = 25_000;
const widest = 4;

export class Density {
  // redraw(): called when a picture is ready.
  constructor(redraw) {
    this.turn = 0;
    this.asked = null; // what is drawn now
    this.took = 0; // milliseconds of the last picture
    this.worker = rasterer(({ turn, counts }) => {
      this.image = { key: this.asked, turn, wide: this.wide, picture: this.pictureOf(counts) };
      this.took = performance.now() - this.began;
      this.asked = null;
      redraw();
    });
  }

  close() {
    this.worker.terminate();
  }

  // Draws the picture that is there, and asks for another one where something has changed. of:
  // {cells, rows, points, version of the cells, domain of y, xOf(k), key: what else it depends on}.
  draw(p, of) {
    const [width, height] = [Math.round(p.right - p.left), Math.round(p.bottom - p.top)];
    const key = [
      ...[of.version, of.key, width, height, ...of.domain, p.y.kind],
      ...[...p.x.domain, p.colours.dark],
    ].join();
    if (this.image) {
      const { picture, wide } = this.image;
      p.ctx.drawImage(picture, p.left, p.top, picture.width * wide, height);
      p.canvas.dataset.density = String(this.image.turn);
    }
    // One picture at a time: what arrives meanwhile is in the next one.
    if (this.asked !== null || this.image?.key === key) return;
    this.asked = key;
    this.dark = p.colours.dark;
    this.ask(p, of);
  }

  ask(p, { cells, rows, points, version, domain, xOf }) {
    const wide = Math.min(widest, Math.max(1, Math.ceil(rows.length / linesForColumns)));
    const [width, height] = [Math.ceil((p.right - p.left) / wide), Math.round(p.bottom - p.top)];
    const xs = Int32Array.from({ length: points }, (_, k) =>
      Math.round((p.x.at(xOf(k)) - p.left) / wide),
    );
    // The worker has a copy, which reports of the stream do not change.
    const current = this.sent?.cells === cells && this.sent.version === version;
    this.sent = { cells, version };
    this.size = [width, height];
    this.wide = wide;
    this.began = performance.now();
    this.worker.postMessage({
      turn: ++this.turn,
      ...(current ? {} : { cells }),
      request: {
        ...{ points, rows, xs, width, height },
        ...{ low: domain[0], high: domain[1], form: p.y.kind },
      },
    });
  }

  // The share of lines in each pixel, on a scale of logarithms: single ones stay visible.
  pictureOf(counts) {
    const [width, height] = this.size;
    const canvas = new OffscreenCanvas(width, height);
    const ctx = canvas.getContext("2d");
    const image = ctx.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const word = ([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r;
    const table = ramp(this.dark).map(word);
    let most = 1;
    for (const one of counts) if (one > most) most = one;
    const colours = Uint32Array.from({ length: most + 1 }, (_, n) =>
      n === 0 ? 0 : table[Math.round(30 + (225 * Math.log1p(n)) / Math.log1p(most))],
    );
    for (let at = 0; at < counts.length; at++) pixels[at] = colours[counts[at]];
    ctx.putImageData(image, 0, 0);
    this.onpicture?.(most);
    return canvas;
  }
}
