import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { anthropic, type FormatCase, responses } from './format-cases.ts'
import { echo, modelsOver } from './ports.ts'
import { startProxyServer } from './proxy-server.ts'
import { type Seen, startUpstream } from './upstream.ts'

/** A provider that stores everything it is sent, under every kind of id, and looks up every id in a request. */
const kept = new Map<string, string>()
const kinds = ['resp_', 'file-', 'file_', 'conv_', 'container_', 'cntr_', 'vs_', 'msgbatch_', 'pmpt_', 'skill_']
let fetched: string[] = []

function stateful(response: import('node:http').ServerResponse, { path, headers, body }: Seen): void {
  const all = JSON.stringify([path, headers, body])
  const found = [...kept].filter(([id]) => all.includes(`"${id}"`) || headerHas(headers, id) || path.includes(id))
  fetched.push(...(all.match(/"\s*[a-z0-9]+:\/\/[^"]+"/gi) ?? []))
  const serial = String(kept.size).padStart(6, '0')
  for (const kind of kinds) kept.set(`${kind}${serial}a`, JSON.stringify(body))
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ ...whole, found: found.map(([, said]) => said) }))
}
const headerHas = (headers: Seen['headers'], id: string) =>
  ['anthropic-beta', 'openai-beta'].some((name) => String(headers[name] ?? '').includes(id))
const whole = {
  choices: [{ message: { content: 'x' } }],
  content: [{ type: 'text', text: 'x' }],
  output: [],
  type: 'message',
  status: 'completed',
  usage: { prompt_tokens: 1, completion_tokens: 1, input_tokens: 1, output_tokens: 1 },
}

let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>
beforeAll(async () => {
  upstream = await startUpstream()
  proxy = await startProxyServer(upstream.url, 1e9, {
    models: modelsOver(upstream.url, [responses.model, anthropic.model, echo]),
  })
})
afterAll(async () => {
  await proxy.close()
  await upstream.close()
})

const chat = { path: '/v1/chat/completions', ask: { model: 'local/echo', messages: [{ role: 'user', content: 'Hi' }] } }

/** Every place for a value, in known and in unknown fields. */
const places: ((value: string, ask: Record<string, unknown>) => object)[] = [
  ...['id', 'ref', 'session', 'later', 'previous_response_id', 'conversation', 'container', 'state', 'from'].map(
    (name) => (value: string) => ({ [name]: value }),
  ),
  (value) => ({ prompt: { id: value } }),
  (value) => ({ a: { b: [{ c: value }] } }),
  (value) => ({ a: [[value]] }),
  (value) => ({ tools: [{ type: 'unheard_of', store: value }] }),
  (value) => ({ tools: [{ type: 'file_search', vector_store_ids: [value] }] }),
  (value) => ({ tool_resources: { search: { stores: [value] } } }),
  (value) => ({ input: [{ type: 'item_reference', id: value }] }),
  (value) => ({ input: [{ type: 'message', id: value, role: 'user', content: 'x' }] }),
  (value) => ({ input: [{ type: 'image_generation_call', id: value }] }),
  (value) => ({ input: [{ role: 'user', content: [{ type: 'input_file', file_id: value }] }] }),
  (value) => ({ input: [{ role: 'user', content: [{ type: 'unheard_of', where: value }] }] }),
  (value) => ({ messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: value } }] }] }),
  (value) => ({ messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'x', at: value } }] }] }),
  (value) => ({ messages: [{ role: 'assistant', audio: { id: value }, content: 'x' }] }),
  (value) => ({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: value } }] }] }),
]

describe.each([chat, responses, anthropic] as Pick<FormatCase, 'path' | 'ask'>[])('$path', ({ path, ask }) => {
  const post = (more: object, query = '', headers: Record<string, string> = {}) =>
    fetch(`${proxy.url}${path}${query}`, { method: 'POST', headers, body: JSON.stringify({ ...ask, ...more }) })

  test('lets no user read another’s data at the provider, and downloads nothing', async () => {
    upstream.use(stateful)
    kept.clear()
    fetched = []
    expect((await post({ secret_of: 'Ada' })).status).toBe(200)
    const foreign = [...kept.keys()]
    expect(foreign.length).toBe(kinds.length)
    const answers: Response[] = []
    for (const value of [...foreign, 'https://x.test/secret', 'gs://x/secret']) {
      for (const place of places) answers.push(await post(place(value, { ...ask })))
      answers.push(await post({}, `?ref=${encodeURIComponent(value)}`))
      for (const name of ['anthropic-beta', 'openai-beta']) answers.push(await post({}, '', { [name]: `a,${value}` }))
    }
    const bodies = await Promise.all(answers.map((answer) => answer.json()))
    expect(bodies.filter(({ found }) => found?.length > 0)).toEqual([])
    expect(fetched).toEqual([])
    // Most requests are rejected, and some are sent on without the id.
    expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThan(answers.length / 2)
  })
})

test('the caller may choose the provider’s features', async () => {
  upstream.use(stateful)
  const beta = 'interleaved-thinking-2025-05-14,unheard-of-2027-01-01'
  const answer = await fetch(`${proxy.url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'anthropic-beta': beta, 'x-other': 'kept here' },
    body: JSON.stringify(anthropic.ask),
  })
  expect(answer.status).toBe(200)
  expect(upstream.seen[0]).toMatchObject({ path: '/anthropic-messages?beta=true', headers: { 'anthropic-beta': beta } })
  expect(upstream.seen[0]?.headers).not.toHaveProperty('x-other')
})
