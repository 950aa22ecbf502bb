import { DomainError } from '../../../domain/errors.ts'
import { recentSignInMs } from '../../../domain/lifetimes.ts'
import { dayMs, iso, minuteMs } from '../../../domain/time.ts'
import { operations } from '../../../lambdas/areas.ts'
import { hooksArea } from '../../../lambdas/hooks/index.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { exampleOf } from '../../../lambdas/kit/schema-example.ts'
import { outboxArea } from '../../../lambdas/outbox/index.ts'
import { sweepOutbox } from '../../../lambdas/outbox/sweep-outbox.ts'
import { tokensArea } from '../../../lambdas/tokens/index.ts'
import { openWorld, type World } from '../../world.ts'
import { requests } from './requests.ts'

/**
 * Each operation that a session of any age may call although it changes something, with the reason. An operation that
 * makes a credential, names a destination or charges declares `recentSignIn` instead.
 */
const anyAge: Record<string, string> = {
  updateAccount: 'a code that is mailed to the present address proves more than a sign-in',
  logout: 'it ends something',
  endSession: 'it ends something',
  startTrial: 'it gives credit and charges nobody',
  readNotifications: 'it marks what was seen',
  setNotificationSettings: 'security notifications cannot be switched off',
  addPushDevice: 'what is pushed carries no words, and ends with the session',
  removePushDevice: 'it ends something',
  revokeToken: 'it ends something',
  checkAuthorizationRequest: 'it shows what is asked for',
  createSubscriptionCheckout: 'a hosted page: a person pays there',
  createWalletTopup: 'a hosted page: a person pays there',
  pauseInstance: 'work of the agent',
  resumeInstance: 'work of the agent',
  refreshInstance: 'work of the agent',
  setInstanceModel: 'work of the agent',
  setInstanceRuntime: 'work of the agent',
  setInstanceEnv: 'what the agent is given; no value can be read back',
  setInstanceSecrets: 'a secret is written whole: its hosts cannot change without its value',
  createSchedule: 'work of the agent, within the wallet’s limits',
  updateSchedule: 'work of the agent, within the wallet’s limits',
  runSchedule: 'work of the agent, within the wallet’s limits',
  deleteSchedule: 'it ends something',
  deleteHook: 'it ends something',
  deleteWebhookEndpoint: 'it ends something',
  testWebhookEndpoint: 'it goes to a destination that was named with a recent sign-in',
  replayWebhookDelivery: 'it goes to a destination that was named with a recent sign-in',
  startSlackInstall: 'it shows where Slack asks; a chat is linked by a code',
  finishSlackInstall: 'a workspace is nobody’s here; a chat is linked by a code',
  updateChannel: 'it chooses among chats that are linked',
  deleteChannel: 'it ends something',
  replayChannelDelivery: 'it goes to a chat that is linked',
  createExport: 'files, which the session reads one by one, too',
  createFolder: 'files of the agent',
  createRestorePoint: 'files of the agent',
  deleteFile: 'files of the agent',
  moveFile: 'files of the agent',
  restoreFiles: 'files of the agent',
  undoReply: 'files of the agent',
  writeFile: 'files of the agent',
  createAttachment: 'part of a message',
  createConversation: 'a conversation with the agent',
  updateConversation: 'a conversation with the agent',
  deleteConversation: 'a conversation with the agent',
  updateMainConversation: 'a conversation with the agent',
  sendMessage: 'a conversation with the agent',
  stopReply: 'a conversation with the agent',
  answerQuestion: 'a conversation with the agent',
  savePersona: 'what the agent is told to be',
  restorePersonaVersion: 'what the agent is told to be',
  activatePersona: 'what the agent is told to be',
  deactivatePersona: 'what the agent is told to be',
  deletePersona: 'what the agent is told to be',
  enableSkill: 'what the agent is told to do',
  disableSkill: 'what the agent is told to do',
  mcpRpc: 'the operation behind the tool has the rule',
  mcpClose: 'it changes nothing',
}

const ofSessions = operations.filter(({ auth }) => ['user', 'session'].includes(auth))
const changing = ofSessions.filter(({ http }) => http.method !== 'GET' && !http.socket)

const now = Date.parse('2026-11-25T12:00:00.000Z')
const session = (ageMs: number) =>
  ({ kind: 'session', userId: 'usr_x', sessionId: 'ses_x', signedInAt: iso(now - ageMs) }) as const

/**
 * The refusal of a call by a session of this age; null when the operation began its work, which fails here without
 * dependencies.
 */
async function refusal({ run }: AnyOperation, input: object, ageMs: number): Promise<unknown> {
  try {
    // safe because a refused call reads nothing else
    await run({ input, actor: session(ageMs), deps: {}, now, request: { headers: {} } } as never)
    return null
  } catch (thrown) {
    return thrown instanceof DomainError && thrown.details?.signIn ? thrown.details : null
  }
}

/** https://github.com/mcdonc/klangk/issues/3196: an unattended session could do everything that its account may do. */
const wanted = { signIn: ['recent'] }

/**
 * Two requests of each operation whose rule depends on the request: one that requires the sign-in, one that does not.
 */
const depending: Record<string, [needs: object, not: object]> = {
  mintToken: [
    { name: 'n', scopes: ['mcp:*', 'api:chat'] },
    { name: 'n', scopes: ['mcp:*', 'mcp:wallet.write'] },
  ],
  answerAuthorizationRequest: [
    { allow: true, scopes: ['mcp:*'] },
    { allow: false, scopes: [] },
  ],
  updateWebhookEndpoint: [
    { id: 'whe_x', enabled: true },
    { id: 'whe_x', name: 'n', enabled: false },
  ],
}

/** Operations whose rule depends on stored data; their own tests cover the refusal. */
const byStored = ['changeToken', 'setAutoTopup', 'setWalletLimits']

let world: World
const mails: { to: string; subject: string; text: string }[] = []
beforeAll(async () => {
  world = await openWorld({
    areas: [tokensArea, hooksArea, outboxArea],
    ports: ['users', 'wallets', 'outbox'],
    replace: () => ({ mail: { send: async (letter) => void mails.push(letter) } }),
  })
})
afterAll(() => world.close())

// https://github.com/balena-io/open-balena-api/pull/1650, https://github.com/mcdonc/klangk/issues/3196
describe('a recent sign-in of a session', () => {
  test('is declared by each operation that changes something, or a reason is listed', () => {
    const undeclared = changing.filter(({ recentSignIn }) => !recentSignIn)
    expect(undeclared.map(({ id }) => id).sort()).toEqual(Object.keys(anyAge).sort())
  })

  test('is declared by each operation that returns a secret, sets an address, or concerns payments', () => {
    const suspicious = changing.filter(
      ({ output, input, uses }) =>
        /"(secret|plaintext|redirectTo)":/.test(JSON.stringify(exampleOf(output, 'output'))) ||
        'url' in input.shape ||
        uses.payments === 'write',
    )
    const hosted = ['createSubscriptionCheckout', 'createWalletTopup']
    expect(
      suspicious
        .filter(({ recentSignIn }) => !recentSignIn)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(hosted)
    expect(suspicious.length).toBeGreaterThan(8)
  })

  test.each(changing.filter(({ recentSignIn }) => recentSignIn === true).map((each) => [each.id, each] as const))(
    'is required by %s for every request',
    async (id, operation) => {
      const input = { ...requests[id]?.body }
      expect(await refusal(operation, input, recentSignInMs + 1)).toEqual(wanted)
      expect(await refusal(operation, input, recentSignInMs)).toBeNull()
    },
  )

  const conditional = changing.filter(({ recentSignIn }) => typeof recentSignIn === 'object')
  test('depends on the request or on stored data only for these operations', () => {
    expect(conditional.map(({ id }) => id).sort()).toEqual([...Object.keys(depending), ...byStored].sort())
  })

  test.each(Object.entries(depending))('is required by %s for some requests', async (id, [needs, not]) => {
    const operation = changing.find((each) => each.id === id)
    if (!operation) throw new Error(id)
    expect(await refusal(operation, needs, recentSignInMs + 1)).toEqual(wanted)
    expect(await refusal(operation, needs, recentSignInMs)).toBeNull()
    expect(await refusal(operation, not, recentSignInMs + 1)).toBeNull()
  })

  test('is required to raise or remove a token’s cap, and not to lower it', async () => {
    const userId = world.newUserId()
    const { headers } = await world.session(userId)
    const mint = { method: 'POST', path: '/tokens', headers, body: { name: 'n', scopes: ['api:llm'], capMicros: 50 } }
    const { id } = (await world.request(mint)).body
    world.clock.nowMs += recentSignInMs + 1
    const change = async (body: object) => {
      const answer = await world.request({ method: 'PATCH', path: '/tokens/{id}', parameters: { id }, headers, body })
      return [answer.status, answer.body.details]
    }
    for (const to of [51, null]) expect(await change({ capMicros: to })).toEqual([403, wanted])
    for (const body of [{ capMicros: 49 }, { dailyCapMicros: 5 }, { name: 'other' }])
      expect(await change(body)).toEqual([200, undefined])
  })

  test('leads to an e-mail at once about its new token; tokens made by tokens are in one e-mail a day', async () => {
    mails.length = 0
    const { user } = await world.ports.users.findOrCreate('owner@example.com', world.newUserId(), world.clock.nowMs)
    const { headers } = await world.session(user.id)
    const mint = async (by: Record<string, string>, name: string) => {
      const body = { name, scopes: ['mcp:*'] }
      return (await world.request({ method: 'POST', path: '/tokens', headers: by, body })).body
    }
    const { plaintext } = await mint(headers, 'laptop')
    expect(mails).toMatchObject([{ to: 'owner@example.com', subject: 'A token was made for your Berth account' }])
    expect(mails[0]?.text).toContain('“laptop”')
    for (const name of ['one', 'two']) await mint({ Authorization: `Bearer ${plaintext}` }, name)
    // safe because the world has the ports that this intent needs
    const sweep = () => sweepOutbox.run({ deps: world.ports as never, now: world.clock.nowMs, input: {} })
    world.clock.nowMs += 2 * minuteMs
    await sweep()
    expect(mails).toHaveLength(1)
    world.clock.nowMs += dayMs
    await sweep()
    await sweep()
    expect(mails).toHaveLength(2)
    expect(mails[1]).toMatchObject({ subject: 'Tokens of your Berth account made something new' })
    expect(mails[1]?.text).toMatch(/- token “(one|two)”\n- token “(one|two)”\n/)
  })

  // A leaked token can secretly make credentials that outlive it: https://github.com/PerpetualSoftware/pad/issues/1250
  test('is replaced by the same daily e-mail for hooks and webhook endpoints that a token makes or changes', async () => {
    mails.length = 0
    const tenant = await world.tenant()
    const ask = async (method: string, path: string, body: object = {}) => {
      const { headers } = await world.bearer(['api:hooks', 'api:chat', 'api:tokens.write', 'mcp:*'], tenant.userId)
      const answer = await world.request({ method, path, headers, body })
      expect([path, answer.status < 300]).toEqual([path, true])
      return answer.body
    }
    const { hook } = await ask('POST', '/hooks', { name: 'ears', text: 'Listen.' })
    const wanted = { name: 'out', url: 'https://example.com/', events: ['message.sent'] }
    const { endpoint } = await ask('POST', '/hooks/endpoints', wanted)
    await ask('POST', '/tokens', { name: 'child', scopes: ['mcp:*'] })
    expect(hook.byToken ?? endpoint.byToken).toBeUndefined()
    const nextDay = async () => {
      world.clock.nowMs += dayMs
      // safe because the world has the ports that this intent needs
      await sweepOutbox.run({ deps: world.ports as never, now: world.clock.nowMs, input: {} })
      return mails.splice(0).map(({ text }) => text.split('\n').filter((line) => line.startsWith('- ')))
    }
    expect(await nextDay()).toEqual([['- token “child”', '- hook “ears”', '- webhook endpoint “out”']])
    await ask('POST', `/hooks/${hook.id}/reroll`)
    await ask('PATCH', `/hooks/endpoints/${endpoint.id}`, { url: 'https://other.example.com/' })
    expect(await nextDay()).toEqual([
      ['- new secret of the hook “ears”', '- new address of the webhook endpoint “out”'],
    ])
    await ask('POST', `/hooks/endpoints/${endpoint.id}/rotate`)
    expect(await nextDay()).toEqual([['- new secret of the webhook endpoint “out”']])
    await ask('PATCH', `/hooks/endpoints/${endpoint.id}`, { name: 'renamed' })
    expect(await nextDay()).toEqual([])
  })

  test('is not required from a token', async () => {
    const operation = changing.find(({ id }) => id === 'createHook')
    const actor = { kind: 'pat', userId: 'usr_x', tokenId: 'tok_x', scopes: ['api:hooks'], expiresAt: iso(now) }
    // safe because it fails before it reads more
    const call = operation?.run({ input: {}, actor, deps: {}, now, request: { headers: {} } } as never)
    await expect(call).rejects.not.toMatchObject({ code: 'forbidden' })
  })
})
