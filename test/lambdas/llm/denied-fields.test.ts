import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { denying } from './ports.ts'
import { startProxyServer } from './proxy-server.ts'
import { answering, startUpstream } from './upstream.ts'

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const ask = { model: 'local/echo', messages: [{ role: 'user', content: 'turbo' }] }
let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>
beforeAll(async () => {
  upstream = await startUpstream()
  proxy = await startProxyServer(upstream.url, 1_000_000, { denials: denying('turbo', 'warp_20261101') })
})
beforeEach(() => upstream.use(answering(200, { choices: [{ message: { content: 'Hi' } }], usage })))
afterAll(async () => {
  await proxy.close()
  await upstream.close()
})
const post = async (more: object) => {
  const response = await fetch(proxy.url, { method: 'POST', body: JSON.stringify({ ...ask, ...more }) })
  const { details } = (await response.json()) as { details?: object }
  return [response.status, Object.keys(details ?? {})[0]]
}

describe('a field that an operator denied', () => {
  test.each([
    ['a field', { turbo: true }, 'turbo'],
    ['a field inside of another', { extra: [{ turbo: 1 }] }, 'extra.0.turbo'],
    ['a field of a message', { messages: [{ role: 'user', content: 'Hi', turbo: null }] }, undefined],
    ['a tool', { tools: [{ type: 'warp_20261101' }] }, 'tools.0.type'],
  ])('is rejected by name: %s', async (_, more, field) => {
    const sent = upstream.seen.length
    const saysNothing = field === undefined
    expect(await post(more)).toEqual([saysNothing ? 200 : 400, field])
    expect(upstream.seen.length).toBe(saysNothing ? sent + 1 : sent)
  })

  test.each([
    ['texts', { messages: [{ role: 'user', content: 'use turbo' }] }],
    [
      'the caller’s own schemas',
      { tools: [{ type: 'function', function: { name: 'turbo', parameters: { turbo: 1 } } }] },
    ],
    ['other fields', { turbo2: true, tools: [{ type: 'warp' }] }],
  ])('is ignored in %s', async (_, more) => {
    expect(await post(more)).toEqual([200, undefined])
  })
})
