import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What a client's own program asks of the model, in words that the upstream understands. */
export const wishes = {
  say: 'Say hello.',
  tool: 'Use the tool.',
  json: 'Answer in JSON.',
  long: 'Speak for long.',
} as const

const sse = (...events: (object | string)[]) =>
  events
    .map((event) => {
      const type = typeof event === 'object' && 'type' in event ? `event: ${event.type}\n` : ''
      return `${type}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`
    })
    .join('')

type Body = Record<string, unknown> & { tools?: { name?: string; function?: { name: string } }[]; stream?: boolean }

/** What was said last, by anybody but whoever instructs the model. */
function lastSaid(body: Body): string {
  const conversation = (body.messages ?? body.input) as unknown
  const said = Array.isArray(conversation)
    ? conversation.findLast(({ role }) => role !== 'system' && role !== 'developer')
    : conversation
  return JSON.stringify(said) ?? ''
}

/** Whether the last thing said asks for a tool that is there; its name. The wallet's is chosen where there is one. */
function toolFor(body: Body): string | null {
  if (!lastSaid(body).includes(wishes.tool)) return null
  const names = body.tools?.map((tool) => tool.function?.name ?? tool.name ?? '') ?? []
  return names.find(isWallet) ?? names[0] ?? null
}
const isWallet = (name: string) => name.endsWith('wallet_balance')
const argumentsFor = (tool: string | null) => (tool !== null && isWallet(tool) ? {} : { city: 'Bern' })

function wordsFor(body: Body): string {
  if (lastSaid(body).includes('balanceMicros')) return 'The tool said balanceMicros.'
  return JSON.stringify(body).includes(wishes.json) ? '{"answer":42}' : 'Hello from the model.'
}

const chat = (body: Body): [object, string] => {
  const tool = toolFor(body)
  const base = { id: 'chatcmpl-1', created: 1, model: body.model }
  const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 }
  const calls = [
    {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: tool, arguments: JSON.stringify(argumentsFor(tool)) },
    },
  ]
  const message = tool
    ? { role: 'assistant', content: null, tool_calls: calls }
    : { role: 'assistant', content: wordsFor(body) }
  const finish_reason = tool ? 'tool_calls' : 'stop'
  const chunk = (delta: object, end: string | null = null) => ({
    ...base,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: end }],
  })
  return [
    { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
    sse(
      chunk({ role: 'assistant', content: '' }),
      chunk(message),
      chunk({}, finish_reason),
      { ...chunk({}), choices: [], usage },
      '[DONE]',
    ),
  ]
}

const responses = (body: Body): [object, string] => {
  const tool = toolFor(body)
  const usage = {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 25,
  }
  const words = wordsFor(body)
  const item = tool
    ? {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: tool,
        arguments: JSON.stringify(argumentsFor(tool)),
        status: 'completed',
      }
    : {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: words, annotations: [], logprobs: [] }],
      }
  const base = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: body.model,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    temperature: 1,
    top_p: 1,
  }
  const whole = { ...base, status: 'completed', output: [item], usage }
  let sequence_number = 0
  const event = (type: string, more: object) => ({ type, sequence_number: sequence_number++, ...more })
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
  const said = tool
    ? [
        event('response.function_call_arguments.delta', {
          item_id: 'fc_1',
          output_index: 0,
          delta: JSON.stringify(argumentsFor(tool)),
        }),
      ]
    : [
        event('response.content_part.added', { ...at, part }),
        event('response.output_text.delta', { ...at, delta: words, logprobs: [] }),
        event('response.output_text.done', { ...at, text: words, logprobs: [] }),
        event('response.content_part.done', { ...at, part: { ...part, text: words } }),
      ]
  const events = [
    event('response.created', { response: { ...base, status: 'in_progress', output: [], usage: null } }),
    event('response.output_item.added', {
      output_index: 0,
      item: { ...item, status: 'in_progress', ...(tool ? { arguments: '' } : { content: [] }) },
    }),
    ...said,
    event('response.output_item.done', { output_index: 0, item }),
    event('response.completed', { response: whole }),
  ]
  return [whole, sse(...events)]
}

const messages = (body: Body): [object, string] => {
  const tool = toolFor(body)
  const words = wordsFor(body)
  const usage = { input_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 }
  const block = tool
    ? { type: 'tool_use', id: 'toolu_1', name: tool, input: argumentsFor(tool) }
    : { type: 'text', text: words }
  const stop_reason = tool ? 'tool_use' : 'end_turn'
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [block],
    stop_reason,
    stop_sequence: null,
    usage,
  }
  const delta = tool
    ? { type: 'input_json_delta', partial_json: JSON.stringify(argumentsFor(tool)) }
    : { type: 'text_delta', text: words }
  return [
    message,
    sse(
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: tool ? { ...block, input: {} } : { ...block, text: '' } },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ),
  ]
}

/** The first words at once, the rest after a while in which somebody may leave. */
function speakSlowly(response: ServerResponse, events: string): void {
  const end = events.indexOf('Hello')
  const first = events.indexOf('\n\n', end) + 2
  response.write(events.slice(0, first))
  setTimeout(() => response.end(events.slice(first)), 3_000)
}

const answers: [RegExp, (body: Body) => [object, string]][] = [
  [/chat\/completions/, chat],
  [/responses/, responses],
  [/messages/, messages],
]

/** A provider of all three formats, whose answers have the shapes that were recorded of the real ones. */
export async function startVendors() {
  const server = createServer(async (request, response: ServerResponse) => {
    const body: Body = JSON.parse((await text(request)) || '{}')
    const answer = answers.find(([path]) => path.test(request.url ?? ''))?.[1]
    if (!answer) return void response.writeHead(404).end('{}')
    const [document, events] = answer(body)
    response.writeHead(200, { 'content-type': body.stream ? 'text/event-stream' : 'application/json' })
    if (body.stream && lastSaid(body).includes(wishes.long)) return speakSlowly(response, events)
    response.end(body.stream ? events : JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, close }
}
