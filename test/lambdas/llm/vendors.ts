import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import type { ChatFormatName as FormatName } from '../../../domain/models/model.ts'
import { sse } from './upstream.ts'

/** A model's output, in any provider's format. */
export interface ScriptedAnswer {
  thinking?: string
  text?: string
  calls?: { id: string; name: string; arguments: string }[]
  stop: 'stop' | 'length' | 'calls'
}

/**
 * Every provider's report in this file: 1,000 input tokens, 400 of them cached, and 30 output tokens, 20 of them
 * reasoning.
 */
export const reported = { input: 1_000, cached: 400, output: 30 }

/** A response as a document and as the events of a stream. */
interface Answer {
  whole: object
  events: string[]
}

/** Two halves, as in a stream. */
const halves = (text: string): string[] => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)]
const named = (...events: { type: string }[]): string[] => events.map((event) => `event: ${event.type}\n${sse(event)}`)

function chat({ thinking, text, calls = [], stop }: ScriptedAnswer): Answer {
  const usage = {
    prompt_tokens: 1_000,
    completion_tokens: 30,
    total_tokens: 1_030,
    prompt_tokens_details: { cached_tokens: 400 },
    completion_tokens_details: { reasoning_tokens: 20 },
  }
  const finish_reason = ({ stop: 'stop', length: 'length', calls: 'tool_calls' } as const)[stop]
  const tool_calls = calls.map(({ id, ...written }) => ({ id, type: 'function' as const, function: written }))
  const message = {
    role: 'assistant' as const,
    content: text ?? null,
    refusal: null,
    ...(calls.length > 0 && { tool_calls }),
  }
  const base = { id: 'chatcmpl-1', created: 1, model: 'm' }
  const whole = {
    ...base,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { ...message, ...(thinking && { reasoning_content: thinking }) },
        logprobs: null,
        finish_reason,
      },
    ],
    usage,
  } satisfies OpenAI.ChatCompletion
  const chunk = (delta: object, end: string | null = null) => ({
    ...base,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: end }],
  })
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...halves(thinking ?? '').map((reasoning_content) => chunk({ reasoning_content })),
    ...halves(text ?? '').map((content) => chunk({ content })),
    ...calls.flatMap(({ id, name, arguments: written }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...halves(written).map((half) => chunk({ tool_calls: [{ index, function: { arguments: half } }] })),
    ]),
    chunk({}, finish_reason),
    { ...chunk({}), choices: [], usage },
    '[DONE]',
  ]
  return { whole, events: events.map((event) => sse(event)) }
}

function responses({ thinking, text, calls = [], stop }: ScriptedAnswer): Answer {
  const usage = {
    input_tokens: 1_000,
    input_tokens_details: { cached_tokens: 400, cache_write_tokens: 0 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 20 },
    total_tokens: 1_030,
  }
  const status = stop === 'length' ? ('incomplete' as const) : ('completed' as const)
  const summary = { type: 'summary_text' as const, text: thinking ?? '' }
  const part = { type: 'output_text' as const, text: text ?? '', annotations: [], logprobs: [] }
  const output: OpenAI.Responses.ResponseOutputItem[] = [
    ...(thinking ? [{ id: 'rs_1', type: 'reasoning' as const, summary: [summary] }] : []),
    ...(text ? [{ id: 'msg_1', type: 'message' as const, role: 'assistant' as const, status, content: [part] }] : []),
    ...calls.map(({ id, ...written }) => ({
      id: `fc_${id}`,
      type: 'function_call' as const,
      call_id: id,
      status,
      ...written,
    })),
  ]
  const base = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    error: null,
    incomplete_details: stop === 'length' ? { reason: 'max_output_tokens' } : null,
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
  }
  const whole = { ...base, status, output, usage }
  let sequence_number = 0
  const event = (type: string, more: object) => ({ type, sequence_number: sequence_number++, ...more })
  const said = output.flatMap((item, output_index) => {
    const at = { item_id: item.id, output_index }
    const deltas =
      item.type === 'reasoning'
        ? [
            event('response.reasoning_summary_part.added', { ...at, summary_index: 0, part: { ...summary, text: '' } }),
            ...halves(thinking ?? '').map((delta) =>
              event('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta }),
            ),
          ]
        : item.type === 'function_call'
          ? halves(item.arguments).map((delta) => event('response.function_call_arguments.delta', { ...at, delta }))
          : [
              event('response.content_part.added', { ...at, content_index: 0, part: { ...part, text: '' } }),
              ...halves(text ?? '').map((delta) =>
                event('response.output_text.delta', { ...at, content_index: 0, delta, logprobs: [] }),
              ),
              event('response.output_text.done', { ...at, content_index: 0, text, logprobs: [] }),
            ]
    const empty =
      item.type === 'function_call' ? { arguments: '' } : item.type === 'message' ? { content: [] } : { summary: [] }
    return [
      event('response.output_item.added', { output_index, item: { ...item, ...empty } }),
      ...deltas,
      event('response.output_item.done', { output_index, item }),
    ]
  })
  const events = named(
    event('response.created', { response: { ...base, status: 'in_progress', output: [], usage: null } }),
    ...said,
    event(`response.${status}`, { response: whole }),
  )
  return { whole, events }
}

function messages({ thinking, text, calls = [], stop }: ScriptedAnswer): Answer {
  const usage = { input_tokens: 600, cache_read_input_tokens: 400, cache_creation_input_tokens: 0, output_tokens: 30 }
  const stop_reason = ({ stop: 'end_turn', length: 'max_tokens', calls: 'tool_use' } as const)[stop]
  const content = [
    ...(thinking ? [{ type: 'thinking' as const, thinking, signature: 'signed' }] : []),
    ...(text ? [{ type: 'text' as const, text, citations: null }] : []),
    ...calls.map(({ id, name, arguments: written }) => ({
      type: 'tool_use' as const,
      id,
      name,
      input: JSON.parse(written),
    })),
  ]
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason,
    stop_sequence: null,
    usage,
  } satisfies Partial<Record<keyof Anthropic.Message, unknown>>
  const said = content.flatMap((block, index) => {
    const [empty, deltas] =
      block.type === 'thinking'
        ? [
            { ...block, thinking: '', signature: '' },
            halves(block.thinking).map((half) => ({ type: 'thinking_delta', thinking: half })),
          ]
        : block.type === 'text'
          ? [{ ...block, text: '' }, halves(block.text).map((half) => ({ type: 'text_delta', text: half }))]
          : [
              { ...block, input: {} },
              halves(JSON.stringify(block.input)).map((half) => ({ type: 'input_json_delta', partial_json: half })),
            ]
    const signed = block.type === 'thinking' ? [{ type: 'signature_delta', signature: 'signed' }] : []
    return [
      { type: 'content_block_start', index, content_block: empty },
      ...[...deltas, ...signed].map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]
  })
  const events = named(
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    } as { type: string },
    { type: 'ping' },
    ...said,
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 30 } } as {
      type: string
    },
    { type: 'message_stop' },
  )
  return { whole: message, events }
}

/** Each provider's format of some output. */
export const vendors: Readonly<Record<FormatName, (saying: ScriptedAnswer) => Answer>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
}

/** Each provider's event about its own failure. */
export const failures: Readonly<Record<FormatName, string>> = {
  'openai-chat': sse({ error: { message: 'secret of the provider', code: 'overloaded' } }),
  'openai-responses': named({ type: 'error', message: 'secret of the provider' } as { type: string }).join(''),
  'anthropic-messages': named({
    type: 'error',
    error: { type: 'overloaded_error', message: 'secret of the provider' },
  } as { type: string }).join(''),
}
