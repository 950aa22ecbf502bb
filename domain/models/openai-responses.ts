import * as z from 'zod'
import { type ApiFormat, emptyPart, type ModelCall, type ResponsePart, streamFailure } from './api-format.ts'
import { isError } from './failure.ts'
import { argumentsJson, isObject, objectsIn, textBytes } from './json.ts'
import type { PricedModel } from './model.ts'
import { isWhole, limit, openaiFields, openaiOurs, readUsage } from './openai.ts'
import { commonFacts, parseBody, passedOn } from './request.ts'
import { searchesOf } from './request-content.ts'
import { fitId } from './translate/limits.ts'
import { openaiError } from './vendor-errors.ts'

/** The fields of a request that billing reads. */
const request = z.looseObject({
  ...openaiFields,
  input: z.union([z.string(), z.array(z.record(z.string(), z.unknown())).min(1)]),
  max_output_tokens: limit,
})

const ours = [...openaiOurs, 'max_output_tokens']

/**
 * An `id` names a stored item, and nothing is stored. Without encrypted content a reasoning item is only such a name.
 */
function readItem({ id, status: _, ...rest }: Record<string, unknown>): Record<string, unknown>[] {
  if (typeof rest.call_id === 'string')
    return [passedOn({ ...rest, call_id: fitId('openai-responses', rest.call_id) }, [])]
  if (rest.type !== 'reasoning') return [passedOn(rest, [])]
  return typeof rest.encrypted_content === 'string' ? [passedOn({ ...rest, id }, [])] : []
}

function parseRequest(rawBody: string): ModelCall {
  const body = parseBody(request, rawBody)
  const { input } = body
  const facts = commonFacts(rawBody, body, ours, true)
  return {
    ...facts,
    searches: facts.searches > 0 ? searchesOf(body.max_tool_calls) : 0,
    format: 'openai-responses',
    choices: 1,
    outputTokens: body.max_output_tokens ?? null,
    leastOutput,
    wideContext: false,
    hidesUsage: false,
    fields: { ...passedOn(body, ours), input: typeof input === 'string' ? input : input.flatMap(readItem) },
  }
}

const leastOutput = 16

const buildRequest = (call: ModelCall, model: PricedModel, outputTokens: number, user: string): string =>
  JSON.stringify({
    ...call.fields,
    model: model.upstreamModel,
    max_output_tokens: outputTokens,
    store: false,
    ...(call.searches > 0 && { max_tool_calls: call.searches }),
    ...(model.provider === 'openai'
      ? { service_tier: 'default', safety_identifier: user, prompt_cache_key: user }
      : { user }),
  })

const signsOfLife: readonly unknown[] = ['ping', 'keepalive']

const failures: readonly unknown[] = ['error', 'response.error']

const ends: readonly unknown[] = ['response.completed', 'response.incomplete', 'response.failed', 'response.done']

/** Events of a stream are `response.…` or `error`; a whole answer is one object of the kind `response`. */
function parseResponse(json: Readonly<Record<string, unknown>>): ResponsePart {
  const { type } = json
  if (failures.includes(type) || isError(json.error)) return { ...readEnd(json, []), failed: true }
  if (ends.includes(type)) return readEnd(isObject(json.response) ? json.response : {}, [])
  if (type === 'response.output_item.added')
    return { ...emptyPart, outputBytes: textBytes(objectsIn([json.item]).map(({ name }) => name)) }
  if (type === 'response.output_item.done')
    return { ...emptyPart, searches: objectsIn([json.item]).filter(isSearch).length }
  if (typeof type === 'string') {
    const outputBytes = type.endsWith('.delta') ? textBytes([json.delta]) : 0
    return { ...emptyPart, outputBytes, isKnown: type.startsWith('response.') || signsOfLife.includes(type) }
  }
  return { ...readEnd(json, objectsIn(json.output).flatMap(textsOf)), isKnown: Array.isArray(json.output) }
}

function readEnd(response: Readonly<Record<string, unknown>>, texts: readonly unknown[]): ResponsePart {
  const reported = readUsage(response.usage)
  const searches = Array.isArray(response.output) ? objectsIn(response.output).filter(isSearch).length : undefined
  const usage = reported && { ...reported, ...(searches !== undefined && { searches }) }
  const failed = response.status === 'failed' || isError(response.error)
  return {
    ...emptyPart,
    usage,
    final: isWhole(usage),
    outputBytes: textBytes(texts),
    failed,
    finished: true,
    ended: true,
  }
}

/** Opening a found page, or finding words in it, is no further search. */
const isSearch = ({ type, action }: Record<string, unknown>): boolean =>
  type === 'web_search_call' && !(isObject(action) && typeof action.type === 'string' && action.type !== 'search')

function textsOf(item: Record<string, unknown>): unknown[] {
  const parts = [...objectsIn(item.content), ...objectsIn(item.summary)]
  return [
    item.name,
    argumentsJson(item.arguments),
    item.input,
    item.content,
    ...parts.flatMap((part) => [part.text, part.refusal]),
  ]
}

/** An answer may be empty when it says how it ended. */
const isAnswer = ({ output, status }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(output) && (output.some(isObject) || typeof status === 'string')

const failure = { type: 'error', code: 'provider-error', message: streamFailure, param: null }

export const openaiResponses: ApiFormat = {
  name: 'openai-responses',
  path: '/responses',
  parseRequest,
  buildRequest,
  passedHeaders: ['openai-beta'],
  showError: openaiError,
  parseResponse,
  isAnswer,
  leastOutput,
  errorEvent: `event: error\ndata: ${JSON.stringify(failure)}\n\n`,
}
