import { pricedModels } from '../../domain/models/prices.ts'
import { mostStops, type StopKind, type Stops, stopKinds, stopName } from '../../domain/operator/stops.ts'
import { iso } from '../../domain/time.ts'
import type { Denials } from '../models/ports.ts'

/** What is to be stopped, or goes on. */
export interface StopTarget {
  kind: StopKind
  what: string
}

/** What a command names: `model <id>`, `provider <name>`, `user <usr_…>` or `all`; null when it is none of these. */
export function stopTarget(kind: string | undefined, what = ''): StopTarget | null {
  const known = stopKinds.find((each) => each === kind)
  if (!known || (known === 'all') !== (what === '')) return null
  if (known !== 'all' && !/^[\w./:@+-]{1,120}$/.test(what)) return null
  return { kind: known, what }
}

/** What a priced model or provider is not called: it may be a name from the secret of providers, or a slip. */
export const isPriced = ({ kind, what }: StopTarget): boolean =>
  kind === 'model'
    ? pricedModels.some(({ id, upstreamModel }) => id === what || upstreamModel === what)
    : kind !== 'provider' || pricedModels.some(({ provider }) => provider === what)

/** What became of it: `same` when it was so before, `full` when no more can be stopped by name, `moved` when somebody else was faster. */
export async function changeStop(
  denials: Denials,
  { kind, what }: StopTarget,
  stopped: { reason: string; by: string | null } | null,
): Promise<'done' | 'same' | 'full' | 'moved'> {
  const seen = await denials.find()
  const name = stopName(kind, what)
  const { [name]: before, ...others } = seen.stops
  if ((before !== undefined) === (stopped !== null)) return 'same'
  if (stopped && Object.keys(others).length >= mostStops) return 'full'
  const next: Stops = stopped ? { ...others, [name]: { ...stopped, at: iso(Date.now()) } } : others
  return (await denials.save({ fields: seen.fields, stops: next }, seen)) ? 'done' : 'moved'
}
