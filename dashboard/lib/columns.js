// Which columns a table shows, in what order, and which of them stay while it scrolls. Pure.

/** @typedef {{name: string, pinned: boolean}} Column */

/**
 * The columns of a text such as "trial!,value!,state", where ! pins; pinned ones come first.
 * Without one of `all` in it, the columns of `fallback`.
 * @param {string} text @param {string[]} all @param {Column[]} fallback @returns {Column[]}
 */
export function readColumns(text, all, fallback) {
  const seen = new Set();
  const found = text
    .split(",")
    .map((part) => ({ name: part.replace(/!$/, ""), pinned: part.endsWith("!") }))
    .filter(({ name }) => all.includes(name) && !seen.has(name) && seen.add(name));
  return pinnedFirst(found.length > 0 ? found : fallback);
}

/** @param {Column[]} list @returns {Column[]} */
const pinnedFirst = (list) => [
  ...list.filter((one) => one.pinned),
  ...list.filter((one) => !one.pinned),
];

/** @param {Column[]} list @returns {string} */
export const columnsText = (list) =>
  list.map(({ name, pinned }) => `${name}${pinned ? "!" : ""}`).join(",");

/**
 * Shows a column as the last one, or hides it; the only one stays.
 * @param {Column[]} list @param {string} name @returns {Column[]}
 */
export function toggled(list, name) {
  const without = list.filter((one) => one.name !== name);
  if (without.length === list.length) return [...list, { name, pinned: false }];
  return without.length > 0 ? without : list;
}

/** @param {Column[]} list @param {string} name @returns {Column[]} */
export const pinToggled = (list, name) =>
  pinnedFirst(list.map((one) => (one.name === name ? { ...one, pinned: !one.pinned } : one)));

/**
 * Moves a column by a number of places, among the pinned ones or among the others.
 * @param {Column[]} list @param {string} name @param {number} by @returns {Column[]}
 */
export function moved(list, name, by) {
  const from = list.findIndex((one) => one.name === name);
  const to = Math.min(list.length - 1, Math.max(0, from + by));
  if (from < 0) return list;
  const others = list.filter((one) => one.name !== name);
  return pinnedFirst([...others.slice(0, to), list[from], ...others.slice(to)]);
}
