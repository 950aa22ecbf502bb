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
  /** What one operator may move in a day (UTC), US cents. */
  maxDayCents(): number
}

/** What each operator has moved in a day (UTC), US cents. */
export interface OperatorTotals {
  movedCents(operator: string, nowMs: number): Promise<number>
  /** Does `act`, whose first write counts the amount; nothing of it is written where the day's sum would be above `mostCents`. */
  count<T>(
    operator: string,
    cents: number,
    mostCents: number,
    nowMs: number,
    act: () => Promise<T>,
  ): Promise<{ counted: true; result: T } | { counted: false }>
}

/** Whom each operator views: one user at a time. */
export interface Views {
  /** The operator's latest, which may be over. */
  of(operator: string): Promise<ViewRecord | null>
  /** False while another one of the same operator stands. */
  begin(view: ViewRecord, nowMs: number): Promise<boolean>
  /** False when it is no longer there. */
  end(view: Pick<ViewRecord, 'id' | 'operator'>): Promise<boolean>
}

/** What operators tell users. */
export interface Notices {
  /** Those whose time is not over, newest first. */
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
  /** Users of one shard, in order: whoever has a wallet is one. */
  owners(shard: number, after: string | null, limit: number): Promise<string[]>
}

/** Instances by what is to be done about them. */
export interface Fleet {
  /** Those that are looked at again, with when that is, ms since 1970; `more` when a shard has more than it was asked for. */
  awake(perShard: number): Promise<{ instances: { record: InstanceRecord; dueMs: number }[]; more: boolean }>
  /** Those that have failed, the latest first, and since when. */
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

/** What ought to have followed from a change, and has not. */
export interface OverdueIntents {
  /** Those made before then, in no order; at most so many of each shard. */
  before(createdMs: number, perShard: number): Promise<OverdueIntent[]>
  /** Has one tried at the next sweep; false when it is done. */
  retry(userId: string, id: string, nowMs: number): Promise<boolean>
}
