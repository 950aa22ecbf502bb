import type { AccountExport } from '../../../domain/account/export.ts'
import { maxTextCharacters } from '../../../domain/chat/text-limits.ts'
import { ulid } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
import { exportAccount } from '../../../lambdas/account/export-account.ts'
import { getAgentContext } from '../../../lambdas/agent/get-agent-context.ts'
import { listMessages } from '../../../lambdas/chat/list-messages.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { some } from '../../counts.ts'
import type { Tenant } from '../../world.ts'
import { type CostWorld, openCostWorld } from './cost-world.ts'

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
})
afterAll(() => world.close())

/** Lambda's limit for a function's response, in bytes of the JSON that contains the body as a string. */
const lambdaBytes = 6 * 1024 * 1024

const next = (prefix: Parameters<CostWorld['ports']['ids']['next']>[0]) => world.ports.ids.next(prefix)

/** A user with messages of these lengths. */
async function talkative(lengths: number[], character: string) {
  const me = await world.tenant()
  const ids: string[] = []
  for (const length of lengths) {
    const [id, at] = [next('msg'), iso(world.clock.nowMs++)]
    const text = character.repeat(length)
    const told = { id, role: 'user', text, conversation: 'main', channel: 'web', at } as const
    await world.ports.conversations.receive(me.userId, told, 'chat')
    ids.push(id)
  }
  return { me, ids }
}

async function askFor<T>(me: Tenant, area: string, operation: AnyOperation, query: object): Promise<T> {
  const headers = await world.admission(operation, me)
  const { status, text } = await world.measure(area, operation, { headers, query })
  expect(status).toBe(200)
  expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(lambdaBytes * 0.9)
  return JSON.parse(text)
}

/** All parts of a user's export. */
async function exportOf(me: Tenant): Promise<AccountExport[]> {
  const parts: AccountExport[] = []
  for (let cursor: string | null | undefined; cursor !== null; cursor = parts.at(-1)?.nextCursor)
    parts.push(await askFor(me, 'account', exportAccount, cursor === undefined ? {} : { cursor }))
  return parts
}

test('an export counts bytes, not characters, also for the rest of its space', async () => {
  const { me, ids } = await talkative([...Array(50).fill(29_700), ...Array(25).fill(maxTextCharacters)], '漢')
  expect((await exportOf(me)).flatMap(({ messages }) => messages.map(({ id }) => id))).toEqual(ids)
})

/** Control characters take the most bytes; the full tier also tries the others. */
const histories: [number, string, string][] = [
  [40, 'control characters', '\u0001'],
  [100, 'Chinese characters', '漢'],
  [100, 'quotes', '"'],
]

describe.each(some(histories, 1))('%i messages of 32,000 %s', (count, _, character) => {
  let user: Awaited<ReturnType<typeof talkative>>
  beforeAll(async () => {
    user = await talkative(Array(count).fill(maxTextCharacters), character)
  })

  const ask = <T>(area: string, operation: AnyOperation, query: object) => askFor<T>(user.me, area, operation, query)

  test('are listed in pages that a function can return, each message once and in order', async () => {
    const read: string[] = []
    let after: string | null = `msg_${ulid(0, new Uint8Array(16))}`
    while (after !== null) {
      const page: { messages: { id: string }[]; more: boolean } = await ask('chat', listMessages, {
        after,
        limit: 100,
      })
      read.push(...page.messages.map(({ id }) => id))
      after = page.more ? (page.messages.at(-1)?.id ?? null) : null
    }
    expect(read).toEqual(user.ids)
    const newest = await ask<{ messages: { id: string }[] }>('chat', listMessages, { limit: 100 })
    expect(newest.messages.map(({ id }) => id)).toEqual(user.ids.slice(-newest.messages.length))
    expect(newest.messages.length).toBeGreaterThan(5)
  })

  test('are exported in parts that a function can return, as are fifty long versions of a persona', async () => {
    const text = character.repeat(12_000)
    const files = [
      { path: 'SOUL.md', text },
      { path: 'USER.md', text },
    ]
    const about = {
      id: 'mine',
      name: 'Mine',
      description: '',
      savedAt: iso(world.clock.nowMs),
      files,
      copiedFrom: null,
    }
    for (let version = 1; version <= 50; version++)
      await world.ports.catalogue.savePersona(user.me.userId, { ...about, version })
    await world.ports.catalogue.savePersona(user.me.userId, { ...about, id: 'other', version: 1 })
    const parts = await exportOf(user.me)
    expect(parts.flatMap(({ messages }) => messages.map(({ id }) => id))).toEqual(user.ids)
    const versions = parts.flatMap(({ personas }) => personas.map(({ id, version }) => `${id} ${version}`))
    expect(versions).toEqual([...Array.from({ length: 50 }, (_, i) => `mine ${50 - i}`), 'other 1'])
  })

  test('still allow an agent’s context that a function can return', async () => {
    const { userId, instance } = user.me
    const leased = await world.ports.conversations.next(userId, instance.generation, world.clock.nowMs, {
      prompts: true,
      tasks: false,
    })
    expect(leased.prompt).not.toBeNull()
    await ask('agent', getAgentContext, { prompt: leased.prompt?.id })
  })
})
