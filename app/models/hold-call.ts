import { invalid, rateLimited } from '../../domain/errors.ts'
import { successorOf } from '../../domain/models/catalogue.ts'
import { checkDenied } from '../../domain/models/denied.ts'
import { clampOutput, quoteOf } from '../../domain/models/hold.ts'
import { isEmbedding, type PricedModel } from '../../domain/models/model.ts'
import { checkStops } from '../../domain/operator/stops.ts'
import { readWindow } from '../../domain/rates/rate-limits.ts'
import { staleMachine } from '../../domain/wallet/holds.ts'
import type { Models } from '../ports/models.ts'
import type { Part } from '../ports/part.ts'
import { BilledCall, type CallPorts, type CallRequest } from './billed-call.ts'
import { tellingOfLimits } from './telling-of-limits.ts'

/** `default` is the instance's own model, which its machine sends along to save a read. */
export async function findModel(models: Models, asked: string, own: string | undefined): Promise<PricedModel> {
  const id = asked === 'default' ? (own ?? 'default') : asked
  const found = id === 'default' ? await models.defaultModel() : await models.find(id)
  if (!found) throw invalid('model', await whyNotOffered(models, id))
  return found
}

/** `default` is the first model for embeddings. @throws validation */
export async function findEmbeddingModel(models: Models, asked: string): Promise<PricedModel> {
  if (asked !== 'default') return findModel(models, asked, undefined)
  const first = (await models.list()).find(isEmbedding)
  if (!first) throw invalid('model', 'this service has no model for embeddings.')
  return first
}

/** A retired model is never replaced automatically; its caller gets the successor's name. */
async function whyNotOffered(models: Models, id: string): Promise<string> {
  const successor = successorOf(id)
  if (successor && (await models.find(successor))) return `${id} is retired. Use ${successor}.`
  const why = successor ? 'is retired' : 'is not offered here'
  return `${id} ${why}. GET …/v1/models lists the models.`
}

/**
 * Holds the most a call can cost, together with `also`. For a machine, the same write admits it and gives `counted` its window's counts.
 * @throws validation, forbidden, wallet-empty, rate-limited, unauthorized
 */
export async function holdCall(
  deps: CallPorts,
  request: CallRequest,
  also: readonly Part[] = [],
  counted: (counts: Readonly<Record<string, number>>) => void = () => {},
): Promise<BilledCall> {
  const { userId, call, model, trigger, now } = request
  const denied = await deps.denials.current()
  checkStops(denied.stops, userId, model)
  if (denied.fields.size > 0) checkDenied(call.fields, denied.fields)
  const quote = quoteOf(call, model)
  const callId = deps.ids.next('call')
  const held = await deps.wallets
    .hold(userId, callId, { ...quote, ...request.spender, trigger }, now, ...also)
    .catch(tellingOfLimits(deps, userId, now))
  if (!held.held && held.because === 'unknown') throw staleMachine()
  counted(held.counts)
  if (held.held) {
    const outputTokens = clampOutput(quote, held.micros)
    return new BilledCall(deps, { ...request, callId, quote, held, outputTokens })
  }
  throw rateLimited(readWindow('llm', held.counts, now).resetSeconds)
}
