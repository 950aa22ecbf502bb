import * as z from 'zod'
import { checkOpen, type UserRecord } from '../account/user.ts'
import type { PlanLimits } from '../billing/plans.ts'
import { noSubscription, subscription } from '../billing/subscription.ts'
import { conflict, type DomainError } from '../errors.ts'
import { planOf, trial } from '../trial/trial.ts'
import { walletEmpty, walletOwes, walletSuspended } from '../wallet/payment-required.ts'

import type { WalletState } from '../wallet/state.ts'
import { showWallet, wallet } from '../wallet/wallet.ts'
import { showInstance } from './explain.ts'
import { type InstanceRecord, instance } from './instance.ts'

export const status = z
  .object({
    instance: instance.nullable(),
    wallet,
    subscription,
    trial: trial.nullable().meta({ description: 'The account’s only trial, even after its end; null if it had none.' }),
  })
  .meta({ id: 'InstanceStatus' })

export const changed = z.object({ instance })

export const showStatus = (
  record: InstanceRecord | null,
  money: WalletState,
  user: UserRecord | null,
  nowMs: number,
): z.infer<typeof status> => ({
  instance: record ? showInstance(record) : null,
  wallet: showWallet(money, nowMs),
  subscription: user?.subscription ?? noSubscription,
  trial: user?.trial ?? null,
})

/** 202 while a transition is under way. */
export const transitionStatus = (output: z.infer<typeof changed>): 200 | 202 =>
  output.instance.state === 'running' || output.instance.state === 'paused' ? 200 : 202

/** @throws conflict without a live subscription or a running trial; wallet-empty without money for a single call */
export function checkMayRun(user: UserRecord | null, money: WalletState, nowMs: number): PlanLimits['id'] {
  const plan = user && planOf(user, nowMs)
  if (!plan) throw conflict('The instance needs an active subscription. Subscribe to a plan first.')
  checkOpen(user)
  const refusal = refusalToSpend(money)
  if (refusal) throw refusal
  return plan
}

/** Null when the wallet may pay for a call. Holds of open calls may return to it. */
export function refusalToSpend(money: WalletState): DomainError | null {
  if (money.frozen !== null) return walletSuspended()
  if (money.owed > 0) return walletOwes()
  return money.available <= 0 ? walletEmpty() : null
}
