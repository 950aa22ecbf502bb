export type Log = (line: string) => void

/** One line of JSON each, with the time in ISO 8601 UTC. No line holds a token or the text of a message. */
export const log: Log = (line) => console.log(JSON.stringify({ at: new Date().toISOString(), line }))
