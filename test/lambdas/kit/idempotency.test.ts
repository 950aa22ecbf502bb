import type { Ports } from '../../../adapters/ports.ts'
import { idempotencyTtlMs } from '../../../domain/lifetimes.ts'
import { areas } from '../../../lambdas/areas.ts'
import { chatArea } from '../../../lambdas/chat/index.ts'
import { instanceArea } from '../../../lambdas/instance/index.ts'
import { tokensArea } from '../../../lambdas/tokens/index.ts'
import { until } from '../../until.ts'
import { openWorld, type World } from '../../world.ts'
import { dying } from './crash-world.ts'

let world: World
/** Makes this number of requests look for their key before any of them continues. */
let abreast = 0
beforeAll(async () => {
  const inStep = ({ idempotencyKeys: keys }: Ports) => ({
    idempotencyKeys: {
      ...keys,
      async find(...asked: Parameters<typeof keys.find>) {
        const known = await keys.find(...asked)
        abreast--
        await until(() => abreast <= 0)
        return known
      },
    },
  })
  world = await openWorld({ areas: [chatArea, instanceArea, tokensArea], replace: inStep })
})
afterAll(() => world.close())

const mint = { method: 'POST', path: '/tokens', body: { name: 'laptop' } }

async function caller() {
  const { userId } = await world.tenant()
  const { headers } = await world.session(userId)
  const send = (request: object, key: string) =>
    world.request({ ...request, headers: { ...headers, 'Idempotency-Key': key } })
  return { userId, headers, send, tokens: () => world.ports.tokens.list(userId) }
}

/** POST operations for people without a key, each with its reason. */
const without: Record<string, string> = {
  login: 'mails another code',
  verify: 'a secret is good once',
  logout: 'done twice it is done',
  passkeyOptions: 'a challenge is good once',
  verifyPasskey: 'a challenge is good once',
  registerPasskeyOptions: 'a challenge is good once',
  addPasskey: 'a challenge is good once',
  reportLeakedToken: 'done twice it is done',
  startTrial: 'an account has one for ever',
  openBillingPortal: 'makes a page, and charges nothing',
  stripeWebhook: 'events have ids of their own',
  pauseInstance: 'done twice it is done',
  resumeInstance: 'done twice it is done',
  refreshInstance: 'done twice it is done',
  setInstanceModel: 'done twice it is done',
  readNotifications: 'done twice it is done',
  unsubscribe: 'done twice it is done',
  stopReply: 'done twice it is done',
  suspendUser: 'done twice it is done',
  unsuspendUser: 'done twice it is done',
  viewUser: 'one at a time',
  viewUserMessages: 'one at a time',
  endView: 'done twice it is done',
  changeUserMachine: 'done twice it is done',
  changeRollout: 'done twice it is done',
  changeTrials: 'done twice it is done',
  checkBooks: 'changes nothing but how far it has come',
  replayDeadLetter: 'done twice it is done',
  withdrawNotice: 'done twice it is done',
  createAttachment: 'an address that nobody uses is good for nothing after a while',
  answerQuestion: 'answered twice it is answered once',
  enableSkill: 'done twice it is done',
  disableSkill: 'done twice it is done',
  activatePersona: 'done twice it is done',
  deactivatePersona: 'done twice it is done',
  restorePersonaVersion: 'saves what is there already',
  checkAuthorizationRequest: 'nothing is changed, only shown',
  registerClient: 'of several registrations those that nobody allows anything are forgotten',
  refuseRegistration: 'nothing is ever registered',
  answerAuthorizationRequest: 'a code that nobody redeems is good for nothing after a minute',
  issueTokens: 'a code is good once, and a refresh token sent again is answered the same',
  revokeGrant: 'done twice it is done',
  callModel: 'a provider has done it, and is paid for each time',
  createApiEmbeddings: 'as callModel',
  countApiTokens: 'nothing is made',
  receiveTelegram: 'a platform names what happened itself',
  receiveSlack: 'a platform names what happened itself',
  receiveDiscord: 'a platform names what happened itself',
  replayChannelDelivery: 'what failed is tried again once',
  startSlackInstall: 'nothing is changed, only shown',
  finishSlackInstall: 'Slack’s code is good once, and a workspace is kept once',
  receiveDelivery: 'a sender names its delivery as its own protocol does',
  mcpRpc: 'a message of its own protocol',
}

describe('Idempotency-Key', () => {
  test('is accepted by every POST that creates or charges', () => {
    const posts = areas
      .flatMap(({ operations }) => operations)
      .filter(({ http, auth }) => http.method === 'POST' && !['llm', 'files', 'agent'].includes(auth))
    expect(
      posts
        .filter(({ creates }) => !creates)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(Object.keys(without).sort())
  })

  test('is claimed by the change, or by the audit entry, of every operation that accepts it', () => {
    const claiming = areas.flatMap(({ operations }) => operations).filter(({ creates }) => creates)
    // These hand the claim to their write by themselves.
    expect(claiming.filter(({ commits, audit }) => !commits && !audit).map(({ id }) => id)).toEqual([
      'runSchedule',
      'sendMessage',
      'createConversation',
    ])
  })

  test('returns the first response to a retried request, including plaintext secrets', async () => {
    const { send, tokens } = await caller()
    const [first, again] = [await send(mint, 'a'), await send(mint, 'a')]
    expect(again).toMatchObject({ status: 201, body: first.body })
    expect(first.body.plaintext).toMatch(/^oss_/)
    expect(await tokens()).toHaveLength(1)
    expect((await send(mint, 'b')).body.id).not.toBe(first.body.id)
  })

  test.each([
    ['a token', mint],
    ['a message', { method: 'POST', path: '/chat/messages', body: { text: 'hello' } }],
    ['a schedule', { method: 'POST', path: '/instance/schedules', body: { cron: '0 8 * * *', text: 'hello' } }],
  ])('makes 20 concurrent requests of %s happen once', async (_, request) => {
    const { userId, send } = await caller()
    abreast = 20
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(request, 'same')))
    const statuses = answers.map(({ status }) => (status < 300 ? 'done' : status)).sort()
    expect(statuses).toEqual([...Array.from({ length: 19 }, () => 409), 'done'])
    const [tokens, schedules, { items }] = await Promise.all([
      world.ports.tokens.list(userId),
      world.ports.schedules.list(userId),
      world.ports.conversations.messages(userId, { conversation: 'main', after: null, limit: 100 }),
    ])
    expect(tokens.length + schedules.length + items.length).toBe(1)
    expect((await send(request, 'same')).status).toBeLessThan(300)
  })

  test('with another body, or in an invalid form, is a conflict', async () => {
    const { send } = await caller()
    await send(mint, 'a')
    const other = await send({ ...mint, body: { name: 'desktop' } }, 'a')
    expect([other.status, other.body.error]).toEqual([409, 'conflict'])
    const { status, body } = await send(mint, 'with space')
    expect([status, Object.keys(body.details)]).toEqual([400, ['Idempotency-Key']])
  })

  test('is not used up by a refused request', async () => {
    const { send } = await caller()
    expect((await send({ ...mint, body: { name: '' } }, 'a')).status).toBe(400)
    expect((await send(mint, 'a')).status).toBe(201)
  })

  test('belongs to its caller, and expires after a day', async () => {
    const [one, other] = [await caller(), await caller()]
    const first = await one.send(mint, 'a')
    expect((await other.send(mint, 'a')).body.id).not.toBe(first.body.id)
    world.clock.nowMs += idempotencyTtlMs + 1
    const later = await one.send({ ...mint, body: { name: 'desktop' } }, 'a')
    expect(later.status).toBe(201)
  })

  test('is written with the change, so that a crash in between never leads to a second change', async () => {
    for (const writes of [2, 3, 4]) {
      const { send, tokens } = await caller()
      await dying(writes, () => send(mint, 'a'))
      const again = await send(mint, 'a')
      expect([201, 409]).toContain(again.status)
      expect(await tokens()).toHaveLength(1)
    }
  })

  test('stores no readable part of the response', async () => {
    const { send, headers } = await caller()
    const { body } = await send(mint, 'a')
    const kept = await world.ports.idempotencyKeys.find('nothing', world.clock.nowMs)
    expect(kept).toBeNull()
    const sealed: string[] = []
    const { keep, find } = world.ports.idempotencyKeys
    Object.assign(world.ports.idempotencyKeys, {
      keep: async (...given: Parameters<typeof keep>) => {
        sealed.push(given[1])
        return keep(...given)
      },
    })
    const again = await world.request({ ...mint, headers: { ...headers, 'Idempotency-Key': 'b' } })
    Object.assign(world.ports.idempotencyKeys, { keep, find })
    expect(Buffer.from(sealed[0] ?? '', 'base64').toString('latin1')).not.toContain(again.body.plaintext)
    expect(body.plaintext).not.toBe(again.body.plaintext)
  })
})
