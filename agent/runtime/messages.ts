import { parseObject } from '../kit/json.ts'
import { beforeNote, type Conversation, messageNote, type ToolCall } from './conversation.ts'
import { ServiceError } from './service.ts'
import type { ModelCall, WireFormat } from './wire-format.ts'

/** Maximum tokens of an answer, which the format requires; the service lowers it to what the wallet pays. */
const maxTokens = 16_000

/** End of a cached part: reading it again costs a tenth. */
const mark = { cache_control: { type: 'ephemeral' } }

/** Anthropic's Messages. The parts to cache are marked: tools and system prompt, earlier turns, and the last step. */
export const messages: WireFormat = {
  address: ({ anthropicBase }) => `${anthropicBase}/v1/messages`,
  headers: ({ anthropicKey }) => ({ 'x-api-key': anthropicKey, 'anthropic-version': '2023-06-01' }),
  body: ({ model, conversation, tools, mayCall }: ModelCall) => ({
    model,
    stream: true,
    max_tokens: maxTokens,
    system: [{ ...textBlock(conversation.system), ...mark }],
    messages: messagesOf(conversation),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
      ...(!mayCall && { tool_choice: { type: 'none' } }),
    }),
  }),
  reader() {
    const blocks: Block[] = []
    const usage = { input: 0, cached: 0, output: 0 }
    let ended = false
    const written = () => blocks.map((block) => (block?.type === 'text' ? block.text : '')).join('')
    return {
      read(data) {
        const event = parseObject<Event>(data)
        if (event.type === 'error') throw new ServiceError(502, 'stream-error')
        const { index = 0, delta } = event
        if (event.type === 'content_block_start' && event.content_block) blocks[index] = { ...event.content_block }
        const block = blocks[index]
        if (event.type === 'content_block_delta' && block && delta) addTo(block, delta)
        if (event.type === 'message_stop') ended = true
        const counts = event.message?.usage ?? event.usage
        if (counts) {
          usage.cached = counts.cache_read_input_tokens ?? usage.cached
          if (counts.input_tokens !== undefined && counts.input_tokens !== null)
            usage.input = counts.input_tokens + (counts.cache_creation_input_tokens ?? 0) + usage.cached
          usage.output = counts.output_tokens ?? usage.output
        }
        return ended ? null : written()
      },
      end: () =>
        ended
          ? {
              text: written(),
              calls: blocks.flatMap((block) => (block?.type === 'tool_use' ? [callOf(block)] : [])),
              thoughts: blocks.flatMap(({ json: _, ...block }) => (/thinking$/.test(block.type ?? '') ? [block] : [])),
              usage,
            }
          : null,
    }
  },
}

const textBlock = (text: string) => ({ type: 'text', text })

/** The format refuses empty blocks, and conversations that start with the assistant. */
function messagesOf(conversation: Conversation): object[] {
  const messages: { role: 'user' | 'assistant'; content: object[] }[] = []
  const before = beforeNote(conversation)
  if (before) messages.push({ role: 'user', content: [textBlock(before)] })
  else if (conversation.earlier[0]?.role === 'agent') messages.push({ role: 'user', content: [textBlock('(…)')] })
  for (const { role, text } of conversation.earlier)
    messages.push({ role: role === 'agent' ? 'assistant' : 'user', content: [textBlock(text)] })
  markLast(messages)
  const images = conversation.images.map(({ type, data }) => ({
    type: 'image',
    source: { type: 'base64', media_type: type, data },
  }))
  messages.push({ role: 'user', content: [...images, ...messageNote(conversation).map(textBlock)] })
  for (const { text, calls, results, thoughts } of conversation.steps) {
    const spoken = text.trim() ? [textBlock(text)] : []
    const used = calls.map(({ id, name, arguments: args }) => ({
      type: 'tool_use',
      id,
      name,
      input: parseObject(args),
    }))
    messages.push({ role: 'assistant', content: [...thoughts, ...spoken, ...used] })
    const answers = calls.map(({ id }, i) => ({ type: 'tool_result', tool_use_id: id, content: results[i] ?? '' }))
    messages.push({ role: 'user', content: answers })
  }
  markLast(messages)
  return messages
}

function markLast(messages: { content: object[] }[]): void {
  const content = messages.at(-1)?.content
  const last = content?.pop()
  if (last) content?.push({ ...last, ...mark })
}

interface Event {
  type?: string
  index?: number
  content_block?: Block
  delta?: { type?: string; text?: string; partial_json?: string; thinking?: string; signature?: string }
  message?: { usage?: ReportedUsage }
  usage?: ReportedUsage
}

interface Block {
  type?: string
  id?: string
  name?: string
  text?: string
  thinking?: string
  signature?: string
  /** A piece of a call's input. */
  json?: string
}

interface ReportedUsage {
  input_tokens?: number | null
  output_tokens?: number | null
  cache_read_input_tokens?: number | null
  cache_creation_input_tokens?: number | null
}

function addTo(block: Block, { text, partial_json, thinking, signature }: NonNullable<Event['delta']>): void {
  if (text !== undefined) block.text = (block.text ?? '') + text
  if (partial_json !== undefined) block.json = (block.json ?? '') + partial_json
  if (thinking !== undefined) block.thinking = (block.thinking ?? '') + thinking
  if (signature !== undefined) block.signature = (block.signature ?? '') + signature
}

const callOf = ({ id = '', name = '', json = '' }: Block): ToolCall => ({ id, name, arguments: json || '{}' })
