import Stripe from 'stripe'
import { runAutoTopup } from '../../../app/billing/auto-topup.ts'
import { sweepGracePeriods } from '../../../app/billing/grace-periods.ts'
import { sweepWallets } from '../../../app/wallet/sweep.ts'
import { lookupKey } from '../../../domain/billing/plans.ts'
import { dayMs, minuteMs } from '../../../domain/time.ts'
import { newAutoTopup } from '../../../domain/wallet/auto-topup.ts'
import { press, type TestStripe, testStripe, WEBHOOK_SECRET } from '../../../emulators/stripe/test/stripe.ts'
import { type MachineWorld, openMachineWorld, type User } from '../reconciler/machine-world.ts'

let world: MachineWorld
let stripe: TestStripe
beforeAll(async () => {
  stripe = await testStripe(lookupKey)
  world = await openMachineWorld()
  const { secretKey, apiBase } = stripe.emulator
  const webhookSecrets = ['whsec_of_before', WEBHOOK_SECRET]
  await world.cloud.cloud.putSecret('stripe', JSON.stringify({ secretKey, apiBase, webhookSecrets }))
})
afterAll(async () => {
  await world.close()
  await stripe.close()
})
afterEach(() => expect(world.failures.splice(0)).toEqual([]))

const library = new Stripe('sk_unused')

/** Delivers the events since the last call to the webhook, in this order. */
async function deliverAll(order: (events: Stripe.Event[]) => Stripe.Event[] = (events) => events): Promise<string[]> {
  // The emulator sends the events of a request right after its response.
  await new Promise((resolve) => setTimeout(resolve, 60))
  const events = order(stripe.events.splice(0))
  for (const event of events) {
    const payload = JSON.stringify(event)
    const signature = library.webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET })
    const answer = await world.request('/webhooks/stripe', payload, { 'Stripe-Signature': signature })
    expect([event.type, answer.status]).toEqual([event.type, 200])
  }
  return events.map(({ type }) => type)
}

async function form(path: string, fields: Record<string, string> = {}) {
  const response = await fetch(`${stripe.publicUrl}${path}`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(fields),
  })
  return { status: response.status, body: await response.json() }
}
const desk = (verb: string, id: string) => form(`/local/stripe/${verb}/${id}`)

async function topUpPage(user: User, amountCents: number) {
  const { payments, checkouts, ids } = world.ports
  const id = ids.next('chk')
  const record = { id, userId: user.id, kind: 'topup', plan: null, createdAt: new Date().toISOString() } as const
  await checkouts.create({ ...record, sessionId: null, amountMicros: amountCents * 10_000, state: 'pending' })
  const found = await world.ports.users.find(user.id)
  const customerId = await payments.customer({ ...user, customerId: found?.customerId ?? null })
  await world.ports.users.setCustomer(user.id, customerId)
  const ask = { userId: user.id, email: user.email, customerId, checkoutId: id, amountCents }
  const page = await payments.topUpPage(ask)
  await checkouts.setSession(user.id, id, page.sessionId)
  return { ...page, id }
}

/** A paid top-up and its charge. */
async function topUp(user: User, amountCents: number, card = '4242424242424242') {
  const page = await topUpPage(user, amountCents)
  await form(`${new URL(page.url).pathname}/pay`, { card })
  const session = await stripe.stripe.checkout.sessions.retrieve(page.sessionId, { expand: ['payment_intent'] })
  const intent = session.payment_intent as Stripe.PaymentIntent // safe because it was expanded
  return { ...page, charge: String(intent.latest_charge), intent }
}

async function subscribe(user: User, plan = 'starter', card = '4242424242424242') {
  const { body } = await user.post('/checkout', { plan })
  await form(`${new URL(body.url ?? '').pathname}/pay`, { card })
  await deliverAll()
  return String((await world.ports.users.find(user.id))?.subscriptionId)
}

const wallet = (user: User) => world.ports.wallets.read(user.id)
const mails = (user: User) => world.cloud.cloud.mails(user.email).map(({ subject }) => subject)
const lines = async (user: User) =>
  (await world.ports.wallets.transactions(user.id, { after: null, limit: 100 })).items
    .map(({ type, amountMicros }) => `${type} ${amountMicros / 10_000}`)
    .sort()

describe('a payment that is reversed', () => {
  test('partly and then fully takes each part once, and never more than was credited (opencode #28398)', async () => {
    const user = await world.user()
    const { charge, intent } = await topUp(user, 2_000)
    expect(intent.receipt_email).toBe(user.email)
    await deliverAll()
    await stripe.stripe.refunds.create({ charge, amount: 500 })
    await deliverAll((events) => [...events, ...events])
    expect((await wallet(user)).available).toBe(15_000_000)
    await desk('refund', charge)
    await deliverAll((events) => events.toReversed())
    expect(await lines(user)).toEqual(['refund -1500', 'refund -500', 'topup 2000'])
  })

  test('before its payment event arrived is credited first', async () => {
    const user = await world.user()
    const { charge } = await topUp(user, 1_000)
    await desk('refund-half', charge)
    await deliverAll((events) => events.toReversed())
    expect(await lines(user)).toEqual(['refund -500', 'topup 1000'])
  })

  test('by a dispute returns when the dispute is won and stays away when it is lost', async () => {
    const [winner, loser] = [await world.user(), await world.user()]
    for (const [user, end] of [
      [winner, 'win'],
      [loser, 'lose'],
    ] as const) {
      const { charge } = await topUp(user, 1_000)
      await desk('dispute', charge)
      await deliverAll()
      expect((await wallet(user)).available).toBe(0)
      const [dispute] = (await stripe.stripe.disputes.list({ charge })).data
      await desk(end, dispute?.id ?? '')
      await deliverAll((events) => [...events, ...events])
    }
    expect([(await wallet(winner)).available, (await wallet(loser)).available]).toEqual([10_000_000, 0])
  })

  test('with a fraud warning freezes the wallet and notifies the owner once', async () => {
    const user = await world.user()
    await topUp(user, 1_000, '4000000000005423')
    await deliverAll((events) => [...events, ...events])
    expect((await wallet(user)).frozen).toBe('fraud warning')
    expect(mails(user)).toEqual(['Your wallet is on hold'])
  })
})

describe('a bank debit', () => {
  test.each([
    ['settle', 10_000_000],
    ['bounce', 0],
  ])('that will %s changes the balance only then', async (verb, available) => {
    const user = await world.user()
    const page = await topUpPage(user, 1_000)
    await press(page.url, 'debit')
    await deliverAll()
    expect((await wallet(user)).available).toBe(0)
    await desk(verb, page.sessionId)
    await deliverAll((events) => [...events, ...events])
    expect((await wallet(user)).available).toBe(available)
  })
})

test('a new account’s payment above its daily limit is refunded once and credits nothing', async () => {
  const user = await world.user()
  const [first, second] = [await topUp(user, 3_000), await topUp(user, 3_000)]
  await deliverAll((events) => [...events, ...events])
  expect((await wallet(user)).available).toBe(30_000_000)
  const charges = await Promise.all([first, second].map(({ charge }) => stripe.stripe.charges.retrieve(charge)))
  expect(charges.map(({ amount_refunded }) => amount_refunded)).toEqual([0, 3_000])
  await deliverAll((events) => [...events, ...events])
  expect(await lines(user)).toEqual(['topup 3000'])
  expect(mails(user)).toEqual(['Your top-up of $30.00 is being refunded'])
})

describe('a subscription', () => {
  test('that is a second one, paid at the same time, is canceled and refunded, and one month’s credit is booked', async () => {
    const user = await world.user()
    const pages = [await user.post('/checkout', { plan: 'starter' }), await user.post('/checkout', { plan: 'pro' })]
    for (const { body } of pages) await press(body.url ?? null, 'pay')
    await deliverAll((events) => [...events.toReversed(), ...events])
    await deliverAll()
    const { data } = await stripe.stripe.subscriptions.list({
      customer: (await world.ports.users.find(user.id))?.customerId ?? '',
      status: 'all',
    })
    expect(data.map(({ status }) => status).sort()).toEqual(['active', 'canceled'])
    expect(await lines(user)).toHaveLength(1)
    const charges = await stripe.stripe.charges.list({ customer: String(data[0]?.customer) })
    expect(charges.data.filter(({ refunded }) => refunded)).toHaveLength(1)
    expect(mails(user)).toEqual(['Your second subscription was cancelled and refunded'])
  })

  test('that is canceled ends with its period, or at once when a payment is due; a scheduled plan change does not matter', async () => {
    const { payments } = world.ports
    const id = await subscribe(await world.user())
    await payments.changePlan(id, 'pro', 'later').catch(() => undefined)
    for (let twice = 0; twice < 2; twice++) await payments.cancelSubscription(id)
    expect((await payments.subscription(id))?.subscription).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    const due = await subscribe(await world.user(), 'starter', '4000000000000341')
    await desk('renew', due)
    for (let twice = 0; twice < 2; twice++) await payments.cancelSubscription(due)
    expect((await payments.subscription(due))?.subscription.status).toBe('canceled')
    await payments.cancelSubscription('sub_that_never_was')
  })

  test('changes to a larger plan at once for the difference, and to a smaller one with the next period', async () => {
    const { payments } = world.ports
    const user = await world.user()
    const id = await subscribe(user)
    expect((await payments.changePlan(id, 'pro', 'now')).subscription).toMatchObject({ plan: 'pro' })
    await deliverAll()
    expect(await user.instance()).toMatchObject({ plan: 'pro' })
    expect((await world.ports.users.find(user.id))?.subscription.plan).toBe('pro')
    expect(await lines(user)).toEqual(['subscription_credit 200'])
    const later = await payments.changePlan(id, 'starter', 'later')
    expect(later.subscription).toMatchObject({ plan: 'pro', nextPlan: 'starter' })
    expect((await payments.changePlan(id, 'pro', 'stay')).subscription).not.toHaveProperty('nextPlan')
    await payments.changePlan(id, 'starter', 'later')
    await deliverAll((events) => events.toReversed())
    expect((await world.ports.users.find(user.id))?.subscription).toMatchObject({ plan: 'pro', nextPlan: 'starter' })
    await desk('renew', id)
    await deliverAll()
    expect((await world.ports.users.find(user.id))?.subscription.plan).toBe('starter')
    expect(await lines(user)).toEqual(['subscription_credit 200', 'subscription_credit 200'])
  })

  test('keeps its plan when the card declines the change', async () => {
    const user = await world.user()
    const id = await subscribe(user, 'starter', '4000000000000341')
    await expect(world.ports.payments.changePlan(id, 'pro', 'now')).rejects.toMatchObject({ code: 'conflict' })
    expect((await world.ports.payments.subscription(id))?.subscription).toMatchObject({ plan: 'starter' })
  })

  test('with an unpaid month is past due and sends an e-mail; the next card pays it', async () => {
    const user = await world.user()
    const id = await subscribe(user)
    await desk('fail-payment', id)
    await deliverAll()
    expect((await world.ports.users.find(user.id))?.subscription).toMatchObject({ status: 'past_due' })
    expect(mails(user)).toEqual(['Your subscription could not be paid'])
    await desk('pay-open', id)
    await deliverAll()
    expect((await world.ports.users.find(user.id))?.subscription).toMatchObject({ status: 'active' })
    expect(await lines(user)).toEqual(['subscription_credit 200', 'subscription_credit 200'])
  })

  test('with an unpaid month sends only an event to a user who switched off e-mails about money', async () => {
    const user = await world.user()
    const id = await subscribe(user)
    await world.ports.users.setMuted(user.id, ['mail.money'], [])
    await desk('fail-payment', id)
    await deliverAll()
    expect(mails(user)).toEqual([])
    const events = (await user.events()).filter(({ type }) => type === 'subscription.payment_failed')
    expect(events[0]?.data).toEqual({ amountCents: expect.any(Number), paymentEventId: expect.stringMatching(/^evt_/) })
  })

  test('that ended keeps its files for 30 days with three warnings; a new subscription in time resumes the machine', async () => {
    const [user, back] = [await world.user(), await world.user()]
    const ids = [await subscribe(user), await subscribe(back)]
    await Promise.all([user.reaches('running'), back.reaches('running')])
    for (const id of ids) await desk('end', id)
    await deliverAll()
    await Promise.all([user.reaches('paused'), back.reaches('paused')])
    const now = Date.now()
    const days = [0, 1, 20.1, 27.2, 29]
    for (const day of days) await sweepGracePeriods(world.ports, now + day * dayMs)
    expect(mails(user).toReversed()).toHaveLength(3)
    expect(await user.instance()).toMatchObject({ state: 'paused', reason: 'billing' })
    await subscribe(back, 'pro')
    await back.reaches('running')
    await sweepGracePeriods(world.ports, now + 31 * dayMs)
    await user.reaches('deleted')
    expect(await back.instance()).toMatchObject({ state: 'running', plan: 'pro' })
    expect(mails(user).join()).toContain('files have been deleted')
    expect(mails(back)).toHaveLength(3)
    await sweepGracePeriods(world.ports, now + 60 * dayMs)
    expect(mails(user)).toHaveLength(4)
  })
})

describe('an automatic top-up', () => {
  const settings = { enabled: true, thresholdCents: 1_500, amountCents: 1_000, monthlyCapCents: 2_000 }

  test('charges the saved card once when two checks run at once, and is credited once', async () => {
    const user = await world.user()
    await topUp(user, 1_000)
    await deliverAll()
    await world.ports.wallets.saveAutoTopup(user.id, newAutoTopup(settings))
    await Promise.all([1, 2].map(() => runAutoTopup(world.ports, user.id, Date.now())))
    await deliverAll((events) => [...events, ...events])
    expect(await lines(user)).toEqual(['topup 1000', 'topup 1000'])
    await runAutoTopup(world.ports, user.id, Date.now())
    expect(await lines(user)).toHaveLength(2)
    const { id } = (await world.ports.users.find(user.id)) ?? {}
    expect(await world.ports.wallets.autoTopup(id ?? '')).toMatchObject({ pending: {}, chargedMicros: 10_000_000 })
  })

  test('that is declined sends only an event to a user who switched off e-mails about money', async () => {
    const user = await world.user()
    await topUp(user, 1_000, '4000000000000341')
    await deliverAll()
    await world.ports.users.setMuted(user.id, ['mail.money'], [])
    await world.ports.wallets.saveAutoTopup(user.id, newAutoTopup(settings))
    await runAutoTopup(world.ports, user.id, Date.now())
    await deliverAll()
    expect(mails(user)).toEqual([])
    expect((await user.events()).map(({ type }) => type)).toContain('wallet.auto_topup_failed')
  })

  test('that is declined notifies the owner once and waits', async () => {
    const user = await world.user()
    await topUp(user, 1_000, '4000000000000341')
    await deliverAll()
    await world.ports.wallets.saveAutoTopup(user.id, newAutoTopup(settings))
    for (let look = 0; look < 3; look++) await runAutoTopup(world.ports, user.id, Date.now())
    expect(await deliverAll()).toContain('invoice.payment_failed')
    expect(await lines(user)).toEqual(['topup 1000'])
    expect(mails(user)).toEqual(['An automatic top-up failed'])
    expect((await user.events()).map(({ type }) => type)).toContain('wallet.auto_topup_failed')
    const { data } = await stripe.stripe.invoices.list({
      customer: (await world.ports.users.find(user.id))?.customerId ?? '',
    })
    expect(data.map(({ status }) => status)).toEqual(['void'])
  })

  test('says when the card is tried again, and after the fifth decline that it is not', async () => {
    const user = await world.user()
    await topUp(user, 1_000, '4000000000000341')
    await deliverAll()
    await world.ports.wallets.saveAutoTopup(user.id, newAutoTopup(settings))
    const now = Date.parse('2026-11-21T08:30:00.000Z')
    const hours = [0, 0.9, 1, 4.9, 5, 20.9, 21, 44.9, 45, 500]
    for (const hour of hours) await runAutoTopup(world.ports, user.id, now + hour * 3_600_000)
    const letters = world.cloud.cloud.mails(user.email)
    expect(letters).toHaveLength(5)
    const times = letters.map(({ text }) => / after (\S+ \S+ UTC)/.exec(text)?.[1])
    const told = ['2026-11-21 09:30', '2026-11-21 13:30', '2026-11-22 05:30', '2026-11-23 05:30'].map(
      (at) => `${at} UTC`,
    )
    expect(times).toEqual([...told, undefined])
    const last = letters.at(-1)
    expect(last?.subject).toBe('Automatic top-up has stopped')
    expect(last?.text).toMatch(/last attempt.*\n\nSave another card on \S+\/wallet.*save the settings/)
  })

  test('that exceeds a new account’s daily limit is refunded and not reported as a decline', async () => {
    const user = await world.user()
    await topUp(user, 4_500)
    await deliverAll()
    await world.ports.wallets.saveAutoTopup(user.id, newAutoTopup({ ...settings, thresholdCents: 5_000 }))
    const { countedOn } = world.ports.checkouts
    world.ports.checkouts.countedOn = async () => 0
    await runAutoTopup(world.ports, user.id, Date.now())
    world.ports.checkouts.countedOn = countedOn
    await deliverAll()
    expect(await lines(user)).toEqual(['topup 4500'])
    expect(mails(user)).toEqual(['Your top-up of $10.00 is being refunded'])
  })

  test('without a saved card fails without an invoice', async () => {
    const user = await world.user()
    await world.ports.wallets.saveAutoTopup(user.id, newAutoTopup(settings))
    await runAutoTopup(world.ports, user.id, Date.now())
    expect(mails(user)).toEqual(['An automatic top-up failed'])
  })

  test('that is killed before its event arrives is completed by the next check, without a second charge', async () => {
    const user = await world.user()
    await topUp(user, 1_000)
    await deliverAll()
    await world.ports.wallets.saveAutoTopup(user.id, newAutoTopup(settings))
    const credit = world.ports.checkouts.count
    world.ports.checkouts.count = async () => {
      throw new Error('killed')
    }
    await expect(runAutoTopup(world.ports, user.id, Date.now())).rejects.toThrow('killed')
    world.ports.checkouts.count = credit
    await runAutoTopup(world.ports, user.id, Date.now())
    await deliverAll()
    expect(await lines(user)).toEqual(['topup 1000', 'topup 1000'])
  })

  test('that is pending or declined continues although nobody uses the wallet', async () => {
    const now = Date.now()
    const toldAt = async (user: User, minutes: number) => {
      const told: string[] = []
      const bus = { publish: async (type: string, userId: string) => void (userId === user.id && told.push(type)) }
      await sweepWallets({ ...world.ports, bus }, now + minutes * minuteMs)
      return told
    }
    const killed = await world.user()
    await topUp(killed, 1_000)
    await deliverAll()
    await world.ports.wallets.saveAutoTopup(killed.id, newAutoTopup(settings))
    const { count } = world.ports.checkouts
    world.ports.checkouts.count = () => Promise.reject(new Error('killed'))
    await expect(runAutoTopup(world.ports, killed.id, now)).rejects.toThrow('killed')
    world.ports.checkouts.count = count
    const declined = await world.user()
    await topUp(declined, 1_000, '4000000000000341')
    await deliverAll()
    await world.ports.wallets.saveAutoTopup(declined.id, newAutoTopup(settings))
    await runAutoTopup(world.ports, declined.id, now)

    expect([await toldAt(killed, 14), await toldAt(declined, 59)]).toEqual([[], []])
    expect(await toldAt(declined, 61)).toEqual(['wallet.low'])
    expect(await toldAt(killed, 77)).toEqual(['wallet.low'])
    expect([await toldAt(killed, 78), await toldAt(declined, 78)]).toEqual([[], []])
    expect(await toldAt(killed, 93)).toEqual(['wallet.low'])
    await runAutoTopup(world.ports, killed.id, now)
    expect(await toldAt(killed, 2_000)).toEqual([])
    await deliverAll()
    expect(await lines(killed)).toEqual(['topup 1000', 'topup 1000'])
  })

  test('refunded by the provider’s support is taken back', async () => {
    const user = await world.user()
    await topUp(user, 1_000)
    await deliverAll()
    await world.ports.wallets.saveAutoTopup(user.id, newAutoTopup(settings))
    await runAutoTopup(world.ports, user.id, Date.now())
    await deliverAll()
    const customer = (await world.ports.users.find(user.id))?.customerId ?? ''
    const [newest] = (await stripe.stripe.charges.list({ customer })).data
    await desk('refund', newest?.id ?? '')
    await deliverAll()
    expect(await lines(user)).toEqual(['refund -1000', 'topup 1000', 'topup 1000'])
  })
})
