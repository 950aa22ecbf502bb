/** Days of usage that are asked for at once, three years: a day is some kilobytes at most, and the answer counts them all. */
export const maxUsageDays = 1_096

/** Lines of a page of a statement, which stays below the size an answer may have (6 MB): a row is 350 bytes at most. */
export const maxStatementLines = 15_000
