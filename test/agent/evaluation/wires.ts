import type { Usage } from '../../../domain/models/cost.ts'

/**
 * The model's answer: text, tool calls (arguments as an object, or as the exact text that the model wrote), or both.
 */
export interface Answer {
  say?: string
  use?: [name: string, given: object | string][]
}

/** A request in a common form for all formats. */
export interface Request {
  system: string
  tools: string[]
  /** All text of the request in order, tool results included. */
  text: string
  /** Results of the last step, in the order of their calls. */
  results: string[]
  /** The whole request in the order in which providers cache it, without the cache marks. */
  prompt: string
  /** The number of parts that are marked for caching. */
  marks: number
  /** The reasons for which a real provider would refuse the request. */
  violations: string[]
}

export interface Wire {
  path: string
  read(body: Body): Request
  events(answer: Answer, usage: Usage): Iterable<string>
  /** The event of a failure in mid-stream. */
  failure: string
}

interface Body {
  system?: Block[]
  messages: Message[]
  tools?: { name?: string; function?: { name: string } }[]
}
interface Message {
  role: string
  content: string | Block[] | null
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}
interface Block {
  type: string
  text?: string
  id?: string
  tool_use_id?: string
  content?: string
  cache_control?: object
}

let count = 0
const callId = () => `call_${++count}`

const sse = (data: object, event?: string) => `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`

/** A text in pieces. */
function* pieces(text: string, least = 2): Generator<string> {
  const size = Math.max(Math.ceil(text.length / 40), least)
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

const written = (given: object | string): string => (typeof given === 'string' ? given : JSON.stringify(given))

/** Results without a call, calls without a result, and empty messages. */
function orphans(turns: { calls: string[]; answers: string[] }[]): string[] {
  let open: string[] = []
  const found: string[] = []
  for (const { calls, answers } of turns) {
    if (JSON.stringify(open) !== JSON.stringify(answers)) found.push(`calls ${open} are answered by ${answers}`)
    open = calls
  }
  if (open.length > 0) found.push(`calls ${open} are not answered`)
  return found
}

const promptOf = (...parts: object[]): string =>
  JSON.stringify(parts, (name, value) => (name === 'cache_control' ? undefined : value))

export const chatWire: Wire = {
  path: '/v1/chat/completions',
  read({ messages, tools = [] }) {
    const turns: { calls: string[]; answers: string[] }[] = []
    let answers: string[] = []
    for (const { role, tool_calls = [], tool_call_id = '' } of messages) {
      if (role === 'tool') answers.push(tool_call_id)
      else {
        turns.push({ calls: tool_calls.map(({ id }) => id), answers })
        answers = []
      }
    }
    turns.push({ calls: [], answers })
    const textOf = ({ content }: Message) => (typeof content === 'string' ? content : '')
    const last = messages.findLastIndex(({ role }) => role !== 'tool')
    return {
      system: messages[0]?.role === 'system' ? textOf(messages[0]) : '',
      tools: tools.map((tool) => tool.function?.name ?? ''),
      text: messages.map(textOf).join('\n'),
      results: messages.slice(last + 1).map(textOf),
      prompt: promptOf(tools, messages),
      marks: 0,
      violations: orphans(turns),
    }
  },
  *events({ say = '', use = [] }, { input, cachedInput, output }) {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      sse({ choices: [{ index: 0, delta, finish_reason }] })
    yield chunk({ role: 'assistant', content: '' })
    for (const content of pieces(say)) yield chunk({ content })
    for (const [index, [name, given]] of use.entries()) {
      yield chunk({ tool_calls: [{ index, id: callId(), type: 'function', function: { name, arguments: '' } }] })
      for (const piece of pieces(written(given)))
        yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
    }
    yield chunk({}, use.length > 0 ? 'tool_calls' : 'stop')
    const prompt_tokens = input + cachedInput
    const prompt_tokens_details = { cached_tokens: cachedInput }
    const usage = {
      prompt_tokens,
      completion_tokens: output,
      total_tokens: prompt_tokens + output,
      prompt_tokens_details,
    }
    yield sse({ choices: [], usage })
    yield 'data: [DONE]\n\n'
  },
  failure: sse({ error: { message: 'overloaded' } }),
}

export const messagesWire: Wire = {
  path: '/v1/messages',
  read({ system = [], messages, tools = [] }) {
    const blocksOf = ({ content }: Message): Block[] => (Array.isArray(content) ? content : [])
    const turns = messages.map((message) => ({
      calls: blocksOf(message).flatMap(({ type, id = '' }) => (type === 'tool_use' ? [id] : [])),
      answers: blocksOf(message).flatMap(({ type, tool_use_id = '' }) => (type === 'tool_result' ? [tool_use_id] : [])),
    }))
    const blocks = messages.flatMap(blocksOf)
    const usesTools = blocks.some(({ type }) => type === 'tool_use')
    const marks = [...system, ...blocks].filter(({ cache_control }) => cache_control).length
    const last = messages.at(-1)
    const textOf = ({ text, content }: Block) => text ?? content ?? ''
    return {
      system: system.map(textOf).join('\n'),
      tools: tools.map(({ name = '' }) => name),
      text: [...system, ...blocks].map(textOf).join('\n'),
      results: last ? blocksOf(last).flatMap((block) => (block.type === 'tool_result' ? [textOf(block)] : [])) : [],
      prompt: promptOf(tools, system, messages),
      marks,
      violations: [
        ...orphans(turns),
        ...(messages[0]?.role === 'user' ? [] : ['the first message is not the user’s']),
        ...(blocks.some(({ type, text }) => type === 'text' && !text?.trim()) ? ['a text is empty'] : []),
        ...(usesTools && tools.length === 0 ? ['tools were used that are not given'] : []),
        ...(marks > 4 ? ['more than four parts are marked to be cached'] : []),
      ],
    }
  },
  *events({ say = '', use = [] }, { input, cachedInput, cacheWrite, output }) {
    const event = (type: string, data: object = {}) => sse({ type, ...data }, type)
    const usage = { input_tokens: input, cache_read_input_tokens: cachedInput, cache_creation_input_tokens: cacheWrite }
    yield event('message_start', { message: { role: 'assistant', content: [], usage: { ...usage, output_tokens: 1 } } })
    let index = 0
    const block = function* (content_block: object, deltas: object[]) {
      yield event('content_block_start', { index, content_block })
      for (const delta of deltas) yield event('content_block_delta', { index, delta })
      yield event('content_block_stop', { index: index++ })
    }
    if (say)
      yield* block(
        { type: 'text', text: '' },
        [...pieces(say)].map((text) => ({ type: 'text_delta', text })),
      )
    for (const [name, given] of use) {
      const deltas = [...pieces(written(given))].map((partial_json) => ({ type: 'input_json_delta', partial_json }))
      yield* block({ type: 'tool_use', id: callId(), name, input: {} }, deltas)
    }
    const stop_reason = use.length > 0 ? 'tool_use' : 'end_turn'
    yield event('message_delta', { delta: { stop_reason }, usage: { output_tokens: output } })
    yield event('message_stop')
  },
  failure: sse({ type: 'error', error: { type: 'overloaded_error', message: 'overloaded' } }, 'error'),
}
