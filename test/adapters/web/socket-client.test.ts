import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { socketClient } from '../../../adapters/web/socket-client.ts'
import { inParts } from '../../../domain/socket/parts.ts'
import { env, origin } from '../../cloud.ts'

const server = createServer()
const sockets = new WebSocketServer({ noServer: true })
/** The headers of each handshake, and the resulting connection. */
const shown: IncomingHttpHeaders[] = []
const accepted: WebSocket[] = []
let url = ''
beforeAll(async () => {
  server.on('upgrade', (request, socket, head) => {
    shown.push(request.headers)
    if (request.headers.authorization === 'Bearer no') return socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
    sockets.handleUpgrade(request, socket, head, (made) => accepted.push(made))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/socket` // safe because it listens on TCP
})
afterAll(() => {
  for (const socket of accepted) socket.terminate()
  server.close()
})

const client = (silenceMs?: number) => socketClient({ ...env, variable: () => url }, silenceMs)

async function connected(silenceMs?: number, signal?: AbortSignal) {
  const socket = await client(silenceMs).connect({ authorization: 'Bearer yes' }, signal)
  const [made] = accepted.slice(-1)
  if (!socket || !made) throw new Error('it was not let in')
  return { socket, made, messages: socket[Symbol.asyncIterator]() }
}

test('a connection sends the caller’s headers and our own pages’ origin', async () => {
  await connected()
  expect(shown.at(-1)).toMatchObject({ authorization: 'Bearer yes', origin })
})

test('a connection is null when the service refuses it', async () => {
  expect(await client().connect({ authorization: 'Bearer no' })).toBeNull()
})

test('messages arrive in order, long ones whole, also those before the first read, and end with the connection', async () => {
  const { made, messages } = await connected()
  const long = { type: 'events', events: ['x'.repeat(100_000)] }
  made.send('{"type":"work"}')
  made.send('no message')
  for (const part of inParts(long, 'p')) made.send(part)
  expect((await messages.next()).value).toEqual({ type: 'work' })
  expect((await messages.next()).value).toEqual(long)
  made.close()
  expect(await messages.next()).toEqual({ done: true, value: undefined })
})

test('a silence is reported, and later messages still arrive', async () => {
  const { made, messages } = await connected(20)
  expect([(await messages.next()).value, (await messages.next()).value]).toEqual([null, null])
  const next = messages.next()
  made.send('{"type":"work"}')
  const seen = [(await next).value]
  while (seen.at(-1) === null) seen.push((await messages.next()).value)
  expect(seen.at(-1)).toEqual({ type: 'work' })
})

test.each(['its reader leaves', 'it is aborted'])('a connection closes when %s', async (how) => {
  const abort = new AbortController()
  const { made, messages } = await connected(20, abort.signal)
  await messages.next()
  const closed = once(made, 'close')
  if (how === 'it is aborted') abort.abort()
  else await messages.return?.()
  await closed
})
