import { useSearchState } from '../router.tsx'
import { type Dimension, dimensions } from './names.ts'
import { type Days, daysOf, isRange, type Range, ranges } from './usage-range.ts'

const isOneOf = <T extends string>(text: string, list: readonly T[]): text is T => list.some((known) => known === text)

/** Kept in the page's address. */
export function useUsageSearch() {
  const [rangeText, setRange] = useSearchState<string>('range', 'days30')
  const [from, setFrom] = useSearchState<string>('from', '')
  const [to, setTo] = useSearchState<string>('to', '')
  const [byText, setBy] = useSearchState<string>('by', 'model')
  const model = useSearchState<string>('model', '')
  const trigger = useSearchState<string>('trigger', '')
  const token = useSearchState<string>('token', '')
  const conversation = useSearchState<string>('conversation', '')

  const range: Range = isOneOf(rangeText, ranges) ? rangeText : 'days30'
  const by: Dimension = isOneOf(byText, dimensions) ? byText : 'model'
  const days: Days = daysOf(range, new Date().toISOString().slice(0, 10), { from, to })
  const filters = { model, trigger, token, conversation } satisfies Record<Dimension, unknown>
  const set = dimensions.filter((of) => filters[of][0] !== '')
  const input = { ...days, by, ...Object.fromEntries(set.map((of) => [of, filters[of][0]])) }
  return {
    range,
    setRange: (next: Range) => setRange(next),
    days,
    setFrom: (day: string) => setFrom(day, { replace: true }),
    setTo: (day: string) => setTo(day, { replace: true }),
    by,
    setBy: (next: Dimension) => setBy(next),
    filterOf: (of: Dimension) => filters[of][0],
    setFilter: (of: Dimension, key: string) => filters[of][1](key),
    isFiltered: set.length > 0,
    /** The request to the service; null while the days are invalid. */
    input: isRange(days) ? input : null,
  }
}
export type UsageSearch = ReturnType<typeof useUsageSearch>
