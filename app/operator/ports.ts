import type { InstanceRecord } from '../../domain/instance/instance.ts'
import type { BooksRecord } from '../../domain/operator/books.ts'
import type { NoticeRecord } from '../../domain/operator/notice.ts'
import type { Operators as OperatorsByEmail } from '../../domain/operator/operators.ts'
import type { ViewRecord } from '../../domain/operator/view.ts'
import type { Intent } from '../../domain/outbox.ts'

/** The stage's operators, and what they may move. */
export interface Operators {
  all(): OperatorsByEmail
  /** US cents. */
  maxCents(): number
  /** One operator's maximum in a UTC day, US cents. */
  maxDayCents(): number
}

/** Each operator's total in a UTC day, US cents. */
export interface OperatorTotals {
  movedCents(operator: string, nowMs: number): Promise<number>
  /**
   * Does `act`, whose first write counts the amount; nothing of it is written where the day's sum would be above
   * `mostCents`.
   */
  count<T>(
    operator: string,
    cents: number,
    mostCents: number,
    nowMs: number,
    act: () => Promise<T>,
  ): Promise<{ counted: true; result: T } | { counted: false }>
}

/** Each operator's current view: one user at a time. */
export interface Views {
  /** The operator's latest, which may be over. */
  of(operator: string): Promise<ViewRecord | null>
  /** False while another one of the same operator stands. */
  begin(view: ViewRecord, nowMs: number): Promise<boolean>
  /** False when it is no longer there. */
  end(view: Pick<ViewRecord, 'id' | 'operator'>): Promise<boolean>
}

/** Operators' notices to users. */
export interface Notices {
  /** Current ones, newest first. */
  standing(nowMs: number): Promise<NoticeRecord[]>
  add(notice: NoticeRecord): Promise<void>
  /** False when it is gone. */
  remove(id: string): Promise<boolean>
}

/** Where the check of all wallets stands, and the wallets there are. */
export interface BooksCheck {
  last(): Promise<BooksRecord | null>
  /** False when somebody else wrote since the one with this revision (0: none was there). */
  save(next: BooksRecord, revision: number): Promise<boolean>
  /** Users of one shard, in order: everybody with a wallet is one. */
  owners(shard: number, after: string | null, limit: number): Promise<string[]>
}

/** Instances by what is to be done about them. */
export interface Fleet {
  /**
   * Instances that are checked again, with the time of the check, ms since 1970; `more` if a shard has more than
   * requested.
   */
  awake(perShard: number): Promise<{ instances: { record: InstanceRecord; dueMs: number }[]; more: boolean }>
  /** Failed ones, latest first, with the time of the failure. */
  failed(most: number): Promise<{ instances: { record: InstanceRecord; sinceMs: number }[]; more: boolean }>
}

/** An intent that nobody has seen through, and when it is tried next, ms since 1970. */
export interface OverdueIntent {
  userId: string
  id: string
  kind: Intent['kind']
  createdMs: number
  nextMs: number
}

/** Overdue follow-ups of changes. */
export interface OverdueIntents {
  /** Those made before then, in no order; at most so many of each shard. */
  before(createdMs: number, perShard: number): Promise<OverdueIntent[]>
  /** Has one tried at the next sweep; false when it is done. */
  retry(userId: string, id: string, nowMs: number): Promise<boolean>
}
