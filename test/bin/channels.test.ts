import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jest } from '@jest/globals'
import { channels } from '../../bin/channels/command.ts'
import { type TestTelegram, testTelegram } from '../../emulators/telegram/test/telegram.ts'
import { chatSecrets } from '../cloud.ts'

const ada = 1001
let there: TestTelegram
let secret: Record<string, unknown>
/** The deployment's answer: it accepts callers that send the secret that it has read. */
let known: string | undefined
const deployment = createServer((request, response) => {
  const shown = request.headers['x-telegram-bot-api-secret-token']
  response.writeHead(request.url === '/api/webhooks/telegram' && shown === known ? 200 : 401).end()
})
let origin: string

beforeAll(async () => {
  deployment.listen(0, '127.0.0.1')
  await once(deployment, 'listening')
  origin = `http://127.0.0.1:${(deployment.address() as AddressInfo).port}` // safe because it listens on a port
})
afterAll(() => {
  deployment.closeAllConnections()
  deployment.close()
})
beforeEach(async () => {
  there = await testTelegram({ webhook: { url: '', secretToken: '' } })
  secret = { token: '', webhookSecret: '', username: '', apiBase: there.apiBase }
  known = undefined
})
afterEach(() => there.stop())

async function run(words: string[], options: { origin?: string; chat?: string } = {}) {
  const lines: string[] = []
  const spy = jest.spyOn(console, 'log').mockImplementation((line: unknown) => void lines.push(String(line)))
  const place = {
    origin: undefined,
    read: async (name: string) => (name === 'telegram' ? secret : chatSecrets[name as keyof typeof chatSecrets]),
    write: async (_: string, value: object) => {
      secret = { ...value }
    },
  }
  try {
    const code = await channels(words, { origin, chat: undefined, ...options }, place)
    return { code, lines }
  } finally {
    spy.mockRestore()
  }
}
const setUp = async () => {
  process.env.TELEGRAM_BOT_TOKEN = there.token
  try {
    return await run(['setup', 'telegram'])
  } finally {
    delete process.env.TELEGRAM_BOT_TOKEN
    known = String(secret.webhookSecret)
  }
}
/** Sets the secret that the deployment accepts. */
const reads = async (value: string | undefined): Promise<void> => {
  known = value
}
const wrong = async (chat?: string) => {
  const { code, lines } = await run(['doctor', 'telegram'], chat === undefined ? {} : { chat })
  const found = lines.filter((line) => line.startsWith('wrong'))
  expect(code).toBe(found.length > 0 ? 1 : 0)
  return found
}

describe('channels setup telegram', () => {
  it('registers the webhook and the commands, and writes the secret', async () => {
    const { code, lines } = await setUp()
    expect(code).toBe(0)
    expect(lines).toEqual([
      `@local_bot now calls ${origin}/api/webhooks/telegram.`,
      expect.stringContaining('t.me/local_bot'),
    ])
    expect(secret).toEqual({
      token: there.token,
      username: 'local_bot',
      webhookSecret: expect.stringMatching(/^[\w-]{43}$/),
      apiBase: there.apiBase,
    })
    expect(await there.api('getWebhookInfo')).toMatchObject({
      result: { url: `${origin}/api/webhooks/telegram`, allowed_updates: expect.arrayContaining(['callback_query']) },
    })
    const names = async (scope: object) => JSON.stringify((await there.api('getMyCommands', { scope })).result)
    expect(await names({ type: 'all_private_chats' })).toContain('balance')
    expect(await names({ type: 'default' })).not.toContain('balance')
  })

  it('keeps the webhook’s secret when it runs again, and needs no token then', async () => {
    await setUp()
    const before = secret
    await run(['setup', 'telegram'])
    expect(secret).toEqual(before)
  })

  it('names the first missing step, and changes nothing', async () => {
    await expect(run(['setup', 'telegram'])).rejects.toThrow('@BotFather')
    process.env.TELEGRAM_BOT_TOKEN = '100:wrong'
    await expect(run(['setup', 'telegram'])).rejects.toThrow('401')
    secret = { token: '', webhookSecret: '', username: '' }
    await expect(run(['setup', 'telegram'])).rejects.toThrow('only https addresses')
    delete process.env.TELEGRAM_BOT_TOKEN
    expect(secret.webhookSecret).toBe('')
    await expect(run(['setup', 'telepathy'])).rejects.toThrow('Name one of telegram')
    await expect(run(['setup'])).rejects.toThrow('channels setup')
    await expect(run(['doctor'], { origin: '' })).rejects.toThrow('--origin')
  })
})

describe('channels doctor', () => {
  it('reports a bot that is not set up, and reports success when it is', async () => {
    expect((await run(['doctor'])).lines).toContain('ok     telegram secret: not set up (channels setup telegram)')
    await setUp()
    there.people.say(ada, ada, { text: '/start' })
    expect(await wrong(String(ada))).toEqual([])
    expect(there.world.chat(ada).messages.at(-1)?.text).toBe(`A test message from ${origin}.`)
    expect((await run(['doctor'])).lines).toContainEqual(expect.stringContaining('message: not tested'))
  })

  it.each([
    ['a revoked token', async () => ({ ...secret, token: '100:revoked' }), ['bot: failed']],
    ['a bot with another name', async () => ({ ...secret, username: 'other' }), ['bot: @local_bot']],
    [
      'a webhook at another address',
      () => there.api('setWebhook', { url: 'https://a.test' }),
      ['webhook: https://a.test'],
    ],
    [
      'a webhook for too few kinds of updates',
      () => there.api('setWebhook', { url: `${origin}/api/webhooks/telegram`, allowed_updates: ['message'] }),
      ['webhook: '],
    ],
    ['commands of an older version', () => there.api('deleteMyCommands'), ['commands: 0']],
    ['a deployment that has not read the secret', () => reads('older'), ['webhook secret: 401']],
    ['a deployment that accepts any caller', () => reads(undefined), ['webhook secret: 401 with the secret, 200']],
  ])('reports %s', async (_, change, expected) => {
    await setUp()
    const changed = await change()
    if (changed && 'token' in changed) secret = changed
    const found = await wrong()
    expect(found).toHaveLength(expected.length)
    for (const [at, line] of expected.entries()) expect(found[at]).toContain(`telegram ${line}`)
  })

  it('reports that updates are not accepted, and that the chat does not exist', async () => {
    await setUp()
    known = 'another'
    there.people.say(ada, ada, { text: 'hi' })
    while (!JSON.stringify(await there.api('getWebhookInfo')).includes('last_error'))
      await new Promise((r) => setTimeout(r, 5))
    known = String(secret.webhookSecret)
    await there.settled()
    expect(await wrong('5')).toEqual([
      expect.stringContaining('401 Unauthorized'),
      expect.stringContaining('chat not found'),
    ])
  })
})
