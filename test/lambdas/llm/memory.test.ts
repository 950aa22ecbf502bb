import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../../bench/proxy/berth.ts', import.meta.url))

/** Sends one word, and waits before the rest. */
const waiting = new Set<() => void>()
const upstream = createServer((asked, response) => {
  asked.resume()
  asked.once('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[{"delta":{"content":"one"}}]}\n\n')
    waiting.add(() => response.end('data: [DONE]\n\n'))
  })
})

let proxy: ChildProcess
let started: { port: number; bearers: string[] }
beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as AddressInfo // safe because it listens on TCP
  const url = `http://127.0.0.1:${port}`
  proxy = fork(program, ['stub', url], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: ['--expose-gc'] })
  ;[started] = await once(proxy, 'message')
})
afterAll(async () => {
  proxy.kill()
  await once(proxy, 'exit')
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})

/** Bytes in use after a garbage collection, once recent work has ended. */
async function used(): Promise<number> {
  await sleep(200)
  proxy.send('memory')
  const [{ memory }] = await once(proxy, 'message')
  return memory
}

/** Opens a stream with a prompt of a megabyte, and resolves at its first word. */
const open = (n: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request({
      port: started.port,
      host: '127.0.0.1',
      path: '/api/llm/proxy/v1/chat/completions',
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${started.bearers[0]}`, 'content-type': 'application/json' },
    })
    sent.once('error', reject)
    sent.once('response', (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`HTTP ${answer.statusCode}`))
      answer.on('data', () => resolve())
    })
    const messages = [{ role: 'user', content: `${n} ${'word '.repeat(200_000)}` }]
    sent.end(JSON.stringify({ model: 'local/echo', stream: true, messages }))
  })

test('a running stream keeps nothing of its prompt in memory', async () => {
  const streams = 20
  await open(0)
  const before = await used()
  for (let n = 1; n <= streams; n++) await open(n)
  const kibAStream = ((await used()) - before) / streams / 1024
  for (const end of waiting) end()
  expect(kibAStream).toBeLessThan(200)
})
