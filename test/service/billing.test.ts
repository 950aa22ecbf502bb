import { type Caller, call, mailsTo, origin, pay, signIn, status, until } from './client.ts'

async function subscriber(plan = 'starter', card = '4242424242424242') {
  const user = await signIn()
  const { body } = await call('POST', '/checkout', { plan }, user)
  await form(`${body.url}/pay`, { card })
  await until('the subscription', () => status(user), active)
  return user
}

type Status = Awaited<ReturnType<typeof status>>
const active = (seen: Status) => seen.subscription.status === 'active'

/** Presses a button of a local page. */
async function form(url: string, fields: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(fields),
  })
  return { status: response.status, body: await response.json() }
}

/** The emulator's control panel, which causes events and lists records. */
const controlPanel = (path: string) => form(`${origin}/local/stripe/${path}`)
async function listed() {
  const response = await fetch(`${origin}/local/stripe`, { headers: { accept: 'application/json' } })
  return response.json()
}

/** The id of the user's subscription at the emulator, found through the portal of this user alone. */
async function subscriptionOf(user: Caller): Promise<string> {
  const { body } = await call('POST', '/billing/portal', {}, user)
  const portal = await (await fetch(body.url, { headers: { accept: 'application/json' } })).json()
  return portal.subscriptions[0].id
}

const bearer = async (cookie: Caller) => ({
  bearer: (await call('POST', '/tokens', { name: 'all', scopes: ['mcp:*'] }, cookie)).body.plaintext,
})

describe('changePlan', () => {
  test('upgrades at once for the difference, downgrades with the next period, and takes a downgrade back', async () => {
    const user = await subscriber()
    const up = await call('POST', '/billing/plan', { plan: 'pro' }, user)
    expect([up.status, up.body.subscription.plan]).toEqual([200, 'pro'])
    await until(
      'the larger plan',
      () => status(user),
      (seen) => seen.subscription.plan === 'pro',
    )
    const down = await call('POST', '/billing/plan', { plan: 'starter' }, user)
    expect(down.body.subscription).toMatchObject({ plan: 'pro', nextPlan: 'starter' })
    await until(
      'the change to come',
      () => status(user),
      (seen) => seen.subscription.nextPlan === 'starter',
    )
    const back = await call('POST', '/billing/plan', { plan: 'pro' }, user)
    expect(back.body.subscription).not.toHaveProperty('nextPlan')
    const { body } = await call('GET', '/billing/invoices', undefined, user)
    expect(body.invoices.map(({ description }: { description: string }) => description)).toEqual([
      'Change of plan',
      'Subscription',
    ])
    await call('POST', '/wallet/topup', { amountCents: 500 }, user)
    await call('POST', '/billing/portal', {}, user)
    const { entries } = (await call('GET', '/account/audit', undefined, user)).body
    const checkout = expect.stringMatching(/^chk_/)
    expect(entries.slice(0, 6)).toMatchObject([
      { operation: 'openBillingPortal', record: user.userId },
      { operation: 'createWalletTopup', record: checkout },
      ...Array.from({ length: 3 }, () => ({ operation: 'changePlan', record: user.userId })),
      { operation: 'createSubscriptionCheckout', record: checkout },
    ])
  })

  test('requires a live subscription, and a session', async () => {
    const user = await signIn()
    const nothing = await call('POST', '/billing/plan', { plan: 'pro' }, user)
    const token = await call('POST', '/billing/plan', { plan: 'pro' }, await bearer(user))
    expect([nothing.status, nothing.body.error, token.status]).toEqual([409, 'conflict', 403])
  })

  test('changes nothing when the card is declined', async () => {
    const user = await subscriber('starter', '4000000000000341')
    const { status: code, body } = await call('POST', '/billing/plan', { plan: 'pro' }, user)
    expect([code, body.error]).toEqual([409, 'conflict'])
    expect((await status(user)).subscription.plan).toBe('starter')
  })
})

describe('openBillingPortal', () => {
  test('leads to a page on which the subscription is set to end, and resumed', async () => {
    const user = await subscriber()
    const { status: code, body } = await call('POST', '/billing/portal', {}, user)
    expect(code).toBe(200)
    await form(`${body.url}/cancel`)
    await until(
      'the end',
      () => status(user),
      (seen) => seen.subscription.cancelAtPeriodEnd,
    )
    expect((await call('POST', '/billing/plan', { plan: 'pro' }, user)).status).toBe(409)
    await form(`${body.url}/resume`)
    await until(
      'that it goes on',
      () => status(user),
      (seen) => !seen.subscription.cancelAtPeriodEnd,
    )
  })

  test('is for sessions only', async () => {
    expect((await call('POST', '/billing/portal', {}, await bearer(await signIn()))).status).toBe(403)
    expect((await call('POST', '/billing/portal', {})).status).toBe(401)
  })
})

describe('listInvoices', () => {
  test('pages newest first, and shows no other user’s invoices', async () => {
    const user = await subscriber()
    await controlPanel(`renew/${await subscriptionOf(user)}`)
    const first = await call('GET', '/billing/invoices?limit=1', undefined, user)
    const second = await call('GET', `/billing/invoices?limit=1&cursor=${first.body.nextCursor}`, undefined, user)
    expect([first, second].map(({ body }) => body.invoices[0])).toMatchObject([
      { description: 'Subscription, next month', amountCents: 1_200, status: 'paid' },
      {
        description: 'Subscription',
        amountCents: 1_200,
        status: 'paid',
        url: expect.stringContaining('/local/invoice/'),
      },
    ])
    expect(second.body.nextCursor).toBeNull()
    expect((await call('GET', '/billing/invoices', undefined, await signIn())).body.invoices).toEqual([])
    const forged = await call('GET', '/billing/invoices?cursor=aW5fMQ', undefined, user)
    expect([forged.status, forged.body.error]).toEqual([400, 'validation'])
  })
})

describe('events of payments', () => {
  test('a refund, a dispute and its end change the wallet', async () => {
    const user = await signIn()
    await pay((await call('POST', '/wallet/topup', { amountCents: 1_000 }, user)).body)
    await until(
      'the credit',
      () => status(user),
      (seen) => seen.wallet.balanceMicros === 10_000_000,
    )
    const own = (charge: { receipt_email: string | null }) => charge.receipt_email === user.email
    const charge = (await listed()).charges.find(own)
    await controlPanel(`refund-half/${charge.id}`)
    await until(
      'the refund',
      () => status(user),
      (seen) => seen.wallet.balanceMicros === 5_000_000,
    )
    await controlPanel(`dispute/${charge.id}`)
    await until(
      'the dispute',
      () => status(user),
      (seen) => seen.wallet.balanceMicros === 0,
    )
    const dispute = (await listed()).disputes.find((candidate: { charge: string }) => candidate.charge === charge.id)
    await controlPanel(`win/${dispute.id}`)
    await until(
      'the dispute won',
      () => status(user),
      (seen) => seen.wallet.balanceMicros === 5_000_000,
    )
  })

  test('an unpaid month becomes past due, is e-mailed and is paid by the next card', async () => {
    const user = await subscriber()
    await controlPanel(`fail-payment/${await subscriptionOf(user)}`)
    await until(
      'that it is due',
      () => status(user),
      (seen) => seen.subscription.status === 'past_due',
    )
    expect((await mailsTo(user.email)).map(({ subject }) => subject)).toContain('Your subscription could not be paid')
    const { body } = await call('POST', '/billing/portal', {}, user)
    await form(`${body.url}/card`, { card: '4242424242424242' })
    await until('that it is paid', () => status(user), active)
  })

  test('a new account adds at most $50 a day', async () => {
    const user = await signIn()
    await pay((await call('POST', '/wallet/topup', { amountCents: 4_000 }, user)).body)
    await until(
      'the credit',
      () => status(user),
      (seen) => seen.wallet.balanceMicros === 40_000_000,
    )
    const { status: code, body } = await call('POST', '/wallet/topup', { amountCents: 2_000 }, user)
    expect([code, body.error, body.details.amountCents[0]]).toEqual([
      400,
      'validation',
      expect.stringContaining('ask for $10.00 at most'),
    ])
  })
})
