import { randomUUID } from 'node:crypto'
import { parseObject } from '../kit/json.ts'
import { beforeNote, type Conversation, messageNote, type ToolCall } from './conversation.ts'
import { ServiceError } from './service.ts'
import type { ModelCall, WireFormat } from './wire-format.ts'

/** OpenAI's Chat Completions, which cache prefixes by themselves. */
export const chatCompletions: WireFormat = {
  address: ({ openaiBase }) => `${openaiBase}/chat/completions`,
  headers: ({ openaiKey }) => ({ authorization: `Bearer ${openaiKey}` }),
  body: ({ model, conversation, tools, mayCall }: ModelCall) => ({
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: messagesOf(conversation),
    ...(tools.length > 0 && {
      tools: tools.map((tool) => ({ type: 'function', function: tool })),
      ...(!mayCall && { tool_choice: 'none' }),
    }),
  }),
  reader() {
    const calls: ToolCall[] = []
    let text = ''
    let ended = false
    let usage = { input: 0, cached: 0, output: 0 }
    return {
      read(data) {
        if (data === '[DONE]') {
          ended = true
          return null
        }
        const { error, choices, usage: reported } = parseObject<Chunk>(data)
        if (error) throw new ServiceError(502, 'stream-error')
        const { delta, finish_reason } = choices?.[0] ?? {}
        text += delta?.content ?? ''
        for (const part of delta?.tool_calls ?? []) addTo(calls, part)
        if (finish_reason) ended = true
        if (reported)
          usage = {
            input: reported.prompt_tokens ?? 0,
            cached: reported.prompt_tokens_details?.cached_tokens ?? 0,
            output: reported.completion_tokens ?? 0,
          }
        return text
      },
      end: () => (ended ? { text, calls: calls.filter(Boolean).map(withId), thoughts: [], usage } : null),
    }
  },
}

function messagesOf(conversation: Conversation): object[] {
  const user = (content: string) => ({ role: 'user', content })
  const before = beforeNote(conversation)
  return [
    { role: 'system', content: conversation.system },
    ...(before ? [user(before)] : []),
    ...conversation.earlier.map(({ role, text }) => ({ role: role === 'agent' ? 'assistant' : 'user', content: text })),
    userMessage(conversation),
    ...conversation.steps.flatMap(({ text, calls, results }) => [
      {
        role: 'assistant',
        content: text || null,
        tool_calls: calls.map(({ id, ...call }) => ({ id, type: 'function', function: call })),
      },
      ...calls.map(({ id }, i) => ({ role: 'tool', tool_call_id: id, content: results[i] ?? '' })),
    ]),
  ]
}

/** Text without images stays a string, which every server understands. */
function userMessage(conversation: Conversation): object {
  const text = messageNote(conversation).join('\n\n')
  const images = conversation.images.map(({ type, data }) => ({
    type: 'image_url',
    image_url: { url: `data:${type};base64,${data}` },
  }))
  return { role: 'user', content: images.length > 0 ? [{ type: 'text', text }, ...images] : text }
}

interface Chunk {
  error?: unknown
  choices?: {
    delta?: { content?: string | null; tool_calls?: ToolCallDelta[] | null } | null
    finish_reason?: unknown
  }[]
  usage?: {
    prompt_tokens?: number
    completion_tokens?: number
    prompt_tokens_details?: { cached_tokens?: number } | null
  } | null
}

interface ToolCallDelta {
  index?: number
  id?: string | null
  function?: { name?: string | null; arguments?: string | null }
}

/** Some servers give calls no id. */
const withId = (call: ToolCall): ToolCall => (call.id ? call : { ...call, id: `call_${randomUUID()}` })

function addTo(calls: ToolCall[], { index = calls.length, id, function: part }: ToolCallDelta): void {
  const call = calls[index] ?? { id: '', name: '', arguments: '' }
  calls[index] = call
  call.id ||= id ?? ''
  call.name += part?.name ?? ''
  call.arguments += part?.arguments ?? ''
}
