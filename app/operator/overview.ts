import { recentlyReturned } from '../../domain/account/returned-mail.ts'
import { showAccount } from '../../domain/account/user.ts'
import { notFound } from '../../domain/errors.ts'
import { showInstance } from '../../domain/instance/explain.ts'
import type { UserOverview } from '../../domain/operator/overview.ts'
import { showWallet } from '../../domain/wallet/wallet.ts'
import type { Audit, Users } from '../ports/account.ts'
import type { Instances } from '../ports/instance.ts'
import type { Payment, Wallets } from '../ports/wallet.ts'

const most = { payments: 50, failedCalls: 20, lines: 20 }

type OverviewPorts = { users: Users; wallets: Wallets; instances: Instances; audit: Audit }

/** @throws not-found */
export async function readOverview(deps: OverviewPorts, userId: string, nowMs: number): Promise<UserOverview> {
  const [user, state, auto, instance, payments, failedCalls, trail] = await Promise.all([
    deps.users.find(userId),
    deps.wallets.read(userId),
    deps.wallets.autoTopup(userId),
    deps.instances.find(userId),
    firstPayments(deps, userId),
    deps.wallets.failedCalls(userId, most.failedCalls),
    deps.audit.list(userId, { after: null, limit: most.lines }),
  ])
  if (!user) throw notFound('user')
  return {
    account: showAccount(user),
    eraseAt: user.eraseAt,
    returnedMails: recentlyReturned(user.returned, nowMs),
    subscription: user.subscription,
    wallet: showWallet(state, nowMs, auto),
    suspendedBecause: state.frozen,
    instance: instance && showInstance(instance),
    payments,
    failedCalls,
    audit: trail.items,
  }
}

async function firstPayments({ wallets }: { wallets: Wallets }, userId: string): Promise<Payment[]> {
  const payments: Payment[] = []
  for await (const payment of wallets.payments(userId)) {
    payments.push(payment)
    if (payments.length === most.payments) break
  }
  return payments
}

/** @throws not-found */
export async function mustExist({ users }: { users: Users }, userId: string): Promise<void> {
  if (!(await users.find(userId))) throw notFound('user')
}
