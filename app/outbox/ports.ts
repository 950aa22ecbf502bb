import type { StoredIntent } from '../../domain/outbox.ts'
import type { AuditLine } from '../account/ports.ts'

/** What is written in one transaction with a change. */
export interface Along {
  line?: AuditLine
  intents?: readonly StoredIntent[]
}

/** The intents that are not done yet, each written with the change that it follows from. */
export interface Outbox {
  /** Does `act`; its first write takes all of this along, so that neither is there without the other. */
  along<T>(what: Along, act: () => Promise<T>): Promise<{ result: T; written: boolean }>
  /** What nobody has done in time, by sweep shard. */
  due(shard: number, nowMs: number): Promise<StoredIntent[]>
  postpone(stored: StoredIntent, atMs: number): Promise<void>
  remove(stored: StoredIntent): Promise<void>
}
