import type { CheckoutRecord } from '../../domain/billing/checkout.ts'
import type { FailureReason } from '../../domain/models/failure.ts'
import type { FailedCall, UserOverview } from '../../domain/operator/overview.ts'
import type { Page } from '../../domain/page.ts'
import type { Counts, LimitClass } from '../../domain/rates/rate-limits.ts'
import type { TokenSpent } from '../../domain/tokens/caps.ts'
import type { AutoTopupRecord } from '../../domain/wallet/auto-topup.ts'
import type { HoldRequest } from '../../domain/wallet/holds.ts'
import type { Transaction, UsageReceipt } from '../../domain/wallet/ledger.ts'
import type { Caps, ReachedLimit } from '../../domain/wallet/limits.ts'
import type { Hold, WalletState, WarningLevel } from '../../domain/wallet/state.ts'
import type { UsageDay } from '../../domain/wallet/usage.ts'
import type { Part } from './part.ts'
import type { Admission } from './rates.ts'

export type HoldResult =
  | { held: true; micros: number; total: number; counts: Counts }
  /** `unknown`: the generation is over; `limited`: the window is full. Other refusals are thrown as domain errors. */
  | { held: false; because: 'unknown' | 'limited'; counts: Counts }

export interface UsageLine {
  description: string
  receipt: UsageReceipt
  /** The tokens above the receipt's token, whose counts change, too. */
  above?: readonly string[]
  /** A call that failed before any output: the reason, and the µUSD that its provider bills and no user is charged. */
  failure?: { reason: FailureReason; unpaidMicros: number }
  /** ISO 8601 UTC. */
  at: string
}

/** A due check of a wallet: a day ended, or a call was refused. */
export interface WalletCheck {
  userId: string
  dueMs: number
  /** Whether a call was refused for lack of money since the last check. */
  refused: boolean
}

export interface DueWallets {
  holds: { userId: string; callId: string; hold: Hold }[]
  /** Users whose wallets were used a while ago, or fell by another dollar. */
  used: string[]
  checks: WalletCheck[]
  /** Automatic top-ups to check: a charge is unfinished, or a declined card may be retried. */
  topUps: Pick<WalletCheck, 'userId' | 'dueMs'>[]
}

export interface Debit {
  /** Idempotency key, kept forever, such as `refund#re_…` or `dispute#dp_…`. */
  key: string
  /**
   * The source of the credit: a checkout's id (`chk_…`) or the key of a `creditOnce`. All debits of one payment
   * together never exceed its credit. Null for an operator's adjustment, which has no such bound.
   */
  payment: string | null
  /** µUSD, above zero. */
  amountMicros: number
  type: 'refund' | 'dispute' | 'adjustment'
  description: string
  /** ISO 8601 UTC. */
  at: string
}

/** A payment as `refund` names it: a checkout's id, or the key of a `creditOnce`. Amounts in µUSD. */
export type Payment = UserOverview['payments'][number]

export interface Wallets {
  /** Creates the wallet if there is none. */
  open(userId: string): Promise<void>
  read(userId: string): Promise<WalletState>
  /** Spending and holds by token id; no entry for a token that never called a model. */
  spentByTokens(userId: string, nowMs: number): Promise<Record<string, TokenSpent>>
  /** Admits a machine and counts its window without a hold: for a call that is refused because of its content. */
  admitMachine(
    machine: { userId: string; generation: number },
    limit: LimitClass,
    nowMs: number,
  ): Promise<Admission<null>>
  /**
   * Authenticates a machine, counts its window and holds, in one conditional write. A person's call is held and counted
   * for its token in one transaction. @throws wallet-empty, spending-limit, wallet-suspended, rate-limited
   */
  hold(userId: string, callId: string, request: HoldRequest, nowMs: number, ...also: Part[]): Promise<HoldResult>
  /**
   * Ends a hold at its true cost and writes the ledger line in the same transaction; null when it was settled before. A
   * cost of zero voids the hold. After the hold expired, it takes what the balance covers, once.
   */
  settle(
    userId: string,
    callId: string,
    costMicros: number,
    line: UsageLine,
    knownTotal: number | null,
  ): Promise<Transaction | null>
  /** Releases an open hold without a ledger line. */
  void(userId: string, callId: string): Promise<void>
  /** Releases an overdue hold with a ledger line of zero. Null for an ended hold. */
  expire(userId: string, callId: string, hold: Hold, at: string): Promise<Transaction | null>
  /** Credits once per checkout, forever, together with the checkout's record. Null when done before. */
  creditCheckout(record: CheckoutRecord, description: string, at: string): Promise<Transaction | null>
  /** Credits once per key, forever. Null when done before. */
  creditOnce(
    userId: string,
    key: string,
    amountMicros: number,
    type: Transaction['type'],
    description: string,
    at: string,
    ...also: Part[]
  ): Promise<Transaction | null>
  wasCredited(userId: string, key: string): Promise<boolean>
  /**
   * Debits once per key, forever, from what is available; the rest becomes owed. Null when done before, or nothing of
   * the payment is left. It may precede the payment's own credit, which then pays what is owed.
   * @throws not-found (no such payment)
   */
  debitOnce(userId: string, debit: Debit, ...also: Part[]): Promise<Transaction | null>
  /**
   * Credits back the debit of this key (a dispute won, a refund that failed), once, forever. If that debit comes later,
   * it takes nothing. Null when there was nothing to give back.
   */
  undoDebit(userId: string, key: string, description: string, at: string): Promise<Transaction | null>
  /** A wallet's refundable credits, newest last. */
  payments(userId: string): AsyncIterable<Payment>
  /** Newest first. With `type`, a page may hold fewer lines than `limit`, or none, and still have a next page. */
  transactions(
    userId: string,
    page: { after: string | null; limit: number; type?: Transaction['type'] },
  ): Promise<Page<Transaction>>
  transaction(userId: string, id: string): Promise<Transaction | null>
  /** Failed calls among the latest lines, newest first, with reasons that users never see. */
  failedCalls(userId: string, most: number): Promise<FailedCall[]>
  /** Lines from `fromMs` to before `toMs`, oldest first, read lazily; with `after`, only those after this line. */
  lines(userId: string, fromMs: number, toMs: number, after?: string): AsyncIterable<Transaction>
  /** False for a frozen wallet, unless only the closed account froze it. Settlements and credits continue. */
  freeze(userId: string, reason: string, nowMs: number, ...also: Part[]): Promise<boolean>
  /** False when the wallet was not frozen, or is frozen for another reason (null: any). */
  unfreeze(userId: string, nowMs: number, reason?: string | null, ...also: Part[]): Promise<boolean>
  /** New caps apply to today's spending, too. */
  setCaps(userId: string, caps: Caps, nowMs: number, ...also: Part[]): Promise<WalletState>
  autoTopup(userId: string): Promise<AutoTopupRecord | null>
  /** False when the stored version is not the one that was read (0: none). */
  saveAutoTopup(userId: string, record: AutoTopupRecord, ...also: Part[]): Promise<boolean>
  /** Expired holds and wallets to check, by sweep shard. */
  due(shard: number, nowMs: number): Promise<DueWallets>
  /** Stores the daily spending (null: unchanged) and the warning. False when its owner was warned meanwhile. */
  recordCheck(
    userId: string,
    found: { rate: number | null; from: WarningLevel; to: WarningLevel },
    ...also: Part[]
  ): Promise<boolean>
  /** False when this limit was recorded before in its period. Another amount is another limit. */
  noteReached(userId: string, limit: ReachedLimit, nowMs: number, ...also: Part[]): Promise<boolean>
  /** Schedules the next check (null: at the next use), unless another check was requested meanwhile. */
  scheduleCheck(seen: WalletCheck, nextMs: number | null): Promise<void>
  /** Schedules the next check of an automatic top-up (null: none), unless it changed meanwhile. */
  scheduleTopUp(seen: DueWallets['topUps'][number], nextMs: number | null): Promise<void>
  /** Stored sums of days, by day (`2026-11-20`), oldest first. */
  usageDays(userId: string, from: string, to: string): Promise<UsageDay[]>
  /** Counts of days, updated by each charge; counts of old days are deleted. */
  usageCounts(userId: string, from: string, to: string): Promise<UsageDay[]>
  keepUsageDay(userId: string, day: UsageDay): Promise<void>
}
