import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** The prompts that the provider of this proof understands. */
export const scripts = {
  say: 'Say hello.',
  /** Two tool calls, with their pieces interleaved. */
  call: 'Use both tools.',
  /** Longer than the proxy's silence towards its client. */
  wait: 'Say hello after a while.',
  busy: 'Be busy.',
} as const

const silenceMs = 17_000

/** Each event has an id, as the events of some providers do. */
const sse = (events: object[]): string[] =>
  events.map((event, id) => {
    const name = 'type' in event ? `event: ${event.type}\n` : ''
    return `id: ${id}\n${name}data: ${JSON.stringify(event)}\n\n`
  })

const chunk = (delta: object, finish: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const piece = (index: number, more: object) => chunk({ tool_calls: [{ index, ...more }] })
const begun = (index: number, name: string) =>
  piece(index, { id: `call_${name}`, type: 'function', function: { name, arguments: '' } })

const chatWords = ['Hello ', 'from the model.'].map((content) => chunk({ content }))
const chatCalls = [
  begun(0, 'weather'),
  begun(1, 'time'),
  piece(0, { function: { arguments: '{"city":' } }),
  piece(1, { function: { arguments: '{"city":"Rome' } }),
  piece(0, { function: { arguments: '"Bern"}' } }),
  piece(1, { function: { arguments: '"}' } }),
]
const chatUsage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 }

const chat = (calls: boolean): string[] => [
  ...sse([
    chunk({ role: 'assistant', content: '' }),
    ...(calls ? chatCalls : chatWords),
    chunk({}, calls ? 'tool_calls' : 'stop'),
    { ...chunk({}), choices: [], usage: chatUsage },
  ]),
  'data: [DONE]\n\n',
]

const responseUsage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 25,
}
const itemOf = (name: string, args: string, status: string) => ({
  type: 'function_call',
  id: `fc_${name}`,
  call_id: `call_${name}`,
  name,
  arguments: args,
  status,
})
const given: [string, string, string][] = [
  ['weather', '{"city":', '"Bern"}'],
  ['time', '{"city":"Rome', '"}'],
]

function responses(calls: boolean): string[] {
  let sequence_number = 0
  const event = (type: string, more: object) => ({ type, sequence_number: sequence_number++, ...more })
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', error: null, tools: [], output: [] }
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' }
  const part = { type: 'output_text', text: 'Hello from the model.', annotations: [], logprobs: [] }
  const items = calls
    ? given.map(([name, first, rest]) => itemOf(name, first + rest, 'completed'))
    : [{ ...message, content: [part] }]
  const delta = (index: number, text: string) =>
    event('response.function_call_arguments.delta', {
      item_id: `fc_${given[index]?.[0]}`,
      output_index: index,
      delta: text,
    })
  const made = calls
    ? [
        ...given.map(([name], index) =>
          event('response.output_item.added', { output_index: index, item: itemOf(name, '', 'in_progress') }),
        ),
        ...given.map(([, first], index) => delta(index, first)),
        ...given.map(([, , rest], index) => delta(index, rest)),
      ]
    : [
        event('response.output_item.added', {
          output_index: 0,
          item: { ...message, status: 'in_progress', content: [] },
        }),
        event('response.content_part.added', { ...at, part: { ...part, text: '' } }),
        ...['Hello ', 'from the model.'].map((text) =>
          event('response.output_text.delta', { ...at, delta: text, logprobs: [] }),
        ),
      ]
  return sse([
    event('response.created', { response: { ...response, status: 'in_progress', usage: null } }),
    ...made,
    ...items.map((item, index) => event('response.output_item.done', { output_index: index, item })),
    event('response.completed', {
      response: { ...response, status: 'completed', output: items, usage: responseUsage },
    }),
  ])
}

/** A provider of OpenAI's two formats. */
export async function startScripted() {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (body.includes(scripts.busy)) {
      response.writeHead(429, { 'content-type': 'application/json' })
      return void response.end('{"error":{"message":"Rate limit of org-secret reached","type":"requests"}}')
    }
    const make = request.url?.endsWith('/responses') ? responses : chat
    const events = make(body.includes(scripts.call))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    // The position after the first words, for which the proxy waits.
    const middle = events.findIndex((event) => event.includes('Hello')) + 1
    response.write(events.slice(0, middle).join(''))
    if (body.includes(scripts.wait)) await sleep(silenceMs)
    response.end(events.slice(middle).join(''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/v1`, close }
}
