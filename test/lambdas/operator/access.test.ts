import { recentSignInMs } from '../../../domain/lifetimes.ts'
import { operatorsTrail } from '../../../domain/operator/trail.ts'
import { minuteMs } from '../../../domain/time.ts'
import { accountArea } from '../../../lambdas/account/index.ts'
import { accessOf } from '../../../lambdas/kit/area.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { operatorArea } from '../../../lambdas/operator/index.ts'
import { openWorld, type TestRequest, type World } from '../../world.ts'
import { aboutUser, requests } from '../kit/requests.ts'

let world: World
/** The operators in the stage's configuration. */
let named = 'operator@example.com'
beforeAll(async () => {
  world = await openWorld({
    areas: [operatorArea, accountArea],
    ports: ['passkeys'],
    replace: ({ operators }) => ({
      operators: {
        ...operators,
        all: () => new Map(named === '' ? [] : named.split(',').map((email) => [email, null])),
      },
    }),
  })
})
afterAll(() => world.close())
beforeEach(() => {
  named = 'operator@example.com'
  // All sessions of an operator share a rate window, so this clears the requests of earlier tests.
  world.clock.nowMs += 2 * minuteMs
})

const ask = async (
  operation: AnyOperation,
  headers: TestRequest['headers'],
  userId: string,
  handler = world.request,
) => {
  const { headers: more, ...sent } = aboutUser(operation, { userId } as never, requests[operation.id] ?? {})
  return handler({ operation, ...sent, headers: { ...more, ...headers } })
}

/** Each kind of caller without operator rights, and its response. */
const refused: [who: string, status: number, says: RegExp, headers: () => Promise<TestRequest['headers']>][] = [
  ['nobody', 401, /Sign in/, async () => ({})],
  ['a user', 403, /for the operators/, async () => (await world.session((await world.tenant()).userId)).headers],
  ['a user with a passkey', 403, /for the operators/, async () => (await world.operator('ada@example.com')).headers],
  [
    'an operator who signed in by mail',
    403,
    /with a passkey/,
    async () => (await world.session((await world.operator()).userId)).headers,
  ],
  [
    'an operator whose sign-in is old',
    403,
    /10 minutes/,
    async () => {
      world.clock.nowMs -= recentSignInMs + 1
      const { headers } = await world.operator()
      world.clock.nowMs += recentSignInMs + 1
      return headers
    },
  ],
  [
    'an operator’s token',
    401,
    /A token cannot/,
    async () => (await world.bearer(['mcp:*'], (await world.operator()).userId)).headers,
  ],
  [
    'an operator’s token beside the cookie',
    401,
    /A token cannot/,
    async () => {
      const { userId, headers } = await world.operator()
      return { ...headers, ...(await world.bearer(['mcp:*'], userId)).headers }
    },
  ],
  ...(['agent', 'files', 'llm'] as const).map((audience): (typeof refused)[number] => [
    `an operator’s machine (${audience})`,
    401,
    /A token cannot/,
    async () => world.machine(await world.tenant(), audience),
  ]),
  [
    'another site’s page with the cookie',
    403,
    /from the dashboard/,
    async () => ({ ...(await world.operator()).headers, Origin: 'https://evil.example' }),
  ],
  [
    'a page that says not where it is from',
    403,
    /from the dashboard/,
    async () => ({ ...(await world.operator()).headers, Origin: undefined }),
  ],
]

describe.each(operatorArea.operations.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  test('belongs to operators, with their rate limit, and is not a tool', () => {
    expect([operation.auth, operation.limit, operation.tool, operation.http.path.startsWith('/operator')]).toEqual([
      'operator',
      'operator',
      undefined,
      true,
    ])
  })

  test('requires a reason and writes its audit entry with the change, if it changes something', () => {
    if (operation.http.method === 'GET') return
    expect(operation.commits).toBe(true)
    for (const none of [undefined, '', '        '])
      expect(operation.input.shape.reason.safeParse(none).success).toBe(false)
  })

  const out = refused.filter(([who]) => !operation.anySignInAge || who !== 'an operator whose sign-in is old')
  test.each(out)('rejects %s', async (_who, status, says, headers) => {
    const { userId } = await world.tenant()
    const answer = await ask(operation, await headers(), userId)
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(says)])
    expect((await world.ports.audit.list(userId, { after: null, limit: 10 })).items).toEqual([])
  })

  test('admits an operator, until the configuration no longer names them', async () => {
    const { userId } = await world.tenant()
    const { headers } = await world.operator()
    expect([401, 403]).not.toContain((await ask(operation, headers, userId)).status)
    named = ''
    expect((await ask(operation, headers, userId)).status).toBe(403)
    named = 'somebody-else@example.com'
    expect((await ask(operation, headers, userId)).status).toBe(403)
  })
})

test('reads and the end of a view accept an older sign-in, and nothing else does', () => {
  const others = operatorArea.operations.filter(({ http }) => http.method !== 'GET')
  expect(others.filter(({ anySignInAge }) => anySignInAge).map(({ id }) => id)).toEqual(['endView'])
  expect(others.map(({ id }) => id)).toEqual(expect.arrayContaining(['viewUser', 'viewUserMessages']))
  const reads = operatorArea.operations.filter(({ http }) => http.method === 'GET')
  expect(reads.filter(({ anySignInAge }) => !anySignInAge)).toEqual([])
})

test.each(operatorArea.operations.map((operation) => [operation.id, operation] as const))(
  '%s answers an old sign-in as its kind requires',
  async (_, operation) => {
    world.clock.nowMs -= recentSignInMs + 1
    const { headers } = await world.operator()
    world.clock.nowMs += recentSignInMs + 1
    const { status, body } = await ask(operation, headers, (await world.tenant()).userId)
    if (operation.http.method === 'GET') expect(status).toBe(200)
    else if (operation.id !== 'endView') expect([status, body.details]).toEqual([403, { signIn: ['passkey'] }])
  },
)

describe('an operator', () => {
  const asOperator = (headers: TestRequest['headers']) => world.request({ path: '/operator', headers })

  test('is not a user who asks to move to an operator’s address, until that mailbox has confirmed it', async () => {
    const { userId, headers } = await world.operator('mallory@example.com')
    named = 'ceo@example.com'
    const body = { email: 'ceo@example.com' }
    expect((await world.request({ method: 'PATCH', path: '/account', headers, body })).status).toBe(202)
    expect((await asOperator(headers)).status).toBe(403)
    const codes = { currentCode: '000000', newCode: '000000' }
    const tried = await world.request({ method: 'PATCH', path: '/account', headers, body: { ...body, ...codes } })
    expect(tried.status).toBe(400)
    expect((await asOperator(headers)).status).toBe(403)
    await world.ports.users.changeEmail(userId, 'mallory@example.com', 'ceo@example.com')
    expect((await asOperator(headers)).status).toBe(200)
    await world.ports.users.changeEmail(userId, 'ceo@example.com', 'mallory@example.com')
    expect((await asOperator(headers)).status).toBe(403)
  })

  test('is not a user with an ended session or a closed account', async () => {
    const { userId, headers, record } = await world.operator()
    await world.ports.users.scheduleErasure(userId, '2026-12-20T12:00:00.000Z', world.clock.nowMs)
    expect((await asOperator(headers)).status).toBe(403)
    await world.ports.users.cancelErasure(userId)
    expect((await asOperator(headers)).status).toBe(200)
    await world.ports.sessions.close(userId, record.id)
    expect((await asOperator(headers)).status).toBe(401)
  })

  test('is counted in the operators’ own rate window', async () => {
    const { headers } = await world.operator()
    const first = await asOperator(headers)
    expect(first.headers['X-RateLimit-Limit']).toBe('120')
    const seen = await Promise.all(Array.from({ length: 130 }, () => asOperator(headers)))
    expect(seen.filter(({ status }) => status === 429).length).toBe(11)
    expect((await world.request({ path: '/account', headers })).status).toBe(200)
  })
})

describe('the operators’ function', () => {
  test('has permissions for its operations, and none for tokens, passkeys, messages, files or secrets', () => {
    const touched = Object.keys(accessOf(operatorArea))
    for (const port of [
      'tokens',
      'passkeys',
      'logins',
      'conversations',
      'storage',
      'variables',
      'agentSecrets',
      'payments',
      'mail',
    ])
      expect(touched).not.toContain(port)
  })

  test('may read a user’s audit trail, and writes operators’ reads into their own trail', async () => {
    const { userId } = await world.tenant()
    const { headers, userId: by } = await world.operator()
    await world.request({ path: `/operator/users/${userId}`, headers })
    const [line] = (await world.ports.audit.list(operatorsTrail, { after: null, limit: 1 })).items
    expect(line).toMatchObject({
      operation: 'getUser',
      record: userId,
      user: userId,
      actor: { kind: 'operator', id: by },
    })
    expect((await world.ports.audit.list(userId, { after: null, limit: 1 })).items).toEqual([])
  })
})
