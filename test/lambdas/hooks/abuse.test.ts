import { deliveryKeptMs } from '../../../domain/hooks/hook.ts'
import { minuteMs, secondMs } from '../../../domain/time.ts'
import { counted } from '../../adapters/engine.ts'
import { bearer, type HooksWorld, mac, openHooksWorld } from './hooks-world.ts'

let world: HooksWorld
let victim: Awaited<ReturnType<HooksWorld['owner']>>
let attacker: typeof victim
/** An earlier secret of the victim's hook. */
let old: string
/** A deleted hook. */
let dead: { id: string; secret: string }
beforeAll(async () => {
  world = await openHooksWorld()
  ;[victim, attacker] = [await world.owner(), await world.owner()]
  dead = await world.newHook(victim)
  await world.manage({ method: 'DELETE', path: `/hooks/${dead.id}`, headers: victim.headers })
  old = victim.secret
  // Both are rerolled, so that their versions are equal.
  ;[victim, attacker] = [await renewed(victim), await renewed(attacker)]
})
afterAll(() => world.close())

async function renewed(owner: typeof victim) {
  const sent = { method: 'POST', path: `/hooks/${owner.id}/reroll`, headers: owner.headers }
  return { ...owner, secret: (await world.manage(sent)).body.secret as string } // safe because the contract says so
}

const body = '{"action":"completed"}'
type Headers = Record<string, string>
interface Try {
  id?: string
  headers?: Headers
  body?: string
  query?: string
}

const seconds = () => Math.floor(world.clock.nowMs / secondMs)
const key = () => Buffer.from(victim.secret.slice(6), 'base64')
const hex = (secret: string, text = body) => mac(secret, text).digest('hex')
const hub = (value: string, more: Headers = {}): Try => ({ headers: { 'x-hub-signature-256': value, ...more } })

interface Signed {
  id?: string
  time?: string
  sentId?: string
  sentTime?: string
  text?: string
  secret?: string | Buffer
  as?: (made: string) => string
}

/** Standard Webhooks headers; the signed and the sent values can differ. */
function standard({
  id = 'msg_1',
  time = String(seconds()),
  sentId = id,
  sentTime = time,
  text = body,
  secret = key(),
  as = (made) => `v1,${made}`,
}: Signed = {}): Headers {
  const made = mac(secret, `${id}.${time}.${text}`).digest('base64')
  return { 'webhook-id': sentId, 'webhook-timestamp': sentTime, 'webhook-signature': as(made) }
}
const moved = (bySeconds: number) => ({ headers: standard({ time: String(seconds() + bySeconds) }) })
const without = (headers: Headers, name: string): Try => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)),
})

/** Deliveries that must never prompt an agent. */
const tries: [what: string, make: () => Try | Promise<Try>][] = [
  // A missing or wrong secret.
  ['nothing at all', () => ({})],
  ['an empty Authorization', () => ({ headers: { authorization: '' } })],
  ['a scheme alone', () => ({ headers: { authorization: 'Bearer' } })],
  ['the secret without a scheme', () => ({ headers: { authorization: victim.secret } })],
  ['the secret of another scheme', () => ({ headers: { authorization: `Token ${victim.secret}` } })],
  ['the secret as a password', () => ({ headers: { authorization: `Basic ${btoa(`x:${victim.secret}`)}` } })],
  ['the secret in small letters', () => ({ headers: bearer(victim.secret.toLowerCase()) })],
  ['the secret but its last letter', () => ({ headers: bearer(victim.secret.slice(0, -1)) })],
  ['the secret and one letter more', () => ({ headers: bearer(`${victim.secret}=`) })],
  ['the secret without its prefix', () => ({ headers: bearer(victim.secret.slice(6)) })],
  ['the secret in hex', () => ({ headers: bearer(`whsec_${key().toString('hex')}`) })],
  ['the secret in quotes', () => ({ headers: bearer(`"${victim.secret}"`) })],
  ['two secrets in one header', () => ({ headers: bearer(`${victim.secret}, Bearer ${victim.secret}`) })],
  ['a wrong secret before the right one', () => ({ headers: bearer(`whsec_x,${victim.secret}`) })],
  ['a secret of zeros', () => ({ headers: bearer(`whsec_${Buffer.alloc(32).toString('base64')}`) })],
  ['the prefix alone', () => ({ headers: bearer('whsec_') })],
  ['a very long secret', () => ({ headers: bearer('x'.repeat(8_000)) })],
  ['the secret in the query', () => ({ query: `?secret=${encodeURIComponent(victim.secret)}` })],
  ['the secret in the body', () => ({ body: JSON.stringify({ secret: victim.secret }) })],
  ['the secret as an API key', () => ({ headers: { 'x-api-key': victim.secret } })],
  ['the secret in a cookie', () => ({ headers: { cookie: `secret=${victim.secret}` } })],
  [
    'the secret with a key no header may have',
    () => ({ headers: { ...bearer(victim.secret), 'idempotency-key': 'a b' } }),
  ],
  ['the owner’s session', () => ({ headers: { ...victim.headers } })],
  ['the owner’s own token', async () => ({ headers: (await world.bearer(['api:hooks'], victim.userId)).headers })],
  // Other users, other hooks, other times.
  ['another user’s secret', () => ({ headers: bearer(attacker.secret) })],
  ['another user’s session', () => ({ headers: { ...attacker.headers } })],
  ['a signature with another user’s secret', () => hub(`sha256=${hex(attacker.secret)}`)],
  ['a signature with another user’s key', () => ({ headers: world.standard(attacker.secret, body) })],
  ['the secret before it was replaced', () => ({ headers: bearer(old) })],
  ['a signature with the secret before', () => hub(`sha256=${hex(old)}`)],
  ['a timed signature with the secret before', () => ({ headers: world.standard(old, body) })],
  ['the secret of version 0', async () => ({ headers: bearer(await secretOf(victim.id, 0)) })],
  ['the secret of the next version', async () => ({ headers: bearer(await secretOf(victim.id, 3)) })],
  ['a deleted hook with its secret', () => ({ id: dead.id, headers: bearer(dead.secret) })],
  ['a deleted hook’s secret', () => ({ headers: bearer(dead.secret) })],
  ['a hook that never was', () => ({ id: 'hok_01KAHB2N3P4Q5R6S7T8V9WXYZ0', headers: bearer(victim.secret) })],
  [
    'a hook that never was with its secret of version 0',
    async () => {
      const id = 'hok_01KAHB2N3P4Q5R6S7T8V9WXYZ0'
      return { id, headers: bearer(await secretOf(id, 0)) }
    },
  ],
  // Tricks with the path.
  ['the id in small letters', () => ({ id: victim.id.toLowerCase(), headers: bearer(victim.secret) })],
  ['the id with a blank', () => ({ id: `${victim.id}%20`, headers: bearer(victim.secret) })],
  ['the id with NUL', () => ({ id: `${victim.id}%00`, headers: bearer(victim.secret) })],
  ['the id with a slash behind', () => ({ id: `${victim.id}%2F`, headers: bearer(victim.secret) })],
  ['a way up and down', () => ({ id: `..%2Fin%2F${victim.id}`, headers: bearer(victim.secret) })],
  ['the id encoded twice', () => ({ id: victim.id.replace('_', '%255F'), headers: bearer(victim.secret) })],
  ['the prefix of all ids', () => ({ id: 'hok_', headers: bearer(victim.secret) })],
  ['the owner’s id', () => ({ id: victim.userId, headers: bearer(victim.secret) })],
  ['the key of a delivery', () => ({ id: `delivery%23${victim.id}%23x`, headers: bearer(victim.secret) })],
  [
    'the key of an hour',
    () => ({ id: `hour%23${victim.id}%23${Math.floor(seconds() / 3600)}`, headers: bearer(victim.secret) }),
  ],
  // A second, valid proof does not make up for an invalid one.
  [
    'a wrong bearer beside a right signature',
    async () => ({ headers: { ...(await world.github(victim.secret, body)), ...bearer('whsec_x') } }),
  ],
  [
    'an empty bearer beside a right timed signature',
    () => ({ headers: { ...world.standard(victim.secret, body), authorization: '' } }),
  ],
  [
    'a stale signature beside GitHub’s right one',
    async () => ({
      headers: { ...(await world.github(victim.secret, body)), ...standard({ time: String(seconds() - 301) }) },
    }),
  ],
  // Almost valid signatures in GitHub's format.
  ['a signature of SHA-1', () => hub(`sha1=${hex(victim.secret)}`)],
  ['a signature in the old header', () => ({ headers: { 'x-hub-signature': `sha256=${hex(victim.secret)}` } })],
  ['a signature without its algorithm', () => hub(hex(victim.secret))],
  ['an algorithm without a signature', () => hub('sha256=')],
  ['a signature in capitals', () => hub(`sha256=${hex(victim.secret).toUpperCase()}`)],
  ['a signature in base64', () => hub(`sha256=${mac(victim.secret, body).digest('base64')}`)],
  ['half a signature', () => hub(`sha256=${hex(victim.secret).slice(0, 32)}`)],
  ['a signature and some more', () => hub(`sha256=${hex(victim.secret)}00`)],
  ['two signatures, the second right', () => hub(`sha256=${'0'.repeat(64)},sha256=${hex(victim.secret)}`)],
  ['a signature of zeros', () => hub(`sha256=${'0'.repeat(64)}`)],
  ['a signature keyed with the bytes', () => hub(`sha256=${mac(key(), body).digest('hex')}`)],
  ['a signature keyed with nothing', () => hub(`sha256=${hex('')}`)],
  ['a signature of nothing', () => hub(`sha256=${hex(victim.secret, '')}`)],
  ['a signature of another body', () => ({ ...hub(`sha256=${hex(victim.secret)}`), body: '{"action":"deleted"}' })],
  ['a body with a line more', () => ({ ...hub(`sha256=${hex(victim.secret)}`), body: `${body}\n` })],
  ['a body with a mark before it', () => ({ ...hub(`sha256=${hex(victim.secret)}`), body: `\uFEFF${body}` })],
  ['a body with other blanks', () => ({ ...hub(`sha256=${hex(victim.secret)}`), body: body.replace(':', ': ') })],
  [
    'a body of the same look in other characters',
    () => ({ ...hub(`sha256=${hex(victim.secret, 'Gr\u00fc\u00dfe')}`), body: 'Gr\u0075\u0308\u00dfe' }),
  ],
  ['an id no header may have', () => hub(`sha256=${hex(victim.secret)}`, { 'x-github-delivery': 'a b' })],
  ['a right signature at another hook', () => ({ ...hub(`sha256=${hex(victim.secret)}`), id: attacker.id })],
  // Signatures with a time stamp.
  ['a signature of 301 seconds ago', () => moved(-301)],
  ['a signature of in 301 seconds', () => moved(301)],
  ['a signature of a day ago', () => moved(-86_400)],
  [
    'an old signature with today’s time',
    () => ({ headers: standard({ time: '1700000000', sentTime: String(seconds()) }) }),
  ],
  ['a time that was moved by a second', () => ({ headers: standard({ sentTime: String(seconds() + 1) }) })],
  ['another id than was signed', () => ({ headers: standard({ sentId: 'msg_2' }) })],
  [
    'an id that takes over the time, and a body that gives one',
    () => {
      const text = `${seconds()}.evil`
      return {
        headers: standard({ id: 'a', time: '1700000000', sentId: 'a.1700000000', sentTime: String(seconds()), text }),
        body: 'evil',
      }
    },
  ],
  ['an id with a full stop', () => ({ headers: standard({ id: 'msg.1' }) })],
  ['an id with a blank', () => ({ headers: standard({ id: 'msg 1' }) })],
  ['a very long id', () => ({ headers: standard({ id: 'm'.repeat(256) }) })],
  ['a time in milliseconds', () => ({ headers: standard({ time: `${seconds()}000` }) })],
  ['a time with zeros before it', () => ({ headers: standard({ time: `0${seconds()}` }) })],
  ['a time with a sign', () => ({ headers: standard({ time: `+${seconds()}` }) })],
  ['a time below zero', () => ({ headers: standard({ time: `-${seconds()}` }) })],
  ['a time with a fraction', () => ({ headers: standard({ time: `${seconds()}.5` }) })],
  ['a time in hex', () => ({ headers: standard({ time: `0x${seconds().toString(16)}` }) })],
  ['a time that is no number', () => ({ headers: standard({ time: 'NaN' }) })],
  ['a time with words behind', () => ({ headers: standard({ time: `${seconds()}s` }) })],
  ['a time with an exponent', () => ({ headers: standard({ time: '1e99' }) })],
  ['no id', () => without(standard(), 'webhook-id')],
  ['no time', () => without(standard(), 'webhook-timestamp')],
  ['no signature', () => without(standard(), 'webhook-signature')],
  ['a signature of another version', () => ({ headers: standard({ as: (made) => `v2,${made}` }) })],
  ['an asymmetric signature’s version', () => ({ headers: standard({ as: (made) => `v1a,${made}` }) })],
  ['a signature without a version', () => ({ headers: standard({ as: (made) => made }) })],
  ['a signature of version 1 with nothing', () => ({ headers: standard({ as: () => 'v1,' }) })],
  ['commas between signatures', () => ({ headers: standard({ as: (made) => `v1,x,v1,${made}` }) })],
  [
    'the ninth signature',
    () => ({ headers: standard({ as: (made) => `${`v1,${'A'.repeat(43)}= `.repeat(8)}v1,${made}` }) }),
  ],
  ['a signature in base64 for addresses', () => ({ headers: standard({ as: () => `v1,${'-_'.repeat(21)}-=` }) })],
  [
    'a timed signature in hex',
    () => ({ headers: standard({ as: (made) => `v1,${Buffer.from(made, 'base64').toString('hex')}` }) }),
  ],
  ['a timed signature keyed with the text', () => ({ headers: standard({ secret: victim.secret }) })],
  ['a timed signature keyed with nothing', () => ({ headers: standard({ secret: '' }) })],
  [
    'a timed signature of the body alone',
    () => ({ headers: standard({ as: () => `v1,${mac(key(), body).digest('base64')}` }) }),
  ],
  ['a timed signature of another body', () => ({ headers: standard(), body: '{"action":"deleted"}' })],
  ['a timed signature of no body', () => ({ headers: standard({ text: '' }) })],
  ['a timed signature at another hook', () => ({ id: attacker.id, headers: standard() })],
  [
    'GitHub’s signature as a timed one',
    () => ({ headers: standard({ as: () => `v1,${mac(victim.secret, body).digest('base64')}` }) }),
  ],
  ['a timed signature as GitHub’s', () => hub(`sha256=${mac(key(), `msg_1.${seconds()}.${body}`).digest('hex')}`)],
]

const secretOf = (id: string, secretVersion: number) => world.ports.hookSecrets.secretOf({ id, secretVersion })

describe('receiveDelivery, abused', () => {
  test('has a hundred kinds of attempts', () => {
    expect(tries.length).toBeGreaterThanOrEqual(100)
    expect(new Set(tries.map(([what]) => what)).size).toBe(tries.length)
  })

  test.each(tries)('prompts nobody for %s, and responds as it does to everybody', async (what, make) => {
    const { id = victim.id, headers = {}, body: sent = body, query = '' } = await make()
    const index = tries.findIndex(([each]) => each === what)
    const ip = `192.0.2.${index}`
    const answer = await world.deliver(`${id}${query}`, headers, sent, ip)
    const nothing = await world.deliver('hok_01KAHB2N3P4Q5R6S7T8V9WXYZ9', {}, body, `198.51.100.${index}`)
    expect([answer.status, answer.text]).toEqual([401, nothing.text])
    for (const { userId, id: hookId } of [victim, attacker]) {
      expect(await world.asked(userId)).toEqual([])
      expect(await world.ports.hooks.find(hookId)).toMatchObject({ lastDelivery: null })
    }
  })

  test('responds to an unknown id as to a wrong secret', async () => {
    const work = async (id: string, headers: Headers, ip: string) => {
      const { result, calls } = await counted(() => world.deliver(id, headers, body, ip))
      const { 'X-Request-Id': _, ...told } = result.headers
      return { status: result.status, text: result.text, told, calls: calls.map(({ operation }) => operation) }
    }
    const never = 'hok_01KAHB2N3P4Q5R6S7T8V9WXYZ0'
    const ways = [
      bearer('whsec_wrong'),
      standard({ secret: 'x' }),
      { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    ]
    for (const [index, headers] of ways.entries()) {
      const known = await work(victim.id, headers, `198.51.100.${index + 10}`)
      for (const [other, id] of [never, 'nothing', dead.id].entries())
        expect(await work(id, headers, `198.51.100.${index * 10 + other + 40}`)).toEqual(known)
      expect(known.calls).toEqual(['GetItem', 'UpdateItem'])
    }
  })
})

describe('receiveDelivery, retried', () => {
  // A hook accepts a limited number per hour.
  beforeEach(() => {
    world.clock.nowMs += 60 * minuteMs
  })

  const start = () => world.clock.nowMs
  const again: [what: string, first: () => Promise<Try>, second: () => Promise<Try>, afterMs?: number][] = [
    ['GitHub’s delivery', () => github('d-1'), () => github('d-1')],
    ['GitHub’s body under another id', () => github('d-2', 'two'), () => github('d-3', 'two')],
    [
      'GitHub’s body without an id',
      () => github('d-4', 'four'),
      async () => ({ ...without((await github('d-4', 'four')).headers ?? {}, 'x-github-delivery'), body: 'four' }),
    ],
    ['GitHub’s id over another body', () => github('d-5', 'five'), () => github('d-5', 'not five')],
    ['GitHub’s body, weeks later', () => github('d-6', 'six'), () => github('d-7', 'six'), deliveryKeptMs - minuteMs],
    ['a timed delivery', () => timed('m-1'), () => timed('m-1')],
    ['a timed delivery with a new signature', () => timed('m-2'), () => timed('m-2'), 60 * minuteMs],
    ['a timed delivery over another body', () => timed('m-3'), () => timed('m-3', 'other')],
    ['a bearer delivery with an idempotency key', () => keyed('k-1'), () => keyed('k-1')],
    ['a bearer delivery with an idempotency key and another body', () => keyed('k-2'), () => keyed('k-2', 'other')],
  ]
  const github = async (delivery: string, text = body): Promise<Try> => ({
    headers: await world.github(victim.secret, text, delivery),
    body: text,
  })
  const timed = async (id: string, text = body): Promise<Try> => ({
    headers: world.standard(victim.secret, text, { id }),
    body: text,
  })
  const keyed = async (id: string, text = body): Promise<Try> => ({
    headers: { ...bearer(victim.secret), 'idempotency-key': id },
    body: text,
  })

  test.each(again)('for %s returns the first response and prompts once', async (_, first, second, afterMs = 0) => {
    const before = (await world.asked(victim.userId)).length
    const at = start()
    const sendOne = async ({ headers = {}, body: text = body }: Try) => world.deliver(victim.id, headers, text)
    const answered = await sendOne(await first())
    world.clock.nowMs = at + afterMs
    const repeated = await sendOne(await second())
    world.clock.nowMs = at
    expect([answered.status, repeated.status, repeated.text]).toEqual([202, 202, answered.text])
    expect(await world.asked(victim.userId)).toHaveLength(before + 1)
  })

  test('reveals nothing about another hook’s delivery', async () => {
    const text = 'the same for two'
    for (const { id, secret, userId } of [victim, attacker]) {
      const before = (await world.asked(userId)).length
      await world.deliver(id, world.standard(secret, text, { id: 'shared' }), text)
      expect(await world.asked(userId)).toHaveLength(before + 1)
    }
  })
})
