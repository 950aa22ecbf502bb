import { parseObject } from '../kit/json.ts'
import { askedNote, beforeNote, type Conversation, type ToolCall } from './conversation.ts'
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
        const told = event.message?.usage ?? event.usage
        if (told) {
          usage.cached = told.cache_read_input_tokens ?? usage.cached
          if (told.input_tokens !== undefined && told.input_tokens !== null)
            usage.input = told.input_tokens + (told.cache_creation_input_tokens ?? 0) + usage.cached
          usage.output = told.output_tokens ?? usage.output
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
  const said: { role: 'user' | 'assistant'; content: object[] }[] = []
  const before = beforeNote(conversation)
  if (before) said.push({ role: 'user', content: [textBlock(before)] })
  else if (conversation.earlier[0]?.role === 'agent') said.push({ role: 'user', content: [textBlock('(…)')] })
  for (const { role, text } of conversation.earlier)
    said.push({ role: role === 'agent' ? 'assistant' : 'user', content: [textBlock(text)] })
  markLast(said)
  const images = conversation.images.map(({ type, data }) => ({
    type: 'image',
    source: { type: 'base64', media_type: type, data },
  }))
  said.push({ role: 'user', content: [...images, ...askedNote(conversation).map(textBlock)] })
  for (const { text, calls, results, thoughts } of conversation.steps) {
    const spoken = text.trim() ? [textBlock(text)] : []
    const used = calls.map(({ id, name, arguments: given }) => ({
      type: 'tool_use',
      id,
      name,
      input: parseObject(given),
    }))
    said.push({ role: 'assistant', content: [...thoughts, ...spoken, ...used] })
    const answers = calls.map(({ id }, i) => ({ type: 'tool_result', tool_use_id: id, content: results[i] ?? '' }))
    said.push({ role: 'user', content: answers })
  }
  markLast(said)
  return said
}

function markLast(said: { content: object[] }[]): void {
  const content = said.at(-1)?.content
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
