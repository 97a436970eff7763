// The base of every chart: a canvas at the screen's resolution that is drawn when it is in view,
// axes, a tooltip, zoom and keys.
import { h } from "../lib/dom.js";
import { palette } from "../lib/colour.js";
import { count, short } from "../lib/format.js";
import { scale } from "../lib/scale.js";

const font = "11px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const all = new Set();
export const redrawAll = () => {
  for (const plot of all) plot.redraw();
};

// Paper is light, and has the charts below the window as well.
let themeBefore = null;
addEventListener("beforeprint", () => {
  themeBefore ??= document.documentElement.dataset.theme ?? "";
  document.documentElement.dataset.theme = "light";
  for (const plot of all) if (plot.element.isConnected) plot.draw();
});
addEventListener("afterprint", () => {
  if (themeBefore) document.documentElement.dataset.theme = themeBefore;
  else delete document.documentElement.dataset.theme;
  themeBefore = null;
  redrawAll();
});

// options: label, height, paint(plot), and any of hit(plot, x, y) -> {x, y, text, id}, open(hit),
// move(plot, key) -> hit, zoom(x0, x1, ys) in values of the axes, where ys is null or [low, high]
// of a box, unzoom(), brush, table() -> {header, rows}.
const ticksIn = (length, each) => Math.max(3, Math.floor(length / each));

// Short enough for the margin.
const tickText = (value) => (Math.abs(value) >= 1e5 ? count(value) : short(value));

// Phases are numbered from 0 by the server, and from 1 on every screen.
export const phaseTicks = (last, pixels) => {
  const stride = Math.max(1, Math.ceil(((last + 1) * 44) / Math.max(44, pixels)));
  const ticks = [];
  for (let phase = last; phase >= 0; phase -= stride) ticks.unshift(phase);
  return ticks;
};
export const phaseTick = (phase) => (Number.isInteger(phase) ? String(phase + 1) : "");

const keysOf = ({ zoom }) =>
  `Arrow keys move, Enter opens, Escape clears${zoom ? ", plus zooms" : ""}`;

const lineHeight = 13;
const isNear = (one, other) => Math.abs(one.x - other.x) < 90;

export class Plot {
  constructor(options) {
    Object.assign(
      this,
      { height: 260, margin: { left: 56, right: 16, top: 10, bottom: 36 } },
      options,
    );
    this.canvas = h("canvas", {
      tabindex: "0",
      role: "img",
      style: { height: `${this.height}px` },
      "aria-label": `${options.label}. ${keysOf(options)}.`,
    });
    this.tip = h("div.tip", { hidden: true });
    this.element = h(
      "div.chart",
      {},
      this.canvas,
      this.tip,
      h("div.visually-hidden", { "aria-live": "polite" }),
    );
    this.element.keep = true;
    this.said = this.element.lastChild;
    this.visible = false;
    this.hovered = null;
    all.add(this);
    this.listen();
  }

  listen() {
    this.sizes = new ResizeObserver(() => this.redraw());
    this.sizes.observe(this.element);
    this.views = new IntersectionObserver(
      (entries) => {
        this.visible = entries.at(-1).isIntersecting;
        if (this.visible && this.stale) this.redraw();
      },
      { rootMargin: "200px" },
    );
    this.views.observe(this.element);
    this.canvas.addEventListener("pointermove", (event) => this.pointerMoved(event));
    this.canvas.addEventListener("pointerleave", () => this.show(null));
    this.canvas.addEventListener("pointerdown", (event) => this.pointerPressed(event));
    this.canvas.addEventListener("pointerup", (event) => this.pointerReleased(event));
    this.canvas.addEventListener("dblclick", () => this.unzoom?.());
    this.canvas.addEventListener("keydown", (event) => this.keyPressed(event));
  }

  close() {
    all.delete(this);
    this.sizes.disconnect();
    this.views.disconnect();
  }

  redraw() {
    this.stale = true;
    if (this.waiting || !this.visible) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      if (this.element.isConnected) this.draw();
    });
  }

  draw() {
    this.stale = false;
    const ratio = devicePixelRatio || 1;
    const width = this.element.clientWidth;
    if (width < 40) return;
    const [w, t] = [Math.round(width * ratio), Math.round(this.height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== t) {
      this.canvas.width = w;
      this.canvas.height = t;
      this.canvas.style.height = `${this.height}px`;
    }
    this.width = width;
    this.ratio = ratio;
    this.colours = palette();
    this.ctx = this.canvas.getContext("2d");
    this.ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.ctx.fillStyle = this.colours.ground;
    this.ctx.fillRect(0, 0, width, this.height);
    this.ctx.font = font;
    this.ends = [];
    this.paint(this);
    this.writeEnds();
    this.canvas.dataset.drawn = String(Number(this.canvas.dataset.drawn ?? 0) + 1);
  }

  get left() {
    return this.margin.left;
  }
  get right() {
    return this.width - this.margin.right;
  }
  get top() {
    return this.margin.top;
  }
  get bottom() {
    return this.height - this.margin.bottom;
  }

  // Draws both axes and returns their scales. given: {kind, domain, label, format, reverse,
  // ticks, whole: ticks at whole numbers only}.
  axes(x, y) {
    this.x = scale(x.kind ?? "linear", x.domain, [this.left, this.right]);
    this.y = scale(
      y.kind ?? "linear",
      y.domain,
      y.reverse ? [this.top, this.bottom] : [this.bottom, this.top],
    );
    const { ctx, colours } = this;
    ctx.lineWidth = 1;
    ctx.strokeStyle = colours.line;
    ctx.fillStyle = colours["ink-2"];
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    for (const value of y.ticks ?? this.y.ticks(ticksIn(this.bottom - this.top, 44))) {
      const at = Math.round(this.y.at(value)) + 0.5;
      this.line(this.left, at, this.right, at);
      ctx.fillText((y.format ?? tickText)(value), this.left - 8, at);
    }
    ctx.textBaseline = "top";
    ctx.textAlign = "center";
    const ticks = x.ticks ?? this.x.ticks(ticksIn(this.right - this.left, 90));
    let end = -Infinity; // of the newest label: one that would touch it is left out
    for (const value of x.whole ? ticks.filter(Number.isInteger) : ticks) {
      const at = this.x.at(value);
      this.line(at, this.bottom, at, this.bottom + 4);
      // The last label may be wider than the margin.
      const text = (x.format ?? short)(value);
      const half = ctx.measureText(text).width / 2;
      const middle = Math.min(at, this.width - half - 1);
      if (middle - half < end + 4) continue;
      end = middle + half;
      ctx.fillText(text, middle, this.bottom + 7);
    }
    ctx.strokeStyle = colours["line-strong"];
    this.line(this.left, this.bottom + 0.5, this.right, this.bottom + 0.5);
    if (x.label) ctx.fillText(x.label, (this.left + this.right) / 2, this.bottom + 22);
    this.yLabel(y.label);
  }

  yLabel(text) {
    if (!text) return;
    const { ctx } = this;
    ctx.save();
    ctx.translate(4, (this.top + this.bottom) / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    ctx.fillText(clipped(ctx, text, this.bottom - this.top), 0, 0);
    ctx.restore();
  }

  line(x0, y0, x1, y1) {
    this.ctx.beginPath();
    this.ctx.moveTo(x0, y0);
    this.ctx.lineTo(x1, y1);
    this.ctx.stroke();
  }

  // Restricts drawing to the area between the axes while `work` runs.
  inside(work) {
    this.ctx.save();
    this.ctx.beginPath();
    this.ctx.rect(this.left, this.top - 4, this.right - this.left + 6, this.bottom - this.top + 5);
    this.ctx.clip();
    work(this.ctx);
    this.ctx.restore();
  }

  // Leaves room on the right for the names of lines. Call before axes().
  roomForNames(names) {
    const widest = Math.max(0, ...names.map((name) => this.ctx.measureText(name).width));
    this.margin.right = Math.max(16, Math.ceil(widest) + 10);
  }

  // Notes the name of a line that ends at (x, y), in the colour of the line.
  endLabel(text, x, y) {
    if (!text || x < this.left || y < this.top || y > this.bottom) return;
    this.ends.push({ text, x: Math.min(this.right, x) + 6, y, colour: this.ctx.strokeStyle });
  }

  // Writes these names right of the ends of their lines, clear of each other.
  writeEnds() {
    const { ctx } = this;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.lineWidth = 4;
    const written = [];
    for (const end of this.ends.sort((one, other) => one.y - other.y)) {
      const near = written.filter((one) => isNear(one, end)).map((one) => one.at + lineHeight);
      written.push({ ...end, at: Math.max(this.top + 6, end.y, ...near) });
    }
    // What went below the axis moves up, with those above it.
    written.reverse().forEach((end, i) => {
      const near = written.slice(0, i).filter((one) => isNear(one, end));
      end.at = Math.min(end.at, this.bottom - 6, ...near.map((one) => one.at - lineHeight));
    });
    for (const { text, x, at, colour } of written) {
      ctx.strokeStyle = this.colours.ground;
      ctx.fillStyle = colour;
      ctx.strokeText(text, x, at);
      ctx.fillText(text, x, at);
    }
  }

  // The bar of an objective of time.
  barLine(bar) {
    if (bar === null || bar === undefined) return;
    const { ctx } = this;
    const at = Math.round(this.y.at(bar)) + 0.5;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = this.colours["ink-2"];
    ctx.lineWidth = 1;
    ctx.setLineDash([5, 4]);
    this.line(this.left, at, this.right, at);
    ctx.textAlign = "left";
    ctx.textBaseline = "bottom";
    ctx.fillText(`bar ${short(bar)}`, this.left + 4, at - 2);
    ctx.restore();
  }

  message(text) {
    this.ctx.fillStyle = this.colours["ink-2"];
    this.ctx.font = font.replace("11px", "13px");
    this.ctx.textAlign = "center";
    this.ctx.textBaseline = "middle";
    this.ctx.fillText(text, this.width / 2, this.height / 2);
    this.ctx.font = font;
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  pointerMoved(event) {
    const [x, y] = this.place(event);
    if (this.pressed) {
      this.showBand(this.pressed, { x, y });
      return;
    }
    if (this.hit && this.x) this.show(this.hit(this, x, y));
  }

  pointerPressed(event) {
    const [x, y] = this.place(event);
    if (event.button !== 0) return;
    if (this.zoom && x >= this.left && x <= this.right) {
      this.pressed = { x, y };
      this.canvas.setPointerCapture(event.pointerId);
    }
  }

  pointerReleased(event) {
    const from = this.pressed;
    this.pressed = null;
    const [x, y] = this.place(event);
    this.band?.remove();
    this.band = null;
    if (from && Math.abs(from.x - x) > 6) {
      const { xs, ys } = this.boxOf(from, { x, y });
      this.zoom(...xs.map((at) => this.x.value(at)), ys && ys.map((at) => this.y.value(at)));
      return;
    }
    const hit = this.hit?.(this, x, y);
    if (hit) this.open?.(hit, event);
  }

  // The part of the chart between two places: ys is null for a drag along x, of the whole height.
  boxOf(from, to) {
    const inner = (at, low, high) => Math.min(high, Math.max(low, at));
    const xs = [from.x, to.x].map((at) => inner(at, this.left, this.right)).sort((a, b) => a - b);
    if (!this.box || Math.abs(from.y - to.y) < 16) return { xs, ys: null };
    const ys = [from.y, to.y].map((at) => inner(at, this.top, this.bottom)).sort((a, b) => b - a);
    return { xs, ys };
  }

  showBand(from, to) {
    const { xs, ys } = this.boxOf(from, to);
    const [below, above] = ys ?? [this.bottom, this.top];
    this.band ??= this.element.appendChild(h("div.tip"));
    const style = {
      left: `${xs[0]}px`,
      width: `${xs[1] - xs[0]}px`,
      top: `${above}px`,
      height: `${below - above}px`,
      opacity: "0.35",
      padding: "0",
    };
    for (const [key, value] of Object.entries(style)) this.band.style.setProperty(key, value);
  }

  // + and - zoom along x, around what is under the cursor or the middle.
  zoomBy(factor) {
    const [low, high] = [this.left, this.right];
    const middle = this.hovered?.x ?? (low + high) / 2;
    const half = (factor * (high - low)) / 2;
    const [x0, x1] = [Math.max(low, middle - half), Math.min(high, middle + half)];
    if (factor > 1) this.unzoom?.();
    else this.zoom(this.x.value(x0), this.x.value(x1), null);
  }

  keyPressed(event) {
    if (event.key === "Escape") {
      this.show(null);
      this.unzoom?.();
      return;
    }
    if (event.key === "Enter" && this.hovered) {
      this.open?.(this.hovered, event);
      return;
    }
    if (["+", "-"].includes(event.key) && this.zoom && this.x) {
      this.zoomBy(event.key === "+" ? 0.5 : 2);
      return;
    }
    if (!event.key.startsWith("Arrow") || !this.move || !this.x) return;
    event.preventDefault();
    const hit = this.move(this, event.key);
    this.show(hit);
    this.said.textContent = hit?.text ?? "";
  }

  show(hit) {
    this.hovered = hit;
    this.tip.hidden = !hit;
    this.canvas.style.cursor = hit && this.open ? "pointer" : this.zoom ? "crosshair" : "default";
    this.onhover?.(hit);
    if (!hit) return;
    this.tip.textContent = hit.text;
    const left = Math.min(
      Math.max(4, hit.x + 14),
      Math.max(4, this.width - this.tip.offsetWidth - 4),
    );
    const below = hit.y + this.tip.offsetHeight + 18 < this.height + 40;
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${below ? hit.y + 12 : hit.y - this.tip.offsetHeight - 10}px`;
  }
}

export function clipped(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  let short = text;
  while (short.length > 1 && ctx.measureText(`${short}…`).width > width) short = short.slice(0, -1);
  return `${short}…`;
}
