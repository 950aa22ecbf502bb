import type { UserRecord } from '../../domain/account/user.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import type { BooksRecord } from '../../domain/operator/books.ts'
import type { DirectoryEntry, ListedPlan, ListedState } from '../../domain/operator/listed-user.ts'
import type { NoticeRecord } from '../../domain/operator/notice.ts'
import type { Operators as OperatorsByEmail } from '../../domain/operator/operators.ts'
import type { ViewRecord } from '../../domain/operator/view.ts'
import type { Intent } from '../../domain/outbox.ts'
import type { Part } from './part.ts'

/** The stage's operators and their limits. */
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
  /** Adds to the day's sum as part of another write. If the sum would exceed `mostCents`, the write throws `refusal`. */
  count(operator: string, cents: number, mostCents: number, nowMs: number, refusal: () => Error): Part
}

/** Each operator's current view: one user at a time. */
export interface Views {
  /** The operator's latest view, which may be over. */
  of(operator: string): Promise<ViewRecord | null>
  /** False while the operator has another view. */
  begin(view: ViewRecord, nowMs: number, ...also: Part[]): Promise<boolean>
  end(view: Pick<ViewRecord, 'id' | 'operator'>, ...also: Part[]): Promise<boolean>
}

export interface Notices {
  /** Newest first. */
  standing(nowMs: number): Promise<NoticeRecord[]>
  /** False when the notice exists. */
  add(notice: NoticeRecord, ...also: Part[]): Promise<boolean>
  remove(id: string, ...also: Part[]): Promise<boolean>
}

export interface BooksCheck {
  last(): Promise<BooksRecord | null>
  /** False when another write came after this revision (0: there was none). */
  save(next: BooksRecord, revision: number, ...also: Part[]): Promise<boolean>
  /** Users of one shard with a wallet, in order. */
  owners(shard: number, after: string | null, limit: number): Promise<string[]>
}

export interface Fleet {
  /** Instances with a coming check, and its time, ms since 1970; `more` if a shard has more than requested. */
  awake(perShard: number): Promise<{ instances: { record: InstanceRecord; dueMs: number }[]; more: boolean }>
  /** Failed instances, latest first, with the time of the failure. */
  failed(most: number): Promise<{ instances: { record: InstanceRecord; sinceMs: number }[]; more: boolean }>
}

/** An open intent, and the time of its next attempt, ms since 1970. */
export interface OverdueIntent {
  userId: string
  id: string
  kind: Intent['kind']
  createdMs: number
  nextMs: number
}

export interface OverdueIntents {
  /** Intents created before then, unordered; at most `perShard` of each shard. */
  before(createdMs: number, perShard: number): Promise<OverdueIntent[]>
  /** Schedules the intent for the next sweep; false when the intent is done. */
  retry(userId: string, id: string, nowMs: number, ...also: Part[]): Promise<boolean>
}

/** A part of the users by their address, in order. */
export interface AddressRange {
  plans: readonly ListedPlan[]
  /** The beginning of the addresses; empty for all. */
  prefix: string
  /** The address to continue after. */
  after: string | null
  limit: number
}

/** The operators' list of users. Accounts without an address are not in it. */
export interface Directory {
  /** Ids in the order of the addresses, eventually consistent. */
  byAddress(range: AddressRange): Promise<string[]>
  /** Ids in no order; `more` if there are more than the list reads. */
  inState(state: ListedState): Promise<{ ids: string[]; more: boolean }>
  /** In no order, without missing users. */
  users(ids: readonly string[]): Promise<UserRecord[]>
  /** The users with their wallets and instances. */
  entries(users: readonly UserRecord[]): Promise<DirectoryEntry[]>
}

/** The list of suspended users, written together with their wallets. */
export interface Suspensions {
  add(userId: string, nowMs: number): Part
  remove(userId: string): Part
}
