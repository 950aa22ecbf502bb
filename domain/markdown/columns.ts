/** Rows of a table with all cells of a column as long as its longest. */
export function columns(rows: readonly (readonly string[])[]): string[][] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => lengthOf(row[column]))))
  return rows.map((row) =>
    widths.map((width, column) => (row[column] ?? '') + ' '.repeat(width - lengthOf(row[column]))),
  )
}

/** Characters as they are seen, roughly: an emoji is one. */
const lengthOf = (cell = ''): number => [...cell].length
