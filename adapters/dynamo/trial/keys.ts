import { createHash } from 'node:crypto'

export const dayId = (day: string): string => `day#${day}`

export const networkId = (day: string, network: string): string => `network#${day}#${network}`

export const domainId = (day: string, domain: string): string => `domain#${day}#${domain}`

/** Kept forever, also after the account. The hash hides the address. */
export const mailboxId = (mailbox: string): string =>
  `mailbox#${createHash('sha256').update(mailbox).digest('base64url')}`

/** Exists while an operator has stopped trials. */
export const switchId = 'switch'
