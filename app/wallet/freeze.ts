import type { Events } from '../ports/chat.ts'
import type { Suspensions } from '../ports/operator.ts'
import type { Part } from '../ports/part.ts'
import type { Wallets } from '../ports/wallet.ts'

type WalletPorts = { events: Events; wallets: Wallets }

/** Suspends a wallet, with its event. False when it was suspended before. */
export const freezeWallet = (
  { events, wallets }: WalletPorts,
  userId: string,
  reason: string,
  nowMs: number,
  ...also: Part[]
): Promise<boolean> =>
  wallets.freeze(userId, reason, nowMs, events.entry(userId, 'wallet.changed', { suspended: true }), ...also)

/** Lifts a suspension, or only the one for this reason, with its event. False when there was none. */
export const unfreezeWallet = (
  { events, wallets }: WalletPorts,
  userId: string,
  nowMs: number,
  reason: string | null = null,
  ...also: Part[]
): Promise<boolean> =>
  wallets.unfreeze(userId, nowMs, reason, events.entry(userId, 'wallet.changed', { suspended: false }), ...also)

/** Suspends a wallet and lists its user as suspended. False when it was suspended before. */
export const suspendWallet = (
  { suspensions, ...deps }: WalletPorts & { suspensions: Suspensions },
  userId: string,
  reason: string,
  nowMs: number,
  ...also: Part[]
): Promise<boolean> => freezeWallet(deps, userId, reason, nowMs, suspensions.add(userId, nowMs), ...also)

/** Lifts any suspension. False when there was none. */
export const unsuspendWallet = (
  { suspensions, ...deps }: WalletPorts & { suspensions: Suspensions },
  userId: string,
  nowMs: number,
  ...also: Part[]
): Promise<boolean> => unfreezeWallet(deps, userId, nowMs, null, suspensions.remove(userId), ...also)
