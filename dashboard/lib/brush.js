// Brushes: ranges of parameters and of the objective that trials must be in. Pure.
import { fieldName } from "./search.js";
import { axisOf, inactive } from "./space.js";

// Of a parameter, [low, high] are shares of its axis, below 0 for the inactive alone; of the
// objective, which has no fixed axis, they are values.
export const objectiveKey = "=";

/** @typedef {Map<string, [number, number]>} Brushes */

/** @param {string} text */
const bound = (text) => (text === "" ? NaN : Number(text));

/** @param {string} text @returns {Brushes} */
export function readBrushes(text) {
  /** @type {Brushes} */
  const brushes = new Map();
  for (const part of text.split(";").filter(Boolean)) {
    const [name, low = "", high = ""] = part.split("~");
    /** @type {[number, number]} */
    const range = [bound(low), bound(high)];
    if (range.some(Number.isNaN)) continue;
    try {
      brushes.set(decodeURIComponent(name), range);
    } catch {
      // An address that was cut short: the other brushes remain.
    }
  }
  return brushes;
}

/** @param {string} name */
const nameText = (name) => encodeURIComponent(name).replaceAll("~", "%7E");
/** @param {number} value */
const digits = (value) => String(Number(value.toPrecision(6)));

/** @param {Brushes} brushes @returns {string} */
export const brushText = (brushes) =>
  [...brushes].map(([name, range]) => [nameText(name), ...range.map(digits)].join("~")).join(";");

/** Whether a share of an axis is within a range. @param {number} share @param {number[]} range */
export const isWithin = (share, [low, high]) =>
  share === inactive ? low < 0 : share >= low && share <= high;

/**
 * Whether a value of the objective is within a range; what is no number is at the bad end.
 * @param {unknown} value @param {number[]} range @param {string} goal
 */
export function isValueWithin(value, [low, high], goal) {
  if (value === null || value === undefined) return false;
  const worst = goal === "maximize" ? -Infinity : Infinity;
  const number = typeof value === "number" ? value : worst;
  return number >= low && number <= high;
}

/** @typedef {{name: string, type: string, values?: unknown[]}} Parameter as spaceOf() has them */

const allOf = (/** @type {string[]} */ list) => list.filter(Boolean).join(" and ");

/** @param {unknown} value @returns {string} as the filter language has it */
const literal = (value) =>
  typeof value === "string" ? `"${value.replaceAll(/["\\]/g, "")}"` : String(value);

// Choices that a range leaves. Null has no literal: then the others are excluded.
/** @param {string} field @param {any} axis @param {number[]} range */
function choiceWhere(field, axis, range) {
  const inside = (/** @type {unknown} */ value) => isWithin(axis.share(value), range);
  const kept = axis.values.filter(inside);
  const without = kept.includes(null);
  const listed = without ? axis.values.filter((/** @type {unknown} */ one) => !inside(one)) : kept;
  if (listed.length === 0) return without ? "" : `(${field} and not ${field})`;
  const list = listed.map((/** @type {unknown} */ one) => `${field} = ${literal(one)}`);
  return `${without ? "not " : ""}(${list.join(" or ")})`;
}

// An axis ends at the bounds of the space, and has what is beyond them at its ends.
/** @param {string} field @param {any} axis @param {number[]} range */
function numberWhere(field, axis, [low, high]) {
  return allOf([
    field,
    low > 0 ? `${field} >= ${axis.value(low)}` : "",
    high < 1 ? `${field} <= ${axis.value(high)}` : "",
  ]);
}

/** @param {Parameter | undefined} parameter @param {number[]} range */
function parameterWhere(parameter, range) {
  if (!parameter) return "";
  const field = fieldName(parameter.name);
  if (range[1] < 0) return `not ${field}`;
  const axis = axisOf(parameter);
  const active = axis.discrete ? choiceWhere(field, axis, range) : numberWhere(field, axis, range);
  return range[0] < 0 ? `(not ${field} or ${active})` : active;
}

/** @param {number[]} range of values of the objective */
const valueWhere = ([low, high]) =>
  allOf([
    Number.isFinite(low) ? `value >= ${low}` : "",
    Number.isFinite(high) ? `value <= ${high}` : "",
  ]);

/**
 * The trials within all brushes, in the server's filter language.
 * @param {Brushes} brushes @param {Parameter[]} parameters
 */
export const brushWhere = (brushes, parameters) =>
  allOf(
    [...brushes].map(([name, range]) =>
      name === objectiveKey
        ? valueWhere(range)
        : parameterWhere(
            parameters.find((one) => one.name === name),
            range,
          ),
    ),
  );
