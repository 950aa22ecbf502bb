import type { Usage } from '../../../../domain/models/cost.ts'
import type { ChatFormatName } from '../../../../domain/models/model.ts'

/** The kind of a part of a response: text, reasoning, or a tool's input. */
export type PieceKind = 'text' | 'thought' | 'tool'

/** One API format as its provider writes it: server-sent events, or one JSON document. */
interface Wire {
  /** Before the first part; some formats report the input here. */
  open(usage: Usage): string
  opensWithInput: boolean
  piece(text: string, kind: PieceKind, choice: number): string
  /** After the last part, with or without the report of the whole call. */
  close(usage: Usage | null): string
  /** The provider's own error, in the middle of a stream. */
  error: string
  /** The same with the report of the whole call. */
  billedError(usage: Usage): string
  document(text: string, usage: Usage): object
  /** In place of a document: an error with the report of the whole call. */
  failed(usage: Usage): object
}

const data = (...objects: object[]): string => objects.map((json) => `data: ${JSON.stringify(json)}\n\n`).join('')
const named = (...objects: ({ type: string } & Record<string, unknown>)[]): string =>
  objects.map((json) => `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`).join('')

const allInput = ({ input, cachedInput, cacheWrite }: Usage) => input + cachedInput + cacheWrite

const chatUsage = (usage: Usage) => ({
  prompt_tokens: allInput(usage),
  completion_tokens: usage.output,
  total_tokens: allInput(usage) + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cachedInput, cache_write_tokens: usage.cacheWrite, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: usage.reasoning },
})
const chunk = (choices: object[], more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices,
  ...more,
})
const chatDelta = (text: string, kind: PieceKind) =>
  kind === 'tool'
    ? { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'f', arguments: text } }] }
    : kind === 'thought'
      ? { reasoning_content: text }
      : { content: text }

const chatError = { error: { message: 'The server had an error', type: 'server_error' } }

const chat: Wire = {
  open: () => data(chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }])),
  opensWithInput: false,
  piece: (text, kind, index) => data(chunk([{ index, delta: chatDelta(text, kind), finish_reason: null }])),
  close: (usage) =>
    data(
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      ...(usage ? [chunk([], { usage: chatUsage(usage) })] : []),
    ).concat('data: [DONE]\n\n'),
  error: data(chatError),
  billedError: (usage) => data(chunk([], { usage: chatUsage(usage) }), chatError),
  failed: (usage) => ({ ...chatError, usage: chatUsage(usage) }),
  document: (content, usage) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: chatUsage(usage),
  }),
}

const messageInput = ({ input, cachedInput, cacheWrite }: Usage) => ({
  input_tokens: input,
  cache_read_input_tokens: cachedInput,
  cache_creation_input_tokens: cacheWrite,
})
const blockDelta = (text: string, kind: PieceKind) =>
  kind === 'tool'
    ? { type: 'input_json_delta', partial_json: text }
    : kind === 'thought'
      ? { type: 'thinking_delta', thinking: text }
      : { type: 'text_delta', text }

const messagesError = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }

const messages: Wire = {
  open: (usage) =>
    named(
      {
        type: 'message_start',
        message: { id: 'msg_1', role: 'assistant', content: [], usage: { ...messageInput(usage), output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ),
  opensWithInput: true,
  piece: (text, kind) =>
    named(
      ...(kind === 'tool'
        ? [{ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'f' } }]
        : []),
      { type: 'content_block_delta', index: 0, delta: blockDelta(text, kind) },
    ),
  close: (usage) =>
    named(
      { type: 'content_block_stop', index: 0 },
      ...(usage
        ? [
            {
              type: 'message_delta',
              delta: { stop_reason: 'end_turn' },
              usage: { output_tokens: usage.output },
            },
          ]
        : []),
      { type: 'message_stop' },
    ),
  error: named(messagesError),
  billedError: (usage) =>
    named({ type: 'message_delta', delta: {}, usage: { output_tokens: usage.output } }, messagesError),
  failed: (usage) => ({ ...messagesError, usage: { ...messageInput(usage), output_tokens: usage.output } }),
  document: (text, usage) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { ...messageInput(usage), output_tokens: usage.output },
  }),
}

const responsesUsage = (usage: Usage) => ({
  input_tokens: allInput(usage),
  input_tokens_details: { cached_tokens: usage.cachedInput, cache_write_tokens: usage.cacheWrite },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: allInput(usage) + usage.output,
})
const deltaTypes: Record<PieceKind, string> = {
  text: 'response.output_text.delta',
  thought: 'response.reasoning_summary_text.delta',
  tool: 'response.function_call_arguments.delta',
}

const failedResponse = (usage: Usage) => ({
  id: 'resp_1',
  object: 'response',
  status: 'failed',
  error: { code: 'server_error', message: 'The server had an error' },
  output: [],
  usage: responsesUsage(usage),
})

const responses: Wire = {
  open: () =>
    named(
      { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', usage: null } },
      { type: 'response.output_item.added', item: { type: 'message', content: [] } },
    ),
  opensWithInput: false,
  piece: (delta, kind) =>
    named(
      ...(kind === 'tool'
        ? [{ type: 'response.output_item.added', item: { type: 'function_call', call_id: 'call_1', name: 'f' } }]
        : []),
      { type: deltaTypes[kind], delta },
    ),
  close: (usage) =>
    usage === null
      ? named({ type: 'response.output_text.done' })
      : named({
          type: 'response.completed',
          response: { id: 'resp_1', status: 'completed', usage: responsesUsage(usage) },
        }),
  error: named({ type: 'error', code: 'server_error', message: 'The server had an error' }),
  billedError: (usage) => named({ type: 'response.failed', response: failedResponse(usage) }),
  failed: failedResponse,
  document: (text, usage) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text', text }] }],
    usage: responsesUsage(usage),
  }),
}

export const wires: Record<ChatFormatName, Wire> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
}
