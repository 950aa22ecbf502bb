import * as z from 'zod'
import { invalid } from '../errors.ts'
import { type ApiFormat, emptyPart, type ModelCall, type ResponsePart, streamFailure } from './api-format.ts'
import type { ReportedUsage } from './cost.ts'
import { isError } from './failure.ts'
import { argumentsJson, isObject, objectsIn, textBytes, tokenCount } from './json.ts'
import type { PricedModel } from './model.ts'
import { commonFacts, parseBody, passedOn } from './request.ts'
import { searchesOf, searchTool } from './request-content.ts'
import { keptId } from './translate/limits.ts'
import { anthropicError } from './vendor-errors.ts'

const limit = z.int().min(1).max(10_000_000)

/** The fields of a request that billing reads. */
const request = z.looseObject({
  model: z.string().max(200),
  messages: z.array(z.looseObject({})).min(1),
  stream: z.boolean().nullish(),
  tools: z.array(z.looseObject({})).nullish(),
  thinking: z.looseObject({ budget_tokens: limit.nullish() }).nullish(),
})

const ours = ['model', 'max_tokens', 'metadata', 'service_tier']

const limitedRequest = request.extend({ max_tokens: limit })

function parseRequest(rawBody: string, headers: Readonly<Record<string, string>> = {}): ModelCall {
  const body = parseBody(limitedRequest, rawBody)
  const budget = body.thinking?.budget_tokens ?? 0
  if (budget >= body.max_tokens) throw invalid('thinking.budget_tokens', 'It must be less than max_tokens.')
  return {
    ...commonFacts(rawBody, body, ours, true),
    format: 'anthropic-messages',
    choices: 1,
    outputTokens: body.max_tokens,
    leastOutput: budget + 1,
    wideContext: /\bcontext-1m\b/.test(headers['anthropic-beta'] ?? ''),
    hidesUsage: false,
    fields: {
      ...passedOn(body, ours),
      messages: body.messages.map(withoutForeignThoughts).map(withPlainIds),
      ...(body.tools && { tools: body.tools.map(boundSearches) }),
    },
  }
}

/** Unsigned thoughts are from a model of another format: no provider of this one accepts them. */
function withoutForeignThoughts(message: Record<string, unknown>): Record<string, unknown> {
  const isForeign = (block: unknown) => isObject(block) && block.type === 'thinking' && block.signature === ''
  const { content } = message
  if (!Array.isArray(content) || !content.some(isForeign)) return message
  return { ...message, content: content.filter((block) => !isForeign(block)) }
}

/** Ids of calls by a provider of another format, in a form that Anthropic accepts. */
function withPlainIds(message: Record<string, unknown>): Record<string, unknown> {
  const { content } = message
  const plain = (block: unknown) => {
    if (!isObject(block)) return block
    const { id, tool_use_id: answered } = block
    return {
      ...block,
      ...(block.type === 'tool_use' && typeof id === 'string' && { id: keptId(id) }),
      ...(typeof answered === 'string' && { tool_use_id: keptId(answered) }),
    }
  }
  return Array.isArray(content) ? { ...message, content: content.map(plain) } : message
}

/** Counts tokens only: there is no output to limit. @throws as `parseRequest` */
export const parseToCount = (rawBody: string): ReturnType<typeof commonFacts> =>
  commonFacts(rawBody, parseBody(request, rawBody), ours, true)

const boundSearches = (tool: Record<string, unknown>) =>
  searchTool.test(String(tool.type)) ? { ...tool, max_uses: searchesOf(tool.max_uses) } : tool

const buildRequest = (call: ModelCall, model: PricedModel, outputTokens: number, user: string): string =>
  JSON.stringify({
    ...call.fields,
    model: model.upstreamModel,
    max_tokens: outputTokens,
    metadata: { user_id: user },
    service_tier: 'standard_only',
  })

/** Anthropic counts cached input separately. Kinds that a report omits stay as reported before. */
function readInput(reported: Record<string, unknown>): ReportedUsage {
  const made = isObject(reported.server_tool_use) ? tokenCount(reported.server_tool_use.web_search_requests) : null
  const kinds = {
    searches: made,
    input: tokenCount(reported.input_tokens),
    cachedInput: tokenCount(reported.cache_read_input_tokens),
    cacheWrite: tokenCount(reported.cache_creation_input_tokens),
    cacheWriteHour: isObject(reported.cache_creation)
      ? tokenCount(reported.cache_creation.ephemeral_1h_input_tokens)
      : null,
  }
  return Object.fromEntries(Object.entries(kinds).filter(([, tokens]) => tokens !== null))
}

/** Extra work of the provider, such as summarizing the conversation: no total includes its tokens. */
const isAside = ({ type }: Record<string, unknown>): boolean => type !== 'message' && type !== 'fallback_message'

function readUsage(reported: unknown): Pick<ResponsePart, 'usage' | 'final'> {
  if (!isObject(reported)) return { usage: null, final: false }
  const output = tokenCount(reported.output_tokens)
  const usage: ReportedUsage = { ...readInput(reported), ...(output !== null && { output }) }
  for (const aside of objectsIn(reported.iterations).filter(isAside)) {
    const more = { ...readInput(aside), output: tokenCount(aside.output_tokens) ?? 0 }
    for (const kind of ['input', 'cachedInput', 'cacheWrite', 'output'] as const)
      if (more[kind]) usage[kind] = (usage[kind] ?? 0) + more[kind]
  }
  return { usage, final: output !== null }
}

/** An answer without a type is one that has content. */
const typeOf = ({ type, content }: Readonly<Record<string, unknown>>): unknown =>
  type ?? (content === undefined ? undefined : 'message')

function parseResponse(json: Readonly<Record<string, unknown>>): ResponsePart {
  if (isError(json.error)) return { ...emptyPart, ...readUsage(json.usage), failed: true }
  switch (typeOf(json)) {
    case 'error':
      return { ...emptyPart, failed: true }
    case 'message_start': {
      // its output count is of nothing the caller has seen, so only the input is taken from it
      const usage = isObject(json.message) && isObject(json.message.usage) ? readInput(json.message.usage) : null
      return { ...emptyPart, usage }
    }
    case 'message_stop':
      return { ...emptyPart, ...readUsage(json.usage), finished: true, ended: true }
    case 'message_delta':
      return { ...emptyPart, ...readUsage(json.usage), finished: isObject(json.delta) && hasStopped(json.delta) }
    case 'content_block_start':
      return {
        ...emptyPart,
        outputBytes: bytesOf([json.content_block]),
        searches: isSearch(json.content_block) ? 1 : 0,
      }
    case 'content_block_delta':
      return { ...emptyPart, outputBytes: bytesOf([json.delta]) }
    case 'message':
      return {
        ...emptyPart,
        ...readUsage(json.usage),
        outputBytes: bytesOf(json.content),
        finished: true,
        ended: true,
      }
    default:
      return { ...emptyPart, isKnown: wordless.includes(json.type) }
  }
}

const wordless: readonly unknown[] = ['content_block_stop', 'ping']

const hasStopped = ({ stop_reason: reason }: Readonly<Record<string, unknown>>): boolean => typeof reason === 'string'

const isSearch = (block: unknown): boolean =>
  isObject(block) && block.type === 'server_tool_use' && block.name === 'web_search'

const bytesOf = (blocks: unknown): number =>
  objectsIn(blocks).reduce(
    (sum, { text, thinking, partial_json, name, input }) => {
      const given = isObject(input) && Object.keys(input).length === 0 ? '' : argumentsJson(input)
      return sum + textBytes([text, thinking, argumentsJson(partial_json), name, given])
    },
    textBytes([blocks]),
  )

const isAnswer = ({ content }: Readonly<Record<string, unknown>>): boolean => Array.isArray(content)

const failure = { type: 'error', error: { type: 'api_error', message: streamFailure } }

export const anthropicMessages: ApiFormat = {
  name: 'anthropic-messages',
  path: '/messages',
  parseRequest,
  buildRequest,
  passedHeaders: ['anthropic-beta'],
  showError: anthropicError,
  parseResponse,
  isAnswer,
  leastOutput: 1,
  errorEvent: `event: error\ndata: ${JSON.stringify(failure)}\n\n`,
}
