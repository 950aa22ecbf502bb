import { EventEmitter } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** The requests of a client's program to the model, in words that the upstream understands. */
export const wishes = {
  say: 'Say hello.',
  tool: 'Use the tool.',
  json: 'Answer in JSON.',
  long: 'Speak for long.',
  remember: 'My boat is called Petrel.',
  recall: 'What is my boat called?',
  see: 'What is in the image?',
} as const
/** Asks for a file through the program's own tool. */
export const readWish = (path: string) => `Read the file ${path} now.`
/** Asks for a question to the agent's owner, by the command `berth` in the program's own shell or by a tool for it. */
export const askWish = 'Ask your user whether you may sail.'
const askCommand = 'berth ask May-I-sail --approve'
/** The content of the file. */
export const secret = '7341'

const sse = (...events: (object | string)[]) =>
  events
    .map((event) => {
      const type = typeof event === 'object' && 'type' in event ? `event: ${event.type}\n` : ''
      return `${type}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`
    })
    .join('')

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
}
interface Tool {
  name: string
  schema: Schema
  /** The namespace of grouped tools: a call names it as well. */
  namespace?: string
}
type SentTool = { name?: string; tools?: SentTool[]; function?: { name: string; parameters?: Schema } } & {
  [schema in 'parameters' | 'input_schema']?: Schema
}
type Body = Record<string, unknown> & { tools?: SentTool[]; stream?: boolean }

/** The messages since the model's last one, except instructions. */
function lastSaid(body: Body): string {
  const conversation = (body.messages ?? body.input) as unknown
  if (!Array.isArray(conversation)) return JSON.stringify(conversation) ?? ''
  const spoke = conversation.findLastIndex(({ role, type }) => role === 'assistant' || /call$/.test(type))
  const said = conversation.slice(spoke + 1).filter(({ role }) => role !== 'system' && role !== 'developer')
  return JSON.stringify(said)
}

const toolsOf = (sent: SentTool[]): Tool[] =>
  sent.flatMap((tool) =>
    tool.tools
      ? toolsOf(tool.tools).map((inner) => ({ ...inner, ...(tool.name && { namespace: tool.name }) }))
      : [
          {
            name: tool.function?.name ?? tool.name ?? '',
            schema: tool.function?.parameters ?? tool.parameters ?? tool.input_schema ?? {},
          },
        ],
  )

type Call = { tool: string; input: object; namespace?: string } | null

const reads = /^read(_file)?$/i

/** A program's own way to read a file: its read tool, or else its shell. */
function readBy(tools: Tool[], path: string): Call {
  const reader = tools.find(({ name }) => reads.test(name)) ?? tools.find(({ name }) => /shell|exec|bash/.test(name))
  if (!reader) return null
  const { properties = {}, required = [] } = reader.schema
  const field = required[0] ?? Object.keys(properties)[0] ?? ''
  const words = properties[field]?.type === 'array' ? ['cat', path] : `cat ${path}`
  return { tool: reader.name, input: { [field]: reads.test(reader.name) ? path : words } }
}

/** A question to the agent's user, by a tool for that or in a shell. */
function askBy(tools: Tool[]): Call {
  if (tools.some(({ name }) => name === 'ask_user')) return { tool: 'ask_user', input: { question: 'May-I-sail' } }
  const shell = tools.find(({ name }) => /shell|exec|bash/i.test(name))
  if (!shell) return null
  const { properties = {}, required = [] } = shell.schema
  const field = ['command', 'cmd'].find((name) => name in properties) ?? required[0] ?? ''
  const words = properties[field]?.type === 'array' ? askCommand.split(' ') : askCommand
  const others = required.filter((name) => name !== field).map((name) => [name, 'Asks.'])
  return { tool: shell.name, input: { ...Object.fromEntries(others), [field]: words } }
}

/** The tool call that the last message requests. The wallet's tool is preferred if offered. */
function callFor(body: Body): Call {
  const said = lastSaid(body)
  const tools = toolsOf(body.tools ?? [])
  const path = /Read the file (\S+) now/.exec(said)?.[1]
  if (path) return readBy(tools, path)
  // Some programs repeat the request next to the result.
  if (said.includes(askWish) && !isApproved(said)) return askBy(tools)
  // A schema may be the parameters of a tool that receives the answer.
  const answer = said.includes(wishes.json) && tools.find(({ schema }) => schema.properties?.answer)
  if (answer) return { tool: answer.name, input: { answer: answerTo(said) } }
  const [first] = [...tools.filter(({ name }) => isWallet(name)), ...tools]
  if (!first || !said.includes(wishes.tool)) return null
  const { namespace } = first
  return { tool: first.name, input: isWallet(first.name) ? {} : { city: 'Bern' }, ...(namespace && { namespace }) }
}
const isWallet = (name: string) => name.endsWith('wallet_balance')

const isApproved = (said: string) => /approved|\\?"yes\b/.test(said)
const hasImage = (said: string) => /data:image\/png;base64,\w|"media_type":"image\/png"/.test(said)
const answerTo = (said: string) => (hasImage(said) ? 7 : 42)

function wordsFor(body: Body): string {
  const [said, all] = [lastSaid(body), JSON.stringify(body)]
  const result = ['balanceMicros', 'Bern'].find((each) => said.includes(each))
  if (result) return `The tool said ${result}.`
  // Checked before the content of files that a program repeats.
  if (said.includes(wishes.see)) return hasImage(all) ? 'I see the image.' : 'There is no image.'
  if (said.includes(wishes.recall)) return all.includes(wishes.remember) ? 'It is called Petrel.' : 'I do not know.'
  if (said.includes(secret)) return `The file says ${secret}.`
  if (isApproved(said)) return 'You said yes.'
  if (all.includes(wishes.json))
    return all.includes('json_schema') ? `{"answer":${answerTo(said)}}` : 'There is no schema.'
  return hasImage(said) ? 'I see the image.' : 'Hello from the model.'
}

/** No two answers share an id: some programs treat an answer with a known id as the earlier one. */
let answered = 0

/** A call in OpenAI's formats. */
const calledIn = ({ tool, input }: NonNullable<Call>) => ({ name: tool, arguments: JSON.stringify(input) })

const chat = (body: Body): [object, string] => {
  const n = ++answered
  const call = callFor(body)
  const base = { id: `chatcmpl-${n}`, created: 1, model: body.model }
  const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 }
  const message = call
    ? {
        role: 'assistant',
        content: null,
        tool_calls: [{ index: 0, id: `call_${n}`, type: 'function', function: calledIn(call) }],
      }
    : { role: 'assistant', content: wordsFor(body) }
  const finish_reason = call ? 'tool_calls' : 'stop'
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
  const n = ++answered
  const call = callFor(body)
  const usage = {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 25,
  }
  const words = wordsFor(body)
  const item = call
    ? {
        type: 'function_call',
        id: `fc_${n}`,
        call_id: `call_${n}`,
        ...calledIn(call),
        ...(call.namespace && { namespace: call.namespace }),
        status: 'completed',
      }
    : {
        type: 'message',
        id: `msg_${n}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: words, annotations: [], logprobs: [] }],
      }
  const base = {
    id: `resp_${n}`,
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
  const at = { item_id: `msg_${n}`, output_index: 0, content_index: 0 }
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
  const said = call
    ? [
        event('response.function_call_arguments.delta', {
          item_id: `fc_${n}`,
          output_index: 0,
          delta: JSON.stringify(call.input),
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
      item: { ...item, status: 'in_progress', ...(call ? { arguments: '' } : { content: [] }) },
    }),
    ...said,
    event('response.output_item.done', { output_index: 0, item }),
    event('response.completed', { response: whole }),
  ]
  return [whole, sse(...events)]
}

const messages = (body: Body): [object, string] => {
  const n = ++answered
  const call = callFor(body)
  const words = wordsFor(body)
  const usage = { input_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 }
  const block = call
    ? { type: 'tool_use', id: `toolu_${n}`, name: call.tool, input: call.input }
    : { type: 'text', text: words }
  const stop_reason = call ? 'tool_use' : 'end_turn'
  const message = {
    id: `msg_${n}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [block],
    stop_reason,
    stop_sequence: null,
    usage,
  }
  const delta = call
    ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
    : { type: 'text_delta', text: words }
  return [
    message,
    sse(
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: call ? { ...block, input: {} } : { ...block, text: '' } },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ),
  ]
}

/** Milliseconds between the first words of a long answer and the rest. */
const pauseMs = 8_000

/** The first words at once, the rest after a pause in which a client may disconnect. */
async function speakSlowly(response: ServerResponse, events: string): Promise<void> {
  const end = events.search(/Hello|answer/)
  const first = events.indexOf('\n\n', end) + 2
  response.write(events.slice(0, first))
  await sleep(pauseMs)
  response.end(events.slice(first))
}

const answers: [RegExp, (body: Body) => [object, string]][] = [
  [/chat\/completions/, chat],
  [/responses/, responses],
  [/messages/, messages],
]

/** A provider of all three formats, whose answers have recorded shapes of the real ones. */
export async function startVendors() {
  /**
   * The last calls that said hello, described an image and recalled the conversation; `long` signals when a long answer
   * begins and ends.
   */
  const heard = { streamed: false, said: '', seen: '', recalling: '', long: new EventEmitter() }
  const server = createServer(async (request, response: ServerResponse) => {
    const body: Body = JSON.parse((await text(request)) || '{}')
    const answer = answers.find(([path]) => path.test(request.url ?? ''))?.[1]
    if (!answer) return void response.writeHead(404).end('{}')
    const [document, events] = answer(body)
    response.writeHead(200, { 'content-type': body.stream ? 'text/event-stream' : 'application/json' })
    const said = lastSaid(body)
    if (said.includes(wishes.say)) Object.assign(heard, { streamed: body.stream === true, said: JSON.stringify(body) })
    if (said.includes(wishes.recall)) heard.recalling = JSON.stringify(body)
    if (said.includes(wishes.see)) heard.seen = JSON.stringify(body)
    if (body.stream && said.includes(wishes.long)) {
      heard.long.emit('begun')
      await speakSlowly(response, events)
      heard.long.emit('ended')
      return
    }
    response.end(body.stream ? events : JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, heard, close }
}
