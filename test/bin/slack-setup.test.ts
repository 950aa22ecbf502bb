import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { readRequest } from '../../adapters/slack/read.ts'
import { type SlackSecret, slackSecret } from '../../adapters/slack/secret.ts'
import type { Check, SetupContext } from '../../bin/channels/setup.ts'
import { slack } from '../../bin/channels/slack.ts'
import { type TestSlack, testSlack, workshop } from '../../emulators/slack/test/slack.ts'

let emulator: TestSlack
let webhook: Server
let webhookUrl: string
let secret: SlackSecret
let lines: string[]
beforeEach(async () => {
  emulator = await testSlack()
  secret = slackSecret.parse({ apiBase: `${emulator.apiBase}/` })
  lines = []
  webhook = createServer(async (request, response) => {
    const rawBody = (await buffer(request)).toString('utf8')
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const reading = readRequest({ headers, rawBody }, secret, Date.now())
    if (reading.kind === 'refused') response.writeHead(401).end()
    else response.writeHead(200).end(JSON.stringify(reading.answer ?? {}))
  })
  webhook.listen(0, '127.0.0.1')
  await once(webhook, 'listening')
  webhookUrl = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/api/webhooks/slack` // safe because it listens on TCP
})
afterEach(async () => {
  webhook.closeAllConnections()
  webhook.close()
  await emulator.stop()
})

const context = (environment: Record<string, string> = {}, chat?: string): SetupContext => ({
  readSecret: async () => secret,
  async writeSecret(value) {
    secret = slackSecret.parse(value)
  },
  publicOrigin: 'https://berth.example',
  webhookUrl,
  given: (variable) => environment[variable],
  chat,
  say: (line) => lines.push(line),
})
const filled = { SLACK_APP_ID: 'A1', SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'cs', SLACK_SIGNING_SECRET: 'ss' }
const checks = async (of: SetupContext): Promise<Check[]> => {
  const all: Check[] = []
  for await (const check of slack.doctor(of)) all.push(check)
  return all
}
const problems = async (of: SetupContext) => (await checks(of)).flatMap(({ name, problem }) => (problem ? [name] : []))

describe('channels setup slack', () => {
  test('prints how to create the app by hand, and writes nothing', async () => {
    await slack.setup(context())
    const url = new URL(lines.find((line) => line.startsWith('https://api.slack.com/apps?')) ?? '')
    const manifest = JSON.parse(url.searchParams.get('manifest_json') ?? '')
    expect(manifest).toMatchObject({
      features: { slash_commands: [{ command: '/berth', url: webhookUrl }] },
      oauth_config: { redirect_urls: ['https://berth.example/connect/slack'] },
      settings: { event_subscriptions: { request_url: webhookUrl }, interactivity: { request_url: webhookUrl } },
    })
    expect(secret.appId).toBe('')
  })

  test('writes the values that Slack shows for the app, and keeps the address of the API', async () => {
    await slack.setup(context(filled))
    expect(secret).toMatchObject({
      appId: 'A1',
      clientId: '1.2',
      clientSecret: 'cs',
      signingSecret: 'ss',
      apiBase: `${emulator.apiBase}/`,
    })
    expect(lines.join('\n')).not.toMatch(/\bcs\b|\bss\b/)
  })

  test('refuses an incomplete set of values', async () => {
    const { SLACK_APP_ID: _, ...part } = filled
    await expect(slack.setup(context(part))).rejects.toThrow('SLACK_APP_ID')
    expect(secret.clientId).toBe('')
  })

  test('creates the app when its token allows that, and updates the app the next time', async () => {
    for (let i = 0; i < 2; i++) await slack.setup(context({ SLACK_APP_CONFIG_TOKEN: 'xoxe.xoxp-1' }))
    expect(emulator.calls.map(({ method, error }) => [method, error])).toEqual([
      ['apps.manifest.create', null],
      ['apps.manifest.update', null],
    ])
    expect(secret).toMatchObject({ appId: emulator.app.appId, signingSecret: emulator.app.signingSecret })
  })

  test('prints why Slack did not create the app', async () => {
    await expect(slack.setup(context({ SLACK_APP_CONFIG_TOKEN: 'xoxb-1' }))).rejects.toThrow('not_allowed_token_type')
  })
})

describe('channels doctor slack', () => {
  const made = async () => slack.setup(context({ SLACK_APP_CONFIG_TOKEN: 'xoxe.xoxp-1' }))

  test('reports the first missing value', async () => {
    expect(await checks(context())).toMatchObject([
      { name: 'secret', problem: expect.stringContaining('SLACK_APP_ID') },
    ])
  })

  test('reports success, and sends a message that arrives', async () => {
    await made()
    const SLACK_BOT_TOKEN = emulator.people.install(workshop.team)
    emulator.people.invite({ user: workshop.ada, channel: workshop.general })
    const found = await checks(context({ SLACK_BOT_TOKEN }, workshop.general))
    expect(found.map(({ name, problem }) => [name, problem])).toEqual([
      ['secret', null],
      ['webhook', null],
      ['signatures', null],
      ['workspace', null],
      ['message', null],
    ])
    expect(emulator.store.value.messages).toHaveLength(1)
  })

  test('reports each wrong setting', async () => {
    await made()
    expect(await problems(context({ SLACK_BOT_TOKEN: 'xoxb-none' }))).toEqual(['workspace'])
    const SLACK_BOT_TOKEN = emulator.people.install(workshop.team)
    expect(await problems(context({ SLACK_BOT_TOKEN }, workshop.general))).toEqual(['message'])
    emulator.app.scopes.pop()
    expect(await problems(context({ SLACK_BOT_TOKEN }))).toEqual(['workspace'])
    webhook.closeAllConnections()
    webhook.close()
    expect(await problems(context())).toEqual(['webhook'])
  })
})
