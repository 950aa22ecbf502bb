import { changed, get } from '../../../adapters/dynamo/calls.ts'
import { itemAt } from '../../../adapters/dynamo/expressions.ts'
import { fromItem } from '../../../adapters/dynamo/item.ts'
import { maxSecrets } from '../../../domain/instance/secrets.ts'
import { agentArea } from '../../../lambdas/agent/index.ts'
import { instanceArea } from '../../../lambdas/instance/index.ts'
import { openWorld, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ areas: [instanceArea, agentArea], ports: ['audit'] })
})
afterAll(() => world.close())

const secret = { value: 'ghp_TopSecretValue', hosts: ['api.github.com'] }

async function owner() {
  const tenant = await world.tenant()
  const { headers } = await world.session(tenant.userId)
  const put = (secrets: object, by: Record<string, string> = headers) =>
    world.request({ method: 'PUT', path: '/instance/secrets', headers: by, body: { secrets } })
  const list = async () => (await world.request({ path: '/instance/secrets', headers })).body.secrets
  const usable = async (audience: 'files' | 'agent' | 'llm' = 'files') =>
    world.request({ path: '/agent/secrets', headers: await world.machine(tenant, audience) })
  return { ...tenant, headers, put, list, usable }
}

describe('setInstanceSecrets', () => {
  test('stores values encrypted, returns none, and keeps the secrets that are not given', async () => {
    const me = await owner()
    const first = await me.put({
      github: secret,
      mail: { ...secret, header: 'X-Token', template: '{}', hosts: ['API.Mail.example'] },
    })
    expect([first.status, first.text]).toEqual([200, expect.not.stringContaining('TopSecret')])
    await me.put({ github: null, other: secret })
    expect(await me.list()).toMatchObject([
      { name: 'mail', hosts: ['api.mail.example'], header: 'x-token', template: '{}' },
      { name: 'other', hosts: ['api.github.com'], header: 'authorization', template: 'Bearer {}' },
    ])
    const item = await get(world.env.table('settings'), { userId: me.userId, item: 'secrets' })
    const trail = await world.ports.audit.list(me.userId, { after: null, limit: 10 })
    for (const kept of [item, trail, await world.ports.events.after(me.userId, 'evt_', 100)])
      expect(JSON.stringify(kept)).not.toContain('TopSecret')
    expect(trail.items.map(({ operation }) => operation)).toEqual(['setInstanceSecrets', 'setInstanceSecrets'])
  })

  test.each<[string, string, object]>([
    ['no value', 'github', { hosts: ['api.github.com'] }],
    ['only new hosts', 'github', { hosts: ['evil.example'] }],
    ['a value that is too short to recognise', 'github', { ...secret, value: '1234567' }],
    ['a value with a line break', 'github', { ...secret, value: 'ghp_Top\r\nX-Evil: 1' }],
    ['a value with a space at its end', 'github', { ...secret, value: 'ghp_Secret ' }],
    ['a value beyond ASCII', 'github', { ...secret, value: 'ghp_Sécret' }],
    ['no hosts', 'github', { ...secret, hosts: [] }],
    ['too many hosts', 'github', { ...secret, hosts: Array.from({ length: 17 }, (_, i) => `a${i}.example.com`) }],
    ['any host', 'github', { ...secret, hosts: ['*'] }],
    ['a wildcard', 'github', { ...secret, hosts: ['*.github.com'] }],
    ['only a top-level domain', 'github', { ...secret, hosts: ['com'] }],
    ['localhost', 'github', { ...secret, hosts: ['localhost'] }],
    ['an IP address', 'github', { ...secret, hosts: ['127.0.0.1'] }],
    ['an IP address as a number', 'github', { ...secret, hosts: ['2130706433'] }],
    ['an IP address in hexadecimal', 'github', { ...secret, hosts: ['0x7f.0.0.0x1'] }],
    ['an IPv6 address', 'github', { ...secret, hosts: ['[::1]'] }],
    ['a port', 'github', { ...secret, hosts: ['api.github.com:8443'] }],
    ['a user', 'github', { ...secret, hosts: ['a@api.github.com'] }],
    ['a path', 'github', { ...secret, hosts: ['api.github.com/x'] }],
    ['a URL', 'github', { ...secret, hosts: ['https://api.github.com'] }],
    ['a trailing dot', 'github', { ...secret, hosts: ['api.github.com.'] }],
    ['a header with a line break', 'github', { ...secret, header: 'x\r\ny' }],
    ['a header of the connection', 'github', { ...secret, header: 'Transfer-Encoding' }],
    ['the host’s header', 'github', { ...secret, header: 'host' }],
    ['a template without a placeholder', 'github', { ...secret, template: 'Bearer' }],
    ['a template with two placeholders', 'github', { ...secret, template: '{} {}' }],
    ['a template with a line break', 'github', { ...secret, template: '{}\r\nX: y' }],
    ['an unknown field', 'github', { ...secret, port: 22 }],
    ['a name with a slash', 'a/b', secret],
    ['a name with a dot', '..', secret],
    ['a name in capital letters', 'GITHUB', secret],
    ['an empty name', '', secret],
  ])('rejects %s', async (_, name, wrong) => {
    const me = await owner()
    await me.put({ github: secret })
    const { status, text } = await me.put({ [name]: wrong })
    expect([status, text]).toEqual([400, expect.not.stringContaining('TopSecret')])
    expect((await me.usable()).body.secrets).toEqual([
      { name: 'github', header: 'authorization', template: 'Bearer {}', ...secret },
    ])
  })

  test('limits their number; of two concurrent writers, each is stored or gets a conflict', async () => {
    const me = await owner()
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`s${i}`, secret]))
    expect((await me.put(many(maxSecrets + 1))).status).toBe(400)
    const both = await Promise.all([me.put({ a: secret }), me.put({ b: secret })])
    const done = both.filter(({ status }) => status === 200)
    expect(both.filter(({ status }) => status === 409)).toHaveLength(2 - done.length)
    expect(await me.list()).toHaveLength(done.length)
  })
})

describe('getInstanceSecrets', () => {
  test('requires its scope, and returns the user’s own names only', async () => {
    const [me, other] = [await owner(), await owner()]
    await me.put({ github: secret })
    expect(await other.list()).toEqual([])
    const weak = await world.bearer(['mcp:*', 'api:chat', 'api:hooks'], me.userId)
    expect((await world.request({ path: '/instance/secrets', headers: weak.headers })).status).toBe(403)
    expect((await me.put({ github: null }, weak.headers)).status).toBe(403)
    const env = await world.request({ path: '/instance/env', headers: me.headers })
    expect(env.text).not.toContain('github')
  })
})

describe('getAgentSecrets', () => {
  test('gives only the live machine’s supervisor the values, bound to their hosts', async () => {
    const [me, other] = [await owner(), await owner()]
    await me.put({ github: secret })
    const { status, body } = await me.usable()
    expect([status, body]).toEqual([
      200,
      { secrets: [{ name: 'github', ...secret, header: 'authorization', template: 'Bearer {}' }] },
    ])
    expect((await other.usable()).body).toEqual({ secrets: [] })
    for (const audience of ['agent', 'llm'] as const) expect((await me.usable(audience)).status).toBe(401)
    expect((await world.request({ path: '/agent/secrets', headers: me.headers })).status).toBe(401)
    const dead = await world.request({ path: '/agent/secrets', headers: await world.machine(me, 'files', 99) })
    expect(dead.status).toBe(401)
    const files = await world.request({ path: '/agent/files', headers: await world.machine(me, 'files') })
    expect([files.status, files.text]).toEqual([200, expect.not.stringMatching(/TopSecret|github/)])
  })

  test('an encrypted value cannot replace a variable or another secret', async () => {
    const me = await owner()
    await me.put({ a: secret, b: { ...secret, value: 'another-value', hosts: ['b.example.com'] } })
    const env = { method: 'PUT', path: '/instance/env', headers: me.headers, body: { variables: { a: 'plain-value' } } }
    expect((await world.request(env)).status).toBe(200)
    const table = world.env.table('settings')
    const item = await get(table, { userId: me.userId, item: 'secrets' })
    const sealed = item?.sealed?.M ?? {}
    const swapped = { 'secret a': sealed['secret b'], 'secret b': sealed['secret a'] }
    const plain = Object.fromEntries(
      Object.entries(swapped).map(([name, value]) => [name, value?.M ? fromItem(value.M) : null]),
    )
    await changed({
      ...itemAt<'sealed'>(table, { userId: me.userId, item: 'secrets' }),
      update: 'SET #sealed = :x',
      values: { ':x': plain },
    })
    expect((await me.usable()).status).toBe(500)
  })
})
