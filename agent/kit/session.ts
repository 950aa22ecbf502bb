import { createHash } from 'node:crypto'

/** A program's session of a conversation. Sessions allow fewer characters than conversation ids. */
export const sessionOf = (conversation: string): string =>
  `berth-${createHash('sha256').update(conversation).digest('hex').slice(0, 16)}`
