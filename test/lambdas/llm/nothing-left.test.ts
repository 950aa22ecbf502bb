import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { echo, modelsOver } from './ports.ts'
import { startProxyServer } from './proxy-server.ts'
import { type Script, startUpstream } from './upstream.ts'

let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>
const formats = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const
const model = { ...echo, formats: [...formats] }

beforeAll(async () => {
  upstream = await startUpstream()
  proxy = await startProxyServer(upstream.url, 1_000_000_000, { models: modelsOver(upstream.url, [model]) })
})
afterAll(async () => {
  await proxy.close()
  await upstream.close()
})

const say = { role: 'user', content: 'Count.' }
const calls = [
  ['', { model: 'local/echo', messages: [say] }],
  ['/v1/responses', { model: 'local/echo', input: 'Count.' }],
  ['/v1/messages', { model: 'local/echo', max_tokens: 50, messages: [say] }],
] as const
const events = Array.from({ length: 6 }, (_, i) => `data: {"type":"ping","n":${i}}\n\n`)

/** Writes events, and breaks off before one of them on request. */
const script =
  (cutAt: number): Script =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    for (const [index, event] of events.entries()) {
      if (index === cutAt || response.destroyed) return void response.destroy()
      response.write(event)
      await sleep(2)
    }
    response.end()
  }

/** One call whose client leaves after this number of chunks; 0 is before the response's head. */
const ask = (path: string, body: object, leaveAfter: number): Promise<void> =>
  new Promise((resolve) => {
    const sent = request(`${proxy.url}${path}`, { method: 'POST', agent: false })
    sent.once('error', () => resolve())
    sent.once('close', () => resolve())
    sent.once('response', (answer) => {
      let read = 0
      answer.on('error', () => resolve())
      answer.on('data', () => ++read >= leaveAfter && sent.destroy())
    })
    sent.end(JSON.stringify({ ...body, stream: true }))
    if (leaveAfter === 0) setTimeout(() => sent.destroy(), 2)
  })

interface Left {
  timers: number
  sockets: number
}

/** The resources that keep this process alive, by kind. */
function active(): Left {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return { timers: counts.Timeout ?? 0, sockets: counts.TCPSocketWrap ?? 0 }
}

/** The remaining resources once all calls are settled and the kept-alive connections are closed. */
async function left(): Promise<Left> {
  await proxy.under.finished
  upstream.drop()
  let now = active()
  for (let waited = 0; waited < 40; waited++) {
    await sleep(25)
    const next = active()
    if (waited > 3 && JSON.stringify(next) === JSON.stringify(now)) break
    now = next
  }
  return now
}

test('no hold, socket or timer outlives a call, whichever side breaks off, at any point and in any format', async () => {
  const [path, body] = calls[0]
  upstream.use(script(-1))
  await ask(path, body, Number.POSITIVE_INFINITY)
  const before = await left()
  for (const [path, body] of calls) {
    for (let at = 0; at <= events.length; at++) {
      upstream.use(script(at))
      await ask(path, body, Number.POSITIVE_INFINITY)
      upstream.use(script(-1))
      await ask(path, body, at)
      upstream.use(script(at))
      await ask(path, body, Math.max(1, at - 1))
    }
  }
  const after = await left()
  expect(after.sockets).toBe(before.sockets)
  // A timer of an earlier file may have ended meanwhile.
  expect(after.timers).toBeLessThanOrEqual(before.timers)
  expect(upstream.state.open).toBe(0)
  expect(proxy.books.state.holds).toEqual({})
})
