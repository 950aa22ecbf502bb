import * as z from 'zod'
import { type ApiFormat, emptyPart, type ModelCall, type ResponsePart, streamFailure } from './api-format.ts'
import { greatestOf } from './cost.ts'
import { isError } from './failure.ts'
import { isObject, objectsIn } from './json.ts'
import type { PricedModel } from './model.ts'
import { isWhole, limit, openaiFields, openaiOurs, readUsage } from './openai.ts'
import { writtenBytes } from './openai-message.ts'
import { commonFacts, parseBody, passedOn } from './request.ts'
import { fitId, plainId } from './translate/limits.ts'
import { openaiError } from './vendor-errors.ts'

/** The fields of a request that billing reads. */
const request = z.looseObject({
  ...openaiFields,
  messages: z.array(z.record(z.string(), z.unknown())).min(1),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: limit,
  max_completion_tokens: limit,
  n: z.int().min(1).max(8).nullish(),
})

const ours = [...openaiOurs, 'stream_options', 'max_tokens', 'max_completion_tokens']

/** Drops a provider's own empty lists and nulls from a message that is sent back. */
const readMessage = ({ annotations: _, ...rest }: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(rest).filter(([name, value]) => value !== null || name === 'content'))

function parseRequest(rawBody: string): ModelCall {
  const body = parseBody(request, rawBody)
  const stream = body.stream === true
  return {
    ...commonFacts(rawBody, body, ours),
    format: 'openai-chat',
    choices: body.n ?? 1,
    outputTokens: body.max_completion_tokens ?? body.max_tokens ?? null,
    leastOutput: 1,
    wideContext: false,
    hidesUsage: stream && body.stream_options?.include_usage !== true,
    fields: {
      ...passedOn(body, ours),
      messages: body.messages.map(readMessage),
      ...(stream && { stream_options: { ...body.stream_options, include_usage: true } }),
    },
  }
}

/** OpenAI itself gets the fields only it knows; others the widely understood name of the limit. */
function buildRequest(call: ModelCall, model: PricedModel, outputTokens: number, user: string): string {
  const sent =
    model.provider === 'openai'
      ? { max_completion_tokens: outputTokens, store: false, service_tier: 'default', prompt_cache_key: user }
      : { max_tokens: outputTokens }
  const messages = objectsIn(call.fields.messages).map(withIds(idsOf(model)))
  return JSON.stringify({ ...call.fields, messages, model: model.upstreamModel, ...sent, user })
}

/** Converts ids of another provider's calls; other servers get their own ids back unchanged. */
const idsOf = ({ provider }: PricedModel): ((id: string) => string) => {
  if (provider === 'openai') return (id) => fitId('openai-chat', id)
  return provider === 'anthropic' ? plainId : (id) => id
}

const withIds =
  (idFor: (id: string) => string) =>
  (message: Record<string, unknown>): Record<string, unknown> => {
    const { tool_calls: calls, tool_call_id: id } = message
    return {
      ...message,
      ...(typeof id === 'string' && { tool_call_id: idFor(id) }),
      ...(Array.isArray(calls) && {
        tool_calls: calls.map((call) =>
          isObject(call) && typeof call.id === 'string' ? { ...call, id: idFor(call.id) } : call,
        ),
      }),
    }
  }

function parseResponse(json: Readonly<Record<string, unknown>>): ResponsePart {
  const choices = objectsIn(json.choices)
  const usage = readReports(json, choices)
  // a whole answer has a message where a stream has deltas
  const ended = choices.some((choice) => typeof choice.finish_reason === 'string' || isObject(choice.message))
  // some servers send an empty delta next to the usage of the whole stream
  const isSilent = choices.every(({ delta }) => isObject(delta) && Object.keys(delta).length === 0)
  return {
    ...emptyPart,
    usage,
    final: isWhole(usage) && (isSilent || ended),
    outputBytes: choices.reduce((sum, choice) => sum + writtenBytes(choice), 0),
    failed:
      isError(json.error) || choices.some(({ error, finish_reason }) => isError(error) || finish_reason === 'error'),
    finished: ended,
    onlyUsage: usage !== null && isSilent && !ended,
    isKnown: Array.isArray(json.choices) || usage !== null,
  }
}

/** OpenAI reports usage next to the choices, Moonshot within them, and Groq in a field of its own. */
function readReports(json: Readonly<Record<string, unknown>>, choices: readonly Record<string, unknown>[]) {
  const groq = isObject(json.x_groq) ? json.x_groq.usage : undefined
  const reports = [json.usage, groq, ...choices.map(({ usage }) => usage)].flatMap((place) => readUsage(place) ?? [])
  return reports.length === 0 ? null : greatestOf(reports)
}

const isAnswer = ({ choices }: Readonly<Record<string, unknown>>): boolean =>
  objectsIn(choices).some(
    ({ message, delta, text }) => isObject(message) || isObject(delta) || typeof text === 'string',
  )

const failure = { error: { code: 'provider-error', type: 'provider-error', message: streamFailure } }

export const openaiChat: ApiFormat = {
  name: 'openai-chat',
  path: '/chat/completions',
  parseRequest,
  buildRequest,
  passedHeaders: ['openai-beta'],
  showError: openaiError,
  parseResponse,
  isAnswer,
  leastOutput: 1,
  errorEvent: `data: ${JSON.stringify(failure)}\n\n`,
}
