import type { RuntimeSettings } from '../environment.ts'
import { asList, asObject, asText, parseJson } from '../shapes.ts'
import { ServiceError, Stopped } from './recoveries.ts'
import { request } from './service.ts'

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

export interface CallFor {
  model: string
  trigger: string
  turn: string
  messages: ChatMessage[]
  tools: object[]
}

/** A stream that is silent this long is taken for broken, ms. */
const silenceMs = 120_000

/**
 * One streamed model call through the loopback. `onText` is told the text so far.
 * @throws ServiceError; a stream that breaks or reports an error counts as 502
 */
export async function complete(
  settings: RuntimeSettings,
  { model, trigger, turn, messages, tools }: CallFor,
  onText: (text: string) => void,
): Promise<Completion> {
  const body = JSON.stringify({ model, stream: true, messages, ...(tools.length > 0 && { tools }) })
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), silenceMs)
  try {
    const response = await request(
      `${settings.openaiBase}/chat/completions`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${settings.openaiKey}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          accept: 'text/event-stream',
          'x-berth-trigger': trigger,
          ...(turn && { 'x-berth-turn': turn }),
        },
        signal: silence.signal,
      },
      body,
    )
    const answer = new Answer(onText)
    for await (const data of events(response.setEncoding('utf8'))) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), silenceMs)
      if (answer.take(data)) break
    }
    return answer.finish()
  } catch (thrown) {
    if (thrown instanceof ServiceError || thrown instanceof Stopped) throw thrown
    throw new ServiceError(502, 'stream-broken')
  } finally {
    clearTimeout(timer)
  }
}

/** The data of each server-sent event, as it comes. */
export async function* events(chunks: AsyncIterable<string>): AsyncGenerator<string> {
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

/** Puts the deltas of a chat completion together. */
class Answer {
  readonly #onText: (text: string) => void
  readonly #calls: ToolCall[] = []
  #text = ''
  #ended = false

  constructor(onText: (text: string) => void) {
    this.#onText = onText
  }

  /** Takes one event's data; true after the last. @throws ServiceError when the stream reports a failure */
  take(data: string): boolean {
    if (data === '[DONE]') {
      this.#ended = true
      return true
    }
    const event = asObject(parseJson(data))
    if (event.error) throw new ServiceError(502, 'stream-error')
    const choice = asObject(asList(event.choices)[0])
    const delta = asObject(choice.delta)
    if (asText(delta.content)) {
      this.#text += asText(delta.content)
      this.#onText(this.#text)
    }
    for (const part of asList(delta.tool_calls)) this.#takeCall(asObject(part))
    if (choice.finish_reason) this.#ended = true
    return false
  }

  #takeCall(part: Record<string, unknown>): void {
    const index = typeof part.index === 'number' ? part.index : this.#calls.length
    const call = this.#calls[index] ?? { id: '', name: '', arguments: '' }
    this.#calls[index] = call
    const named = asObject(part.function)
    call.id ||= asText(part.id)
    call.name += asText(named.name)
    call.arguments += asText(named.arguments)
  }

  /** @throws ServiceError when the stream ended before the answer did */
  finish(): Completion {
    if (!this.#ended) throw new ServiceError(502, 'stream-broken')
    return { text: this.#text, toolCalls: this.#calls.filter(Boolean) }
  }
}
