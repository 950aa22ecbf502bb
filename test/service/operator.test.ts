import { operatorArea } from '../../lambdas/operator/index.ts'
import { addPasskey, signInByPasskey } from './authenticator.ts'
import { ask, call, hostedUser, signIn, status, until, untilState } from './client.ts'

const reason = 'Ticket 4711: charged twice'

/** The routes of the operations that the operator called. */
const asked = new Set<string>()
let operator: { cookie: string }
let customer: Awaited<ReturnType<typeof hostedUser>>
let keys = 0

async function asOperator(method: string, path: string, body?: object) {
  asked.add(
    `${method} ${path
      .replace(/\?.*/, '')
      .replace(/usr_\w+/, '{user}')
      .replace(/ntc_\w+/, '{notice}')}`,
  )
  const sent = method === 'GET' ? undefined : { reason, ...body }
  return call(method, path, sent, operator, { 'idempotency-key': `operator-${process.pid}-${++keys}` })
}

async function done(method: string, path: string, body?: object) {
  const answer = await asOperator(method, path, body)
  if (answer.status >= 300)
    throw new Error(`${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

const ofCustomer = (path = '') => `/operator/users/${customer.userId}${path}`

beforeAll(async () => {
  const [byMail, user] = await Promise.all([signIn('operator@example.com'), hostedUser()])
  customer = user
  operator = byMail
  expect((await call('GET', '/operator', undefined, operator)).body).toMatchObject({
    error: 'forbidden',
    details: { signIn: ['passkey'] },
  })
  operator = await signInByPasskey(await addPasskey(byMail))
})

test('a passkey signs in once it is added, and no more once it is removed', async () => {
  const user = await signIn()
  const passkey = await addPasskey(user)
  const { passkeys } = (await call('GET', '/auth/passkeys', undefined, user)).body
  expect(passkeys).toMatchObject([{ id: passkey.known, name: 'Test key' }])
  const again = await signInByPasskey(passkey)
  expect([again.status, again.body.account?.id]).toEqual([200, user.userId])
  expect((await call('DELETE', `/auth/passkeys/${passkey.known}`, undefined, user)).status).toBe(200)
  expect((await signInByPasskey(passkey)).status).toBe(401)
})

test('operators find users, credit and suspend them, and lift the suspension', async () => {
  expect((await done('GET', '/operator')).email).toBe('operator@example.com')
  const { account } = await done('GET', `/operator/users?query=${encodeURIComponent(customer.email)}`)
  expect(account.id).toBe(customer.userId)
  const { transaction } = await done('POST', ofCustomer('/credit'), { amountCents: 1250 })
  expect(transaction.amountMicros).toBe(12_500_000)
  const { payments } = await done('GET', ofCustomer())
  const taken = await done('POST', ofCustomer('/refund'), { payment: payments[0].name, amountCents: 100 })
  expect(taken.transaction.amountMicros).toBe(-1_000_000)
  await done('POST', ofCustomer('/suspend'))
  expect((await status(customer)).wallet.suspended).toBe(true)
  for (const query of ['', '&state=suspended', '&plan=starter']) {
    const { users } = await done('GET', `/operator/directory?prefix=${encodeURIComponent(customer.email)}${query}`)
    expect(users).toMatchObject([{ account: { id: customer.userId }, suspended: true }])
  }
  for (const state of ['awake', 'failed', 'closing']) await done('GET', `/operator/directory?state=${state}`)
  await done('POST', ofCustomer('/unsuspend'))
  expect((await status(customer)).wallet.suspended).toBe(false)
})

test('a view shows the user’s own pages, and ends', async () => {
  await ask(customer, 'what is seen')
  await done('POST', ofCustomer('/view'))
  const seen = () => call('GET', '/view/wallet', undefined, operator)
  expect((await seen()).body).toMatchObject((await call('GET', '/wallet', undefined, customer)).body)
  expect((await call('GET', '/view/chat/messages', undefined, operator)).status).toBe(403)
  await done('POST', ofCustomer('/view/end'))
  await done('POST', ofCustomer('/view-with-messages'))
  const { body } = await call('GET', '/view/chat/messages', undefined, operator)
  expect(JSON.stringify(body)).toContain('what is seen')
  await done('POST', ofCustomer('/view/end'))
  expect((await seen()).status).toBe(403)
})

test('operators count, refresh and stop machines', async () => {
  await untilState(customer, 'running')
  expect((await done('GET', '/operator/fleet')).counts.running).toBeGreaterThan(0)
  await done('POST', ofCustomer('/machine'), { action: 'refresh' })
  await untilState(customer, 'running')
  await done('POST', ofCustomer('/machine'), { action: 'stop' })
  await untilState(customer, 'paused')
})

test('the check of all books runs to its end', async () => {
  await done('POST', '/operator/books', { anew: true })
  const finished = await until(
    'the end of the books',
    () => done('POST', '/operator/books'),
    (seen) => seen.run.finishedAt !== null,
  )
  // Another suite may have changed other users' wallets behind the service's back.
  expect(JSON.stringify(finished.run.differences)).not.toContain(customer.userId)
  expect(finished.run.checked).toBeGreaterThan(0)
  expect((await done('GET', '/operator/books')).run).toMatchObject(finished.run)
  const { machines, ledger } = await done('GET', '/operator/totals')
  expect(machines.complete).toBe(true)
  expect(ledger.planMicros).toBeGreaterThan(0)
})

test('the rollout and trials stop and continue; meanwhile nobody can start a trial', async () => {
  expect((await done('POST', '/operator/rollout', { action: 'pause' })).rollout.state).toBe('halted')
  expect((await done('GET', '/operator/rollout')).rollout.state).toBe('halted')
  await done('POST', '/operator/rollout', { action: 'resume' })
  await done('POST', '/operator/trials', { action: 'stop' })
  const visitor = await signIn()
  const trial = () => call('POST', '/trial', {}, visitor)
  expect((await trial()).status).toBe(409)
  await done('POST', '/operator/trials', { action: 'resume' })
  expect((await done('GET', '/operator/trials')).trials.stopped).toBeNull()
  expect((await trial()).status).toBe(201)
  expect((await ask(visitor, 'before I pay')).text).toContain('before I pay')
})

test('a notice is shown to its audience until it is withdrawn', async () => {
  const text = 'Machines start slowly today.'
  const { notice } = await done('POST', '/operator/notices', { text, users: [customer.userId] })
  const read = async () => JSON.stringify((await call('GET', '/notices', undefined, customer)).body)
  expect(await read()).toContain(text)
  expect((await done('GET', '/operator/notices')).notices).toContainEqual(expect.objectContaining({ id: notice.id }))
  await done('POST', `/operator/notices/${notice.id}/withdraw`)
  expect(await read()).not.toContain(text)
})

test('only dead letters can be sent again', async () => {
  expect((await done('GET', '/operator/dead-letters')).letters).toEqual([])
  const letter = { kind: 'follow-up', letter: 'int_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }
  expect((await asOperator('POST', ofCustomer('/dead-letters'), letter)).status).toBe(404)
})

test('the suite calls every operation, and the trail records each action', async () => {
  const trail = JSON.stringify(await done('GET', '/operator/trail'))
  for (const id of ['creditUser', 'viewUserMessages', 'broadcastNotice']) expect(trail).toContain(id)
  const routes = operatorArea.operations.map(({ http }) => `${http?.method} ${http?.path}`)
  expect([...asked].sort()).toEqual(routes.sort())
})
