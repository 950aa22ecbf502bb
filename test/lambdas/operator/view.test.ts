import { paginateScan } from '@aws-sdk/client-dynamodb'
import { database } from '../../../adapters/dynamo/client.ts'
import { fromItem } from '../../../adapters/dynamo/item.ts'
import { type TableName, tables } from '../../../adapters/dynamo/tables.ts'
import { viewTtlMs } from '../../../domain/lifetimes.ts'
import { operatorsTrail } from '../../../domain/operator/trail.ts'
import { areas } from '../../../lambdas/areas.ts'
import { portsOf } from '../../../lambdas/kit/access.ts'
import { accessOf } from '../../../lambdas/kit/area.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { counted } from '../../adapters/engine.ts'
import { openWorld, type Tenant, type World } from '../../world.ts'
import { given, places, recordsIn } from '../kit/records.ts'
import { requests } from '../kit/requests.ts'
import { failing } from './failing.ts'

const view = areas.find(({ name }) => name === 'view') ?? areas[0]
const operations = areas.flatMap((area) => area.operations)
const viewed = operations.filter((operation) => operation.viewed)

/** Reads for people that are not part of a view, each with its reason. */
const unviewed: Record<string, string> = {
  exportAccount: 'all that is kept, in one file',
  listInvoices: 'asks the payment provider, and may make a customer there',
  getWalletStatement: 'a file to take away',
  getInstanceEnv: 'the function that reads names may open values',
  getInstanceSecrets: 'the function that reads names may open values',
  getInstanceMetrics: 'asks the machine to measure',
  listWebhookEndpoints: 'an address may hold a secret',
  listWebhookDeliveries: 'what failed is on the user’s page of the console',
  listFiles: 'a file, and it may start a machine',
  getFile: 'a file, and it may start a machine',
  getFilesTask: 'a file, and it leaves a line',
  searchFiles: 'a file, and it may start a machine',
  compareRestorePoint: 'a file, and it may start a machine',
  getReplyChanges: 'a file, and it may start a machine',
  listRestorePointFiles: 'names of files',
  getAttachment: 'the address of a file',
  getNotificationSettings: 'names the browsers that are pushed to',
  listChannels: 'its function has the secrets of the chat platforms',
  listChannelDeliveries: 'what failed is on the user’s page of the console',
  streamEvents: 'stays open, and takes a place of the user’s',
  mcpEventStream: 'stays open, and takes a place of the user’s',
}

let world: World
/** The view's function with exactly its own ports. */
let handle: ReturnType<World['areaHandler']>
let named = new Map<string, string | null>()
let made = 0
beforeAll(async () => {
  world = await openWorld({
    areas,
    clock: 'running',
    follows: false,
    replace: ({ operators }) => ({ operators: { ...operators, all: () => named } }),
  })
  if (!view) throw new Error('no area view')
  handle = world.areaHandler(view)
})
afterAll(() => world.close())

const reason = 'Ticket 4711: sees a wrong balance'
async function newOperator() {
  const email = `op${++made}@example.com`
  named = new Map([...named, [email, null]])
  return { email, ...(await world.operator(email)) }
}
type Operator = Awaited<ReturnType<typeof newOperator>>
const post = ({ headers }: Pick<Operator, 'headers'>, user: string, path: string) =>
  world.request({ method: 'POST', path: `/operator/users/${user}/${path}`, headers, body: { reason } })
const read = async ({ headers }: { headers: Record<string, string> }, path: string, query: object = {}) => {
  const answer = await handle({ path: `/view${path}`, headers, query })
  const text = String(answer.body)
  return { status: answer.status, text, body: text === '' ? null : JSON.parse(text) }
}
const trail = async (userId: string) => (await world.ports.audit.list(userId, { after: null, limit: 100 })).items

/** JSON with sorted keys and without counts. */
const ordered = (_: string, inner: unknown): unknown =>
  typeof inner !== 'object' || inner === null || Array.isArray(inner)
    ? inner
    : Object.fromEntries(
        Object.entries(inner)
          .filter(([key]) => !/^(w_|ttl$|expiresAt$|lastSeenAt$)/.test(key))
          .sort(([x], [y]) => (x < y ? -1 : 1)),
      )

/** All stored items, without the times and counts of admissions. */
async function snapshot(): Promise<string[]> {
  const rows: string[] = []
  for (const name of Object.keys(tables) as TableName[]) {
    for await (const { Items = [] } of paginateScan({ client: database() }, { TableName: world.env.table(name) }))
      for (const item of Items) {
        rows.push(`${name} ${JSON.stringify(fromItem(item), ordered)}`)
      }
  }
  return rows.sort()
}

/** The path and query of a read, with a record of the user's own where it needs one. */
async function askedOf(operation: AnyOperation, tenant: Tenant) {
  const place = Object.entries(places).find(([name]) => name.startsWith(`${operation.id}.`))
  const { parameters = {}, query = {} } = place
    ? given(operation, { ...place[1][1], [place[0].split('.')[1] ?? '']: await recordsIn(world)[place[1][0]](tenant) })
    : { parameters: {}, query: {}, ...requests[operation.id] }
  const path = operation.http.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? 'nothing'),
  )
  return { path, query: { ...requests[operation.id]?.query, ...query } }
}

/** Times of this request, and the mark of the calling session. */
const leveled = (text: string) =>
  text
    .replace(/"signedInAt":"[^"]+"/, '')
    .replace(/"current":(true|false)/g, '')
    .replace(/"(at|now|asOf)":"[^"]+"/g, '')

describe('readAsUser', () => {
  test('covers each read that declares it, and lists a reason for each other read', () => {
    for (const { id, http, auth, uses, commits, audit, recentSignIn, limit } of viewed) {
      expect([id, http.method, ['user', 'session'].includes(auth), limit]).toEqual([id, 'GET', true, 'read'])
      expect([id, http.stream, http.socket, http.text, http.status, commits, audit, recentSignIn].slice(1)).toEqual(
        Array(7).fill(undefined),
      )
      expect([id, portsOf(uses).filter(([, level]) => level !== 'read')]).toEqual([id, []])
    }
    const others = operations.filter(
      ({ auth, http, viewed: shown }) => ['user', 'session'].includes(auth) && http.method === 'GET' && !shown,
    )
    expect(others.map(({ id }) => id).sort()).toEqual(Object.keys(unviewed).sort())
  })

  test('runs in a function without a port that writes, or that decrypts a secret or reads a file', () => {
    if (!view) throw new Error('no area view')
    const access = accessOf(view)
    expect(portsOf(access).filter(([, level]) => level !== 'read')).toEqual([])
    for (const port of [
      'variables',
      'agentSecrets',
      'hookSecrets',
      'attachmentFiles',
      'bus',
      'mail',
      'payments',
      'sockets',
    ])
      expect(Object.keys(access)).not.toContain(port)
  })

  test.each(viewed.map((operation) => [operation.id, operation] as const))(
    'returns for %s exactly its user’s response, and writes only the caller’s count',
    async (_, operation) => {
      const [operator, tenant] = [await newOperator(), await world.tenant()]
      await world.ports.audit.record({
        userId: tenant.userId,
        operation: 'logout',
        record: 'x',
        actor: { kind: 'session', id: 'x' },
      })
      expect((await post(operator, tenant.userId, 'view-with-messages')).status).toBe(201)
      const { path, query } = await askedOf(operation, tenant)
      const own = await world.request({ path, query, headers: (await world.session(tenant.userId)).headers })
      expect(own.status).toBe(200)
      const before = await snapshot()
      const { result, calls } = await counted(() => read(operator, path, query))
      expect([result.status, leveled(result.text)]).toEqual([200, leveled(own.text)])
      const writes = calls.filter(({ operation }) => !['GetItem', 'BatchGetItem', 'Query'].includes(operation))
      expect(writes.map(({ operation, capacity }) => [operation, capacity.map(({ TableName }) => TableName)])).toEqual([
        ['UpdateItem', [world.env.table('rates')]],
      ])
      expect(await snapshot()).toEqual(before)
    },
  )

  test('allows no other operation, with any method or spelling of its path', async () => {
    const { userId } = await world.tenant()
    // The number of reads exceeds one operator's rate limit.
    const several = await Promise.all(Array.from({ length: 6 }, newOperator))
    for (const operator of several) await post(operator, userId, 'view-with-messages')
    const before = await snapshot()
    let asked = 0
    for (const { http, viewed: shown } of operations.filter(({ auth }) => auth !== 'operator')) {
      const path = http.path.replace(/\{\w+\+?\}/g, 'nothing')
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (['GET', 'HEAD'].includes(method) && shown) continue
        if (['GET', 'HEAD'].includes(method) && viewed.some((operation) => fits(operation, path))) continue
        const headers = several[asked++ % several.length]?.headers
        const { status } = await handle({ method, path: `/view${path}`, headers, body: { reason } })
        expect([method, path, [403, 404, 405].includes(status)]).toEqual([method, path, true])
      }
    }
    for (const path of [
      '/../wallet',
      '//wallet',
      '/wallet/',
      '/WALLET',
      '/wallet%2F..',
      '/view/wallet',
      '/operator',
      '',
    ])
      expect([path, (await handle({ path: `/view${path}`, headers: several[0]?.headers })).status]).toEqual([
        path,
        path === '' ? 200 : 403,
      ])
    // The counts are those of this test alone.
    expect(await snapshot()).toEqual(before)
  }, 60_000)
})

const fits = (operation: AnyOperation, path: string) =>
  new RegExp(`^${operation.http.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)

describe('viewUser', () => {
  test('begins and ends with an entry in both audit trails, with the reason and whether messages are included', async () => {
    const [operator, { userId }] = [await newOperator(), await world.tenant()]
    const begun = await post(operator, userId, 'view')
    expect(begun.body.view).toMatchObject({ user: userId, messages: false, reason })
    expect(Date.parse(begun.body.view.endsAt) - Date.parse(begun.body.view.startedAt)).toBe(viewTtlMs)
    expect((await read(operator, '')).body).toEqual({ view: begun.body.view, here: true })
    expect((await post(operator, userId, 'view/end')).body).toEqual({ ended: true })
    expect((await post(operator, userId, 'view/end')).status).toBe(404)
    expect((await read(operator, '')).body).toEqual({ view: null, here: false })
    await post(operator, userId, 'view-with-messages')
    const [by, of] = [{ kind: 'operator', id: operator.userId }, begun.body.view.id]
    const lines = [
      { operation: 'viewUserMessages', actor: by, reason },
      { operation: 'endView', actor: by, reason, record: of },
      { operation: 'viewUser', actor: by, reason, record: of },
    ]
    expect(await trail(userId)).toMatchObject(lines)
    expect((await trail(operatorsTrail)).filter(({ user }) => user === userId)).toMatchObject(lines)
  })

  test('allows one view at a time, however many concurrent requests there are, and never of the operator’s own account', async () => {
    const [operator, ada, bob] = [await newOperator(), await world.tenant(), await world.tenant()]
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        post(operator, (i % 2 ? ada : bob).userId, i % 3 ? 'view' : 'view-with-messages'),
      ),
    )
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    expect([...(await trail(ada.userId)), ...(await trail(bob.userId))]).toHaveLength(1)
    const other = await newOperator()
    expect((await post(other, other.userId, 'view')).status).toBe(403)
    expect((await post(other, 'usr_nobody', 'view')).status).toBe(404)
    expect((await post(other, ada.userId, 'view')).status).toBe(201)
  })
})

describe('viewUserMessages', () => {
  test('allows reading messages only when it was begun for that', async () => {
    const [operator, tenant] = [await newOperator(), await world.tenant()]
    await post(operator, tenant.userId, 'view')
    for (const operation of viewed) {
      const { path, query } = await askedOf(operation, tenant)
      expect([operation.id, (await read(operator, path, query)).status]).toEqual([
        operation.id,
        operation.viewed === 'messages' ? 403 : 200,
      ])
    }
  })
})

describe('getView', () => {
  test('lasts beyond ten minutes after the sign-in, and ends after fifteen', async () => {
    const [operator, { userId }] = [await newOperator(), await world.tenant()]
    await post(operator, userId, 'view')
    const [start, own] = [world.clock.nowMs, world.clock]
    try {
      own.nowMs = start + viewTtlMs - 5_000
      expect((await read(operator, '/wallet')).status).toBe(200)
      expect((await post(operator, userId, 'suspend')).status).toBe(403)
      own.nowMs = start + viewTtlMs + 1
      const over = await read(operator, '/wallet')
      expect([over.status, over.body.message]).toEqual([403, expect.stringContaining('has ended')])
      expect((await read(operator, '')).body).toEqual({ view: null, here: false })
      expect((await post(operator, userId, 'view/end')).status).toBe(404)
      // Another view may begin, after another sign-in.
      const again = await world.operator(operator.email)
      expect((await post(again, userId, 'view')).status).toBe(201)
      expect((await read(again, '/wallet')).status).toBe(200)
    } finally {
      own.nowMs = Date.now()
    }
  })
})

describe('endView', () => {
  test('accepts an old sign-in', async () => {
    const [operator, { userId }] = [await newOperator(), await world.tenant()]
    await post(operator, userId, 'view')
    const start = world.clock.nowMs
    try {
      world.clock.nowMs = start + viewTtlMs - 5_000
      expect((await post(operator, userId, 'view/end')).status).toBe(200)
      expect((await read(operator, '/wallet')).status).toBe(403)
    } finally {
      world.clock.nowMs = Date.now()
    }
  })

  const ends: [what: string, end: (operator: Operator, userId: string) => Promise<unknown>, status: number][] = [
    ['the operator ends it', (operator, userId) => post(operator, userId, 'view/end'), 403],
    [
      'another session of theirs ends it',
      async ({ email }, userId) => post(await world.operator(email), userId, 'view/end'),
      403,
    ],
    ['their session is ended', ({ userId, record }) => world.ports.sessions.close(userId, record.id), 401],
    ['the configuration no longer names them', async ({ email }) => named.delete(email), 403],
    ['the configuration requires another passkey', async ({ email }) => named.set(email, 'pky_another'), 403],
    [
      'their account is closed',
      ({ userId }) => world.ports.users.scheduleErasure(userId, '2026-12-20T12:00:00.000Z', 0),
      403,
    ],
    [
      'they move to another address',
      ({ userId, email }) => world.ports.users.changeEmail(userId, email, `${userId}@example.org`),
      403,
    ],
  ]
  test.each(ends)('happens at once when %s', async (_, end, status) => {
    const [operator, { userId }] = [await newOperator(), await world.tenant()]
    await post(operator, userId, 'view')
    expect((await read(operator, '/wallet')).status).toBe(200)
    await end(operator, userId)
    expect((await read(operator, '/wallet')).status).toBe(status)
  })

  test('is for the session that began it, and for no other session of an operator or the user, nor a token', async () => {
    const [operator, other, { userId }] = [await newOperator(), await newOperator(), await world.tenant()]
    await post(operator, userId, 'view')
    const again = await world.operator(operator.email)
    expect((await read(again, '/wallet')).body.message).toContain('another browser')
    expect((await read(again, '')).body).toMatchObject({ view: { user: userId }, here: false })
    expect((await read(other, '/wallet')).status).toBe(403)
    expect((await post(other, userId, 'view/end')).status).toBe(404)
    expect((await read(await world.session(userId), '/wallet')).status).toBe(403)
    expect((await read(await world.session(operator.userId), '/wallet')).status).toBe(403)
    expect((await read(await world.bearer(['mcp:*'], userId), '/wallet')).status).toBe(401)
    const foreign = { ...operator.headers, Origin: 'https://evil.example' }
    expect((await read({ headers: foreign }, '/wallet')).status).toBe(403)
    expect((await read({ headers: {} }, '/wallet')).status).toBe(401)
    expect((await read(operator, '/wallet')).status).toBe(200)
  })

  test('gives its session nothing of the user outside of the view', async () => {
    const [operator, { userId }] = [await newOperator(), await world.tenant()]
    await post(operator, userId, 'view-with-messages')
    const { body } = await world.request({ path: '/account', headers: operator.headers })
    expect(body.account.id).toBe(operator.userId)
  })

  test.each(['view', 'view-with-messages', 'view/end'])(
    '%s: the view and its audit entries are written together or not at all, whichever write fails',
    async (path) => {
      for (let nth = 1, failed = true; failed; nth++) {
        const [operator, { userId }] = [await newOperator(), await world.tenant()]
        if (path === 'view/end') await post(operator, userId, 'view')
        const before = [(await read(operator, '/wallet')).status, (await trail(userId)).length]
        failed = await failing(nth, () => post(operator, userId, path))
        const after = [(await read(operator, '/wallet')).status, (await trail(userId)).length]
        expect((after[1] ?? 0) - (before[1] ?? 0)).toBe(Number(after[0] !== before[0]))
        const own = (await trail(operatorsTrail)).filter(({ user }) => user === userId)
        expect(own).toHaveLength(after[1] ?? 0)
        if (!failed) expect(after).not.toEqual(before)
      }
    },
  )
})
