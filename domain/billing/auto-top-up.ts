import type { UserRecord } from '../account/user.ts'
import { microsToCents } from '../money.ts'
import type { Basics, Ports } from '../ports.ts'
import { type AutoTopUpRecord, chargeEnded, chargeStarted, decideAutoTopUp, nextTryMs } from '../wallet/auto-topup.ts'
import type { CheckoutRecord } from './checkout.ts'
import { customerOf } from './customer.ts'
import { autoTopUpFailed } from './mails.ts'
import { dayLimit, dayOf } from './new-account.ts'
import { creditTopUp, newTopUp } from './top-up.ts'

export type AutoTopUpPorts = Pick<Ports, 'users' | 'payments' | 'checkouts' | 'wallets' | 'events' | 'mail'> & Basics

/** Writes of the record that may lose to another one. */
const attempts = 5

/**
 * Charges the saved card when the wallet has fallen below its threshold. The charge is noted before it is made, so a
 * crash leaves it pending: the next look ends that one before it thinks of another.
 */
export async function autoTopUp(deps: AutoTopUpPorts, userId: string, nowMs: number): Promise<void> {
  const [user, record] = await Promise.all([deps.users.find(userId), deps.wallets.autoTopUp(userId)])
  if (!user || !record) return
  for (const [key, { amountMicros }] of Object.entries(record.pending))
    await charge(deps, user, key, amountMicros, nowMs)
  const [now, wallet] = await Promise.all([deps.wallets.autoTopUp(userId), deps.wallets.read(userId)])
  const decision = decideAutoTopUp(now, wallet, nowMs)
  if (!now || !decision.charge || !(await fitsDay(deps, user, decision.amountMicros, nowMs))) return
  const key = deps.ids.next('chk')
  // Whoever notes the charge makes it: two looks at once charge once.
  if (!(await deps.wallets.saveAutoTopUp(userId, chargeStarted(now, key, decision.amountMicros, nowMs)))) return
  await charge(deps, user, key, decision.amountMicros, nowMs)
}

async function fitsDay({ checkouts }: AutoTopUpPorts, user: UserRecord, amountMicros: number, nowMs: number) {
  const limit = dayLimit(user.createdAt, nowMs)
  return limit === null || (await checkouts.countedOn(user.id, dayOf(nowMs))) + amountMicros <= limit
}

/** Makes, or goes on with, one charge, and notes how it ended. */
async function charge(
  deps: AutoTopUpPorts,
  user: UserRecord,
  key: string,
  amountMicros: number,
  nowMs: number,
): Promise<void> {
  await deps.checkouts.create(newTopUp(key, user.id, 'auto-topup', amountMicros, nowMs))
  const record = await deps.checkouts.find(user.id, key)
  if (!record) throw new Error('the charge’s record is not there; look again')
  const outcome = record.state === 'credited' ? 'paid' : await pay(deps, user, record)
  if (outcome === 'paid') await creditTopUp(deps, { ...record }, await invoiceOf(deps, record), nowMs)
  else await deps.checkouts.end(user.id, key, 'failed')
  const ended = await deps.checkouts.find(user.id, key)
  const paid = ended?.state === 'credited'
  const noted = await note(deps, user.id, key, paid, nowMs)
  // What was paid and refused is on its way back, and its owner was told so.
  if (!noted || outcome === 'paid') return
  const amountCents = microsToCents(amountMicros)
  await deps.events.record(user.id, 'wallet.auto_topup_failed', { amountCents, because: outcome })
  const how = { amountCents, noCard: outcome === 'no-card', nextMs: nextTryMs(noted) }
  await deps.mail.send(autoTopUpFailed(user.email, how, deps.settings.publicOrigin))
}

async function pay(
  deps: AutoTopUpPorts,
  { id: userId }: UserRecord,
  { id: checkoutId, sessionId, amountMicros }: CheckoutRecord,
): Promise<'paid' | 'declined' | 'no-card'> {
  if (sessionId) return deps.payments.payCharge(sessionId)
  const { email, customerId } = await customerOf(deps, deps.payments, userId)
  const amountCents = microsToCents(amountMicros)
  const invoiceId = await deps.payments.draftCharge({ userId, email, customerId, checkoutId, amountCents })
  if (!invoiceId) return 'no-card'
  // Noted before it is paid: the news of the payment is believed by it.
  await deps.checkouts.setSession(userId, checkoutId, invoiceId)
  return deps.payments.payCharge(invoiceId)
}

const invoiceOf = async (deps: AutoTopUpPorts, { userId, id }: CheckoutRecord): Promise<string | null> =>
  (await deps.checkouts.find(userId, id))?.sessionId ?? null

/** What became of the record, for the one who noted the end; null for others. */
async function note(
  { wallets }: AutoTopUpPorts,
  userId: string,
  key: string,
  paid: boolean,
  nowMs: number,
): Promise<AutoTopUpRecord | null> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const record = await wallets.autoTopUp(userId)
    if (!record?.pending[key]) return null
    const ended = chargeEnded(record, key, paid, nowMs)
    if (await wallets.saveAutoTopUp(userId, ended)) return ended
  }
  throw new Error('the end of a charge could not be noted; look again')
}
