import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { ChatFormatName as FormatName } from '../../../domain/models/model.ts'

/** A caller's request, in any format. */
interface Asking {
  /** The whole conversation with a tool's call and result and an image, or one question. */
  conversation: boolean
  maxTokens?: number
  /** Fields of the caller's format. */
  more?: object
}

/** The result for a caller. */
export interface SdkAnswer {
  thinking: string
  text: string
  calls: { id: string; name: string; arguments: unknown }[]
  stop: 'stop' | 'length' | 'calls' | 'filter'
  usage: { input: number; cached: number; output: number }
}

export const pixel = 'iVBORw0KGgo='
export const weather = {
  name: 'weather',
  description: 'The weather of a city',
  schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
export const told = {
  system: 'Be brief.',
  first: 'What is this, and how is the weather?',
  said: 'I look.',
  result: 'Sunny.',
  last: 'Thanks, and now?',
}
export const called = [
  { id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' },
  { id: 'call_2', name: 'weather', arguments: '{"city":"Basel"}' },
]

/** A vendor's own SDK as a caller of the proxy. */
interface Caller {
  ask(base: string, asking: Asking): Promise<SdkAnswer>
  /** As a stream that the SDK assembles. */
  stream(base: string, asking: Asking): Promise<SdkAnswer>
}

const openai = (base: string) => new OpenAI({ baseURL: `${base}/v1`, apiKey: 'k', maxRetries: 0 })
const anthropic = (base: string) => new Anthropic({ baseURL: base, apiKey: 'k', maxRetries: 0 })

const chatParams = ({
  conversation,
  maxTokens = 500,
  more,
}: Asking): OpenAI.ChatCompletionCreateParamsNonStreaming => ({
  model: 'any/model',
  max_completion_tokens: maxTokens,
  messages: conversation
    ? [
        { role: 'system', content: told.system },
        {
          role: 'user',
          content: [
            { type: 'text', text: told.first },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          ],
        },
        {
          role: 'assistant',
          content: told.said,
          tool_calls: called.map(({ id, ...written }) => ({ id, type: 'function', function: written })),
        },
        ...called.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: told.result })),
        { role: 'user', content: told.last },
      ]
    : [{ role: 'user', content: told.first }],
  ...(conversation && {
    tools: [
      {
        type: 'function',
        function: { name: weather.name, description: weather.description, parameters: weather.schema },
      },
    ],
    tool_choice: 'required',
    parallel_tool_calls: false,
    temperature: 0.5,
  }),
  ...more,
})

const chatStops = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'calls',
  content_filter: 'filter',
  function_call: 'calls',
} as const
function heardOfChat({ choices, usage }: OpenAI.ChatCompletion): SdkAnswer {
  const [choice] = choices
  if (!choice) throw new Error('no choice')
  const { message } = choice
  return {
    thinking: (message as { reasoning_content?: string }).reasoning_content ?? '',
    text: message.content ?? '',
    calls: (message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function'
        ? [{ id: call.id, name: call.function.name, arguments: JSON.parse(call.function.arguments) }]
        : [],
    ),
    stop: chatStops[choice.finish_reason],
    usage: {
      input: usage?.prompt_tokens ?? 0,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      output: usage?.completion_tokens ?? 0,
    },
  }
}

const responsesParams = ({
  conversation,
  maxTokens = 500,
  more,
}: Asking): OpenAI.Responses.ResponseCreateParamsNonStreaming => ({
  model: 'any/model',
  max_output_tokens: maxTokens,
  input: conversation
    ? [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: told.first },
            { type: 'input_image', image_url: `data:image/png;base64,${pixel}`, detail: 'auto' },
          ],
        },
        { role: 'assistant', content: told.said },
        ...called.map(({ id, ...written }) => ({ type: 'function_call' as const, call_id: id, ...written })),
        ...called.map(({ id }) => ({ type: 'function_call_output' as const, call_id: id, output: told.result })),
        { role: 'user', content: told.last },
      ]
    : told.first,
  ...(conversation && {
    instructions: told.system,
    tools: [
      {
        type: 'function',
        name: weather.name,
        description: weather.description,
        parameters: weather.schema,
        strict: false,
      },
    ],
    tool_choice: 'required',
    parallel_tool_calls: false,
    temperature: 0.5,
  }),
  ...more,
})

function heardOfResponses({
  output,
  status,
  incomplete_details: details,
  usage,
}: OpenAI.Responses.Response): SdkAnswer {
  const calls = output.flatMap((item) =>
    item.type === 'function_call' ? [{ id: item.call_id, name: item.name, arguments: JSON.parse(item.arguments) }] : [],
  )
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []))
  const length = details?.reason === 'max_output_tokens' ? 'length' : 'filter'
  return {
    thinking: output
      .flatMap((item) => (item.type === 'reasoning' ? item.summary.map(({ text }) => text) : []))
      .join(''),
    text: parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
    calls,
    stop: status === 'incomplete' ? length : calls.length > 0 ? 'calls' : 'stop',
    usage: {
      input: usage?.input_tokens ?? 0,
      cached: usage?.input_tokens_details.cached_tokens ?? 0,
      output: usage?.output_tokens ?? 0,
    },
  }
}

const messagesParams = ({
  conversation,
  maxTokens = 500,
  more,
}: Asking): Anthropic.MessageCreateParamsNonStreaming => ({
  model: 'any/model',
  max_tokens: maxTokens,
  messages: conversation
    ? [
        {
          role: 'user',
          content: [
            { type: 'text', text: told.first },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'another’s' },
            { type: 'text', text: told.said },
            ...called.map(({ id, name, arguments: written }) => ({
              type: 'tool_use' as const,
              id,
              name,
              input: JSON.parse(written),
            })),
          ],
        },
        {
          role: 'user',
          content: [
            ...called.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: told.result })),
            { type: 'text', text: told.last },
          ],
        },
      ]
    : [{ role: 'user', content: told.first }],
  ...(conversation && {
    system: told.system,
    tools: [{ name: weather.name, description: weather.description, input_schema: weather.schema }],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    temperature: 0.5,
  }),
  ...more,
})

const messagesStops: Record<string, SdkAnswer['stop']> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'calls',
  refusal: 'filter',
}
function heardOfMessages({ content, stop_reason, usage }: Anthropic.Message): SdkAnswer {
  const cached = usage.cache_read_input_tokens ?? 0
  return {
    thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
    ),
    stop: messagesStops[stop_reason ?? ''] ?? 'filter',
    usage: {
      input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
      cached,
      output: usage.output_tokens,
    },
  }
}

/** Each vendor's SDK, by its format. */
export const callers: Readonly<Record<FormatName, Caller>> = {
  'openai-chat': {
    ask: async (base, asking) => heardOfChat(await openai(base).chat.completions.create(chatParams(asking))),
    stream: async (base, asking) => {
      const streamed = { ...chatParams(asking), stream: true as const, stream_options: { include_usage: true } }
      const events = openai(base).chat.completions.stream(streamed)
      let thinking = ''
      // The SDK keeps only the last part of an unknown field.
      events.on('chunk', ({ choices }) => {
        thinking += (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? ''
      })
      return { ...heardOfChat(await events.finalChatCompletion()), thinking }
    },
  },
  'openai-responses': {
    ask: async (base, asking) => heardOfResponses(await openai(base).responses.create(responsesParams(asking))),
    stream: async (base, asking) =>
      heardOfResponses(
        await openai(base)
          .responses.stream({ ...responsesParams(asking), stream: true })
          .finalResponse(),
      ),
  },
  'anthropic-messages': {
    ask: async (base, asking) => heardOfMessages(await anthropic(base).messages.create(messagesParams(asking))),
    stream: async (base, asking) =>
      heardOfMessages(await anthropic(base).messages.stream(messagesParams(asking)).finalMessage()),
  },
}
