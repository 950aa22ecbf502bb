/** Pads cells so that all cells of a column have the length of its longest. */
export function columns(rows: readonly (readonly string[])[]): string[][] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => lengthOf(row[column]))))
  return rows.map((row) =>
    widths.map((width, column) => (row[column] ?? '') + ' '.repeat(width - lengthOf(row[column]))),
  )
}

/** An emoji is one character, roughly. */
const lengthOf = (cell = ''): number => [...cell].length
