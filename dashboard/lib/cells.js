// The cells of a column of the server: of /columns, and of the header of /curves/matrix. Pure.

/** @typedef {number | string | boolean | null} Cell */

/**
 * A list as it is; {words, codes}: indices of words or null; {first, by}: integers at even
 * distances; null: nulls alone.
 * @param {Cell[] | {words: Cell[], codes: (number | null)[]} | {first: number, by: number} | null}
 *   column
 * @param {number} rows @returns {Cell[]}
 */
export function cellsOf(column, rows) {
  if (column === null) return new Array(rows).fill(null);
  if (Array.isArray(column)) return column;
  const cells = new Array(rows);
  if ("by" in column) for (let i = 0; i < rows; i++) cells[i] = column.first + i * column.by;
  else
    for (let i = 0; i < rows; i++) {
      const code = column.codes[i];
      cells[i] = code === null ? null : column.words[code];
    }
  return cells;
}
