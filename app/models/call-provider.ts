import { DomainError } from '../../domain/errors.ts'
import { formatNamed } from '../../domain/models/api-formats.ts'
import {
  fallbackRetryWaitsMs,
  longestRetryAfterMs,
  maxRefusalCharacters,
  providerRetryWaitsMs,
  refusalReadMs,
} from '../../domain/models/call-limits.ts'
import { fallbackIds } from '../../domain/models/catalogue.ts'
import { isCoveredBy } from '../../domain/models/hold.ts'
import type { PricedModel } from '../../domain/models/model.ts'
import { isTelling, type ProviderRefusal, providerFailed, readRefusal } from '../../domain/models/refusal.ts'
import { callFor } from '../../domain/models/translate/translate.ts'
import { isModelStopped } from '../../domain/operator/stops.ts'
import type { BilledCall } from './billed-call.ts'
import type { ModelRequest, UpstreamResponse } from './ports.ts'

/** What became of the tries at one provider: a response, or its last refusal (null: no connection). */
type Outcome =
  | { response: UpstreamResponse }
  | { refused: number | null; refusal: ProviderRefusal | null; final: boolean }

/**
 * The provider's response that began well. While it is busy, broken or out of reach it is asked again, then the same
 * model elsewhere unless that is dearer; never after a response began. @throws provider-error
 */
export async function callProvider(billed: BilledCall): Promise<UpstreamResponse> {
  const { call, quote, outputTokens, model } = billed.facts
  const first = await tryModel(billed, model, outputTokens, providerRetryWaitsMs)
  if ('response' in first) return first.response
  for (const id of first.final ? [] : fallbackIds(model.id)) {
    const fallback = await billed.deps.models.find(id)
    if (!fallback || !isCoveredBy(quote, call, fallback)) continue
    if (isModelStopped((await billed.deps.denials.current()).stops, fallback)) continue
    const limit = Math.min(outputTokens, fallback.maxOutputTokens ?? outputTokens)
    const second = await tryModel(billed, fallback, limit, fallbackRetryWaitsMs)
    if ('response' in second) return second.response
  }
  throw first.refusal ?? providerFailed(first.refused === null ? 'no connection' : `HTTP ${first.refused}`)
}

async function tryModel(
  billed: BilledCall,
  model: PricedModel,
  outputTokens: number,
  waitsMs: readonly number[],
): Promise<Outcome> {
  const { models, clock } = billed.deps
  const { request, fields } = await requestTo(billed, model, outputTokens)
  for (const waitMs of [...waitsMs, null]) {
    const response = await models.call(model, request, billed.signal).catch(onlyUnreachable)
    if (response?.status === 200) return { response }
    const final = billed.signal.aborted || (response !== null && !isTransient(response.status))
    const retryAfterMs = response?.retryAfterMs ?? 0
    if (final || waitMs === null || retryAfterMs > longestRetryAfterMs) {
      const refusal = response && (await refusalIn(response, fields))
      return { refused: response?.status ?? null, refusal, final }
    }
    response?.cancel()
    await clock.sleep(Math.max(waitMs, retryAfterMs))
  }
  throw new Error('the last wait is null, so the loop has returned')
}

/** The request as the model's provider takes it; a translated one has nothing of the caller's beside it, nor names its fields. */
async function requestTo(
  billed: BilledCall,
  model: PricedModel,
  outputTokens: number,
): Promise<{ request: ModelRequest; fields: readonly string[] }> {
  const { userId, call, beside, format: own } = billed.facts
  const sent = callFor(call, model, outputTokens)
  const same = sent === call
  const format = same ? own : formatNamed(sent.format)
  billed.askedOf(model, format, sent)
  const user = await billed.deps.models.pseudonym(model, userId)
  const body = format.buildRequest(sent, model, outputTokens, user)
  const accept = call.stream ? 'text/event-stream' : 'application/json'
  const headers = { ...(same && beside.headers), accept }
  const request = { format: sent.format, body, headers, query: same ? beside.query : '' }
  return { request, fields: same ? Object.keys(call.fields) : [] }
}

/** What a refusal says, of which a bounded part is read in a bounded time. */
async function refusalIn(response: UpstreamResponse, sent: readonly string[]): Promise<ProviderRefusal | null> {
  const { status, retryAfterMs } = response
  if (!isTelling(status)) {
    response.cancel()
    return null
  }
  const timeout = setTimeout(() => response.cancel(), refusalReadMs)
  const decoder = new TextDecoder()
  let body = ''
  await response
    .read((chunk) => {
      body += decoder.decode(chunk, { stream: true })
      if (body.length > maxRefusalCharacters) throw new RangeError('enough is known')
      return undefined
    })
    .catch(() => {})
  clearTimeout(timeout)
  return readRefusal(status, body, sent, retryAfterMs)
}

/** A provider out of reach is worth another try; anything else is not. */
function onlyUnreachable(thrown: unknown): null {
  if (thrown instanceof DomainError && thrown.code === 'provider-error') return null
  throw thrown
}

const isTransient = (status: number): boolean => status === 408 || status === 429 || status >= 500
