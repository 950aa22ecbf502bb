import * as z from 'zod'
import { account, showAccount, type UserRecord } from '../account/user.ts'
import { planIds } from '../billing/plans.ts'
import { isLive } from '../billing/subscription.ts'
import { type InstanceRecord, shownState, shownStates } from '../instance/instance.ts'
import { unsignedMicros } from '../money.ts'
import { timestamp } from '../timestamp.ts'
import { closedReason, type WalletState } from '../wallet/state.ts'
import { isAwake } from './machine.ts'

/** `trial`: an account that had a trial, and no plan since. */
export const listedPlans = ['none', 'trial', ...planIds] as const
export type ListedPlan = (typeof listedPlans)[number]

export const listedPlanOf = ({
  subscription,
  subscriptionId,
  trial,
}: Pick<UserRecord, 'subscription' | 'subscriptionId' | 'trial'>): ListedPlan => {
  if (isLive(subscription)) return subscription.plan ?? 'starter'
  return trial !== null && subscriptionId === null ? 'trial' : 'none'
}

export const listedStates = ['awake', 'failed', 'suspended', 'closing'] as const
export type ListedState = (typeof listedStates)[number]

export const listedUser = z
  .object({
    account,
    plan: z.enum(listedPlans).meta({ description: '`trial`: had a trial, and no plan since.', example: 'starter' }),
    trialEndsAt: timestamp.nullable().meta({ description: 'The end of the trial; null without one.' }),
    suspended: z.boolean().meta({ description: 'Whether the wallet is suspended.' }),
    eraseAt: timestamp.nullable().meta({ description: 'When a deleted account is erased.' }),
    machine: z.enum(shownStates).nullable().meta({ description: 'The state of the instance; null without one.' }),
    balanceMicros: unsignedMicros.meta({ description: 'Spendable now, in µUSD.', example: 3_220_000 }),
  })
  .meta({ id: 'ListedUser' })
export type ListedUser = z.infer<typeof listedUser>

/** The attributes of a user that the list reads. */
export interface DirectoryEntry {
  user: UserRecord
  wallet: WalletState | null
  instance: InstanceRecord | null
}

export const isSuspended = (wallet: Pick<WalletState, 'frozen'> | null): boolean =>
  wallet !== null && wallet.frozen !== null && wallet.frozen !== closedReason

export const showListedUser = ({ user, wallet, instance }: DirectoryEntry): ListedUser => ({
  account: showAccount(user),
  plan: listedPlanOf(user),
  trialEndsAt: user.trial?.endsAt ?? null,
  suspended: isSuspended(wallet),
  eraseAt: user.eraseAt,
  machine: instance && shownState(instance),
  balanceMicros: wallet?.available ?? 0,
})

/** The address of an erased account belongs to nobody. */
export const isErased = ({ email }: Pick<UserRecord, 'email'>): boolean => email.endsWith('@erased.invalid')

/** The record may have left the state since the index was written. */
export const isInState = ({ user, wallet, instance }: DirectoryEntry, state: ListedState): boolean =>
  ({
    awake: instance !== null && isAwake(instance),
    failed: instance?.state === 'failed',
    suspended: isSuspended(wallet),
    closing: user.eraseAt !== null,
  })[state]
