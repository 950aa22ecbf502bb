import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { anthropic, anthropicMessage, anthropicUsage, finished, responses } from './format-cases.ts'
import { echo, modelsOver } from './ports.ts'
import { startProxyServer } from './proxy-server.ts'
import { answering, startUpstream } from './upstream.ts'

const dollar = 1_000_000
const searchMicros = 12_000
const [gpt, claude] = [responses.model, anthropic.model].map((model) => ({ ...model, searchMicros }))
let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
beforeEach(async () => {
  proxy = await startProxyServer(upstream.url, dollar, {
    models: modelsOver(upstream.url, [gpt, claude, echo] as never),
  })
})
afterEach(() => proxy.close())
const post = async (path: string, body: object) => {
  const { status } = await fetch(`${proxy.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
  await proxy.under.finished
  return status
}
const line = () => proxy.books.lines[0]

describe('a web search by the provider', () => {
  test('is limited, included in the hold and charged: OpenAI’s', async () => {
    const action = (type: string) => ({ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type } })
    upstream.use(answering(200, { ...finished, output: [action('search'), action('open_page'), action('search')] }))
    expect(
      await post('/v1/responses', { ...responses.ask, tools: [{ type: 'web_search', external_web_access: false }] }),
    ).toBe(200)
    expect(upstream.seen[0]?.body).toMatchObject({ max_tool_calls: 5, tools: [{ type: 'web_search' }] })
    expect(line()).toMatchObject({
      amountMicros: -(responses.cost + 2 * searchMicros),
      receipt: { searches: 2, searchMicros },
    })
    expect(line()?.receipt?.heldMicros).toBeGreaterThanOrEqual(5 * searchMicros)
  })

  test('is limited, included in the hold and charged: Anthropic’s', async () => {
    const usage = { ...anthropicUsage, output_tokens: 10, server_tool_use: { web_search_requests: 3 } }
    upstream.use(answering(200, { ...anthropicMessage, usage }))
    const tools = [
      { type: 'web_search_20250305', name: 'web_search' },
      { name: 'own', input_schema: {} },
    ]
    expect(await post('/v1/messages', { ...anthropic.ask, tools })).toBe(200)
    expect(upstream.seen[0]?.body.tools).toEqual([{ ...tools[0], max_uses: 5 }, tools[1]])
    expect(line()).toMatchObject({ amountMicros: -(anthropic.cost + 3 * searchMicros), receipt: { searches: 3 } })
  })

  test.each([
    [2, 2],
    [1_000, 20],
    ['many', 5],
  ])('with a limit of %s is sent with a limit of %i', async (asked, most) => {
    upstream.use(answering(200, finished))
    await post('/v1/responses', { ...responses.ask, tools: [{ type: 'web_search' }], max_tool_calls: asked })
    expect(upstream.seen[0]?.body.max_tool_calls).toBe(most)
  })

  test('that costs more than calculated is charged as reported', async () => {
    const usage = { input_tokens: 400_000, output_tokens: 30 }
    upstream.use(answering(200, { ...finished, usage }))
    await post('/v1/responses', { ...responses.ask, tools: [{ type: 'web_search' }] })
    expect(line()?.amountMicros).toBe(-(400_000 + 300))
    expect(line()?.receipt?.heldMicros).toBeLessThan(400_000)
  })

  test.each([
    [
      '/v1/responses',
      responses.ask,
      [{ type: 'web_search' }],
      [
        { type: 'response.output_item.done', item: { type: 'web_search_call', action: { type: 'search' } } },
        { type: 'response.output_text.delta', delta: 'The tide' },
      ],
    ],
    [
      '/v1/messages',
      anthropic.ask,
      [{ type: 'web_search_20250305', name: 'web_search' }],
      [
        { type: 'content_block_start', content_block: { type: 'server_tool_use', name: 'web_search', input: {} } },
        { type: 'content_block_delta', delta: { type: 'text_delta', text: 'The tide' } },
      ],
    ],
  ])('is also charged when the stream breaks off before its report: %s', async (path, ask, tools, events) => {
    upstream.use((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      setTimeout(() => response.destroy(), 20)
    })
    await post(path, { ...ask, tools, stream: true })
    expect(line()?.receipt).toMatchObject({ settledBecause: 'interrupted', searches: 1, searchMicros })
  })

  test('is refused when the wallet cannot pay for it', async () => {
    await proxy.close()
    proxy = await startProxyServer(upstream.url, 50_000, { models: modelsOver(upstream.url, [gpt, echo] as never) })
    expect(await post('/v1/responses', { ...responses.ask, tools: [{ type: 'web_search' }] })).toBe(402)
  })
})
