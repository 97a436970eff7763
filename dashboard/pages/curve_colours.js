// The colour of a run's curve by a parameter, and what distinguishes a trial from the best one.
import { cssColour, palette, ramp, rampStyle } from "../lib/colour.js";
import { h } from "../lib/dom.js";
import { param as shown } from "../lib/format.js";
import { param } from "../lib/route.js";
import { axisOf } from "../lib/space.js";

const shades = 64;
const namedAtMost = 8;

const chosen = (data) => data.parameters.find((one) => one.name === param("colour"));

// The colour of a value; null for an inactive parameter, which has that of the state.
function colours(parameter, dark) {
  const axis = axisOf(parameter);
  const { series } = palette();
  const steps = axis.discrete ? [] : ramp(dark, shades).map(cssColour);
  return (value) => {
    const share = axis.share(value);
    if (share < 0) return null;
    if (axis.discrete) return series[Math.round(share * (axis.values.length - 1)) % series.length];
    return steps[Math.round(share * (shades - 1))];
  };
}

// colourOf(row of the matrix); null where the state decides.
export function painter(data, matrix, dark = false) {
  const parameter = chosen(data);
  if (!parameter) return () => null;
  const of = colours(parameter, dark);
  const column = data.columns[`params.${parameter.name}`] ?? [];
  return (row) => of(column[data.index.get(matrix.trial[row])]);
}

export function colourLegend(data, dark = false) {
  const parameter = chosen(data);
  if (!parameter) return null;
  const axis = axisOf(parameter);
  if (!axis.discrete) {
    const box = h("span.ramp", { style: { background: rampStyle(dark) } });
    const [low, high] = [parameter.min, parameter.max].map(shown);
    return [h("span", {}, `${parameter.name} ${low}`, box, high)];
  }
  const of = colours(parameter, dark);
  return axis.values.map((value) =>
    h(
      "span",
      {},
      h("span.key.thick", { style: { "border-color": of(value) } }),
      ` ${parameter.name} ${shown(value)}`,
    ),
  );
}

const pairText = ([name, value]) => `${name} ${shown(value)}`;

// The parameters of a trial that differ from those of the best one, as lines.
export function differences(data, trial) {
  const [best] = data.byPlace(data.visible());
  const row = data.index.get(trial);
  if (row === undefined || best === undefined) return [];
  if (row === best) return ["the best trial", ...data.paramsOf(row).map(pairText)];
  const other = new Map(data.paramsOf(best));
  const own = new Map(data.paramsOf(row));
  const text = (all, name) => (all.has(name) ? shown(all.get(name)) : "–");
  const lines = [...new Set([...own.keys(), ...other.keys()])]
    .filter((name) => text(own, name) !== text(other, name))
    .map((name) => `${name} ${text(own, name)} (best: ${text(other, name)})`);
  const more = lines.length - namedAtMost;
  return more > 0 ? [...lines.slice(0, namedAtMost), `and ${more} more`] : lines;
}
