// Colours: the palette of style.css as texts, and a ramp for densities. Pure but for palette().
import { runStates } from "./states.js";

export function palette() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = [
    "ground",
    "raised",
    "sunken",
    "line",
    "line-strong",
    "ink",
    "ink-2",
    "accent",
    "mark",
    ...runStates,
    "c1",
    "c2",
    "c3",
    "c4",
    "c5",
    "c6",
  ];
  const colours = Object.fromEntries(names.map((name) => [name, of(name)]));
  colours.dark = luminance(rgb(colours.ground)) < 0.3;
  colours.series = ["c1", "c2", "c3", "c4", "c5", "c6"].map((name) => colours[name]);
  return colours;
}
export const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2], [1, 2]];
// The line of the i-th of many: no two of 36 have both the colour and the dash.
export const lineStyle = (i) => ({
  colour: i % dashes.length,
  dash: dashes[(i + Math.floor(i / dashes.length)) % dashes.length],
});

export const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const linear = (c) => (c <= 10.31475 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4);
const coded = (c) =>
  Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
export const luminance = ([r, g, b]) =>
  0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);

export function oklab(colour) {
  const [r, g, b] = colour.map(linear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

export function fromOklab([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((c) => coded(Math.min(1, Math.max(0, c))));
}

// Blue to yellow with even steps of lightness, as cividis; on a light ground the densest is dark.
const stops = ["#00224e", "#2a3f6d", "#575d6d", "#7d7c78", "#a59c74", "#d3c164", "#fee838"];
export function ramp(dark, steps = 256) {
  const list = (dark ? stops : [...stops].reverse()).map((hex) => oklab(rgb(hex)));
  const table = [];
  for (let i = 0; i < steps; i++) {
    const at = (i / (steps - 1)) * (list.length - 1);
    const k = Math.min(list.length - 2, Math.floor(at));
    table.push(fromOklab(list[k].map((c, j) => c + (list[k + 1][j] - c) * (at - k))));
  }
  return table;
}
// From the worst to the best, as lines of trials are coloured.
export const rampStyle = (dark) =>
  `linear-gradient(90deg, ${ramp(dark, 8).map(cssColour).join(", ")})`;
export const cssColour = ([r, g, b]) => `rgb(${r} ${g} ${b})`;
