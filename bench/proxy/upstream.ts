import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A provider at minimal cost: a fixed JSON answer, or a stream of `chunks` events every `gapMs`.
 * The request's own body selects both: `{"stream":true,"seed":<chunks * 1000 + gapMs>}`.
 */
const usage = { prompt_tokens: 12, completion_tokens: 40, total_tokens: 52 }
const whole = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'echo',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'lorem ipsum '.repeat(15) },
      finish_reason: 'stop',
      logprobs: null,
    },
  ],
  usage,
})

const event = (choices: object[], more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'echo', choices, ...more })}\n\n`

/** The events of a stream with this many words, without the usage report. */
export const eventsOf = (count: number): string[] => [
  ...Array.from({ length: count }, (_, i) =>
    event([{ index: 0, delta: { content: `word${i} ` }, finish_reason: null }]),
  ),
  event([{ index: 0, delta: {}, finish_reason: 'stop' }]),
]
const report = event([], { usage })

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part) => parts.push(part))
  request.on('end', async () => {
    const body = JSON.parse(Buffer.concat(parts).toString() || '{}')
    if (!body.stream) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(whole) })
      return response.end(whole)
    }
    const count = Math.floor((body.seed ?? 20_000) / 1000)
    const gapMs = (body.seed ?? 20_000) % 1000
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const text of eventsOf(count)) {
      response.write(text)
      if (gapMs > 0) await new Promise((resolve) => setTimeout(resolve, gapMs))
    }
    if (body.stream_options?.include_usage) response.write(report)
    response.end('data: [DONE]\n\n')
  })
})
if (process.send) {
  server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
    process.send?.({ port: (server.address() as AddressInfo).port }) // safe because it listens on TCP
  })
}
