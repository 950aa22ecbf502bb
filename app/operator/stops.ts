import { pricedModels } from '../../domain/models/prices.ts'
import { mostStops, type StopKind, type Stops, stopKinds, stopName } from '../../domain/operator/stops.ts'
import { iso } from '../../domain/time.ts'
import type { Denials } from '../ports/models.ts'
import type { Part } from '../ports/part.ts'

interface StopTarget {
  kind: StopKind
  what: string
}

/** Parses a command's subject: `model <id>`, `provider <name>`, `user <usr_…>` or `all`; null for any other. */
export function stopTarget(kind: string | undefined, what = ''): StopTarget | null {
  const known = stopKinds.find((each) => each === kind)
  if (!known || (known === 'all') !== (what === '')) return null
  if (known !== 'all' && !/^[\w./:@+-]{1,120}$/.test(what)) return null
  return { kind: known, what }
}

/** False for an unknown model or provider: it may come from the secret of providers, or be a typing error. */
export const isPriced = ({ kind, what }: StopTarget): boolean =>
  kind === 'model'
    ? pricedModels.some(({ id, upstreamModel }) => id === what || upstreamModel === what)
    : kind !== 'provider' || pricedModels.some(({ provider }) => provider === what)

/** `same`: no change; `full`: no more can be blocked by name; `moved`: another write came first. */
export async function changeStop(
  denials: Denials,
  { kind, what }: StopTarget,
  stopped: { reason: string; by: string | null } | null,
  ...also: Part[]
): Promise<'done' | 'same' | 'full' | 'moved'> {
  const current = await denials.find()
  const name = stopName(kind, what)
  const { [name]: before, ...others } = current.stops
  if ((before !== undefined) === (stopped !== null)) return 'same'
  if (stopped && Object.keys(others).length >= mostStops) return 'full'
  const next: Stops = stopped ? { ...others, [name]: { ...stopped, at: iso(Date.now()) } } : others
  return (await denials.save({ fields: current.fields, stops: next }, current, ...also)) ? 'done' : 'moved'
}
