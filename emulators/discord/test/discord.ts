import { createPublicKey, verify } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { close, listen } from '../../kit/server.ts'
import { discordEmulator, type RunningDiscord } from '../emulator.ts'
import type { Channel } from '../records.ts'

const commands = [
  { name: 'status', description: 'How the agent is' },
  { name: 'link', description: 'Link this chat', options: [{ type: 3, name: 'code', description: 'The code' }] },
  {
    name: 'ask',
    description: 'Ask the agent',
    options: [
      { type: 3, name: 'message', description: 'What' },
      { type: 11, name: 'file', description: 'With it' },
    ],
  },
]

/** An interaction as it reached the application. */
interface Received {
  type: number
  data?: { name?: string; custom_id?: string; options?: { name: string; value: string }[] }
}

export interface TestDiscord {
  emulator: RunningDiscord
  /** The address of interactions. */
  webhookUrl: string
  pageUrl: string
  /** The signed interactions, in the order of arrival. */
  received: Received[]
  /** Statuses that the webhook returns next instead of reading. */
  answers: number[]
  people: Record<'ada' | 'ben', string>
  direct: Channel
  general: Channel
  /** Calls the API with the bot's token. */
  call(method: string, path: string, body: object): Promise<{ status: number; id: string; code: number }>
  close(): Promise<void>
}

/** The emulator with two people, its page, and an application that answers interactions, over real HTTP. */
export async function testDiscord(options: { heartbeatMs?: number; webhook?: RequestListener } = {}) {
  const { webhook: given, ...others } = options
  const received: Received[] = []
  const answers: number[] = []
  const answer: RequestListener = async (request, response) => {
    const body = await text(request)
    const { 'x-signature-timestamp': seconds, 'x-signature-ed25519': signature } = request.headers
    if (!isSigned(emulator.application.publicKey, `${seconds}${body}`, String(signature)))
      return response.writeHead(401).end()
    const interaction: Received = JSON.parse(body)
    received.push(interaction)
    // 1 answers a ping, 5 promises a reply to a command, 6 accepts the press of a button.
    const type = [0, 1, 5, 6][interaction.type]
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ type }))
  }
  const webhook = createServer((request, response) => {
    const status = answers.shift()
    if (status === undefined) return (given ?? answer)(request, response)
    response.writeHead(status).end()
  })
  const page = createServer(async (request, response) => {
    if (!(await emulator.handle(request, response))) response.writeHead(418).end()
  })
  const webhookUrl = await listen(webhook)
  const pageUrl = `${await listen(page)}/local/discord`
  const emulator = await discordEmulator.start({
    pagesUrl: pageUrl,
    interactionsUrl: webhookUrl,
    name: 'Agent',
    commands,
    log: () => {},
    ...others,
  })
  const { account } = emulator
  const [ada, ben] = [account.addUser('Ada'), account.addUser('Ben')]
  const server = account.addServer('Harbour', ada.id, [ben.id], ['general', 'random'])
  const [general] = account.channelsOf(server.id)
  const direct = account.directOf(ada.id)
  if (!general || !direct) throw new Error('the world has no channels')
  const made: TestDiscord = {
    emulator,
    webhookUrl,
    pageUrl,
    received,
    answers,
    people: { ada: ada.id, ben: ben.id },
    direct,
    general,
    async call(method, path, body) {
      const response = await fetch(`${emulator.apiBase}/api/v10${path}`, {
        method,
        headers: { authorization: `Bot ${emulator.application.botToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { ...(await response.json().catch(() => null)), status: response.status }
    },
    async close() {
      await emulator.stop()
      for (const each of [webhook, page]) await close(each)
    },
  }
  return made
}

function isSigned(publicKey: string, signed: string, signature: string): boolean {
  const x = Buffer.from(publicKey, 'hex').toString('base64url')
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
  return verify(null, Buffer.from(signed), key, Buffer.from(signature, 'hex'))
}
