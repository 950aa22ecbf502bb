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
import { flag, limit, openaiFields, openaiOurs, readUsage } from './openai.ts'
import { commonFacts, type FieldsByType, invalidField, Media, parseBody, passedOn, readTyped } from './request.ts'

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
const word = z.string().max(20).nullish()

/** What a request may contain; anything else could not be bounded, priced or kept apart between users. */
const request = z.strictObject({
  ...openaiFields,
  input: z.union([z.string(), z.array(z.unknown()).min(1)]),
  instructions: z.string().nullish(),
  stream_options: z.strictObject({ include_obfuscation: flag }).nullish(),
  max_output_tokens: limit,
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([z.string(), z.looseObject({ type: z.enum(['function', 'custom', 'allowed_tools']) })])
    .nullish(),
  reasoning: z.strictObject({ effort: word, summary: word, generate_summary: word }).nullish(),
  text: z
    .strictObject({
      format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).nullish(),
      verbosity: word,
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
})

const ours = [
  ...openaiOurs,
  'input',
  'max_output_tokens',
  'background',
  'previous_response_id',
  'conversation',
  'prompt',
]

/**
 * Fields of an input item that are read. `id` and `status` are dropped: an id names something the provider would have
 * stored, and nothing is stored.
 */
const itemFields: FieldsByType = {
  message: ['role', 'content', 'phase'],
  function_call: ['call_id', 'name', 'namespace', 'arguments'],
  function_call_output: ['call_id', 'output'],
  custom_tool_call: ['call_id', 'name', 'namespace', 'input'],
  custom_tool_call_output: ['call_id', 'output'],
  reasoning: ['id', 'summary', 'content', 'encrypted_content'],
}

const partFields: FieldsByType = {
  input_text: ['text'],
  output_text: ['text', 'annotations', 'logprobs'],
  refusal: ['refusal'],
  input_image: ['image_url', 'detail'],
  input_file: ['filename', 'file_data', 'detail'],
}

const details: readonly unknown[] = [undefined, null, 'auto', 'low', 'high']

/** An item without what would have to be looked up. @throws validation naming the field */
function readItem(given: unknown, path: string, media: Media): unknown[] {
  if (!isObject(given)) throw invalidField(path, 'Expected an object with a type.')
  const { id, status: _, ...rest } = given
  const item = passedOn(rest.type === 'reasoning' ? { ...rest, id } : rest, [])
  const accepted = 'items are accepted; nothing is stored that could be looked up.'
  readTyped({ type: 'message', ...item }, path, itemFields, accepted)
  // Without its encrypted content a reasoning item is only the name of something stored.
  if (item.type === 'reasoning' && typeof item.encrypted_content !== 'string') return []
  for (const name of ['content', 'output'] as const) checkParts(item[name], `${path}.${name}`, media)
  return [item]
}

function checkParts(parts: unknown, path: string, media: Media): void {
  if (isObject(parts)) throw invalidField(path, 'Expected text or a list of parts.')
  if (!Array.isArray(parts)) return
  for (const [index, part] of parts.entries()) {
    // A reasoning item's own text is not a part anybody sends.
    if (isObject(part) && part.type === 'reasoning_text') continue
    checkPart(part, `${path}.${index}`, media)
  }
}

function checkPart(given: unknown, path: string, media: Media): void {
  const part = readTyped(given, path, partFields)
  if (!details.includes(part.detail)) throw invalidField(`${path}.detail`, 'Use auto, low or high.')
  if (part.type === 'input_image') media.addImage(part.image_url, `${path}.image_url`)
  if (part.type === 'input_file') media.addFile(part.file_data, `${path}.file_data`)
}

function parseRequest(rawBody: string): ModelCall {
  const asked = parseBody(request, rawBody)
  const media = new Media()
  const { input, stream, stream_options: options } = asked
  const items =
    typeof input === 'string' ? input : input.flatMap((item, index) => readItem(item, `input.${index}`, media))
  if (stream !== true && options) throw invalidField('stream_options', 'Only a streamed call has stream options.')
  return {
    ...commonFacts(rawBody, asked, media),
    format: 'openai-responses',
    choices: 1,
    outputTokens: asked.max_output_tokens ?? null,
    // fewer are refused by the provider
    leastOutput: 16,
    hidesUsage: false,
    fields: { ...passedOn(asked, ours), input: items },
  }
}

const buildRequest = (call: ModelCall, model: PricedModel, outputTokens: number, user: string): string =>
  JSON.stringify({
    ...call.fields,
    model: model.upstreamModel,
    max_output_tokens: outputTokens,
    store: false,
    ...(model.provider === 'openai'
      ? { service_tier: 'default', safety_identifier: user, prompt_cache_key: user }
      : { user }),
  })

const ends: readonly unknown[] = ['response.completed', 'response.incomplete', 'response.failed']

/** Events of a stream are `response.…` or `error`; a whole answer is one object of the kind `response`. */
function parseResponse(json: Readonly<Record<string, unknown>>): ResponsePart {
  const { type } = json
  if (type === 'error') return { ...emptyPart, failed: true }
  if (ends.includes(type)) return readEnd(isObject(json.response) ? json.response : {}, [])
  if (type === 'response.output_item.added') {
    return { ...emptyPart, outputBytes: textBytes(objectsIn([json.item]).map(({ name }) => name)) }
  }
  if (typeof type === 'string')
    return { ...emptyPart, outputBytes: type.endsWith('.delta') ? textBytes([json.delta]) : 0 }
  return readEnd(json, objectsIn(json.output).flatMap(textsOf))
}

function readEnd(response: Readonly<Record<string, unknown>>, texts: readonly unknown[]): ResponsePart {
  const usage = readUsage(response.usage, 'input', 'output')
  const failed = response.status === 'failed' || (response.error !== undefined && response.error !== null)
  return { ...emptyPart, usage, final: usage !== null, outputBytes: textBytes(texts), failed }
}

/** Everything a model wrote into one output item. */
function textsOf(item: Record<string, unknown>): unknown[] {
  const parts = [...objectsIn(item.content), ...objectsIn(item.summary)]
  return [item.name, item.arguments, item.input, ...parts.flatMap((part) => [part.text, part.refusal])]
}

const failure = { type: 'error', code: 'provider-error', message: streamFailure, param: null }

export const openaiResponses: ApiFormat = {
  name: 'openai-responses',
  paths: ['/llm/proxy/v1/responses'],
  parseRequest,
  buildRequest,
  parseResponse,
  errorEvent: `event: error\ndata: ${JSON.stringify(failure)}\n\n`,
}
