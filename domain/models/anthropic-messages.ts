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
  tokenCount,
  utf8Length,
} from './api-format.ts'
import type { Usage } from './cost.ts'
import type { PricedModel } from './model.ts'
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

const number = z.number().nullish()
const limit = z.int().min(1).max(10_000_000)

/** A cached prefix of five minutes; the hour costs more than the cache-write price the hold reckons with. */
const cacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.literal('5m').optional() }).nullish()

/** The caller's own tools. Those the provider runs cost money of their own. */
const tool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string(),
  description: z.string().nullish(),
  input_schema: z.looseObject({}),
  strict: z.boolean().nullish(),
  cache_control: cacheControl,
})

const block = z.record(z.string(), z.unknown())
const content = z.union([z.string(), z.array(block)])

/** What a request may contain; anything else could not be bounded, priced or kept apart between users. */
const request = z.strictObject({
  model: z.string().max(200),
  max_tokens: limit,
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content })).min(1),
  system: content.nullish(),
  stream: z.boolean().nullish(),
  temperature: number,
  top_p: number,
  top_k: number,
  stop_sequences: z.array(z.string()).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).nullish(),
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('enabled'), budget_tokens: limit, display: z.string().optional() }),
      z.strictObject({ type: z.literal('adaptive'), display: z.string().optional() }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .nullish(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).nullish(),
  service_tier: z.enum(['auto', 'standard_only']).nullish(),
})

const ours = ['model', 'max_tokens', 'metadata', 'service_tier']

const blockFields: FieldsByType = {
  text: ['text', 'cache_control'],
  image: ['source', 'cache_control'],
  document: ['source', 'title', 'context', 'cache_control'],
  tool_use: ['id', 'name', 'input', 'cache_control', 'caller'],
  tool_result: ['tool_use_id', 'content', 'is_error', 'cache_control'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
}
const sourceFields = ['type', 'media_type', 'data']

function checkBlocks(blocks: unknown, path: string, media: Media): void {
  if (!Array.isArray(blocks)) return
  for (const [index, block] of blocks.entries()) checkBlock(block, `${path}.${index}`, media)
}

function checkBlock(given: unknown, path: string, media: Media): void {
  const block = readTyped(given, path, blockFields, 'blocks are accepted.')
  if (!cacheControl.safeParse(block.cache_control).success)
    throw invalidField(`${path}.cache_control`, 'Use {"type": "ephemeral"}, of five minutes.')
  if (block.type === 'tool_result') checkBlocks(block.content, `${path}.content`, media)
  if (block.type === 'document') checkDocument(block.source, `${path}.source`, media)
  if (block.type === 'image') checkImage(block.source, `${path}.source`, media)
}

function checkImage(source: unknown, path: string, media: Media): void {
  if (!isObject(source) || source.type !== 'base64' || typeof source.data !== 'string') {
    throw invalidField(path, 'Send images as base64 data; remote and stored ones are not fetched.')
  }
  refuseOtherFields(source, sourceFields, path)
  media.addImageData(source.data, `${path}.data`)
}

/** Plain text is bounded by its bytes, a PDF only by the model's context. */
function checkDocument(source: unknown, path: string, media: Media): void {
  if (!isObject(source)) throw invalidField(path, 'Expected an object with data.')
  refuseOtherFields(source, sourceFields, path)
  if (source.type === 'text') return
  if (source.type !== 'base64' || source.media_type !== 'application/pdf') {
    throw invalidField(path, 'Send documents as text or as a base64 PDF; remote and stored ones are not fetched.')
  }
  media.files++
}

function parseRequest(rawBody: string): ModelCall {
  const asked = parseBody(request, rawBody)
  const media = new Media()
  checkBlocks(asked.system, 'system', media)
  for (const [index, message] of asked.messages.entries()) {
    checkBlocks(message.content, `messages.${index}.content`, media)
  }
  const budget = asked.thinking?.type === 'enabled' ? asked.thinking.budget_tokens : 0
  if (budget >= asked.max_tokens) throw invalidField('thinking.budget_tokens', 'It must be less than max_tokens.')
  return {
    ...commonFacts(rawBody, asked, media),
    format: 'anthropic-messages',
    choices: 1,
    outputTokens: asked.max_tokens,
    leastOutput: budget + 1,
    hidesUsage: false,
    fields: passedOn(asked, ours),
  }
}

const buildRequest = (call: ModelCall, model: PricedModel, outputTokens: number, user: string): string =>
  JSON.stringify({
    ...call.fields,
    model: model.upstreamModel,
    max_tokens: outputTokens,
    metadata: { user_id: user },
    service_tier: 'standard_only',
  })

/** Anthropic counts cached input apart. Kinds it does not mention stay as reported before. */
function readInput(reported: Record<string, unknown>): Partial<Usage> {
  const kinds = {
    input: tokenCount(reported.input_tokens),
    cachedInput: tokenCount(reported.cache_read_input_tokens),
    cacheWrite: tokenCount(reported.cache_creation_input_tokens),
  }
  return Object.fromEntries(Object.entries(kinds).filter(([, tokens]) => tokens !== null))
}

function readUsage(reported: unknown): Pick<ResponsePart, 'usage' | 'final'> {
  const output = isObject(reported) ? tokenCount(reported.output_tokens) : null
  if (!isObject(reported) || output === null) return { usage: null, final: false }
  return { usage: { ...readInput(reported), output }, final: true }
}

function parseResponse(json: Readonly<Record<string, unknown>>): ResponsePart {
  switch (json.type) {
    case 'error':
      return { ...emptyPart, failed: true }
    case 'message_start': {
      // its output count is of nothing the caller has seen, so only the input is taken from it
      const usage = isObject(json.message) && isObject(json.message.usage) ? readInput(json.message.usage) : null
      return { ...emptyPart, usage }
    }
    case 'message_delta':
      return { ...emptyPart, ...readUsage(json.usage) }
    case 'content_block_start':
      return { ...emptyPart, outputBytes: bytesOf([json.content_block]) }
    case 'content_block_delta':
      return { ...emptyPart, outputBytes: bytesOf([json.delta]) }
    case 'message':
      return { ...emptyPart, ...readUsage(json.usage), outputBytes: bytesOf(json.content) }
    default:
      return emptyPart
  }
}

/** Bytes a model wrote into blocks or deltas. */
const bytesOf = (blocks: unknown): number =>
  objectsIn(blocks).reduce((sum, { text, thinking, partial_json, name, input }) => {
    const tool = isObject(input) && Object.keys(input).length > 0 ? utf8Length(JSON.stringify(input)) : 0
    return sum + textBytes([text, thinking, partial_json, name]) + tool
  }, 0)

const failure = { type: 'error', error: { type: 'api_error', message: streamFailure } }

export const anthropicMessages: ApiFormat = {
  name: 'anthropic-messages',
  paths: ['/llm/proxy/v1/messages'],
  parseRequest,
  buildRequest,
  parseResponse,
  errorEvent: `event: error\ndata: ${JSON.stringify(failure)}\n\n`,
}
