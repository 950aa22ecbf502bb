export type Log = (line: string) => void

/** Writes JSON lines with the time in ISO 8601 UTC; never a token or the text of a message. */
export const log: Log = (line) => console.log(JSON.stringify({ at: new Date().toISOString(), line }))
