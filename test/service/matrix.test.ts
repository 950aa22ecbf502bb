import { covers, type Scope, scopes } from '../../domain/scopes.ts'
import { operations } from '../../lambdas/areas.ts'
import type { AnyOperation } from '../../lambdas/kit/operation.ts'
import { full } from '../counts.ts'
import { type Answer, type Caller, call, hostedUser, newAddress, pay, signIn, until } from './client.ts'
import { machineOf } from './machine.ts'
import { expireToken } from './store.ts'

/** The spec's tables (sections 4 and 5), written out by hand. */
const toolScopes: Record<string, Scope> = {
  'wallet.balance': 'mcp:wallet.read',
  'wallet.transactions': 'mcp:wallet.read',
  'wallet.checkoutTopUp': 'mcp:wallet.write',
  'instance.status': 'mcp:instance.read',
  'instance.pause': 'mcp:instance.write',
  'instance.resume': 'mcp:instance.write',
  'instance.refreshEnv': 'mcp:instance.write',
  'instance.setModel': 'mcp:instance.write',
  'personas.list': 'mcp:personas.read',
  'personas.activate': 'mcp:personas.write',
  'personas.deactivate': 'mcp:personas.write',
  'skills.list': 'mcp:skills.read',
  'skills.show': 'mcp:skills.read',
}
/** A caller without the secret gets the same refusal for every request. */
const unproven = new Set(['receiveDelivery', 'receiveTelegram', 'receiveSlack', 'receiveDiscord'])
const endpoints: [address: string, id: string, auth: string, scope?: Scope][] = [
  ['GET /health', 'getHealth', 'none'],
  ['GET /.well-known/security.txt', 'getSecurityTxt', 'none'],
  ['GET /tokens', 'listTokens', 'user'],
  ['POST /tokens', 'mintToken', 'user'],
  ['DELETE /tokens', 'revokeToken', 'user'],
  ['POST /mcp', 'mcpRpc', 'user'],
  ['GET /mcp', 'mcpEventStream', 'user'],
  ['DELETE /mcp', 'mcpClose', 'user'],
  ['GET /instance/status', 'getInstanceStatus', 'user', 'mcp:instance.read'],
  ['GET /instance/history', 'getInstanceHistory', 'user', 'mcp:instance.read'],
  ['POST /instance/pause', 'pauseInstance', 'user', 'mcp:instance.write'],
  ['POST /instance/resume', 'resumeInstance', 'user', 'mcp:instance.write'],
  ['POST /instance/refresh', 'refreshInstance', 'user', 'mcp:instance.write'],
  ['POST /instance/model', 'setInstanceModel', 'user', 'mcp:instance.write'],
  ['POST /wallet/topup', 'createWalletTopup', 'user', 'mcp:wallet.write'],
  ['POST /checkout', 'createSubscriptionCheckout', 'user', 'mcp:wallet.write'],
  ['GET /skills', 'listSkills', 'user', 'mcp:skills.read'],
  ['GET /skills/{id}', 'getSkill', 'user', 'mcp:skills.read'],
]
const audiences: Record<string, string> = {
  '/llm/proxy': 'llm',
  '/agent/files': 'files',
  '/agent/secrets': 'files',
  '/agent/prompt': 'agent',
  '/agent/context': 'agent',
  '/agent/observe': 'agent',
  '/agent/feedback': 'agent',
}

describe('the declarations', () => {
  test('include the spec’s tools, each with its scope', () => {
    const declared = operations.flatMap(({ tool, scope }) => (tool ? [[tool.name, scope]] : []))
    expect(Object.fromEntries(declared)).toEqual(toolScopes)
  })

  test.each(endpoints.map((row) => [row[0], row] as const))('of %s match the spec', (_, row) => {
    const [address, id, auth, scope] = row
    const operation = operations.find(({ http }) => `${http.method} ${http.path}` === address)
    expect([operation?.id, operation?.auth, operation?.scope]).toEqual([id, auth, scope])
  })

  test.each(Object.entries(audiences))('%s accepts the %s token only', (path, audience) => {
    const found = operations.filter(({ http }) => http.path === path)
    expect(found.length).toBeGreaterThan(0)
    for (const { auth } of found) expect(auth).toBe(audience)
  })

  test('include no public operation beyond the necessary ones, and operations without a scope are for sessions or about tokens', () => {
    const open = operations.filter(({ auth }) => auth === 'none' || auth === 'signed').map(({ http }) => http.path)
    expect(
      open.filter(
        (path) =>
          !/^\/(health|openapi\.json|plans|models|auth\/|webhooks\/|hooks\/in\/|tokens\/leaked|notifications\/unsubscribe\/|\.well-known\/(oauth-|security\.txt$)|(oauth\/)?register$|oauth\/(token|revoke)$)/.test(
            path,
          ),
      ),
    ).toEqual([])
    const unscoped = operations.filter(({ auth, scope }) => auth === 'user' && !scope).map(({ http }) => http.path)
    expect(unscoped.filter((path) => !/^\/(tokens|mcp)/.test(path))).toEqual([])
  })
})

type Actor =
  | { kind: 'nobody' | 'session' | 'dead' }
  | { kind: 'pat'; scope: Scope }
  | { kind: 'machine'; audience: string }

/** The answer that the operation's own declaration gives this caller. */
function expected(operation: AnyOperation, actor: Actor): number {
  // A caller that reports a leak gets the same answer for every report.
  if (operation.id === 'reportLeakedToken') return 202
  // A caller without the secret gets the same answer for every request.
  if (unproven.has(operation.id)) return 401
  if (operation.sameOrigin && actor.kind !== 'session') return 403
  if (operation.auth === 'none' || operation.auth === 'signed') return 400
  if (operation.auth === 'pat' && operation.scope)
    return actor.kind !== 'pat' ? 401 : covers([actor.scope], operation.scope) ? 400 : 403
  if (operation.auth === 'operator') return actor.kind === 'session' ? 403 : 401
  if (operation.auth !== 'user' && operation.auth !== 'session') {
    return actor.kind === 'machine' && actor.audience === operation.auth ? 400 : 401
  }
  if (actor.kind === 'session') return 400
  if (actor.kind !== 'pat') return 401
  if (operation.auth === 'session') return 403
  return operation.scope === undefined || covers([actor.scope], operation.scope) ? 400 : 403
}

const errors: Record<number, string[]> = {
  400: ['validation', 'missing-id', 'invalid-json', 'invalid_request'],
  401: ['unauthorized'],
  403: ['forbidden'],
}

/** At a vendor's address the code is inside of the error. */
const codeOf = (body: Answer['body']): string => body?.error?.code ?? body?.error

/** A request that no operation accepts, so that it shows whether the caller is admitted and changes nothing. */
function refusable(operation: AnyOperation): [method: string, path: string, body: unknown] {
  const path = `${operation.http.path.replace(/\{\w+\+?\}/g, 'nothing')}?no-such-field=1`
  // A GET ignores unknown parameters, so HEAD is used: its answer has no body.
  if (operation.http.method === 'GET') return ['HEAD', path, undefined]
  return [operation.http.method, path, operation.http.rawBody ? undefined : { 'no-such-field': 1 }]
}

describe('every operation with every kind of caller', () => {
  let callers: [string, Actor, Caller[]][]

  /** A token is tried on the operations of its scope, and in the default tier on every fourth of the others. */
  const triedWith = (actor: Actor): AnyOperation[] =>
    operations.filter(
      ({ scope }, i) =>
        full ||
        actor.kind !== 'pat' ||
        (scope !== undefined && covers([actor.scope], scope)) ||
        (i + scopes.indexOf(actor.scope)) % 4 === 0,
    )

  /** More operations change data than one user may call in a minute, so each kind of caller has several users. */
  const several = 5

  beforeAll(async () => {
    const user = await hostedUser()
    const sessions = [user, ...(await Promise.all(Array.from({ length: several - 1 }, () => signIn())))]
    const mint = async (scope: Scope) => {
      const by = await signIn()
      const { body } = await call('POST', '/tokens', { name: scope, scopes: [scope] }, by)
      return { id: body.id as string, bearer: body.plaintext as string, by } // safe because the hook has checked the shape
    }
    const pool = (scope: Scope) => Promise.all(Array.from({ length: several }, () => mint(scope)))
    const [expired, revoked] = [await mint('mcp:*'), await mint('mcp:*')]
    await expireToken(expired.id)
    await call('DELETE', `/tokens?id=${revoked.id}`, undefined, revoked.by)
    const { instance } = (await call('GET', '/instance/status', undefined, user)).body
    const { env } = machineOf(instance.id)
    const machine = (audience: string): [string, Actor, Caller[]] => [
      `the ${audience} token`,
      { kind: 'machine', audience },
      [{ bearer: env[`BERTH_${audience.toUpperCase()}_TOKEN`] ?? '' }],
    ]
    const ofScope = async (scope: Scope): Promise<[string, Actor, Caller[]]> => [
      `a token of ${scope}`,
      { kind: 'pat', scope },
      await pool(scope),
    ]
    const tokens: typeof callers = []
    for (const scope of scopes) tokens.push(await ofScope(scope))
    callers = [
      ['nobody', { kind: 'nobody' }, [{}]],
      ['a session', { kind: 'session' }, sessions],
      ['an expired token', { kind: 'dead' }, [expired]],
      ['a revoked token', { kind: 'dead' }, [revoked]],
      ['a token nobody has', { kind: 'dead' }, [{ bearer: 'oss_nonsense' }]],
      [
        'a bad token beside a good cookie',
        { kind: 'dead' },
        sessions.map((session) => ({ ...session, bearer: 'oss_nonsense' })),
      ],
      ...['llm', 'files', 'agent'].map(machine),
      ...tokens,
    ]
  })

  test('gives the answer that its declaration says, and no other', async () => {
    const wrong: string[] = []
    let asked = 0
    for (const [name, actor, pool] of callers) {
      const address = newAddress()
      await Promise.all(
        triedWith(actor).map(async (operation, i) => {
          const [method, path, body] = refusable(operation)
          const caller = { ...pool[i % pool.length], address }
          const given = caller.cookie && caller.bearer ? { ...actor, kind: 'session' as const } : actor
          const wanted = operation.sameOrigin ? expected(operation, given) : expected(operation, actor)
          const answer = await call(method, path, body, caller)
          asked++
          const letIn = method === 'HEAD' && wanted === 400 && ![401, 403].includes(answer.status)
          if (letIn) return
          if (
            answer.status !== wanted ||
            (wanted >= 400 && method !== 'HEAD' && !errors[wanted]?.includes(codeOf(answer.body)))
          )
            wrong.push(`${operation.id} for ${name}: ${answer.status} ${codeOf(answer.body)}, not ${wanted}`)
        }),
      )
    }
    expect(wrong).toEqual([])
    expect(asked).toBe(callers.reduce((sum, [, actor]) => sum + triedWith(actor).length, 0))
    expect(asked).toBeGreaterThan(operations.length * (9 + (full ? scopes.length - 1 : scopes.length / 4)))
  })
})

describe('records of another user', () => {
  test('get exactly the same answer as unknown ones', async () => {
    const [owner, other] = [await signIn(), await signIn()]
    await pay((await call('POST', '/wallet/topup', { amountCents: 500 }, owner)).body)
    const lines = await until(
      'the top-up',
      async () => (await call('GET', '/wallet/transactions', undefined, owner)).body.transactions,
      (seen) => seen.length > 0,
    )
    const token = (await call('POST', '/tokens', { name: 'theirs' }, owner)).body
    const session = (await call('GET', '/auth/sessions', undefined, owner)).body.sessions[0]
    const draft = { name: 'Mine', files: [{ path: 'SOUL.md', text: 'Be mine.' }] }
    await call('PUT', '/personas/night-editor', draft, owner)
    const changed = (id: string) => `${id.slice(0, -6)}${id.slice(-6).replace(/\w/g, (c) => (c === 'A' ? 'B' : 'A'))}`
    const asked: [string, (id: string) => string, string, unknown?][] = [
      ['DELETE', (id) => `/tokens?id=${id}`, token.id],
      ['PATCH', (id) => `/tokens/${id}`, token.id, { name: 'mine' }],
      ['POST', (id) => `/tokens/${id}/reroll`, token.id, { graceHours: 0 }],
      ['GET', (id) => `/wallet/transactions/${id}`, lines[0].id],
      ['DELETE', (id) => `/auth/sessions/${id}`, session.id],
      ['GET', (id) => `/personas/${id}`, 'night-editor'],
      ['DELETE', (id) => `/personas/${id}`, 'night-editor'],
    ]
    for (const [method, path, id, body] of asked) {
      const theirs = await call(method, path(id), body, other)
      const never = await call(method, path(changed(id)), body, other)
      expect([path(id), theirs.status, theirs.body]).toEqual([path(id), 404, never.body])
      expect(never.status).toBe(404)
    }
    expect((await call('GET', '/wallet', undefined, { bearer: token.plaintext })).status).toBe(200)
  })
})
