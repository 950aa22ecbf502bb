import * as z from 'zod'
import { invalid } from '../errors.ts'
import { type ApiFormat, emptyPart, type ModelCall, type ResponsePart } from './api-format.ts'
import { maxResponseBytes } from './call-limits.ts'
import { noUsage } from './cost.ts'
import { isError } from './failure.ts'
import { isObject, objectsIn, tokenCount } from './json.ts'
import type { PricedModel } from './model.ts'
import { openaiFields, openaiOurs } from './openai.ts'
import { openaiChat } from './openai-chat.ts'
import { commonFacts, parseBody, passedOn } from './request.ts'

const tokens = z.array(z.int().min(0)).min(1)

/** The fields of a request that billing reads. */
const request = z.looseObject({
  model: openaiFields.model,
  input: z.union([z.string().min(1), tokens, z.array(z.string().min(1)).min(1), z.array(tokens).min(1)]),
  dimensions: z.int().min(1).max(100_000).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
})

const ours = [...openaiOurs, 'stream', 'stream_options']

/** Default, and most bytes of one number. */
const usualDimensions = 3_072
const numberBytes = { float: 24, base64: 16 / 3 }

function parseRequest(rawBody: string): ModelCall {
  const body = parseBody(request, rawBody)
  checkAnswer(body)
  return {
    ...commonFacts(rawBody, { model: body.model ?? null, ...passedOn(body, ours) }, ours),
    format: 'openai-embeddings',
    stream: false,
    choices: 1,
    outputTokens: 0,
    leastOutput: 0,
    wideContext: false,
    hidesUsage: false,
    fields: passedOn(body, ours),
  }
}

/** Answers are read whole, so one that would be too large is refused before it costs anything. */
function checkAnswer({ input, dimensions, encoding_format }: z.infer<typeof request>): void {
  const vectors = Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1
  const bytes = vectors * (dimensions ?? usualDimensions) * numberBytes[encoding_format ?? 'float']
  if (bytes > maxResponseBytes)
    throw invalid(
      'input',
      'The answer would be too large. Send fewer inputs at a time, or ask for encoding_format base64.',
    )
}

const buildRequest = (call: ModelCall, model: PricedModel, _outputTokens: number, user: string): string =>
  JSON.stringify({ ...call.fields, model: model.upstreamModel, user })

/** Vectors are no tokens, but they show that the provider has read the input. */
function parseResponse(json: Readonly<Record<string, unknown>>): ResponsePart {
  const { usage, data, error } = json
  const input = isObject(usage) ? (tokenCount(usage.prompt_tokens) ?? tokenCount(usage.total_tokens)) : null
  return {
    ...emptyPart,
    usage: input === null ? null : { ...noUsage, input },
    final: input !== null,
    outputBytes: Array.isArray(data) && data.length > 0 ? 1 : 0,
    finished: true,
    failed: isError(error),
  }
}

const isAnswer = ({ data }: Readonly<Record<string, unknown>>): boolean =>
  objectsIn(data).some(({ embedding }) => Array.isArray(embedding) || typeof embedding === 'string')

/** Nothing is streamed, and only the input costs something. */
export const openaiEmbeddings: ApiFormat = {
  ...openaiChat,
  name: 'openai-embeddings',
  path: '/embeddings',
  parseRequest,
  buildRequest,
  parseResponse,
  isAnswer,
}
