import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { guarded, isPublicAddress, readDocument } from '../../../adapters/web/client-documents.ts'

describe('addresses', () => {
  test.each([
    ...[
      '127.0.0.1',
      '10.1.2.3',
      '172.31.255.255',
      '192.168.0.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
    ],
    ...[
      '255.255.255.255',
      '198.18.0.1',
      '::1',
      '::',
      '::ffff:127.0.0.1',
      '::ffff:169.254.169.254',
      'fe80::1',
      'fc00::1',
    ],
    ...['fd00:ec2::254', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', '2001::1', 'ff02::1', 'localhost', ''],
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

  test.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])('%s is', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  )
})

describe('the look-up of a connection', () => {
  const asked = (addresses: string[], all: boolean) =>
    new Promise<unknown[]>((done) => {
      const resolver = (_name: string, _options: { all: true }, answer: (...found: never[]) => void) =>
        (answer as (...found: unknown[]) => void)(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
      guarded(resolver)('name.example', { all }, (error, ...found) => done([error?.message ?? null, ...found]))
    })

  test('gives public addresses, as Node asks for them', async () => {
    expect(await asked(['1.1.1.1', '2606:4700::1111'], false)).toEqual([null, '1.1.1.1', 4])
    expect(await asked(['1.1.1.1'], true)).toEqual([null, [{ address: '1.1.1.1', family: 4 }]])
  })

  test('refuses a name that leads to a closed address too, or to none', async () => {
    for (const addresses of [['127.0.0.1'], ['1.1.1.1', '169.254.169.254'], ['::1', '1.1.1.1'], []])
      for (const all of [true, false])
        expect(await asked(addresses, all)).toEqual([expect.stringContaining('not public')])
  })
})

describe('a document', () => {
  const server = createServer(({ url }, response) => {
    const json = { 'content-type': 'application/json' }
    if (url === '/slow') return
    if (url === '/moved') response.writeHead(302, { ...json, location: '/ok' }).end('{}')
    else if (url === '/html') response.writeHead(200, { 'content-type': 'text/html' }).end('{}')
    else if (url === '/long') response.writeHead(200, json).end(JSON.stringify('x'.repeat(10 * 1024)))
    else if (url === '/broken') response.writeHead(200, json).end('{')
    else response.writeHead(200, json).end('{"a":1}')
  })
  beforeAll(() => new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening)))
  afterAll(() => void server.close())

  /** The page over plain HTTP of this machine; the signal is cut short, so that nobody waits. */
  const read = (path: string, address = `https://name.example${path}`) =>
    readDocument(address, ({ pathname }, signal) => {
      const { port } = server.address() as AddressInfo // safe because it listens on a port
      const sooner = AbortSignal.any([signal, AbortSignal.timeout(path === '/slow' ? 50 : 5_000)])
      return new Promise<IncomingMessage>((done, failed) => {
        get({ host: '127.0.0.1', port, path: pathname, signal: sooner, agent: false }, done).on('error', failed)
      })
    })

  test('is read', async () => expect(await read('/ok')).toEqual({ a: 1 }))

  test.each(['/slow', '/moved', '/html', '/long', '/broken'])('is refused at %s', async (path) => {
    await expect(read(path)).rejects.toThrow()
  })

  test.each([
    'http://name.example/ok',
    'https://127.0.0.1/ok',
    'https://[::1]/ok',
    'https://0x7f000001/ok',
    'https://2130706433/ok',
  ])('is not asked for at %s', async (address) => {
    await expect(read('/ok', address)).rejects.toThrow('not a name over https')
  })
})
