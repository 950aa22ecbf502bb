import * as z from 'zod'
import { forbidden } from '../errors.ts'
import type { PricedModel } from '../models/model.ts'
import { secondMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'

export const stopKinds = ['model', 'provider', 'user', 'all'] as const
export type StopKind = (typeof stopKinds)[number]

/** Functions cache stops for this time, ms: no later than this after a stop is a call admitted or a machine started. */
export const stopsFreshMs = 10 * secondMs

/** The same for an answer under way, which checks each `recheckMs`: it ends within 15 s of a stop. */
export const stopsRecheckFreshMs = 2 * secondMs

/** Bounded because all stops are in one item. */
export const mostStops = 500

const stop = z.object({ reason: z.string(), at: timestamp, by: z.string().nullable() })

/** By `all`, `user#usr_…`, `provider#…` and `model#…`. */
export const stops = z.record(z.string(), stop)
export type Stops = z.infer<typeof stops>

export const stopName = (kind: StopKind, what: string): string => (kind === 'all' ? 'all' : `${kind}#${what}`)

export const isUserStopped = (stops: Stops, userId: string): boolean =>
  stops.all !== undefined || stops[stopName('user', userId)] !== undefined

type Named = Pick<PricedModel, 'id' | 'provider' | 'upstreamModel'>

/** True for a stop of the model, by its id or its provider's name for it, or of its provider. */
export const isModelStopped = (stops: Stops, { id, provider, upstreamModel }: Named): boolean =>
  [stopName('model', id), stopName('model', upstreamModel), stopName('provider', provider)].some(
    (name) => stops[name] !== undefined,
  )

/** @throws forbidden without the reason, which is for operators */
export function checkStops(stops: Stops, userId: string, model: Named): void {
  if (stops.all) throw forbidden('The operator of this service has stopped all model calls. Try again later.')
  if (isUserStopped(stops, userId))
    throw forbidden('The operator of this service has stopped model calls of this account. Write to them.')
  if (isModelStopped(stops, model))
    throw forbidden(`${model.id} was stopped by the operator of this service. Choose another model.`)
}
