import type { Events } from '../ports/chat.ts'
import type { Wallets } from '../ports/wallet.ts'

type WalletPorts = { events: Events; wallets: Wallets }

/** Suspends a wallet, with its event. False when it was suspended before. */
export const freezeWallet = (
  { events, wallets }: WalletPorts,
  userId: string,
  reason: string,
  nowMs: number,
): Promise<boolean> =>
  events.recordWith(userId, 'wallet.changed', { suspended: true }, () => wallets.freeze(userId, reason, nowMs))

/** Lifts a suspension, or only the one for this reason, with its event. False when there was none. */
export const unfreezeWallet = (
  { events, wallets }: WalletPorts,
  userId: string,
  nowMs: number,
  reason?: string,
): Promise<boolean> =>
  events.recordWith(userId, 'wallet.changed', { suspended: false }, () => wallets.unfreeze(userId, nowMs, reason))
