import { DomainError, providerError } from '../../domain/errors.ts'
import type { PricedModel } from '../../domain/models/model.ts'
import type { UpstreamAnswer } from '../../domain/models/ports.ts'
import { mayStandIn, standInOutput, standInsOf } from '../../domain/models/stand-in.ts'
import { secondMs } from '../../domain/time.ts'
import type { OpenCall } from './open-call.ts'

/** Waits before the second, third and fourth try, ms; a stand-in is tried once more only. */
const retryWaitsMs = [250, 500, 1_000]
const standInWaitsMs = [250]

/** A provider that asks for more patience than this is busy, ms. */
const mostPatienceMs = 4 * secondMs

/** What became of the tries at one provider: an answer, or its last refusal (null: no connection). */
type Outcome = { answer: UpstreamAnswer } | { refused: number | null; final: boolean }

/**
 * The provider's answer that began well. While it is busy, broken or out of reach it is asked again, then the same
 * model elsewhere unless that is dearer; never after an answer began. @throws provider-error
 */
export async function send(open: OpenCall): Promise<UpstreamAnswer> {
  const { call, quote, outputTokens, model } = open.facts
  const first = await tryAt(open, model, outputTokens, retryWaitsMs)
  if ('answer' in first) return first.answer
  if (!first.final) {
    for (const id of standInsOf(model)) {
      const other = await open.deps.models.find(id)
      if (!other || !mayStandIn(call, quote, other)) continue
      open.model = other
      const second = await tryAt(open, other, standInOutput(outputTokens, other), standInWaitsMs)
      if ('answer' in second) return second.answer
    }
  }
  throw failed(first.refused)
}

async function tryAt(open: OpenCall, model: PricedModel, outputTokens: number, waitsMs: number[]): Promise<Outcome> {
  const { userId, dialect, call } = open.facts
  const { models, clock } = open.deps
  const body = dialect.body(call, model, outputTokens, await models.pseudonym(model, userId))
  const headers = { accept: call.stream ? 'text/event-stream' : 'application/json' }
  for (const waitMs of [...waitsMs, null]) {
    const answer = await models.call(model, dialect.format, body, headers, open.signal).catch(onlyUnreachable)
    if (answer?.status === 200) return { answer }
    answer?.drop()
    const final = open.signal.aborted || (answer !== null && !mayPass(answer.status))
    const patienceMs = answer?.retryAfterMs ?? 0
    if (final || waitMs === null || patienceMs > mostPatienceMs) return { refused: answer?.status ?? null, final }
    await clock.sleep(Math.max(waitMs, patienceMs))
  }
  throw new Error('the last wait is null, so the loop has returned')
}

/** A provider out of reach is worth another try; anything else is not. */
function onlyUnreachable(thrown: unknown): null {
  if (thrown instanceof DomainError && thrown.code === 'provider-error') return null
  throw thrown
}

const mayPass = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** The provider's status is all that is said of its error. */
const failed = (status: number | null): DomainError =>
  new DomainError('provider-error', providerError().message, {
    details: { upstream: [status === null ? 'no connection' : `HTTP ${status}`] },
  })
