import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { post } from '../../../adapters/models/post.ts'
import { until } from '../../until.ts'

let answer: RequestListener
let asked: number
let server: Server
let url: URL
beforeEach(async () => {
  asked = 0
  server = createServer((request, response) => {
    asked++
    request.resume()
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`) // safe because it listens on TCP
})
afterEach(() => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})

const send = (signal = new AbortController().signal) => post(url, {}, '{}', signal)
const drain = (): undefined => undefined

test('a response aborted before its reader took all of it is incomplete', async () => {
  answer = async (_, response) => {
    response.write('x'.repeat(100))
    await sleep(20)
    response.end('y'.repeat(100))
  }
  const gone = new AbortController()
  const { read } = await send(gone.signal)
  let taken = 0
  let go = () => {}
  const reading = read((chunk) => {
    taken += chunk.length
    return new Promise((resolve) => {
      go = resolve
    })
  })
  await sleep(60) // The rest of the response has arrived and is buffered.
  gone.abort()
  go()
  await expect(reading).rejects.toThrow()
  expect(taken).toBe(100)
})

test('a slow reader gets the whole response although the provider has finished', async () => {
  answer = async (_, response) => {
    response.write('x'.repeat(100))
    await sleep(5)
    response.end('y'.repeat(100))
  }
  const { read } = await send()
  let taken = 0
  await read(async (chunk) => {
    taken += chunk.length
    await sleep(30)
  })
  expect(taken).toBe(200)
})

test('an exception in the reader releases the connection', async () => {
  let closed = false
  answer = (_, response) => {
    response.once('close', () => {
      closed = true
    })
    response.write('x')
  }
  const { read } = await send()
  const failing = read(() => {
    throw new Error('not this')
  })
  await expect(failing).rejects.toThrow('not this')
  await until(() => closed)
})

test('a call whose response breaks off is not retried, although another connection is free', async () => {
  answer = (_, response) => void response.end('ok')
  const both = await Promise.all([send(), send()])
  await Promise.all(both.map(({ read }) => read(drain)))
  await sleep(20) // Both connections stay open.
  answer = async (request, response) => {
    response.write('the beginning')
    await sleep(20)
    request.socket.resetAndDestroy()
  }
  const { read } = await send()
  await expect(read(drain)).rejects.toThrow()
  answer = (_, response) => void response.end('ok')
  await (await send()).read(drain)
  expect(asked).toBe(4)
})

test('a call on a kept-alive connection that was just closed is retried', async () => {
  answer = (_, response) => void response.end('ok')
  await (await send()).read(drain)
  await sleep(20)
  let first = true
  answer = (request, response) => {
    if (first) request.socket.resetAndDestroy()
    else response.end('ok')
    first = false
  }
  const { status, read } = await send()
  await read(drain)
  expect([status, asked]).toEqual([200, 3])
})
