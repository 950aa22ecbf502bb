import { createHash } from 'node:crypto'

/** The amount given on a UTC day. */
export const dayId = (day: string): string => `day#${day}`

export const networkId = (day: string, network: string): string => `network#${day}#${network}`

export const domainId = (day: string, domain: string): string => `domain#${day}#${domain}`

/** Kept for ever, and longer than its account: the address itself cannot be read off it. */
export const mailboxId = (mailbox: string): string =>
  `mailbox#${createHash('sha256').update(mailbox).digest('base64url')}`

/** There while an operator has stopped trials. */
export const switchId = 'switch'
