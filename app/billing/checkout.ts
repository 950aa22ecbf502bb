import { checkOpen, type UserRecord } from '../../domain/account/user.ts'
import { type Checkout, type CheckoutRequest, newCheckout } from '../../domain/billing/checkout.ts'
import type { PlanId } from '../../domain/billing/plans.ts'
import { checkMaySubscribe } from '../../domain/billing/subscription.ts'
import { checkDayLimit } from '../../domain/billing/top-up.ts'
import { unauthorized } from '../../domain/errors.ts'
import { centsToMicros } from '../../domain/money.ts'
import { dateOf } from '../../domain/time.ts'
import { walletSuspended } from '../../domain/wallet/payment-required.ts'
import type { OutboxFor } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Basics } from '../ports/basics.ts'
import type { Checkouts, HostedPage, Payments } from '../ports/billing.ts'
import type { Wallets } from '../ports/wallet.ts'

type PagePorts = { users: Users; payments: Payments; checkouts: Checkouts } & Basics

/** @throws wallet-suspended, because a top-up would not help; validation above a new account's limit for the day */
export async function openTopUp(
  deps: PagePorts & { wallets: Wallets },
  userId: string,
  amountCents: number,
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<Checkout> {
  const { email, customerId, createdAt } = await customerOf(deps, userId)
  if ((await deps.wallets.read(userId)).frozen !== null) throw walletSuspended()
  const amountMicros = centsToMicros(amountCents)
  checkDayLimit(createdAt, await deps.checkouts.countedOn(userId, dateOf(nowMs)), amountMicros, nowMs)
  return openPage(deps, { userId, kind: 'topup', amountMicros }, nowMs, outboxFor, (checkoutId) =>
    deps.payments.topUpPage({ userId, email, customerId, checkoutId, amountCents }),
  )
}

/** @throws conflict */
export async function openSubscription(
  deps: PagePorts,
  userId: string,
  plan: PlanId,
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<Checkout> {
  const { email, customerId, subscription } = await customerOf(deps, userId)
  checkMaySubscribe(subscription)
  return openPage(deps, { userId, kind: 'subscription', amountMicros: 0, plan }, nowMs, outboxFor, (checkoutId) =>
    deps.payments.planPage({ userId, email, customerId, checkoutId, plan }),
  )
}

/** The record is created last: nobody can pay before the address is returned. */
async function openPage(
  { ids, checkouts }: PagePorts,
  request: CheckoutRequest,
  nowMs: number,
  outboxFor: OutboxFor,
  makePage: (checkoutId: string) => Promise<HostedPage>,
): Promise<Checkout> {
  const id = ids.next('chk')
  const { sessionId, url, expiresAt } = await makePage(id)
  await checkouts.create({ ...newCheckout(id, request, nowMs), sessionId }, outboxFor(id))
  return { id, url, expiresAt }
}

/** The user and its customer at the provider, created on first use. @throws unauthorized */
export async function customerOf(
  { users, payments }: { users: Users; payments: Payments },
  userId: string,
): Promise<UserRecord & { customerId: string }> {
  const user = await users.find(userId)
  if (!user) throw unauthorized()
  checkOpen(user)
  const customerId = await payments.customer(user)
  if (!user.customerId) await users.setCustomer(user.id, customerId)
  return { ...user, customerId }
}
