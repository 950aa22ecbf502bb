import type { IncomingMessage } from 'node:http'
import type { TurnTrigger } from '../../domain/chat/message.ts'
import type { RuntimeSettings } from '../environment.ts'
import { parseObject } from '../json.ts'
import { request, ServiceError } from './service.ts'

export interface ToolCall {
  id: string
  name: string
  arguments: string
}

/** A message as the chat completions format has it. */
export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: object[] }
  | { role: 'tool'; tool_call_id: string; content: string }

export interface Completion {
  text: string
  toolCalls: ToolCall[]
}

export interface ModelCall {
  model: string
  /** What started the turn, for the receipt, and the token that proves it. */
  trigger: TurnTrigger
  turn: string
  messages: ChatMessage[]
  tools: object[]
}

/** A stream that is silent this long is taken for broken. */
const silenceMs = 120_000

/**
 * One streamed model call through the loopback. `onText` is told the text so far.
 * @throws ServiceError; a stream that breaks or reports an error counts as 502
 */
export async function complete(
  settings: RuntimeSettings,
  { model, trigger, turn, messages, tools }: ModelCall,
  onText: (text: string) => void,
): Promise<Completion> {
  const silence = new AbortController()
  using timer = setTimeout(() => silence.abort(), silenceMs)
  try {
    const response = await request(`${settings.openaiBase}/chat/completions`, {
      headers: {
        authorization: `Bearer ${settings.openaiKey}`,
        accept: 'text/event-stream',
        'x-berth-trigger': trigger,
        'x-berth-turn': turn,
      },
      body: { model, stream: true, messages, ...(tools.length > 0 && { tools }) },
      signal: silence.signal,
    })
    return await readCompletion(response, (text) => {
      timer.refresh()
      onText(text)
    })
  } catch (thrown) {
    if (thrown instanceof ServiceError) throw thrown
    throw new ServiceError(502, 'stream-broken')
  }
}

/** The data of each server-sent event, as it comes. */
async function* events(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let data: string[] = []
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '' && data.length > 0) {
        yield data.join('\n')
        data = []
      } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
    }
  }
}

/** What is read of a chunk of a chat completion; a provider may leave out any of it. */
interface Chunk {
  error?: unknown
  choices?: {
    delta?: { content?: string | null; tool_calls?: ToolCallDelta[] | null } | null
    finish_reason?: unknown
  }[]
}

interface ToolCallDelta {
  index?: number
  id?: string | null
  function?: { name?: string | null; arguments?: string | null }
}

/** Puts the deltas together. @throws ServiceError when the stream reports a failure, or ends before the answer did */
async function readCompletion(response: IncomingMessage, onEvent: (text: string) => void): Promise<Completion> {
  const toolCalls: ToolCall[] = []
  let text = ''
  let ended = false
  for await (const data of events(response.setEncoding('utf8'))) {
    if (data === '[DONE]') {
      ended = true
      break
    }
    const { error, choices } = parseObject<Chunk>(data)
    if (error) throw new ServiceError(502, 'stream-error')
    const { delta, finish_reason } = choices?.[0] ?? {}
    text += delta?.content ?? ''
    for (const part of delta?.tool_calls ?? []) addTo(toolCalls, part)
    if (finish_reason) ended = true
    onEvent(text)
  }
  if (!ended) throw new ServiceError(502, 'stream-broken')
  return { text, toolCalls: toolCalls.filter(Boolean) }
}

function addTo(toolCalls: ToolCall[], { index = toolCalls.length, id, function: part }: ToolCallDelta): void {
  const call = toolCalls[index] ?? { id: '', name: '', arguments: '' }
  toolCalls[index] = call
  call.id ||= id ?? ''
  call.name += part?.name ?? ''
  call.arguments += part?.arguments ?? ''
}
