import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clientDocuments, readDocument } from '../../../adapters/web/client-documents.ts'
import { RefusedAddress } from '../../../adapters/web/public-addresses.ts'
import { env } from '../../cloud.ts'

describe('a client document', () => {
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

  /** A page over plain HTTP on this machine; its short timeout keeps the test fast. */
  const read = (path: string, address = `https://name.example${path}`) =>
    readDocument(address, ({ pathname }) => {
      const { port } = server.address() as AddressInfo // safe because it listens on a port
      const signal = AbortSignal.timeout(path === '/slow' ? 50 : 5_000)
      return new Promise<IncomingMessage>((done, failed) => {
        get({ host: '127.0.0.1', port, path: pathname, signal, agent: false }, done).on('error', failed)
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
  ])('is not requested at %s', async (address) => {
    await expect(readDocument(address)).rejects.toThrow(RefusedAddress)
    expect(await clientDocuments(env).read(address)).toBeNull()
  })
})
