import { personalTables } from '../../../adapters/dynamo/tables.ts'
import type { AccountExport } from '../../../domain/account/export.ts'
import { transition } from '../../../domain/instance/life-cycle.ts'
import { iso } from '../../../domain/time.ts'
import { newEndpoint } from '../../../domain/webhooks/endpoint.ts'
import { exportAccount } from '../../../lambdas/account/export-account.ts'
import type { Tenant } from '../../world.ts'
import { type CostWorld, openCostWorld } from '../kit/cost-world.ts'
import { keepPoint } from '../kit/kept-point.ts'

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
})
afterAll(() => world.close())

/** All parts of a user's export. */
async function parts(me: Tenant): Promise<AccountExport[]> {
  const headers = await world.admission(exportAccount, me)
  const read: AccountExport[] = []
  for (let cursor: string | null = null; ; ) {
    const query: object = cursor === null ? {} : { cursor }
    const { status, text } = await world.measure('account', exportAccount, { headers, query })
    expect(status).toBe(200)
    expect(text.length).toBeLessThan(6_000_000)
    const part = JSON.parse(text) as AccountExport // safe because the operation's output is that
    read.push(part)
    cursor = part.nextCursor
    if (cursor === null) return read
  }
}

const next = (prefix: Parameters<CostWorld['ports']['ids']['next']>[0]) => world.ports.ids.next(prefix)
const at = () => iso(Date.now())

/** The place in the export of each table with personal data. */
const inExport: Record<(typeof personalTables)[number], (keyof AccountExport)[]> = {
  tokens: ['tokens'],
  sessions: ['sessions'],
  passkeys: ['passkeys'],
  instances: ['instance'],
  runs: ['runs'],
  settings: ['variables', 'schedules', 'skills', 'personas'],
  hooks: ['hooks'],
  webhooks: ['webhookEndpoints', 'pushDevices'],
  notifications: ['notifications'],
  conversations: ['messages'],
  channels: ['channels'],
  points: ['restorePoints'],
  // Kept for days only: a machine's samples, pending work, and notes about other records.
  samples: [],
  outbox: [],
  events: [],
}

describe('exportAccount', () => {
  test('contains every kind of data that a user owns', async () => {
    expect(Object.keys(inExport).sort()).toEqual([...personalTables].sort())
    const me = await world.tenant()
    const { userId } = me
    await world.bearer(['mcp:*'], userId)
    const credential = { credentialId: userId, publicKey: 'AA', counter: 0, transports: [], synced: false }
    await world.ports.passkeys.add({ ...credential, userId, name: 'Laptop', createdAt: at(), lastUsedAt: null })
    await world.ports.wallets.creditOnce(userId, 'once', 5, 'adjustment', 'test', at())
    const named = { name: 'MY_KEY', size: 6, updatedAt: at() }
    await world.ports.variables.save(userId, [named], { MY_KEY: 'secret' }, 0)
    const times = {
      cron: '0 8 * * *',
      timeZone: 'UTC',
      at: null,
      by: 'user' as const,
      text: 'good morning',
      createdAt: at(),
      exact: false,
      paused: false,
      runs: [],
    }
    await world.ports.schedules.add(userId, { id: next('sch'), ...times }, 5)
    const there = { platform: 'telegram', id: userId, kind: 'direct' } as const
    const linked = { person: 'Ada', personId: userId, conversation: 'main', home: false, state: 'linked' } as const
    const link = { ...linked, id: next('lnk'), userId, platform: there.platform, kind: there.kind, chat: there }
    await world.ports.channelLinks.add({ ...link, createdAt: at() }, null, null)
    const answered = { name: 'Builds', text: 'look at it', createdAt: at(), lastDelivery: null }
    await world.ports.hooks.add({ id: next('hok'), userId, ...answered, secretVersion: 1 }, 5)
    const told = { name: 'My log', url: 'https://example.com/berth', events: ['*' as const] }
    await world.ports.webhooks.addEndpoint(userId, newEndpoint(next('whe'), told, at()), 5)
    for (const [id, version] of [
      ['mine', 1],
      ['mine', 2],
      ['other', 1],
    ] as const) {
      const files = [{ path: 'SOUL.md', text: `version ${version}` }]
      await world.ports.catalogue.savePersona(userId, {
        id,
        version,
        name: id,
        description: '',
        savedAt: at(),
        files,
        copiedFrom: null,
      })
    }
    await world.ports.catalogue.chooseSkill(userId, {
      id: 'daily-brief',
      enabled: false,
      sha256: 'a'.repeat(64),
      at: at(),
    })
    await keepPoint(world, me, next('rsp'))
    const said = {
      id: next('msg'),
      role: 'user',
      text: 'keep this',
      conversation: 'main',
      channel: 'web',
      at: at(),
    } as const
    await world.ports.conversations.receive(userId, said, 'chat')
    const line = { operation: 'mintToken', record: 'tok_1', actor: { kind: 'session', id: 'ses_1' } } as const
    await world.ports.audit.record({ userId, ...line })

    const pausing = transition(me.instance, 'pause', 'user', world.clock.nowMs).next
    const paused = transition(pausing, 'machine-stopped', 'user', world.clock.nowMs).next
    expect(await world.ports.instances.save(paused, me.instance)).toBe(true)

    const terms = { version: '2026-11-01', at: at() }
    await world.ports.users.acceptTerms(userId, terms)

    const [whole, ...more] = await parts(me)
    expect(more).toEqual([])
    expect(whole).toMatchObject({
      account: { id: userId },
      terms,
      subscription: { status: 'none' },
      wallet: { balanceMicros: 5, limits: { dailyCapCents: 500 } },
      instance: { id: me.instance.id },
      variables: ['MY_KEY'],
      schedules: [{ text: 'good morning' }],
      hooks: [{ text: 'look at it' }],
      webhookEndpoints: [{ url: 'https://example.com/berth' }],
      restorePoints: [{ state: 'ready' }],
      tokens: [{ name: 'test' }],
      passkeys: [{ name: 'Laptop' }],
      transactions: [{ amountMicros: 5 }],
      messages: [{ text: 'keep this' }],
      audit: [{ operation: 'mintToken' }],
      runs: [{ generation: 1, endReason: 'user' }],
      nextCursor: null,
    })
    expect(whole?.sessions).toHaveLength(1)
    expect(whole?.skills).toContainEqual(expect.objectContaining({ id: 'daily-brief', enabled: false }))
    expect(whole?.personas.map(({ id, version }) => `${id} ${version}`)).toEqual(['mine 2', 'mine 1', 'other 1'])
    for (const fields of Object.values(inExport)) for (const field of fields) expect(whole?.[field]).toBeTruthy()
    expect(JSON.stringify(whole)).not.toContain('secret')
  })

  test('splits a large export into parts, with each line once and in order', async () => {
    const me = await world.tenant()
    const { userId } = me
    const sent: string[] = []
    for (let i = 0; i < 120; i++) {
      const told = {
        id: next('msg'),
        role: 'user',
        text: `${i} ${'x'.repeat(30_000)}`,
        conversation: 'main',
        channel: 'web',
        at: at(),
      } as const
      await world.ports.conversations.receive(userId, told, 'chat')
      sent.push(told.id)
      world.clock.nowMs++
    }
    await world.ports.wallets.creditOnce(userId, 'once', 5, 'adjustment', 'test', at())
    const read = await parts(me)
    expect(read.length).toBeGreaterThan(2)
    expect(read.flatMap(({ messages }) => messages.map(({ id }) => id))).toEqual(sent)
    expect(read.flatMap(({ transactions }) => transactions)).toHaveLength(1)
    expect(read.map(({ account }) => account?.id)).toEqual([userId, ...read.slice(1).map(() => undefined)])
    // Each fetched part adds an audit entry; the last part is read before its own entry is written.
    expect(read.flatMap((part) => part.audit.map(({ operation }) => operation))).toEqual(
      read.slice(1).map(() => 'exportAccount'),
    )
  })

  test('rejects a position that it has not issued to this user', async () => {
    const [me, other] = [await world.tenant(), await world.tenant()]
    const headers = await world.admission(exportAccount, me)
    const signed = await world.ports.cursors.sign(`exportAccount ${other.userId}`, 'messages ')
    for (const cursor of ['messages ', signed]) {
      const { status, text } = await world.measure('account', exportAccount, { headers, query: { cursor } })
      expect([status, JSON.parse(text).details]).toEqual([400, { cursor: [expect.any(String)] }])
    }
  })
})
