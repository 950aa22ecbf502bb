import type { StoredIntent } from '../../domain/outbox.ts'
import type { AuditLine } from '../account/ports.ts'

/** A record written in one transaction with a change. */
export interface Along {
  lines?: readonly AuditLine[]
  intents?: readonly StoredIntent[]
}

/** An intent whose time has come, and when that was, ms since 1970. */
export interface DueIntent extends Pick<StoredIntent, 'userId' | 'id'> {
  dueMs: number
}

/** The intents that are not done yet, each written with the change that it follows from. */
export interface Outbox {
  /** Does `act`; its first write takes all of this along, so that neither is there without the other. */
  along<T>(what: Along, act: () => Promise<T>): Promise<{ result: T; written: boolean }>
  /** Writes intents by themselves. */
  add(intents: readonly StoredIntent[]): Promise<void>
  /** Intents that nobody has done in time, by sweep shard. */
  due(shard: number, nowMs: number): Promise<DueIntent[]>
  /** Takes one that is due for as long; null when somebody else has it, or it is done. */
  claim(due: DueIntent, untilMs: number): Promise<StoredIntent | null>
  remove(stored: Pick<StoredIntent, 'userId' | 'id'>): Promise<void>
}
