import type { StoredIntent } from '../../domain/outbox.ts'
import type { AuditLine } from './account.ts'
import type { PartItem } from './part.ts'

/** An overdue intent, and its due time, ms since 1970. */
export interface DueIntent extends Pick<StoredIntent, 'userId' | 'id'> {
  dueMs: number
}

/** Open intents, each written with the change that it follows from. */
export interface Intents {
  /** Items that store audit entries and intents with a change. */
  items(kept: { lines?: readonly AuditLine[]; intents?: readonly StoredIntent[] }): readonly PartItem[]
  /** Stores intents without a change. */
  add(intents: readonly StoredIntent[]): Promise<void>
  /** Overdue intents, by sweep shard. */
  due(shard: number, nowMs: number): Promise<DueIntent[]>
  /** Claims a due intent until `untilMs`; null when another run has claimed it, or it is done. */
  claim(due: DueIntent, untilMs: number): Promise<StoredIntent | null>
  remove(stored: Pick<StoredIntent, 'userId' | 'id'>): Promise<void>
}
