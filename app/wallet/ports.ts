import type { CheckoutRecord } from '../../domain/billing/checkout.ts'
import type { FailureReason } from '../../domain/models/failure.ts'
import type { FailedCall } from '../../domain/operator/overview.ts'
import type { Page } from '../../domain/page.ts'
import type { TokenSpent } from '../../domain/tokens/caps.ts'
import type { Counts, LimitClass } from '../../domain/tokens/rate-limits.ts'
import type { AutoTopupRecord } from '../../domain/wallet/auto-topup.ts'
import type { HoldRequest } from '../../domain/wallet/holds.ts'
import type { Transaction, UsageReceipt } from '../../domain/wallet/ledger.ts'
import type { Caps, ReachedLimit } from '../../domain/wallet/limits.ts'
import type { Hold, WalletState, WarningLevel } from '../../domain/wallet/state.ts'
import type { UsageDay } from '../../domain/wallet/usage.ts'
import type { Admission } from '../tokens/ports.ts'

export type HoldResult =
  | { held: true; micros: number; total: number; counts: Counts }
  /** `unknown`: dead generation; `limited`: window full. Anything else is thrown as a domain error. */
  | { held: false; because: 'unknown' | 'limited'; counts: Counts }

/** The fields of a call's entry, whatever its amount. */
export interface UsageLine {
  description: string
  receipt: UsageReceipt
  /** The tokens above the receipt's, whose counts move too. */
  above?: readonly string[]
  /**
   * Set for a call that failed before any output: the reason, and the µUSD that its provider bills and no user is
   * charged.
   */
  failure?: { reason: FailureReason; unpaidMicros: number }
  /** ISO 8601 UTC. */
  at: string
}

/** A wallet that is to be checked: a day ended, or a call was refused. */
export interface WalletCheck {
  userId: string
  dueMs: number
  /** True when a call was refused for want of money since the last check. */
  refused: boolean
}

export interface DueWallets {
  holds: { userId: string; callId: string; hold: Hold }[]
  /** Users whose wallets were used a while ago, or fell by another dollar. */
  used: string[]
  checks: WalletCheck[]
  /** Automatic top-ups to look at: a charge was left under way, or a declined card may be tried again. */
  topUps: Pick<WalletCheck, 'userId' | 'dueMs'>[]
}

/** Money taken back from a wallet. */
export interface Debit {
  /** Names this debit for ever, such as `refund#re_…` or `dispute#dp_…`. */
  key: string
  /**
   * The source of the credit: a checkout's id (`chk_…`) or the key of a `creditOnce`. All debits of one payment
   * together never take more than it credited. Null for an operator's adjustment, which has no such bound.
   */
  payment: string | null
  /** µUSD, above zero. */
  amountMicros: number
  type: 'refund' | 'dispute' | 'adjustment'
  description: string
  /** ISO 8601 UTC. */
  at: string
}

/** A payment as `refund` names it: a checkout's id, or the key of what was credited once. Amounts in µUSD. */
export interface Payment {
  name: string
  amountMicros: number
  takenBackMicros: number
}

export interface Wallets {
  /** Makes the wallet if there is none. */
  open(userId: string): Promise<void>
  read(userId: string): Promise<WalletState>
  /** Each token's spending and holds, by its id; none for a token that never called a model. */
  spentByTokens(userId: string, nowMs: number): Promise<Record<string, TokenSpent>>
  /** Admits a machine and counts its window without holding anything: for a call that is refused for what it asks. */
  admitMachine(
    machine: { userId: string; generation: number },
    limit: LimitClass,
    nowMs: number,
  ): Promise<Admission<null>>
  /**
   * One conditional write that authenticates a machine, counts its window and holds. A person's call is held and
   * counted for its token in one transaction. @throws wallet-empty, spending-limit, wallet-suspended, rate-limited
   */
  hold(userId: string, callId: string, request: HoldRequest, nowMs: number): Promise<HoldResult>
  /**
   * Ends a hold at its true cost and writes the ledger line in the same transaction; a second call changes nothing
   * and answers null. A cost of zero voids the hold. After the hold expired it takes what the balance has, once.
   */
  settle(
    userId: string,
    callId: string,
    costMicros: number,
    line: UsageLine,
    knownTotal: number | null,
  ): Promise<Transaction | null>
  /** Gives an open hold back whole, without a line: the call never was. */
  void(userId: string, callId: string): Promise<void>
  /** Gives a hold back that nobody settled in time and says so in a line of zero. Null when it was ended before. */
  expire(userId: string, callId: string, hold: Hold, at: string): Promise<Transaction | null>
  /**
   * Credits once per checkout for ever: the checkout's record and the wallet change together. Null when done before.
   */
  creditCheckout(record: CheckoutRecord, description: string, at: string): Promise<Transaction | null>
  /** Credits once per key for ever. Null when done before. */
  creditOnce(
    userId: string,
    key: string,
    amountMicros: number,
    type: Transaction['type'],
    description: string,
    at: string,
  ): Promise<Transaction | null>
  /** Whether `creditOnce` was done for this key. */
  wasCredited(userId: string, key: string): Promise<boolean>
  /**
   * Debits once per key for ever, from what is available; the rest becomes owed. Null when done before, or when
   * nothing of the payment is left. It may come before the payment's own credit, which then pays what is owed.
   * @throws not-found (no such payment)
   */
  debitOnce(userId: string, debit: Debit): Promise<Transaction | null>
  /**
   * Credits back what the debit of this key took (a dispute won, a refund that failed), once for ever. When that
   * debit has not come yet it never takes anything. Null when there was nothing to give back.
   */
  undoDebit(userId: string, key: string, description: string, at: string): Promise<Transaction | null>
  /** A wallet's refundable credits, newest last. */
  payments(userId: string): AsyncIterable<Payment>
  /** Newest first. A page of one type may hold fewer than asked for, or none, and go on nevertheless. */
  transactions(
    userId: string,
    page: { after: string | null; limit: number; type?: Transaction['type'] },
  ): Promise<Page<Transaction>>
  transaction(userId: string, id: string): Promise<Transaction | null>
  /** Model calls among the latest lines that failed, with the reasons that no user is shown; newest first. */
  failedCalls(userId: string, most: number): Promise<FailedCall[]>
  /**
   * Every line from one instant until before another, oldest first, as it is asked for; only those after one that is
   * named.
   */
  lines(userId: string, fromMs: number, toMs: number, after?: string): AsyncIterable<Transaction>
  /**
   * Stops all spending; false when it is stopped already, unless only because the account is closed. Settlements and
   * credits go on.
   */
  freeze(userId: string, reason: string, nowMs: number): Promise<boolean>
  /** False when the wallet was not frozen, or for another reason than this one. */
  unfreeze(userId: string, nowMs: number, reason?: string): Promise<boolean>
  /** New caps count for today as well: what was spent today stays spent. */
  setCaps(userId: string, caps: Caps, nowMs: number): Promise<WalletState>
  autoTopup(userId: string): Promise<AutoTopupRecord | null>
  /** False when the stored record has another version than the one that was read (0: none was). */
  saveAutoTopup(userId: string, record: AutoTopupRecord): Promise<boolean>
  /** Holds whose time is up and wallets to check, by sweep shard. */
  due(shard: number, nowMs: number): Promise<DueWallets>
  /** Keeps the daily spending; null leaves it as it is. False when its owner was warned meanwhile. */
  recordCheck(userId: string, found: { rate: number | null; from: WarningLevel; to: WarningLevel }): Promise<boolean>
  /**
   * Remembers that a limit is reached in its period; false when it was remembered before. Another amount is another
   * limit.
   */
  noteReached(userId: string, limit: ReachedLimit, nowMs: number): Promise<boolean>
  /** Says when to check again (null: when it is next used), unless something asked for a check meanwhile. */
  scheduleCheck(seen: WalletCheck, nextMs: number | null): Promise<void>
  /** Says when to look at an automatic top-up again (null: not of itself), unless it changed meanwhile. */
  scheduleTopUp(seen: DueWallets['topUps'][number], nextMs: number | null): Promise<void>
  /** Sums of days that were kept, by day (`2026-11-20`), oldest first. */
  usageDays(userId: string, from: string, to: string): Promise<UsageDay[]>
  /** The counts of a range's days, made at each charge; those of old days are gone. */
  usageCounts(userId: string, from: string, to: string): Promise<UsageDay[]>
  /** Keeps the sum of a day that has ended. */
  keepUsageDay(userId: string, day: UsageDay): Promise<void>
}
