import type { UserRecord } from '../../domain/account/user.ts'
import { type CheckoutRecord, newCheckout } from '../../domain/billing/checkout.ts'
import { autoTopupFailed } from '../../domain/billing/mail-texts.ts'
import { dayLimit } from '../../domain/billing/top-up.ts'
import { microsToCents } from '../../domain/money.ts'
import { ofGroup } from '../../domain/notifications/letter.ts'
import { dateOf } from '../../domain/time.ts'
import {
  type AutoTopupRecord,
  decideAutoTopup,
  endCharge,
  nextTryMs,
  startCharge,
} from '../../domain/wallet/auto-topup.ts'
import { type FollowUp, outboxOf, sendMail } from '../outbox/outbox.ts'
import type { Basics } from '../ports/basics.ts'
import { lost, retry } from '../retry.ts'
import { customerOf } from './checkout.ts'
import { creditTopUp, type TopUpPorts } from './top-up.ts'

type AutoTopupPorts = TopUpPorts & Basics

/** A charge is recorded before it is made, so a crash leaves it pending; the next run completes it first. */
export async function runAutoTopup(deps: AutoTopupPorts, userId: string, nowMs: number): Promise<void> {
  const [user, record] = await Promise.all([deps.users.find(userId), deps.wallets.autoTopup(userId)])
  if (!user || !record) return
  for (const [key, { amountMicros }] of Object.entries(record.pending))
    await charge(deps, user, key, amountMicros, nowMs)
  const [now, wallet] = await Promise.all([deps.wallets.autoTopup(userId), deps.wallets.read(userId)])
  const decision = decideAutoTopup(now, wallet, nowMs)
  if (!now || user.eraseAt || !decision.charge || !(await fitsDay(deps, user, decision.amountMicros, nowMs))) return
  const key = deps.ids.next('chk')
  // Only the run that records the charge makes it, so two concurrent runs charge once.
  if (!(await deps.wallets.saveAutoTopup(userId, startCharge(now, key, decision.amountMicros, nowMs)))) return
  await charge(deps, user, key, decision.amountMicros, nowMs)
}

async function fitsDay({ checkouts }: AutoTopupPorts, user: UserRecord, amountMicros: number, nowMs: number) {
  const limit = dayLimit(user.createdAt, nowMs)
  return limit === null || (await checkouts.countedOn(user.id, dateOf(nowMs))) + amountMicros <= limit
}

async function charge(
  deps: AutoTopupPorts,
  user: UserRecord,
  key: string,
  amountMicros: number,
  nowMs: number,
): Promise<void> {
  await deps.checkouts.create(newCheckout(key, { userId: user.id, kind: 'auto-topup', amountMicros }, nowMs))
  const record = await deps.checkouts.find(user.id, key)
  if (!record) throw new Error('the charge’s record is not there; run again')
  // A closed account never pays its unpaid amounts.
  const outcome = record.state === 'credited' ? 'paid' : user.eraseAt ? 'closed' : await pay(deps, user, record)
  if (outcome === 'paid')
    await creditTopUp(deps, record, (await deps.checkouts.find(user.id, key))?.sessionId ?? null, nowMs)
  else await deps.checkouts.end(user.id, key, 'failed')
  const ended = await deps.checkouts.find(user.id, key)
  const paid = ended?.state === 'credited'
  const amountCents = microsToCents(amountMicros)
  const mailsFor = (next: AutoTopupRecord): FollowUp[] => {
    // A refused payment is refunded, and the refund sends its own e-mail.
    if (outcome === 'paid' || outcome === 'closed') return []
    const failure = { amountCents, noCard: outcome === 'no-card', nextMs: nextTryMs(next) }
    const letter = ofGroup(user, 'money', autoTopupFailed(user.email, failure, deps.settings.publicOrigin))
    return letter ? [sendMail(deps, letter)] : []
  }
  const recorded = await recordEnd(deps, user.id, key, { paid, declined: outcome !== 'closed' }, mailsFor, nowMs)
  if (recorded && outcome !== 'paid' && outcome !== 'closed')
    await deps.events.record(user.id, 'wallet.auto_topup_failed', {
      amountCents,
      because: outcome,
      checkoutId: key,
    })
}

async function pay(
  deps: AutoTopupPorts,
  { id: userId }: UserRecord,
  { id: checkoutId, sessionId, amountMicros }: CheckoutRecord,
): Promise<'paid' | 'declined' | 'no-card'> {
  if (sessionId) return deps.payments.payCharge(sessionId)
  const { email, customerId } = await customerOf(deps, userId)
  const amountCents = microsToCents(amountMicros)
  const invoiceId = await deps.payments.draftCharge({ userId, email, customerId, checkoutId, amountCents })
  if (!invoiceId) return 'no-card'
  // The id is stored before the payment, because the payment's event is checked against it.
  await deps.checkouts.setSession(userId, checkoutId, invoiceId)
  return deps.payments.payCharge(invoiceId)
}

/** The new record; null when another run recorded the result. */
async function recordEnd(
  deps: AutoTopupPorts,
  userId: string,
  key: string,
  { paid, declined }: { paid: boolean; declined: boolean },
  mailsFor: (next: AutoTopupRecord) => FollowUp[],
  nowMs: number,
): Promise<AutoTopupRecord | null> {
  const recorded = await retry(async () => {
    const record = await deps.wallets.autoTopup(userId)
    if (!record?.pending[key]) return null
    const { declines, declinedAt } = record
    const ended = { ...endCharge(record, key, paid, nowMs), ...(!paid && !declined && { declines, declinedAt }) }
    const outbox = outboxOf(deps, userId, mailsFor(ended))
    if (!(await deps.wallets.saveAutoTopup(userId, ended, outbox))) return lost
    await outbox.flush()
    return ended
  })
  if (recorded === lost) throw new Error('the end of a charge could not be recorded; run again')
  return recorded
}
