import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, Socket, type Server as TcpServer } from 'node:net'
import { isPublicAddress } from '../../../adapters/web/public-addresses.ts'
import {
  type Guard,
  publicOnly,
  publicOrLoopback,
  requestPublic,
  resolveByDns,
} from '../../../adapters/web/public-request.ts'
import { openSender, webhookSender } from '../../../adapters/web/webhook-sender.ts'
import type { PushDevices } from '../../../app/ports/notifications.ts'
import { deviceTarget } from '../../../app/webhooks/device-target.ts'
import { newDelivery } from '../../../domain/webhooks/delivery.ts'
import { newCertificate } from '../../agent/certificate.ts'
import { env } from '../../cloud.ts'
import { newSubscriber } from '../../push-service/subscriber.ts'
import { closedIpv4, closedIpv6, hostileUrls, privateNames } from './hostile-urls.ts'
import { openNameServer } from './name-server.ts'

/** Represents an address of the public internet: the guard in this file admits only this loopback address. */
const publicAddress = '127.0.0.77'
/** A timeout that no response here reaches on a busy machine, and one for addresses that never respond. */
const limits = { connectMs: 20_000, wholeMs: 60_000 }
const short = { connectMs: 400, wholeMs: 1_200 }

/** The agent of this file, because other files of the worker may still have open connections. */
const ours = new AsyncLocalStorage<true>()

/** Every address to which a socket tried to connect for this agent. */
const attempts: string[] = []
const { connect } = Socket.prototype
const nameOf = (address: string) => `n${address.replaceAll(/[.:]/g, '-')}.hostile.test`
const zone = new Map<string, (asked: number) => string[]>([
  ...[...closedIpv4, ...closedIpv6].flatMap((address) => [
    [nameOf(address), () => [address]] as const,
    [`mixed-${nameOf(address)}`, () => [publicAddress, address]] as const,
  ]),
  ...privateNames.map((name) => [name.toLowerCase().replace(/\.$/, ''), () => ['127.0.0.1', '::1']] as const),
  ['public.hostile.test', () => [publicAddress]],
  ['rebinding.hostile.test', (asked) => [asked % 2 === 0 ? publicAddress : '127.0.0.1']],
  ['flipped.hostile.test', (asked) => [asked % 2 === 0 ? '127.0.0.1' : publicAddress]],
  ['nothing.hostile.test', () => []],
])

let names: Awaited<ReturnType<typeof openNameServer>>
let guard: Guard
let server: Server
let port: number
/** The requests to the public server, and its responses by path. */
const asked: string[] = []
const behaviours = new Map<string, (response: ServerResponse) => void>()
const listeners: TcpServer[] = []
let connections = 0

beforeAll(async () => {
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    if (ours.getStore()) this.on('connectionAttempt', (address: string) => attempts.push(address))
    return Reflect.apply(connect, this, given)
  } as typeof connect
  const { key, cert } = newCertificate(['*.hostile.test', 'localhost'])
  server = createServer({ key, cert }, (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const behave = behaviours.get(request.url ?? '')
    request.resume()
    request.on('end', () => (behave ? behave(response) : response.end('ok')))
  }).listen(0, publicAddress)
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port // safe because it listens on TCP
  for (const host of ['127.0.0.1', '::1', '127.255.255.254']) {
    const listener = createTcpServer((socket) => {
      connections += 1
      socket.destroy()
    }).listen(port, host)
    // A machine without IPv6 cannot reach such an address.
    const listens = await Promise.race([once(listener, 'listening'), once(listener, 'error').then(() => null)])
    if (listens) listeners.push(listener)
  }
  names = await openNameServer((name, times) => zone.get(name)?.(times))
  const resolve = resolveByDns([names.server])
  guard = { ...publicOnly, resolve, allows: (each) => each === publicAddress || isPublicAddress(each), ca: cert }
})
beforeEach(() => {
  attempts.length = 0
  asked.length = 0
  connections = 0
})
afterAll(() => {
  Socket.prototype.connect = connect
  names.close()
  for (const each of [server, ...listeners]) each.close()
})

const post = { method: 'POST', headers: {}, body: '{}' } as const

/** A sealed push message for any address. */
const sealed = async () => ({ headers: { ttl: '60', 'content-encoding': 'aes128gcm' }, body: Buffer.alloc(200) })

/** One request that passes only the guard; null when it was sent. */
async function refusalOf(text: string, by: Guard = guard): Promise<string | null> {
  try {
    const response = await ours.run(true, () => requestPublic(new URL(text), post, limits, by))
    response.destroy()
    return null
  } catch (error) {
    return error instanceof Error ? `${error.constructor.name}: ${error.message}` : 'refused'
  }
}

const toPublic = async () => [{ address: publicAddress, family: 4 }]

/** A webhook request to the server that represents the internet. */
const send = (path: string, within = limits) =>
  ours.run(true, () =>
    openSender({ ...guard, resolve: toPublic, literals: true }, true, within).post(
      `https://localhost:${port}${path}`,
      {},
      '{}',
    ),
  )

const everyHostile = () => [
  ...hostileUrls(`:${port}`),
  ...[...closedIpv4, ...closedIpv6].flatMap((address) => [
    `https://${nameOf(address)}:${port}/`,
    `https://mixed-${nameOf(address)}:${port}/`,
  ]),
  `https://nothing.hostile.test:${port}/`,
]

test.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])('%s is public', (address) =>
  expect(isPublicAddress(address)).toBe(true),
)

describe('a request to a user’s address', () => {
  test('reaches a public address by its name over TLS', async () => {
    expect(await refusalOf(`https://public.hostile.test:${port}/`)).toBeNull()
    expect([asked, attempts]).toEqual([['POST /'], [publicAddress]])
  })

  test('connects to none of more than two hundred hostile addresses', async () => {
    const urls = everyHostile()
    expect(urls.length).toBeGreaterThan(200)
    expect(listeners.length).toBeGreaterThanOrEqual(2)
    const through: string[] = []
    for (const url of urls) if ((await refusalOf(url)) === null) through.push(url)
    expect(through).toEqual([])
    expect({ attempts, connections, asked }).toEqual({ attempts: [], connections: 0, asked: [] })
  })

  test('to a webhook endpoint, with its own guard, connects to none of them either', async () => {
    const sender = openSender(guard, false, limits)
    for (const url of [...everyHostile(), ...hostileUrls('')]) {
      const { status, failure } = await ours.run(true, () => sender.post(url, {}, '{}'))
      expect([url, status, failure]).toEqual([url, null, expect.any(String)])
    }
    expect({ attempts, connections, asked }).toEqual({ attempts: [], connections: 0, asked: [] })
  })

  test('for a browser push, with its own guard, connects to none of them either', async () => {
    const { open: _, ...browser } = newSubscriber('')
    const deps = {
      pushMessages: { publicKey: async () => '', isKey: () => true, seal: sealed },
      webhookSender: openSender(guard, false, limits),
      pushDevices: {} as PushDevices, // safe because the test records no response
      clock: { now: () => Date.now(), sleep: async () => {} },
    }
    const event = { id: 'ntf_1', type: 'notification.added', at: '', data: {} } as const
    const delivery = { ...newDelivery('psh_1', event, Date.now()), body: '{}' }
    const quiet = { name: '', createdAt: '', sessionId: '', failingSince: null, failures: 0, restsUntilMs: 0 }
    const urls = [...everyHostile(), ...hostileUrls('')]
    expect(urls.length).toBeGreaterThan(300)
    for (const endpoint of urls) {
      const device = { ...browser, ...quiet, id: 'psh_1', endpoint }
      const { status, failure } = await ours.run(true, () => deviceTarget(deps, 'usr_1', device).post(delivery))
      expect([endpoint, status, failure]).toEqual([endpoint, null, expect.any(String)])
    }
    expect({ attempts, connections, asked }).toEqual({ attempts: [], connections: 0, asked: [] })
  })

  test('connects to the checked address, even when the name changes between two look-ups', async () => {
    for (const name of ['rebinding.hostile.test', 'flipped.hostile.test']) {
      const outcomes: (string | null)[] = []
      for (let made = 0; made < 40; made++) outcomes.push(await refusalOf(`https://${name}:${port}/`))
      expect(outcomes.filter((each) => each === null)).toHaveLength(20)
      expect(outcomes.filter((each) => each?.includes('not public'))).toHaveLength(20)
      // One look-up per connection: the checked address is the used one.
      expect(names.timesAsked(name)).toBe(40)
    }
    expect([new Set(attempts), connections]).toEqual([new Set([publicAddress]), 0])
  })

  test('follows no redirect', async () => {
    const targets = ['https://127.0.0.1/', 'http://169.254.169.254/latest/', 'https://public.hostile.test/', '//[::1]/']
    for (const code of [300, 301, 302, 303, 305, 307, 308])
      for (const [i, location] of targets.entries()) {
        const path = `/moved-${code}-${i}`
        const headers = { location, refresh: `0; url=${location}`, link: `<${location}>; rel=canonical` }
        behaviours.set(path, (response) => void response.writeHead(code, headers).end())
        expect(await send(path)).toMatchObject({ status: code, failure: null })
      }
    expect([new Set(attempts), connections]).toEqual([new Set([publicAddress]), 0])
    expect(asked).toHaveLength(7 * targets.length)
  })

  test('uses no proxy', async () => {
    const before = { ...process.env }
    Object.assign(process.env, {
      HTTPS_PROXY: 'http://127.0.0.1:9',
      https_proxy: 'http://127.0.0.1:9',
      NODE_USE_ENV_PROXY: '1',
    })
    expect(await refusalOf(`https://public.hostile.test:${port}/`)).toBeNull()
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'NODE_USE_ENV_PROXY']) delete process.env[name]
    Object.assign(process.env, before)
    expect(attempts).toEqual([publicAddress])
  })

  test('requires a certificate for the name', async () => {
    const { ca: _, ...untrusting } = guard
    expect(await refusalOf(`https://public.hostile.test:${port}/`, untrusting)).toContain('certificate')
    zone.set('a.other.test', () => [publicAddress])
    expect(await refusalOf(`https://a.other.test:${port}/`)).toContain('altnames')
  })

  test('is guarded on every stage; only a laptop may reach its own loopback', async () => {
    const production = webhookSender({ ...env, settings: () => ({ ...env.settings(), production: true }) })
    const laptop = webhookSender({ ...env, settings: () => ({ ...env.settings(), production: false }) })
    const refusing = (url: string) => ours.run(true, () => production.post(url, {}, '{}'))
    expect(await refusing('https://localhost/')).toMatchObject({ failure: 'refused-address' })
    expect(await refusing(`http://127.0.0.1:${port}/`)).toMatchObject({ failure: 'refused-address' })
    expect(attempts).toEqual([])
    for (const url of [
      'http://169.254.169.254/',
      'https://10.0.0.1/',
      'http://192.168.1.1/',
      'http://[fd00:ec2::254]/',
    ])
      expect(await ours.run(true, () => laptop.post(url, {}, '{}'))).toMatchObject({ failure: 'refused-address' })
    expect(attempts).toEqual([])
    await ours.run(true, () => laptop.post(`http://127.0.0.1:${port}/`, {}, '{}'))
    await ours.run(true, () => laptop.post(`http://localhost:${port}/`, {}, '{}'))
    expect(attempts).toEqual(['127.0.0.1', '127.0.0.1'])
    expect(publicOrLoopback.allows('10.0.0.1')).toBe(false)
  })
})

describe('an endpoint’s response', () => {
  test('is read as its status and its retry time', async () => {
    behaviours.set('/busy', (response) => void response.writeHead(429, { 'retry-after': '120' }).end())
    expect(await send('/busy')).toEqual({
      status: 429,
      failure: null,
      latencyMs: expect.any(Number),
      retryAfterSeconds: 120,
    })
    const date = new Date(Date.now() + 90_000).toUTCString()
    behaviours.set('/later', (response) => void response.writeHead(503, { 'retry-after': date }).end())
    const { retryAfterSeconds } = await send('/later')
    expect(Math.abs((retryAfterSeconds ?? 0) - 90)).toBeLessThan(5)
    expect((await send('/fine')).status).toBe(200)
  })

  test('is cut off after a limited number of bytes', async () => {
    let written = 0
    behaviours.set('/endless', (response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1_024))) written += 1_024
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    const startMs = performance.now()
    expect(await send('/endless')).toMatchObject({ status: 200, failure: null })
    expect(performance.now() - startMs).toBeLessThan(limits.wholeMs)
    // The bytes in the network's buffers are outside our control.
    expect(written).toBeLessThan(8_000_000)
  })

  test.each<[what: string, path: string, behave: (response: ServerResponse) => void, failure: string]>([
    ['never arrives', '/silent', () => {}, 'timeout'],
    ['is broken off', '/reset', (response) => void response.destroy(), 'unreachable'],
    [
      'has endless headers',
      '/headers',
      (response) => void response.writeHead(200, { 'x-long': 'x'.repeat(40_000) }).end(),
      'unreachable',
    ],
    ['is not HTTP', '/noise', (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'), 'unreachable'],
    [
      'changes the protocol',
      '/upgrade',
      (response) =>
        void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      'unreachable',
    ],
  ])('that %s counts as no response', async (_, path, behave, failure) => {
    behaviours.set(path, behave)
    const startMs = performance.now()
    expect(await send(path, path === '/silent' ? short : limits)).toMatchObject({ status: null, failure })
    expect(performance.now() - startMs).toBeLessThan(limits.wholeMs)
  })

  test('counts although its body never ends', async () => {
    behaviours.set('/drip', (response) => {
      response.writeHead(204 + 2).write('x')
    })
    expect(await send('/drip', { ...limits, wholeMs: 2_500 })).toMatchObject({ status: 206, failure: null })
  })

  test('is not awaited when nobody accepts the connection or speaks TLS', async () => {
    const mute = createTcpServer(() => {}).listen(0, publicAddress)
    await once(mute, 'listening')
    const { port: at } = mute.address() as AddressInfo // safe because it listens on TCP
    const startMs = performance.now()
    const sender = openSender({ ...guard, resolve: toPublic, literals: true }, true, { ...limits, connectMs: 400 })
    expect(await sender.post(`https://localhost:${at}/`, {}, '{}')).toMatchObject({ status: null, failure: 'timeout' })
    expect(performance.now() - startMs).toBeLessThan(limits.wholeMs)
    mute.close()
    const plain = createTcpServer((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n')).listen(0, publicAddress)
    await once(plain, 'listening')
    const { port: spoken } = plain.address() as AddressInfo // safe because it listens on TCP
    expect(await sender.post(`https://localhost:${spoken}/`, {}, '{}')).toMatchObject({ status: null, failure: 'tls' })
    plain.close()
    const none = await sender.post(`https://localhost:${at}/`, {}, '{}')
    expect(none).toMatchObject({ status: null, failure: 'unreachable' })
  })
})
