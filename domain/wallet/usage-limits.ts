/** Three years; a day is some kilobytes at most. */
export const maxUsageDays = 1_096

/** A row has 350 bytes at most, so a page stays below the 6 MB that a function may return. */
export const maxStatementLines = 15_000
