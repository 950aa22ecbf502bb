import * as z from 'zod'
import {
  type ApiFormat,
  emptyPart,
  isObject,
  type ModelCall,
  objectsIn,
  type ResponsePart,
  streamFailure,
  textBytes,
} from './api-format.ts'
import type { PricedModel } from './model.ts'
import { flag, limit, number, openaiFields, openaiOurs, readUsage } from './openai.ts'
import {
  commonFacts,
  type FieldsByType,
  invalidField,
  Media,
  parseBody,
  passedOn,
  readTyped,
  refuseOtherFields,
} from './request.ts'

const tool = z.union([
  z.strictObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
  z.strictObject({ type: z.literal('custom'), custom: z.looseObject({ name: z.string() }) }),
])

/** What a request may contain; anything else could not be bounded, priced or kept apart between users. */
const request = z.strictObject({
  ...openaiFields,
  messages: z.array(z.record(z.string(), z.unknown())).min(1),
  stream_options: z.strictObject({ include_usage: flag, include_obfuscation: flag }).nullish(),
  max_tokens: limit,
  max_completion_tokens: limit,
  n: z.int().min(1).max(8).nullish(),
  presence_penalty: number,
  frequency_penalty: number,
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  logprobs: flag,
  tools: z.array(tool).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({})]).nullish(),
  response_format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).nullish(),
  reasoning_effort: z.string().max(20).nullish(),
  verbosity: z.string().max(20).nullish(),
})

const ours = [...openaiOurs, 'stream_options', 'max_tokens', 'max_completion_tokens']

const messageFields = [
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'refusal',
  'reasoning',
  'reasoning_content',
]

const partFields: FieldsByType = { text: ['text'], refusal: ['refusal'], image_url: ['image_url'], file: ['file'] }
const details: readonly unknown[] = ['auto', 'low', 'high', null]

/** A message that goes out again as the provider once sent it: empty lists and nulls of its own are dropped. */
function readMessage(message: Record<string, unknown>, path: string, media: Media): Record<string, unknown> {
  const { annotations: _, ...rest } = message
  refuseOtherFields(rest, messageFields, path)
  if (Array.isArray(rest.content)) {
    for (const [index, part] of rest.content.entries()) checkPart(part, `${path}.content.${index}`, media)
  } else if (isObject(rest.content)) throw invalidField(`${path}.content`, 'Expected text or a list of parts.')
  return Object.fromEntries(Object.entries(rest).filter(([name, value]) => value !== null || name === 'content'))
}

function checkPart(given: unknown, path: string, media: Media): void {
  const { type, file, image_url: image } = readTyped(given, path, partFields)
  if (type === 'file') {
    if (!isObject(file)) throw invalidField(`${path}.file`, 'Expected an object with file_data.')
    refuseOtherFields(file, ['filename', 'file_data'], `${path}.file`)
    media.addFile(file.file_data, `${path}.file.file_data`)
  }
  if (type === 'image_url') {
    if (!isObject(image)) throw invalidField(`${path}.image_url`, 'Expected an object with a url.')
    refuseOtherFields(image, ['url', 'detail'], `${path}.image_url`)
    const { url, detail = 'auto' } = image
    if (!details.includes(detail)) throw invalidField(`${path}.image_url.detail`, 'Use auto, low or high.')
    media.addImage(url, `${path}.image_url.url`)
  }
}

function parseRequest(rawBody: string): ModelCall {
  const asked = parseBody(request, rawBody)
  const media = new Media()
  const messages = asked.messages.map((message, index) => readMessage(message, `messages.${index}`, media))
  const stream = asked.stream === true
  if (!stream && asked.stream_options) throw invalidField('stream_options', 'Only a streamed call has stream options.')
  return {
    ...commonFacts(rawBody, asked, media),
    format: 'openai-chat',
    choices: asked.n ?? 1,
    outputTokens: asked.max_completion_tokens ?? asked.max_tokens ?? null,
    leastOutput: 1,
    hidesUsage: stream && asked.stream_options?.include_usage !== true,
    fields: {
      ...passedOn(asked, ours),
      messages,
      ...(stream && { stream_options: { ...asked.stream_options, include_usage: true } }),
    },
  }
}

/** OpenAI itself gets the fields only it knows; others the widely understood name of the limit. */
function buildRequest(call: ModelCall, model: PricedModel, outputTokens: number, user: string): string {
  const sent =
    model.provider === 'openai'
      ? { max_completion_tokens: outputTokens, store: false, service_tier: 'default', prompt_cache_key: user }
      : { max_tokens: outputTokens }
  return JSON.stringify({ ...call.fields, model: model.upstreamModel, ...sent, user })
}

function parseResponse(json: Readonly<Record<string, unknown>>): ResponsePart {
  const choices = objectsIn(json.choices)
  const usage = readUsage(json.usage, 'prompt', 'completion')
  // a whole answer has a message where a stream has deltas
  const ended = choices.some((choice) => typeof choice.finish_reason === 'string' || isObject(choice.message))
  return {
    ...emptyPart,
    usage,
    final: usage !== null && (choices.length === 0 || ended),
    outputBytes: textBytes(choices.flatMap((choice) => textsOf(choice.delta ?? choice.message))),
    failed: json.error !== undefined && json.error !== null,
    onlyUsage: usage !== null && choices.length === 0,
  }
}

/** Everything a model wrote into a message or delta. */
function textsOf(message: unknown): unknown[] {
  if (!isObject(message)) return []
  const { content, refusal, reasoning, reasoning_content } = message
  const calls = objectsIn(message.tool_calls).flatMap((call) => {
    const written = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {}
    return [written.name, written.arguments, written.input]
  })
  return [content, refusal, reasoning, reasoning_content, ...calls]
}

const failure = { error: { code: 'provider-error', type: 'provider-error', message: streamFailure } }

export const openaiChat: ApiFormat = {
  name: 'openai-chat',
  paths: ['/llm/proxy', '/llm/proxy/v1/chat/completions'],
  parseRequest,
  buildRequest,
  parseResponse,
  errorEvent: `data: ${JSON.stringify(failure)}\n\n`,
}
