import { areas } from '../../lambdas/areas.ts'

interface Reserve {
  area: string
  executions: number
  /** The use that takes all of them. */
  exhaustedBy: string
  /** The answer that a caller then gets, or the delay of the work. */
  effect: string
}

const throttled = '500 until a stream ends; a client connects again'
const queued = 'events wait in Lambda’s queue for up to six hours'

/** By area; a reserve is also the limit of its function. */
const texts: Readonly<Record<string, Omit<Reserve, 'area' | 'executions'>>> = {
  events: { exhaustedBy: '150 open `GET /events`; 38 accounts with four each', effect: throttled },
  'mcp-stream': { exhaustedBy: '100 open `GET /mcp`, of clients of older revisions', effect: throttled },
  mcp: {
    exhaustedBy: '100 tool calls at once; `subscriptions/listen` holds at most 50',
    effect: '500; a 51st listener replaces one that is a minute old, or gets 429',
  },
  files: { exhaustedBy: '70 requests that wait for a machine’s answer', effect: '500; the dashboard repeats reads' },
  'file-downloads': {
    exhaustedBy: '60 downloads from restore points (six a user), or reads that wait for a machine',
    effect: '500; a seventh of one user gets 429, or ends one that is a minute old',
  },
  'stripe-webhook': { exhaustedBy: '30 events at once', effect: 'Stripe repeats an event for up to three days' },
  'webhook-sender': { exhaustedBy: '50 users whose addresses answer slowly', effect: queued },
  reconciler: { exhaustedBy: '60 starts or stops at once, 20 a second', effect: queued },
  'schedule-runner': { exhaustedBy: '20 schedules at once, 130 a second', effect: queued },
  sweeper: { exhaustedBy: 'sweeps of all 16 shards at once', effect: 'the next minute’s sweep continues' },
}

/** @throws for a reserve without its texts */
export const reserves = (): Reserve[] =>
  areas.flatMap(({ name, reservedConcurrency }) => {
    if (reservedConcurrency === undefined) return []
    const text = texts[name]
    if (!text) throw new Error(`lib/reports/reserves.ts does not say what exhausts the reserve of ${name}`)
    return [{ area: name, executions: reservedConcurrency, ...text }]
  })

export const reserveOf = (area: string): number =>
  reserves().find((reserve) => reserve.area === area)?.executions ?? Number.POSITIVE_INFINITY
