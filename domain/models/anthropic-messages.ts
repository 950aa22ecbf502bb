import * as z from 'zod'
import { count, type Dialect, isObject, type ModelCall, nothingRead, type Reading, utf8Length } from './dialect.ts'
import type { Usage } from './metering.ts'
import type { PricedModel } from './model.ts'
import { allow, Media, onlyFields, parseObject, refused } from './request.ts'

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

const ours = new Set(['model', 'max_tokens', 'metadata', 'service_tier'])

const blockFields: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(['type', 'text', 'cache_control']),
  image: new Set(['type', 'source', 'cache_control']),
  document: new Set(['type', 'source', 'title', 'context', 'cache_control']),
  tool_use: new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']),
  thinking: new Set(['type', 'thinking', 'signature']),
  redacted_thinking: new Set(['type', 'data']),
}
const sourceFields = new Set(['type', 'media_type', 'data'])

function checkBlocks(given: unknown, path: string, media: Media): void {
  if (!Array.isArray(given)) return
  for (const [index, one] of given.entries()) checkBlock(one, `${path}.${index}`, media)
}

function checkBlock(one: unknown, path: string, media: Media): void {
  if (!isObject(one)) throw refused(path, 'Expected an object with a type.')
  const type = String(one.type)
  const allowed = Object.hasOwn(blockFields, type) ? blockFields[type] : undefined
  if (!allowed) throw refused(`${path}.type`, `Only ${Object.keys(blockFields).join(', ')} blocks are accepted.`)
  onlyFields(one, allowed, path)
  if (!cacheControl.safeParse(one.cache_control).success)
    throw refused(`${path}.cache_control`, 'Use {"type": "ephemeral"}, of five minutes.')
  if (type === 'tool_result') checkBlocks(one.content, `${path}.content`, media)
  if (type === 'document') checkDocument(one.source, `${path}.source`, media)
  if (type === 'image') checkSource(one.source, `${path}.source`, media)
}

function checkSource(source: unknown, path: string, media: Media): void {
  if (!isObject(source) || source.type !== 'base64' || typeof source.data !== 'string') {
    throw refused(path, 'Send images as base64 data; remote and stored ones are not fetched.')
  }
  onlyFields(source, sourceFields, path)
  media.addImageData(source.data, `${path}.data`)
}

/** Plain text is bounded by its bytes, a PDF only by the model's context. */
function checkDocument(source: unknown, path: string, media: Media): void {
  if (!isObject(source)) throw refused(path, 'Expected an object with data.')
  onlyFields(source, sourceFields, path)
  if (source.type === 'text') return
  if (source.type !== 'base64' || source.media_type !== 'application/pdf') {
    throw refused(path, 'Send documents as text or as a base64 PDF; remote and stored ones are not fetched.')
  }
  media.files++
}

function parse(rawBody: string): ModelCall {
  const asked = allow(request, parseObject(rawBody))
  const media = new Media()
  checkBlocks(asked.system, 'system', media)
  for (const [index, message] of asked.messages.entries()) {
    checkBlocks(message.content, `messages.${index}.content`, media)
  }
  const budget = asked.thinking?.type === 'enabled' ? asked.thinking.budget_tokens : 0
  if (budget >= asked.max_tokens) throw refused('thinking.budget_tokens', 'It must be less than max_tokens.')
  const kept = Object.entries(asked).filter(([name, value]) => !ours.has(name) && value !== null && value !== undefined)
  return {
    format: 'anthropic-messages',
    model: asked.model,
    stream: asked.stream === true,
    choices: 1,
    textBytes: utf8Length(rawBody) - media.imageBytes,
    images: media.images,
    files: media.files,
    tools: (asked.tools?.length ?? 0) > 0,
    outputTokens: asked.max_tokens,
    leastOutput: budget + 1,
    hidesUsage: false,
    fields: Object.fromEntries(kept),
  }
}

const body = (call: ModelCall, model: PricedModel, outputTokens: number, user: string): string =>
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
    input: count(reported.input_tokens),
    cachedInput: count(reported.cache_read_input_tokens),
    cacheWrite: count(reported.cache_creation_input_tokens),
  }
  return Object.fromEntries(Object.entries(kinds).filter(([, tokens]) => tokens !== null))
}

function readWhole(reported: unknown): Pick<Reading, 'usage' | 'final'> {
  const output = isObject(reported) ? count(reported.output_tokens) : null
  if (!isObject(reported) || output === null) return { usage: null, final: false }
  return { usage: { ...readInput(reported), output }, final: true }
}

function read(json: Readonly<Record<string, unknown>>): Reading {
  switch (json.type) {
    case 'error':
      return { ...nothingRead, failed: true }
    case 'message_start': {
      // its output count is of nothing the caller has seen, so only the input is taken from it
      const usage = isObject(json.message) && isObject(json.message.usage) ? readInput(json.message.usage) : null
      return { ...nothingRead, usage }
    }
    case 'message_delta':
      return { ...nothingRead, ...readWhole(json.usage) }
    case 'content_block_start':
      return { ...nothingRead, outputBytes: written(json.content_block) }
    case 'content_block_delta':
      return { ...nothingRead, outputBytes: written(json.delta) }
    case 'message': {
      const blocks = Array.isArray(json.content) ? json.content : []
      const outputBytes = blocks.reduce<number>((sum, one) => sum + written(one), 0)
      return { ...nothingRead, ...readWhole(json.usage), outputBytes }
    }
    default:
      return nothingRead
  }
}

/** Bytes a model wrote into a block or delta. */
function written(made: unknown): number {
  if (!isObject(made)) return 0
  const texts = [made.text, made.thinking, made.partial_json, made.name]
  const bytes = texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? utf8Length(text) : 0), 0)
  const { input } = made
  return isObject(input) && Object.keys(input).length > 0 ? bytes + utf8Length(JSON.stringify(input)) : bytes
}

const failure = {
  type: 'error',
  error: { type: 'api_error', message: 'The model provider ended the stream early. Retry the call.' },
}

export const anthropicMessages: Dialect = {
  format: 'anthropic-messages',
  paths: ['/llm/proxy/v1/messages'],
  parse,
  body,
  read,
  errorEvent: `event: error\ndata: ${JSON.stringify(failure)}\n\n`,
}
