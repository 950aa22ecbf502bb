import { chat as texts } from '../../../dashboard/texts/chat.ts'
import { lines } from '../../../domain/channels/lines.ts'
import { platforms } from '../../../domain/channels/platform.ts'
import { mayRetry, remedyFor } from '../../../domain/chat/remedy.ts'
import { notificationFor } from '../../../domain/notifications/from-event.ts'
import { iso } from '../../../domain/time.ts'
import { walletSuspended } from '../../../domain/wallet/payment-required.ts'
import { Bench, until } from '../../agent/machine.ts'
import { refusals, wordsFor } from '../../agent/refusals.ts'
import { type McpTenant, type McpWorld, openMcpWorld, rpc } from '../mcp/mcp-world.ts'
import { type ChannelsWorld, openChannelsWorld } from './channels-world.ts'

/** The reference agent’s reports about replies, by the refusal of its model calls. */
const reports = new Map<string, Record<string, unknown>>()
const rows: string[][] = []
let world: ChannelsWorld
let mcp: McpWorld
let caller: McpTenant

beforeAll(async () => {
  await using bench = await openBench()
  bench.server.availableMicros = 4_000
  bench.start()
  for (const [name, refusal] of refusals) {
    bench.server.script = Array.from({ length: 11 }, () => ({ refusal }))
    const prompt = bench.server.say('What is the tide?')
    await until(() => prompt.closed.length > 0)
    reports.set(name, bench.server.observed('reply').at(-1) ?? {})
  }
  world = await openChannelsWorld(platforms)
  mcp = await openMcpWorld()
  caller = await mcp.tenant()
})
afterAll(async () => {
  await Promise.all([world.close(), mcp.close()])
  const adds = ['dashboard adds', 'Telegram adds', 'Slack adds', 'Discord adds']
  const head = ['refusal', 'words', ...adds, 'MCP: wallet.checkoutTopUp', 'notification']
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  process.stdout.write(`\n${table.join('\n')}\n\n`)
})

/** The answer to an MCP client that tops up. */
async function topUpOverMcp(): Promise<string> {
  const { message } = await rpc(
    `${mcp.url}/mcp`,
    { authorization: `Bearer ${caller.bearer}` },
    { method: 'tools/call', params: { name: 'wallet.checkoutTopUp', arguments: { amountCents: 500 } } },
  )
  const text = JSON.stringify(message)
  return text.includes(walletSuspended().message) ? `refused: ${walletSuspended().message}` : text
}

async function openBench() {
  const bench = await new Bench().open()
  return Object.assign(bench, { [Symbol.asyncDispose]: () => bench.close() })
}

it.each(refusals)('a refusal reads the same in each chat: %s', async (name, error, ended) => {
  const { code } = error
  const { text, outcome, refusal } = reports.get(name) ?? {}
  expect({ text, outcome, refusal }).toEqual({ text: wordsFor(error), outcome: ended, refusal: code })
  const remedy = remedyFor(code)
  const note = remedy ? lines.remedy[remedy]('http://localhost') : ''
  const [shown, notified] = [[] as string[], new Set<string>()]
  for (const platform of platforms) {
    const person = `${name} on ${platform}`
    const tenant = await world.linked(person, {}, platform)
    await world.say(person, 'What is the tide?', undefined, platform)
    await world.work()
    const promptId = (await world.take(tenant))?.id
    const { message } = await world.observe(tenant, { kind: 'reply', promptId, text, outcome, refusal })
    await world.work()
    const seen = world.textsIn(world.direct(person, platform)).at(-1) ?? ''
    expect(seen).toBe(note ? `${text}\n\n${note}` : text)
    shown.push(note || '–')
    const at = iso(world.clock.nowMs + 600_000)
    const events = [
      { id: 'evt_1', type: 'message.sent', at, data: { message, promptId } },
      { id: 'evt_2', type: 'prompt.closed', at, data: { promptId, outcome } },
    ] as const
    for (const event of events) {
      const made = notificationFor(event)
      if (made) notified.add(`${made.kind} ${made.once?.replace(String(promptId), '')}`)
    }
  }
  const isSuspended = code === 'wallet-suspended'
  if (isSuspended) await mcp.ports.wallets.freeze(caller.userId, 'fraud', mcp.clock.now())
  const offered = await topUpOverMcp()
  if (isSuspended) await mcp.ports.wallets.unfreeze(caller.userId, mcp.clock.now())
  expect(offered).toContain(isSuspended ? 'refused' : 'https://pay.example/cs_1')
  // The wallet’s own event notifies of an empty wallet and of a limit.
  expect([...notified]).toEqual(code === 'wallet-empty' || code === 'spending-limit' ? [] : ['reply-failed failed '])
  const buttons = [
    ...(remedy ? [texts.remedies[remedy]] : []),
    ...(mayRetry({ inReplyTo: 'msg_1', refusal: code }) ? [texts.retry] : []),
  ]
  const own = code === 'wallet-empty' ? 'of the wallet' : code === 'spending-limit' ? 'of the limit' : 'of the reply'
  rows.push([
    name,
    String(text),
    buttons.map((label) => `*${label}*`).join(' '),
    ...shown,
    isSuspended ? offered : 'a checkout page',
    own,
  ])
})
