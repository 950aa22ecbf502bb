import type { PricedModel } from '../../../domain/models/model.ts'
import { echo } from './ports.ts'
import { delta, sse, stop, usage, usageChunk } from './upstream.ts'

/** One API format: a complete stream, its cost, and the fields that its requests must not contain. */
export interface FormatCase {
  name: string
  /** The path below the proxy's base URL. */
  path: string
  model: PricedModel
  ask: object
  /** The provider's events. */
  pieces: string[]
  /** The events that the client sees. */
  shown: string[]
  /** The cost of the complete stream, in µUSD. */
  cost: number
  /** The charge when the provider breaks off before an event; null for no charge. */
  paidBefore(index: number): object | null
  /** Rejected fields, each with a request that contains it. */
  refused: [string, object][]
}

const named = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`

const words = ['one ', 'two ', 'three ', 'four ', 'five ', 'six'].map((word) => sse(delta(word)))
const chatEnd = [sse(stop), sse(usageChunk(usage(50, 6))), sse('[DONE]')]
const chatCost = 50 * 0.5 + 6 * 1.5
const messages = [{ role: 'user' as const, content: 'Say hello.' }]

export const chat: FormatCase = {
  name: 'openai-chat',
  path: '',
  model: echo,
  ask: { messages },
  pieces: [...words, ...chatEnd],
  shown: [...words, sse(stop), sse('[DONE]')],
  cost: chatCost,
  paidBefore: (index) =>
    index === 0
      ? null
      : index < 8
        ? { receipt: { settledBecause: 'interrupted' } }
        : { amountMicros: -chatCost, receipt: { settledBecause: 'usage' } },
  refused: [
    ['background', { background: true }],
    ['plugins', { plugins: [{ id: 'web' }] }],
    ['models', { models: ['dear/model'] }],
    ['tools.0.type', { tools: [{ type: 'web_search' }] }],
    ['what.ever', { what: { ever: 'file-abc123' } }],
    ['what.0.ever', { what: [{ ever: 'https://x.test/a' }] }],
    ['provider', { provider: { order: ['x'] } }],
    ['web_search_options', { web_search_options: {} }],
    ['previous_response_id', { previous_response_id: 'r' }],
    ['messages.0.audio', { messages: [{ role: 'assistant', audio: { id: 'a' } }] }],
    [
      'messages.0.content.0.type',
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
    ],
    [
      'messages.0.content.0.image_url.url',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }] }] },
    ],
    ['max_tokens', { max_tokens: 0 }],
    ['n', { n: 100 }],
    ['model', { model: 'nobody/nothing' }],
    ['service_tier', { service_tier: 'priority' }],
  ],
}

const gpt: PricedModel = {
  ...echo,
  id: 'openai/gpt',
  provider: 'openai',
  upstreamModel: 'gpt',
  formats: ['openai-chat', 'openai-responses'],
  prices: { input: 1_000_000, cachedInput: 100_000, cacheWrite: 1_000_000, output: 10_000_000 },
}
const responsesUsage = {
  input_tokens: 1_000,
  input_tokens_details: { cached_tokens: 400, cache_write_tokens: 0 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 1_030,
}
// 600 × $1 + 400 × $0.10 + 30 × $10 per million
const responsesCost = 600 + 40 + 300

export const responsesMessage = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
}
export const unfinished = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt',
  error: null,
  output: [responsesMessage],
}
export const finished = { ...unfinished, status: 'completed', usage: responsesUsage }

let sequence = 0
export const responsesEvent = (type: string, more: object = {}) => named(type, { sequence_number: sequence++, ...more })
const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const responsesPieces = [
  responsesEvent('response.created', { response: { ...unfinished, status: 'in_progress', output: [], usage: null } }),
  responsesEvent('response.output_item.added', { output_index: 0, item: { ...responsesMessage, content: [] } }),
  responsesEvent('response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [] } }),
  responsesEvent('response.output_text.delta', { ...at, delta: 'Hel' }),
  responsesEvent('response.output_text.delta', { ...at, delta: 'lo' }),
  responsesEvent('response.output_text.done', { ...at, text: 'Hello' }),
  responsesEvent('response.output_item.done', { output_index: 0, item: responsesMessage }),
  responsesEvent('response.completed', { response: finished }),
]

const item = (value: object) => ({ input: [value] })
export const part = (value: object) => item({ role: 'user', content: [value] })

export const responses = {
  name: 'openai-responses',
  path: '/v1/responses',
  model: gpt,
  ask: { model: 'openai/gpt', input: 'Say hello.' },
  pieces: responsesPieces,
  shown: responsesPieces,
  cost: responsesCost,
  paidBefore: (index) =>
    index <= 3 ? null : { receipt: { settledBecause: 'interrupted', outputTokens: Math.min(index - 3, 2) } },
  refused: [
    ['background', { background: true }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['tools.0.type', { tools: [{ type: 'web_search_preview' }] }],
    ['tools.0.tools.0.type', { tools: [{ type: 'namespace', tools: [{ type: 'web_search' }] }] }],
    ['model', { tools: [{ type: 'web_search' }] }],
    ['tools.0.type', { tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://x.test' }] }],
    ['tools.0.container', { tools: [{ type: 'unheard_of', container: 'cntr_1' }] }],
    ['later', { later: 'resp_1' }],
    ['service_tier', { service_tier: 'priority' }],
    ['input.0.type', item({ type: 'item_reference', id: 'msg_1' })],
    ['input.0.content.0.file_id', part({ type: 'input_image', file_id: 'f' })],
    ['input.0.content.0.image_url', part({ type: 'input_image', image_url: 'https://x.test/a.png' })],
    ['input.0.content.0.file_url', part({ type: 'input_file', file_url: 'https://x.test/a.pdf' })],
    ['input.0.content.0.file_data', part({ type: 'input_file', file_data: 'https://x.test/a.pdf' })],
    ['input.0.content.0.type', part({ type: 'input_audio' })],
  ],
} satisfies FormatCase

const claude: PricedModel = {
  ...echo,
  id: 'anthropic/claude',
  provider: 'anthropic',
  upstreamModel: 'claude',
  formats: ['anthropic-messages'],
  prices: { input: 3_000_000, cachedInput: 300_000, cacheWrite: 3_750_000, output: 15_000_000 },
}
export const anthropicMessage = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [],
  stop_reason: null,
  stop_sequence: null,
}
export const anthropicUsage = {
  input_tokens: 100,
  cache_read_input_tokens: 1_000,
  cache_creation_input_tokens: 200,
  output_tokens: 3,
}
const word = (text: string) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
const anthropicPieces = [
  named('message_start', { message: { ...anthropicMessage, usage: anthropicUsage } }),
  named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  named('ping', {}),
  word('Hel'),
  word('lo'),
  named('content_block_stop', { index: 0 }),
  named('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 10 } }),
  named('message_stop', {}),
]
// 100 × $3 + 1 000 × $0.30 + 200 × $3.75 + 10 × $15 per million
const inputCost = 300 + 300 + 750
const anthropicCost = inputCost + 150

const user = (block: object) => ({ messages: [{ role: 'user', content: [block] }] })

export const anthropic = {
  name: 'anthropic-messages',
  path: '/v1/messages',
  model: claude,
  ask: { model: 'anthropic/claude', max_tokens: 500, messages },
  pieces: anthropicPieces,
  shown: anthropicPieces,
  cost: anthropicCost,
  paidBefore: (index) => {
    if (index <= 3) return null
    if (index >= 7) return { amountMicros: -anthropicCost, receipt: { settledBecause: 'usage' } }
    return { amountMicros: -(inputCost + Math.min(index - 3, 2) * 15), receipt: { settledBecause: 'interrupted' } }
  },
  refused: [
    ['mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://x.test', name: 'x' }] }],
    ['speed', { speed: 'fast' }],
    ['inference_geo', { inference_geo: 'us' }],
    ['container', { container: 'c' }],
    ['tools.0.type', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
    ['messages.0.content.0.source.url', user({ type: 'document', source: { type: 'url', url: 'https://x.test' } })],
    ['messages.0.content.0.source.file_id', user({ type: 'document', source: { type: 'file', file_id: 'f' } })],
    ['messages.0.content.0.source.url', user({ type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } })],
    ['messages.0.content.0.source.file_id', user({ type: 'image', source: { type: 'file', file_id: 'f' } })],
    [
      'messages.0.content.0.cache_control.ttl',
      user({ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1d' } }),
    ],
    [
      'messages.0.content.0.content.0.source.url',
      user({
        type: 'tool_result',
        tool_use_id: 't',
        content: [{ type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } }],
      }),
    ],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 500 } }],
    ['max_tokens', { max_tokens: undefined }],
  ],
} satisfies FormatCase
