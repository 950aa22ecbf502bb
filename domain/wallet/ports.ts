import type { CheckoutRecord } from '../billing/checkout.ts'
import type { Page } from '../page.ts'
import type { Counts } from '../tokens/window.ts'
import type { HoldAsk } from './moves.ts'
import type { Transaction, UsageReceipt, WalletState } from './wallet.ts'

export type HoldResult =
  | { held: true; micros: number; total: number; counts: Counts }
  /** `unknown`: dead generation; `limited`: window full. Anything else is thrown as a domain error. */
  | { held: false; because: 'unknown' | 'limited'; counts: Counts }

/** Money taken back from a wallet. */
export interface Debit {
  /** Names this debit for ever, such as `refund#re_…` or `dispute#dp_…`. */
  key: string
  /**
   * What had credited the money: a checkout's id (`chk_…`) or the key of a `creditOnce`. All debits of one payment
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

export interface Wallets {
  /** Makes the wallet if there is none. */
  open(userId: string): Promise<void>
  read(userId: string): Promise<WalletState>
  /** One conditional write that authenticates, counts the window and holds. @throws wallet-empty, rate-limited */
  hold(userId: string, callId: string, ask: HoldAsk, nowMs: number): Promise<HoldResult>
  /**
   * Ends a hold at its true cost and writes the ledger line in the same transaction; a second call changes nothing
   * and answers null. A cost of zero removes the hold and writes no line.
   */
  settle(
    userId: string,
    callId: string,
    costMicros: number,
    line: { description: string; receipt: UsageReceipt; at: string },
    knownTotal: number | null,
  ): Promise<Transaction | null>
  /** Credits once per checkout for ever: the checkout's record and the wallet change together. Null when done before. */
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
  transactions(
    userId: string,
    page: { after: string | null; limit: number; type?: Transaction['type'] },
  ): Promise<Page<Transaction>>
  transaction(userId: string, id: string): Promise<Transaction | null>
  /** Holds whose time is up, by sweep shard. */
  overdueHolds(shard: number, nowMs: number): Promise<{ userId: string; callId: string; micros: number }[]>
}
