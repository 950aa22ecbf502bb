/** The tables of bench/proxy.md, from one run's measurements. */

export interface Calls {
  name: string
  p50: number
  p99: number
  perSecond: number
}

export interface Streams {
  name: string
  firstByteMs: number
  /** The first byte's delay beyond that of the upstream itself. */
  addedMs: number
  gapP99: number
  /** Memory of a stream, with a short prompt and with one of a megabyte; not measured with the store. */
  kib?: { short: number; megabyte: number }
}

const grouped = (count: number): string => count.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ' ')
const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

export function callsTable(all: Calls[]): string {
  const base = all[0]?.p50 ?? 0
  return table(
    ['', 'p50 ms', 'added ms', 'p99 ms', 'req/s at 16'],
    all.map(({ name, p50, p99, perSecond }) => [
      name,
      p50.toFixed(3),
      p50 === base ? '0' : (p50 - base).toFixed(3),
      p99.toFixed(2),
      grouped(perSecond),
    ]),
  )
}

export const streamsTable = (all: Streams[]): string =>
  table(
    ['streams', 'first byte ms', 'added ms', 'gap p99 ms', 'KiB a stream', 'with 1 MB of prompt'],
    all.map(({ name, firstByteMs, addedMs, gapP99, kib }) => [
      name,
      firstByteMs.toFixed(3),
      addedMs.toFixed(3),
      gapP99.toFixed(2),
      kib?.short.toFixed(1) ?? '',
      kib?.megabyte.toFixed(1) ?? '',
    ]),
  )

interface Aim {
  what: string
  /** A ratio for each aim; undefined when a peer did not start. */
  ratios: (number | undefined)[]
  holds(ratio: number): boolean
}

const atMost = (bound: number) => (ratio: number) => ratio <= bound
const ratio = (a: number | undefined, b: number | undefined): number | undefined => (a && b ? a / b : undefined)

function aimsOf(calls: Calls[], streams: Streams[]): Aim[] {
  const direct = calls[0]?.p50 ?? 0
  const call = (name: string) => calls.find((each) => each.name.startsWith(name))
  const stream = (name: string) => streams.find((each) => each.name.startsWith(name))
  const added = (name: string) => {
    const found = call(name)
    return found && found.p50 - direct
  }
  const [bare, stubbed, billed] = ['bare', 'pipeline, store stubbed', 'pipeline, billed'] as const
  const gap = (name: string) => ratio(stream(name)?.gapP99, stream(bare)?.gapP99)
  return [
    { what: 'billed added p50 ≤ 1.2× Portkey’s', ratios: [ratio(added(billed), added('Portkey'))], holds: atMost(1.2) },
    { what: '≤ 0.2× LiteLLM’s', ratios: [ratio(added(billed), added('LiteLLM'))], holds: atMost(0.2) },
    {
      what: 'billed req/s ≥ 1× Portkey’s',
      ratios: [ratio(call(billed)?.perSecond, call('Portkey')?.perSecond)],
      holds: (seen) => seen >= 1,
    },
    {
      what: '≥ 6× LiteLLM’s',
      ratios: [ratio(call(billed)?.perSecond, call('LiteLLM')?.perSecond)],
      holds: (seen) => seen >= 6,
    },
    {
      what: 'stubbed added p50 ≤ 1.5× the bare proxy’s',
      ratios: [ratio(added(stubbed), added(bare))],
      holds: atMost(1.5),
    },
    {
      what: 'stubbed req/s ≥ 4× Portkey’s',
      ratios: [ratio(call(stubbed)?.perSecond, call('Portkey')?.perSecond)],
      holds: (seen) => seen >= 4,
    },
    {
      what: 'stubbed added first byte ≤ 1.3× the bare proxy’s',
      ratios: [ratio(stream(stubbed)?.addedMs, stream(bare)?.addedMs)],
      holds: atMost(1.3),
    },
    {
      what: 'gap p99 ≤ 1.2× the bare proxy’s at 64 streams: stubbed, billed',
      ratios: [gap(stubbed), gap(billed)],
      holds: atMost(1.2),
    },
    {
      what: 'memory a stream ≤ 1.5× the bare proxy’s: short prompt, a megabyte',
      ratios: [
        ratio(stream(stubbed)?.kib?.short, stream(bare)?.kib?.short),
        ratio(stream(stubbed)?.kib?.megabyte, stream(bare)?.kib?.megabyte),
      ],
      holds: atMost(1.5),
    },
  ]
}

/** The aims, and this run's distance from each. */
export const aimsTable = (calls: Calls[], streams: Streams[]): string =>
  table(
    ['aim', 'in this run', 'reached'],
    aimsOf(calls, streams).map(({ what, ratios, holds }) => [
      what,
      ratios.map((seen) => (seen === undefined ? 'not measured' : `${seen.toFixed(2)}×`)).join(', '),
      ratios.every((seen) => seen !== undefined && holds(seen)) ? 'yes' : 'no',
    ]),
  )
