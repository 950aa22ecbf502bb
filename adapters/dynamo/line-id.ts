import { randomBytes } from 'node:crypto'
import { ulid } from '../../domain/ids.ts'

/** The id of a ledger line that happens at an instant (ISO 8601). */
export const newLineId = (at: string): string => `txn_${ulid(Date.parse(at), randomBytes(16))}`
