// A parameter set as a text to paste elsewhere: with all digits, and null as null. Pure.
import { shellWord } from "./format.js";

const isPlainKey = (name) => /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name);

/** @param {Record<string, unknown>} params */
export const yamlText = (params) =>
  Object.entries(params)
    .map(([name, value]) => `${isPlainKey(name) ? name : JSON.stringify(name)}: ${JSON.stringify(value)}\n`)
    .join("");

const words = { true: "True", false: "False", null: "None" };
function pythonOf(value) {
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`;
  if (value !== null && typeof value === "object") return pythonText(value);
  return words[String(value)] && typeof value !== "string"
    ? words[String(value)]
    : JSON.stringify(value);
}

/** @param {Record<string, unknown>} params @returns {string} */
export const pythonText = (params) =>
  `{${Object.entries(params)
    .map(([name, value]) => `${JSON.stringify(name)}: ${pythonOf(value)}`)
    .join(", ")}}`;

const cliValue = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** @param {string} sweep @param {Record<string, unknown>} params */
export const cliText = (sweep, params) =>
  `hone enqueue ${sweep} --params ${shellWord(
    Object.entries(params)
      .map(([name, value]) => `${name}=${cliValue(value)}`)
      .join(","),
  )}`;
