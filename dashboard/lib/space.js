// Parameters as positions: each has a scale from the sweep's space, and a place for trials in which
// it is inactive. Pure.
import { param as shown, short } from "./format.js";
import { scale } from "./scale.js";

export const inactive = -1;

// share(value) is 0..1, or `inactive`; ticks() are [share, text].
export function axisOf(parameter) {
  if (parameter.type === "choice" || parameter.type === "bool") return choiceAxis(parameter);
  const one = scale(parameter.scale === "log" ? "log" : "linear", widened(parameter), [0, 1]);
  return {
    name: parameter.name,
    kind: one.kind,
    discrete: false,
    share: (value) => (typeof value === "number" ? clamp(one.at(value)) : inactive),
    value: (share) => one.value(share),
    ticks: () => one.ticks(5).map((value) => [one.at(value), short(value)]),
  };
}

const clamp = (share) => Math.min(1, Math.max(0, share));
const widened = ({ min, max }) => (min === max ? [min - 0.5, max + 0.5] : [min, max]);

function choiceAxis(parameter) {
  const values = parameter.type === "bool" ? [false, true] : parameter.values;
  const at = new Map(
    values.map((value, i) => [
      JSON.stringify(value),
      values.length > 1 ? i / (values.length - 1) : 0.5,
    ]),
  );
  return {
    name: parameter.name,
    kind: "choice",
    discrete: true,
    values,
    share: (value) => at.get(JSON.stringify(value)) ?? inactive,
    value: (share) => values[Math.round(share * (values.length - 1))],
    ticks: () =>
      values.map((value) => [
        at.get(JSON.stringify(value)),
        value === null ? "null" : shown(value),
      ]),
  };
}

// The objective as an axis; trials without a value are inactive, diverged ones and those that did
// not reach the bar at the bad end.
export function valueAxis(name, goal, [low, high]) {
  const one = scale("linear", [low, high], [0, 1]);
  return {
    name,
    kind: "linear",
    discrete: false,
    objective: true,
    share: (value) =>
      typeof value === "number"
        ? clamp(one.at(value))
        : typeof value === "string" // diverged, or the bar was not reached
          ? goal === "maximize"
            ? 0
            : 1
          : inactive,
    value: (share) => one.value(share),
    ticks: () => one.ticks(5).map((value) => [one.at(value), short(value)]),
  };
}
