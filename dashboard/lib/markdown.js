// The Markdown of notes: paragraphs, headings, lists, code, emphasis, links. It becomes a tree of
// texts, never HTML; what is not understood stays as it was written. Pure.

/**
 * @typedef {string | {kind: "strong" | "em" | "code" | "a", text: string, href?: string}} Inline
 * @typedef {{kind: "p" | "h" | "pre" | "ul" | "ol", lines: Inline[][]}} Block
 *   the lines of a paragraph or of code, the items of a list
 */

const marks = [
  ["code", "`([^`]+)`"],
  ["strong", "\\*\\*([^*]+)\\*\\*"],
  ["em", "(?<![\\w*])\\*([^*\\s][^*]*)\\*(?![\\w*])"],
  ["link", "\\[([^\\]]+)\\]\\((https?://[^\\s)]+)\\)"],
  ["bare", "(https?://[^\\s<>()]*[^\\s<>().,;:!?])"],
];
const inlineMarks = new RegExp(marks.map(([name, one]) => `(?<${name}>${one})`).join("|"), "g");

/** @param {RegExpMatchArray} found @returns {Inline} */
function inlineOf(found) {
  const groups = found.groups ?? {};
  const inner = found.slice(1).filter((one) => one !== undefined);
  if (groups.link) return { kind: "a", text: inner[1], href: inner[2] };
  if (groups.bare) return { kind: "a", text: inner[1], href: inner[1] };
  const kind = groups.code ? "code" : groups.strong ? "strong" : "em";
  return { kind, text: inner[1] };
}

/** @param {string} line @returns {Inline[]} */
export function inlines(line) {
  /** @type {Inline[]} */
  const parts = [];
  let end = 0;
  for (const found of line.matchAll(inlineMarks)) {
    if (found.index > end) parts.push(line.slice(end, found.index));
    parts.push(inlineOf(found));
    end = found.index + found[0].length;
  }
  if (end < line.length) parts.push(line.slice(end));
  return parts;
}

/** @type {[Block["kind"], RegExp][]} */
const starts = [
  ["h", /^#{1,6} +(.*)$/],
  ["ul", /^ {0,3}[-*] +(.*)$/],
  ["ol", /^ {0,3}\d{1,9}[.)] +(.*)$/],
  ["p", /^(.*)$/],
];

/** @param {string} text @returns {Block[]} */
export function blocksOf(text) {
  /** @type {Block[]} */
  const blocks = [];
  /** @type {Block | null} */
  let open = null;
  let code = false;
  for (const line of text.split(/\r?\n/)) {
    const isFence = /^ {0,3}```/.test(line);
    if (isFence) code = !code;
    if (isFence || (!code && line.trim() === "")) open = null;
    if (isFence && code) blocks.push((open = { kind: "pre", lines: [] }));
    if (code && !isFence) open?.lines.push([line]);
    if (code || isFence || line.trim() === "") continue;
    const [kind, rest] = startOf(line);
    if (open === null || open.kind !== kind || kind === "h")
      blocks.push((open = { kind, lines: [] }));
    open.lines.push(inlines(rest));
  }
  return blocks;
}

/** @param {string} line @returns {[Block["kind"], string]} */
function startOf(line) {
  for (const [kind, start] of starts) {
    const found = start.exec(line);
    if (found) return [kind, found[1]];
  }
  return ["p", line];
}
