// A sweep file as a text that is edited: where a fault is, and what an edit asks of a sweep. Pure.
import { leaves } from "./compare.js";
import { copyOf, isExact, readExact } from "./exact.js";

/** @typedef {{message: string, line: number}} Fault line: from 1; 0: of the whole text */

const widest = 88;

/**
 * A document as JSON; what fits into a line is in one.
 * @param {any} value @param {string} [indent] @returns {string}
 */
export function textOf(value, indent = "") {
  const short = inline(value);
  const isLeaf = value === null || typeof value !== "object" || isExact(value);
  const isBranch = !isLeaf && Object.keys(value).length > 0;
  if (!isBranch || (indent !== "" && indent.length + short.length <= widest)) return short;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((one) => textOf(one, inner))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${textOf(one, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

/** @param {any} value @returns {string} */
function inline(value) {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (value === null || typeof value !== "object" || isExact(value)) return JSON.stringify(value);
  const parts = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${inline(one)}`);
  return `{${parts.join(", ")}}`;
}

/** @param {string} text @param {number} at @returns {number} */
const lineAt = (text, at) => text.slice(0, at).split("\n").length;

const scalar = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\n]|\\.)*"|true|false|null/y;
const depthAtMost = 100;

/** Reads a text as JSON up to its first fault, of which browsers do not name the place. */
class Scan {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  blank() {
    while (/\s/.test(this.text[this.at] ?? "x")) this.at++;
  }

  /** @param {string} mark @returns {boolean} whether it was there, and is behind now */
  takes(mark) {
    this.blank();
    if (this.text[this.at] !== mark) return false;
    this.at++;
    return true;
  }

  /** @returns {boolean} */
  scalar() {
    this.blank();
    scalar.lastIndex = this.at;
    const found = scalar.exec(this.text);
    this.at += found ? found[0].length : 0;
    return found !== null;
  }

  /** @param {number} [depth] @returns {boolean} */
  value(depth = 0) {
    const keyed = this.takes("{");
    if (!keyed && !this.takes("[")) return this.scalar();
    if (depth > depthAtMost) return false;
    const close = keyed ? "}" : "]";
    if (this.takes(close)) return true;
    do {
      if (keyed && !(this.scalar() && this.takes(":"))) return false;
      if (!this.value(depth + 1)) return false;
    } while (this.takes(","));
    return this.takes(close);
  }
}

/** The line of the first fault of a text that is no JSON. @param {string} text @returns {number} */
function faultLine(text) {
  const scan = new Scan(text);
  scan.value();
  scan.blank();
  return lineAt(text, scan.at);
}

/**
 * The document of a text, or its fault.
 * @param {string} text @returns {{document?: any, fault?: Fault}}
 */
export function parseFile(text) {
  try {
    const document = readExact(text);
    if (document !== null && typeof document === "object" && !Array.isArray(document))
      return { document };
    return { fault: { message: "A sweep file is an object: { ... }", line: 1 } };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    return { fault: { message, line: faultLine(text) } };
  }
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** @param {string} key */
const escaped = (key) => key.replaceAll("~", "~0").replaceAll("/", "~1");

/**
 * The line of the value that a JSON pointer names in a text of valid JSON, or of the nearest one
 * above it.
 * @param {string} text @param {string} pointer @returns {number}
 */
export function lineOf(text, pointer) {
  /** @type {{path: string, index: number}[]} */
  const open = [];
  let [key, best, depth] = ["", 1, -1];
  const here = () => {
    const top = open.at(-1);
    if (!top) return "";
    return `${top.path}/${top.index >= 0 ? top.index : key}`;
  };
  /** @param {string} path @param {number} at */
  const note = (path, at) => {
    if (pointer !== path && !pointer.startsWith(`${path}/`)) return;
    if (path.length > depth) [best, depth] = [lineAt(text, at), path.length];
  };
  const tokens = [...text.matchAll(token)];
  tokens.forEach(({ 0: word, index }, i) => {
    const top = open.at(-1);
    if (word === "}" || word === "]") open.pop();
    else if (word === ",") {
      if (top && top.index >= 0) top.index++;
    } else if (word === ":") return;
    else if (top && top.index < 0 && tokens[i + 1]?.[0] === ":") {
      key = escaped(JSON.parse(word));
      note(here(), index);
    } else {
      const path = here();
      note(path, index);
      if (word === "{" || word === "[") open.push({ path, index: word === "[" ? 0 : -1 });
    }
  });
  return best;
}

/** @param {unknown} a @param {unknown} b */
const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * The leaves in which two documents differ.
 * @param {any} before @param {any} after
 * @returns {{path: string, before: unknown, after: unknown}[]}
 */
export function changesOf(before, after) {
  const [old, now] = [leaves(before), leaves(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((path) => ({ path, before: old.get(path), after: now.get(path) }))
    .filter((one) => !isSame(one.before, one.after));
}

/**
 * The widening of a parameter; null where the change is none.
 * @param {string} name @param {any} before @param {any} after @returns {any}
 */
function wideningOf(name, before, after) {
  if (!before || !after) return null;
  const { min, max, values, ...rest } = after;
  const { min: low, max: high, values: known, ...other } = before;
  if (!isSame(rest, other)) return null;
  const old = known ?? [];
  if (!isSame((values ?? []).slice(0, old.length), old)) return null;
  const added = (values ?? []).slice(old.length);
  return {
    ...{ name },
    ...(isSame(min, low) ? {} : { min }),
    ...(isSame(max, high) ? {} : { max }),
    ...(added.length > 0 ? { values: added } : {}),
  };
}

/** What an edit may change besides parameters; value(file): as the request has it.
 * @type {Record<string, (file: any) => unknown>} */
const editable = {
  trials: (file) => file.search?.trials,
  concurrency: (file) => file.limits?.concurrency ?? 0,
  share: (file) => file.share ?? 1,
  slots: (file) => file.slots ?? { min: 0 },
  by: (file) => file.by ?? "none",
  command: (file) => file.command,
};

/** A file without what an edit may change. @param {any} file */
function fixedPart(file) {
  const { search = {}, limits = {}, ...rest } = copyOf(file);
  for (const name of ["share", "slots", "by", "command", "parameters"]) delete rest[name];
  delete search.trials;
  delete limits.concurrency;
  return { ...rest, search, limits };
}

/**
 * The changes of a running sweep that lead from one file to another: the members of the request,
 * and the paths that no edit can change.
 * @param {any} before @param {any} after
 * @returns {{request: Record<string, any>, refused: string[]}}
 */
export function editOf(before, after) {
  /** @type {Record<string, any>} */
  const request = {};
  for (const [name, value] of Object.entries(editable))
    if (!isSame(value(before), value(after))) request[name] = value(after);
  const refused = changesOf(fixedPart(before), fixedPart(after)).map(({ path }) => path);
  const [old, now] = [before.parameters ?? {}, after.parameters ?? {}];
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (isSame(old[name], now[name])) continue;
    const widening = wideningOf(name, old[name], now[name]);
    if (widening) (request.widen ??= []).push(widening);
    else refused.push(`parameters.${name}`);
  }
  return { request, refused };
}
