import { existsSync } from 'node:fs'
import { call, hostedUser, pay, signIn, status, until, untilState } from './client.ts'
import { machineOf } from './machine.ts'

const post = (path: string, caller: object, body?: object) => call('POST', `/instance/${path}`, body, caller)

describe('getInstanceStatus', () => {
  test('shows no instance, an empty wallet and no subscription for a new account', async () => {
    const body = await status(await signIn())
    expect(body).toMatchObject({
      instance: null,
      wallet: { balanceMicros: 0 },
      subscription: { status: 'none', plan: null },
    })
  })
})

/** A user whose instance keeps running. */
let running: Awaited<ReturnType<typeof hostedUser>>
beforeAll(async () => {
  running = await hostedUser(500)
})

describe('pauseInstance', () => {
  test('without an instance is 404, and another user’s instance is unchanged', async () => {
    const [owner, other] = [running, await signIn()]
    expect((await post('pause', other)).status).toBe(404)
    expect((await status(owner)).instance.state).toBe('running')
  })

  test('ends the machine, keeps its volume, and is 200 when repeated', async () => {
    const user = await hostedUser(500)
    const { instance } = await status(user)
    const volume = machineOf(instance.id).env.BERTH_VOLUME ?? ''
    expect((await post('pause', user)).status).toBe(202)
    await untilState(user, 'paused')
    expect(() => machineOf(instance.id)).toThrow()
    expect(existsSync(volume)).toBe(true)
    const again = await post('pause', user)
    expect([again.status, again.body.instance.state, again.body.instance.reason]).toEqual([200, 'paused', 'user'])
  })

  test('changes one thing for two concurrent requests', async () => {
    const user = await hostedUser(500)
    const answers = await Promise.all([post('pause', user), post('pause', user), post('pause', user)])
    expect(answers.every(({ status: code }) => code === 202 || code === 200)).toBe(true)
    const { instance } = await untilState(user, 'paused')
    expect(instance.generation).toBe(1)
  })
})

describe('resumeInstance', () => {
  test('changes nothing on a running instance', async () => {
    const user = running
    const { status: code, body } = await post('resume', user)
    expect([code, body.instance.generation]).toEqual([200, 1])
  })

  test('without an instance is not found, like every other operation on one', async () => {
    const { status: code, body } = await post('resume', await signIn())
    expect([code, body.error]).toEqual([404, 'not-found'])
  })

  test('while pausing is a conflict with advice', async () => {
    const user = await hostedUser(500)
    await post('pause', user)
    const { status: code, body } = await post('resume', user)
    if (code !== 202)
      expect([code, body.error, body.message]).toEqual([409, 'conflict', expect.stringContaining('/instance/status')])
    await until(
      'rest',
      () => status(user),
      (seen) => ['paused', 'running'].includes(seen.instance.state),
    )
  })
})

describe('refreshInstance', () => {
  test('starts the next generation, and the old machine’s tokens are refused forever', async () => {
    const user = running
    const { instance } = await status(user)
    const { BERTH_AGENT_TOKEN: agent, BERTH_FILES_TOKEN: files, BERTH_LLM_TOKEN: llm } = machineOf(instance.id).env
    expect((await call('GET', '/agent/files', undefined, { bearer: files })).status).toBe(200)
    expect((await call('GET', '/agent/files', undefined, { bearer: agent })).status).toBe(401)
    expect((await post('refresh', user)).status).toBe(202)
    const after = await until(
      'the next generation',
      () => status(user),
      (seen) => seen.instance.state === 'running' && seen.instance.generation === 2,
    )
    expect(after.instance.reason).toBe('ready')
    expect((await call('GET', '/agent/files', undefined, { bearer: files })).status).toBe(401)
    expect((await call('GET', '/agent/prompt?wait=0', undefined, { bearer: agent })).status).toBe(401)
    const spend = await call(
      'POST',
      '/llm/proxy',
      { model: 'local/echo', messages: [{ role: 'user', content: 'hi' }] },
      { bearer: llm },
    )
    expect([spend.status, spend.body.error]).toEqual([401, 'unauthorized'])
    expect(machineOf(instance.id).env.BERTH_AGENT_TOKEN).not.toBe(agent)
  })
})

describe('setInstanceModel', () => {
  test('accepts a model with a price, and otherwise names the field', async () => {
    const user = running
    const { status: code, body } = await post('model', user, { model: 'local/echo' })
    expect([code, body.instance.model]).toEqual([200, 'local/echo'])
    for (const model of ['nobody/nothing', 'local/echo-embedding']) {
      const refused = await post('model', user, { model })
      expect([refused.status, Object.keys(refused.body.details)]).toEqual([400, ['model']])
    }
  })
})

describe('createSubscriptionCheckout', () => {
  test('returns a hosted page; a second live subscription is a conflict', async () => {
    const user = await signIn()
    const first = await call('POST', '/checkout', { plan: 'pro' }, user)
    expect(first.body).toEqual({
      id: expect.stringMatching(/^chk_/),
      url: expect.any(String),
      expiresAt: expect.any(String),
    })
    await pay(first.body)
    await untilState(user, 'running')
    expect((await call('POST', '/checkout', { plan: 'starter' }, user)).status).toBe(409)
    expect((await call('POST', '/checkout', { plan: 'gold' }, user)).body.details).toHaveProperty('plan')
  })
})

describe('stripeWebhook', () => {
  test('changes nothing without a valid signature', async () => {
    const event = { id: 'evt_x', type: 'checkout.session.completed', data: { object: {} } }
    const { status: code, body } = await call(
      'POST',
      '/webhooks/stripe',
      event,
      {},
      { 'stripe-signature': 't=1,v1=00' },
    )
    expect([code, body.error]).toEqual([400, 'validation'])
    expect((await call('POST', '/webhooks/stripe', event)).status).toBe(400)
  })
})
