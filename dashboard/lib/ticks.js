// The selection of rows of a table. Pure.

/**
 * The selection after a click on a row: switched; with Shift, all rows from the last one on.
 * At most `most` remain, of which the newest.
 * @template T
 * @param {T[]} now @param {T} id
 * @param {{order?: () => T[], anchor: T | null, shift: boolean, most: number}} how
 * @returns {T[]}
 */
export function ticked(now, id, { order, anchor, shift, most }) {
  if (!shift || anchor === null) {
    const without = now.filter((one) => one !== id);
    return (without.length < now.length ? without : [...now, id]).slice(-most);
  }
  const rows = order?.() ?? [];
  const [from, to] = [rows.indexOf(anchor), rows.indexOf(id)];
  if (from < 0 || to < 0) return [...new Set([...now, id])].slice(-most);
  const between = rows.slice(Math.min(from, to), Math.max(from, to) + 1);
  const added = from <= to ? between : between.reverse();
  return [...now.filter((one) => !added.includes(one)), ...added.slice(0, most)].slice(-most);
}
