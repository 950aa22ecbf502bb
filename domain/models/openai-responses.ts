import * as z from 'zod'
import { count, type Dialect, isObject, type ModelCall, nothingRead, type Reading, utf8Length } from './dialect.ts'
import type { Usage } from './metering.ts'
import type { PricedModel } from './model.ts'
import { allow, Media, parseObject, refused } from './request.ts'
import { readInput } from './responses-input.ts'

const number = z.number().nullish()
const flag = z.boolean().nullish()

/** The caller's own tools. Those the provider runs cost money of their own. */
const tool = z.union(
  [
    z.strictObject({
      type: z.literal('function'),
      name: z.string(),
      description: z.string().nullish(),
      parameters: z.looseObject({}).nullish(),
      strict: flag,
    }),
    z.strictObject({
      type: z.literal('custom'),
      name: z.string(),
      description: z.string().nullish(),
      format: z.looseObject({ type: z.enum(['text', 'grammar']) }).optional(),
    }),
  ],
  { error: 'Only function and custom tools are accepted; tools that the provider runs cost money of their own.' },
)

const stateless = 'Nothing is stored between calls. Send the whole conversation as input.'
const stored = z.null({ error: stateless }).optional()

/** What a request may contain; anything else could not be bounded, priced or kept apart between users. */
const request = z.strictObject({
  model: z.string().max(200).nullish(),
  input: z.union([z.string(), z.array(z.unknown()).min(1)]),
  instructions: z.string().nullish(),
  stream: flag,
  stream_options: z.strictObject({ include_obfuscation: flag }).nullish(),
  max_output_tokens: z.int().min(1).max(10_000_000).nullish(),
  temperature: number,
  top_p: number,
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([z.string(), z.looseObject({ type: z.enum(['function', 'custom', 'allowed_tools']) })])
    .nullish(),
  parallel_tool_calls: flag,
  reasoning: z
    .strictObject({
      effort: z.string().max(20).nullish(),
      summary: z.string().max(20).nullish(),
      generate_summary: z.string().max(20).nullish(),
    })
    .nullish(),
  text: z
    .strictObject({
      format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).nullish(),
      verbosity: z.string().max(20).nullish(),
    })
    .nullish(),
  include: z
    .array(
      z.enum(['reasoning.encrypted_content', 'message.output_text.logprobs'], {
        error: 'Only reasoning.encrypted_content and message.output_text.logprobs can be included.',
      }),
    )
    .nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  background: z.literal(false, { error: 'A call runs while its caller waits.' }).nullish(),
  previous_response_id: stored,
  conversation: stored,
  prompt: z.null({ error: 'Stored prompts are not looked up. Send the text as instructions.' }).optional(),
  store: flag,
  metadata: z.record(z.string(), z.string()).nullish(),
  user: z.string().max(512).nullish(),
  safety_identifier: z.string().max(512).nullish(),
  prompt_cache_key: z.string().max(512).nullish(),
  service_tier: z.enum(['auto', 'default']).nullish(),
})

/** Fields that never reach the provider as sent: ours to write, or without a meaning here. */
const ours = new Set([
  'model',
  'input',
  'max_output_tokens',
  'background',
  'previous_response_id',
  'conversation',
  'prompt',
  'store',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'service_tier',
])

function parse(rawBody: string): ModelCall {
  const asked = allow(request, parseObject(rawBody))
  const media = new Media()
  const input = readInput(asked.input, media)
  const stream = asked.stream === true
  if (!stream && asked.stream_options) throw refused('stream_options', 'Only a streamed call has stream options.')
  const kept = Object.entries(asked).filter(([name, value]) => !ours.has(name) && value !== null && value !== undefined)
  return {
    format: 'openai-responses',
    model: asked.model ?? 'default',
    stream,
    choices: 1,
    textBytes: utf8Length(rawBody) - media.imageBytes,
    images: media.images,
    files: media.files,
    tools: (asked.tools?.length ?? 0) > 0,
    outputTokens: asked.max_output_tokens ?? null,
    // fewer are refused by the provider
    leastOutput: 16,
    hidesUsage: false,
    fields: { ...Object.fromEntries(kept), input },
  }
}

const body = (call: ModelCall, model: PricedModel, outputTokens: number, user: string): string =>
  JSON.stringify({
    ...call.fields,
    model: model.upstreamModel,
    max_output_tokens: outputTokens,
    store: false,
    ...(model.provider === 'openai'
      ? { service_tier: 'default', safety_identifier: user, prompt_cache_key: user }
      : { user }),
  })

/** Cached input is counted inside `input_tokens`, reasoning inside `output_tokens`. */
function readUsage(reported: unknown): Usage | null {
  if (!isObject(reported)) return null
  const whole = count(reported.input_tokens)
  const output = count(reported.output_tokens)
  if (whole === null || output === null) return null
  const inside = isObject(reported.input_tokens_details) ? reported.input_tokens_details : {}
  const made = isObject(reported.output_tokens_details) ? reported.output_tokens_details : {}
  const cachedInput = Math.min(count(inside.cached_tokens) ?? 0, whole)
  const cacheWrite = Math.min(count(inside.cache_write_tokens) ?? 0, whole - cachedInput)
  const reasoning = Math.min(count(made.reasoning_tokens) ?? 0, output)
  return { input: whole - cachedInput - cacheWrite, cachedInput, cacheWrite, output, reasoning }
}

const ends = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed'])

/** Events of a stream are `response.…` or `error`; a whole answer is one object of the kind `response`. */
function read(json: Readonly<Record<string, unknown>>): Reading {
  const { type } = json
  if (type === 'error') return { ...nothingRead, failed: true }
  if (ends.has(type)) return readEnd(isObject(json.response) ? json.response : {}, 0)
  if (type === 'response.output_item.added') return { ...nothingRead, outputBytes: textLength(nameOf(json.item)) }
  if (typeof type === 'string') {
    return { ...nothingRead, outputBytes: type.endsWith('.delta') ? textLength(json.delta) : 0 }
  }
  return readEnd(json, Array.isArray(json.output) ? json.output.reduce<number>((sum, one) => sum + written(one), 0) : 0)
}

function readEnd(response: Readonly<Record<string, unknown>>, outputBytes: number): Reading {
  const usage = readUsage(response.usage)
  const failed = response.status === 'failed' || (response.error !== undefined && response.error !== null)
  return { ...nothingRead, usage, final: usage !== null, outputBytes, failed }
}

const nameOf = (item: unknown): unknown => (isObject(item) ? item.name : null)

/** Bytes a model wrote into one output item. */
function written(item: unknown): number {
  if (!isObject(item)) return 0
  const parts = [item.content, item.summary].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []))
  const texts = [item.name, item.arguments, item.input, ...parts.flatMap((part) => [part.text, part.refusal])]
  return texts.reduce<number>((sum, text) => sum + textLength(text), 0)
}

const textLength = (text: unknown): number => (typeof text === 'string' ? utf8Length(text) : 0)

const failure = {
  type: 'error',
  code: 'provider-error',
  message: 'The model provider ended the stream early. Retry the call.',
  param: null,
}

export const openaiResponses: Dialect = {
  format: 'openai-responses',
  paths: ['/llm/proxy/v1/responses'],
  parse,
  body,
  read,
  errorEvent: `event: error\ndata: ${JSON.stringify(failure)}\n\n`,
}
