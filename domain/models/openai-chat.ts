import * as z from 'zod'
import { count, type Dialect, isObject, type ModelCall, nothingRead, type Reading, utf8Length } from './dialect.ts'
import type { Usage } from './metering.ts'
import type { PricedModel } from './model.ts'
import { allow, Media, onlyFields, parseObject, refused } from './request.ts'

const limit = z.int().min(1).max(10_000_000).nullish()
const number = z.number().nullish()
const flag = z.boolean().nullish()

const tool = z.union([
  z.strictObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
  z.strictObject({ type: z.literal('custom'), custom: z.looseObject({ name: z.string() }) }),
])

/** What a request may contain; anything else could not be bounded, priced or kept apart between users. */
const request = z.strictObject({
  model: z.string().max(200).nullish(),
  messages: z.array(z.record(z.string(), z.unknown())).min(1),
  stream: flag,
  stream_options: z.strictObject({ include_usage: flag, include_obfuscation: flag }).nullish(),
  max_tokens: limit,
  max_completion_tokens: limit,
  n: z.int().min(1).max(8).nullish(),
  temperature: number,
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  logprobs: flag,
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({})]).nullish(),
  parallel_tool_calls: flag,
  response_format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).nullish(),
  reasoning_effort: z.string().max(20).nullish(),
  verbosity: z.string().max(20).nullish(),
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
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'store',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'service_tier',
])

const messageFields = new Set([
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'refusal',
  'reasoning',
  'reasoning_content',
])

const partFields = {
  text: new Set(['type', 'text']),
  refusal: new Set(['type', 'refusal']),
  image_url: new Set(['type', 'image_url']),
  file: new Set(['type', 'file']),
} as const
const imageFields = new Set(['url', 'detail'])
const fileFields = new Set(['filename', 'file_data'])
const details = new Set<unknown>(['auto', 'low', 'high', null])

/** A message that goes out again as the provider once sent it: empty lists and nulls of its own are dropped. */
function readMessage(message: Record<string, unknown>, path: string, media: Media): Record<string, unknown> {
  const { annotations: _, ...rest } = message
  onlyFields(rest, messageFields, path)
  if (Array.isArray(rest.content)) {
    for (const [index, part] of rest.content.entries()) readPart(part, `${path}.content.${index}`, media)
  } else if (isObject(rest.content)) throw refused(`${path}.content`, 'Expected text or a list of parts.')
  return Object.fromEntries(Object.entries(rest).filter(([name, value]) => value !== null || name === 'content'))
}

function readPart(part: unknown, path: string, media: Media): void {
  if (!isObject(part)) throw refused(path, 'Expected an object with a type.')
  const type = part.type
  if (type !== 'text' && type !== 'refusal' && type !== 'image_url' && type !== 'file') {
    throw refused(`${path}.type`, 'Only text, refusal, image_url and file parts are accepted.')
  }
  onlyFields(part, partFields[type], path)
  if (type === 'file') readFile(part.file, `${path}.file`, media)
  if (type !== 'image_url') return
  if (!isObject(part.image_url)) throw refused(`${path}.image_url`, 'Expected an object with a url.')
  onlyFields(part.image_url, imageFields, `${path}.image_url`)
  const { url, detail = 'auto' } = part.image_url
  if (!details.has(detail)) throw refused(`${path}.image_url.detail`, 'Use auto, low or high.')
  media.addImage(url, `${path}.image_url.url`)
}

function readFile(file: unknown, path: string, media: Media): void {
  if (!isObject(file)) throw refused(path, 'Expected an object with file_data.')
  onlyFields(file, fileFields, path)
  media.addFile(file.file_data, `${path}.file_data`)
}

function parse(rawBody: string): ModelCall {
  const asked = allow(request, parseObject(rawBody))
  const media = new Media()
  const messages = asked.messages.map((message, index) => readMessage(message, `messages.${index}`, media))
  const kept = Object.entries(asked).filter(([name, value]) => !ours.has(name) && value !== null && value !== undefined)
  const stream = asked.stream === true
  if (!stream && asked.stream_options) throw refused('stream_options', 'Only a streamed call has stream options.')
  return {
    format: 'openai-chat',
    model: asked.model ?? 'default',
    stream,
    choices: asked.n ?? 1,
    textBytes: utf8Length(rawBody) - media.imageBytes,
    images: media.images,
    files: media.files,
    tools: (asked.tools?.length ?? 0) > 0,
    outputTokens: asked.max_completion_tokens ?? asked.max_tokens ?? null,
    leastOutput: 1,
    hidesUsage: stream && asked.stream_options?.include_usage !== true,
    fields: {
      ...Object.fromEntries(kept),
      messages,
      ...(stream && { stream_options: { ...asked.stream_options, include_usage: true } }),
    },
  }
}

/** OpenAI itself gets the fields only it knows; others the widely understood name of the limit. */
function body(call: ModelCall, model: PricedModel, outputTokens: number, user: string): string {
  const sent =
    model.provider === 'openai'
      ? { max_completion_tokens: outputTokens, store: false, service_tier: 'default', prompt_cache_key: user }
      : { max_tokens: outputTokens }
  return JSON.stringify({ ...call.fields, model: model.upstreamModel, ...sent, user })
}

/** OpenAI counts cached input inside `prompt_tokens`, and reasoning inside `completion_tokens`. */
function readUsage(reported: Record<string, unknown>): Usage | null {
  const prompt = count(reported.prompt_tokens)
  const output = count(reported.completion_tokens)
  if (prompt === null || output === null) return null
  const inside = isObject(reported.prompt_tokens_details) ? reported.prompt_tokens_details : {}
  const made = isObject(reported.completion_tokens_details) ? reported.completion_tokens_details : {}
  const cachedInput = Math.min(count(inside.cached_tokens) ?? 0, prompt)
  const cacheWrite = Math.min(count(inside.cache_write_tokens) ?? 0, prompt - cachedInput)
  const reasoning = Math.min(count(made.reasoning_tokens) ?? 0, output)
  return { input: prompt - cachedInput - cacheWrite, cachedInput, cacheWrite, output, reasoning }
}

function read(json: Readonly<Record<string, unknown>>): Reading {
  const choices = Array.isArray(json.choices) ? json.choices.filter(isObject) : []
  const usage = isObject(json.usage) ? readUsage(json.usage) : null
  // a whole answer has a message where a stream has deltas
  const ended = choices.some((choice) => typeof choice.finish_reason === 'string' || isObject(choice.message))
  let outputBytes = 0
  for (const choice of choices) outputBytes += textBytes(choice.delta ?? choice.message)
  return {
    ...nothingRead,
    usage,
    final: usage !== null && (choices.length === 0 || ended),
    outputBytes,
    failed: json.error !== undefined && json.error !== null,
    onlyUsage: usage !== null && choices.length === 0,
  }
}

/** Bytes of everything a model wrote into a message or delta. */
function textBytes(made: unknown): number {
  if (!isObject(made)) return 0
  let bytes = 0
  for (const name of ['content', 'refusal', 'reasoning', 'reasoning_content']) {
    const value = made[name]
    if (typeof value === 'string') bytes += utf8Length(value)
  }
  if (Array.isArray(made.tool_calls)) {
    for (const call of made.tool_calls) bytes += toolBytes(call)
  }
  return bytes
}

function toolBytes(call: unknown): number {
  if (!isObject(call)) return 0
  const written = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {}
  const parts = [written.name, written.arguments, written.input]
  return parts.reduce<number>((sum, part) => sum + (typeof part === 'string' ? utf8Length(part) : 0), 0)
}

const failure = {
  error: {
    code: 'provider-error',
    type: 'provider-error',
    message: 'The model provider ended the stream early. Retry the call.',
  },
}

export const openaiChat: Dialect = {
  format: 'openai-chat',
  paths: ['/llm/proxy', '/llm/proxy/v1/chat/completions'],
  parse,
  body,
  read,
  errorEvent: `data: ${JSON.stringify(failure)}\n\n`,
}
