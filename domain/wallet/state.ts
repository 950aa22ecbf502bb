import type { Trigger } from '../chat/message.ts'
import { newCaps, type Spending } from './limits.ts'

export interface Hold {
  /** µUSD set aside. */
  micros: number
  /** Milliseconds since 1970, after which the sweep expires it. */
  expiresMs: number
  /** The cap of this trigger gets back the unused part. */
  trigger: Trigger
  /** Only for a call by a person. */
  tokenId?: string
  /** The tokens above it, whose counts the hold moves too. */
  above?: readonly string[]
}

export const countsOfHold = ({ tokenId, above = [] }: Pick<Hold, 'tokenId' | 'above'>): readonly string[] =>
  tokenId === undefined ? [] : [tokenId, ...above]

/** The held amount, µUSD. */
export const heldOf = ({ holds }: { holds: Record<string, Hold> }): number =>
  Object.values(holds).reduce((sum, { micros }) => sum + micros, 0)

/** Mildest first; each is sent once until money comes in. */
export const warningLevels = ['none', 'week', 'days', 'day', 'low', 'empty'] as const

export type WarningLevel = (typeof warningLevels)[number]

/**
 * The wallet as stored. Invariant: `total = available + Σ holds − owed`; `available ≥ 0`, and 0 while anything is owed.
 */
export interface WalletState extends Spending {
  userId: string
  /** Spendable, µUSD. */
  available: number
  /** Credits − debits of the ledger, µUSD. */
  total: number
  owed: number
  holds: Record<string, Hold>
  /** Generation whose machine may spend; 0 when no machine may. */
  generation: number
  /** Why spending is suspended; null when it is not. */
  frozen: string | null
  /** µUSD spent a day over the last seven days; null until a day with spending has ended. */
  rate: number | null
  /** The last warning since the last credit. */
  warned: WarningLevel
}

export const closedReason = 'the account is closed'

export const newWallet = (userId: string): WalletState => ({
  userId,
  available: 0,
  total: 0,
  owed: 0,
  holds: {},
  generation: 0,
  frozen: null,
  rate: null,
  warned: 'none',
  caps: newCaps,
  left: {},
  lost: {},
  unpaid: {},
})
