// Keys of lines, as the legend of a chart shows them.
import { lineStyle } from "../lib/colour.js";
import { h } from "../lib/dom.js";

// A piece of the line of the i-th of many: in its colour, with its dashes.
export function lineKey(i) {
  const { colour, dash } = lineStyle(i);
  const ink = `var(--c${colour + 1})`;
  let at = 0;
  const parts = dash.map((length, k) => {
    const from = at;
    at += length;
    return `${k % 2 === 0 ? ink : "transparent"} ${from}px ${at}px`;
  });
  const line = parts.length
    ? `repeating-linear-gradient(90deg, ${parts.join(", ")})`
    : `linear-gradient(${ink}, ${ink})`;
  return h("span.line-key", { "aria-hidden": "true", style: { background: line } });
}
