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
import { type NextTry, nextTryAfter, reasonOfStatus } from '../../domain/models/failure.ts'
import { isCoveredBy } from '../../domain/models/hold.ts'
import { wellFormedJson } from '../../domain/models/json.ts'
import type { PricedModel } from '../../domain/models/model.ts'
import { ProviderFailure, readRefusal } from '../../domain/models/provider-refusal.ts'
import { callFor } from '../../domain/models/translate/translate.ts'
import { isModelStopped } from '../../domain/operator/stops.ts'
import type { ModelRequest, UpstreamResponse } from '../ports/models.ts'
import type { BilledCall } from './billed-call.ts'
import { type OpenAnswer, openAnswer } from './open-answer.ts'

/** An answer, or the last failure of one provider and who may be tried next. */
type Outcome = { answer: OpenAnswer } | { failure: ProviderFailure; next: NextTry }

/**
 * Retries while the provider is busy, broken, unreachable or gives no usable answer, then tries the same model
 * elsewhere unless that costs more. A failure about the operator's account is not retried. A failure that its provider
 * bills ends the call, because each one is our loss. @throws ProviderFailure
 */
export async function callProvider(billed: BilledCall): Promise<OpenAnswer> {
  const { call, quote, outputTokens, model } = billed.facts
  const first = await tryModel(billed, model, outputTokens, providerRetryWaitsMs)
  if ('answer' in first) return first.answer
  for (const id of first.next === 'nowhere' ? [] : fallbackIds(model.id)) {
    const fallback = await billed.deps.models.find(id)
    if (!fallback || !isCoveredBy(quote, call, fallback)) continue
    if (isModelStopped((await billed.deps.denials.current()).stops, fallback)) continue
    const limit = Math.min(outputTokens, fallback.maxOutputTokens ?? outputTokens)
    const second = await tryModel(billed, fallback, limit, fallbackRetryWaitsMs)
    if ('answer' in second) return second.answer
    if (second.next === 'nowhere') throw second.failure
  }
  throw first.failure
}

async function tryModel(
  billed: BilledCall,
  model: PricedModel,
  outputTokens: number,
  waitsMs: readonly number[],
): Promise<Outcome> {
  const { request, fields } = await requestTo(billed, model, outputTokens)
  for (const waitMs of [...waitsMs, null]) {
    const outcome = await tryOnce(billed, model, request, fields)
    if ('answer' in outcome) return outcome
    const { failure, retryAfterMs, next } = outcome
    billed.noteFailure(failure.reason)
    if (next !== 'again' || waitMs === null || retryAfterMs > longestRetryAfterMs) return { failure, next }
    await billed.deps.clock.sleep(Math.max(waitMs, retryAfterMs))
  }
  throw new Error('the last wait is null, so the loop has returned')
}

async function tryOnce(
  billed: BilledCall,
  model: PricedModel,
  request: ModelRequest,
  fields: readonly string[],
): Promise<{ answer: OpenAnswer } | { failure: ProviderFailure; retryAfterMs: number; next: NextTry }> {
  const response = await billed.deps.models.call(model, request, billed.signal).catch(onlyUnreachable)
  const failed = (failure: ProviderFailure, retryAfterMs = 0, ends = false) => {
    const next: NextTry = ends || billed.signal.aborted ? 'nowhere' : nextTryAfter(failure.reason)
    return { failure, retryAfterMs, next }
  }
  if (!response) return failed(new ProviderFailure('no-connection', 'no connection'))
  if (response.status !== 200) return failed(await refusalIn(response, fields), response.retryAfterMs ?? 0)
  billed.headCame()
  try {
    return { answer: await open(billed, response) }
  } catch (thrown) {
    if (!(thrown instanceof ProviderFailure)) throw thrown
    return failed(thrown, 0, billed.unpaidMicrosOf(thrown.reason) > 0)
  }
}

/** @throws ProviderFailure */
async function open(billed: BilledCall, response: UpstreamResponse): Promise<OpenAnswer> {
  const meter = billed.newMeter()
  const { stream } = billed.facts.call
  const answer = await openAnswer(response, meter, stream)
  if (answer.kind === 'events') return answer
  const { forward, failure } = meter.readWhole(answer.bytes, stream)
  // A readable answer is whole, however its connection ended.
  if (failure)
    throw new ProviderFailure(answer.isCut ? 'cut-off' : failure, answer.isCut ? 'cut off' : 'no usable answer')
  return { ...answer, bytes: forward }
}

/** The request in the provider's format. A translated request omits the caller's headers and field names. */
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
  const body = wellFormedJson(format.buildRequest(sent, model, outputTokens, user))
  const accept = call.stream ? 'text/event-stream' : 'application/json'
  const headers = { ...(same && beside.headers), accept }
  const request = { format: sent.format, body, headers, query: same ? beside.query : '' }
  return { request, fields: same ? Object.keys(call.fields) : [] }
}

/** Reads a bounded part of a refusal's text, in a bounded time. */
async function refusalIn(response: UpstreamResponse, sent: readonly string[]): Promise<ProviderFailure> {
  const { status, retryAfterMs } = response
  if (status < 400 || status >= 500) {
    response.cancel()
    return new ProviderFailure(reasonOfStatus(status), `HTTP ${status}`)
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

/** Only an unreachable provider is worth another try. */
function onlyUnreachable(thrown: unknown): null {
  if (thrown instanceof DomainError && thrown.code === 'provider-error') return null
  throw thrown
}
