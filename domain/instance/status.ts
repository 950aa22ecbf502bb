import * as z from 'zod'
import type { UserRecord } from '../account/user.ts'
import { isLive, noSubscription, subscription } from '../billing/plans.ts'
import { conflict, walletEmpty } from '../errors.ts'
import { owing, suspended } from '../wallet/moves.ts'
import { showWallet, type WalletState, wallet } from '../wallet/wallet.ts'
import { type InstanceRecord, instance, showInstance } from './instance.ts'

/** The machine, the money and the subscription of one user. */
export const status = z.object({ instance: instance.nullable(), wallet, subscription }).meta({ id: 'InstanceStatus' })

/** The answer of pause, resume, refresh and model. */
export const changed = z.object({ instance })

export function showStatus(
  record: InstanceRecord | null,
  money: WalletState,
  user: UserRecord | null,
  nowMs: number,
): z.infer<typeof status> {
  return {
    instance: record ? showInstance(record) : null,
    wallet: showWallet(money, nowMs),
    subscription: user?.subscription ?? noSubscription,
  }
}

/** 202 while a transition is under way, 200 when there was nothing to do. */
export const transitionStatus = (output: z.infer<typeof changed>): 200 | 202 =>
  output.instance.state === 'running' || output.instance.state === 'paused' ? 200 : 202

/** @throws conflict without a live subscription; wallet-empty without money for a single call */
export function checkMayRun(user: UserRecord | null, money: WalletState): void {
  if (!user || !isLive(user.subscription)) {
    throw conflict('The instance needs an active subscription. Subscribe to a plan first.')
  }
  if (money.frozen !== null) throw suspended()
  if (money.owed > 0) throw owing()
  if (money.available <= 0) throw walletEmpty()
}
