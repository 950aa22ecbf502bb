import { useCallback, useEffect, useState } from 'react'
import type { ChannelDelivery } from '../../clients/typescript/operations.ts'
import { useServerEvents } from '../account-state.tsx'
import { useRepeated } from '../components/use-repeated.ts'
import { berth, errorText } from '../data/client.ts'
import { mergeDeliveries, nextLookMs } from './delivery-words.ts'

const pageLength = 25

/** Maximum pages of one search for older deliveries. */
const maxPages = 5

interface Read {
  deliveries: ChannelDelivery[]
  /** Null at the end. */
  cursor: string | null
}

export function useDeliveries() {
  const [read, setRead] = useState<Read | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [retriedMs, setRetriedMs] = useState(0)

  const readNewest = useCallback(() => {
    berth.listChannelDeliveries({ limit: pageLength }).then(
      ({ deliveries, nextCursor }) => {
        setRead((before) => ({
          deliveries: mergeDeliveries(before?.deliveries ?? [], deliveries),
          cursor: before ? before.cursor : nextCursor,
        }))
        setProblem(null)
      },
      (thrown) => setProblem(errorText(thrown)),
    )
  }, [])
  useEffect(readNewest, [readNewest])
  useServerEvents('channel. message. prompt.', readNewest)
  const lookMs = nextLookMs(read?.deliveries ?? [], retriedMs, Date.now())
  useRepeated(readNewest, lookMs)

  return {
    read,
    problem,
    readNewest,
    /** Reads older deliveries until one `fits`, or `maxPages` were read. */
    async readOlder(fits: (delivery: ChannelDelivery) => boolean, limit = pageLength): Promise<void> {
      let cursor = read?.cursor ?? null
      const deliveries: ChannelDelivery[] = []
      for (let pages = 0; cursor && pages < maxPages && !deliveries.some(fits); pages++) {
        const page = await berth.listChannelDeliveries({ cursor, limit })
        deliveries.push(...page.deliveries)
        cursor = page.nextCursor
      }
      setRead((before) => ({ deliveries: mergeDeliveries(before?.deliveries ?? [], deliveries), cursor }))
    },
    async retry({ id, direction }: ChannelDelivery): Promise<void> {
      await berth.replayChannelDelivery({ id })
      setRetriedMs(Date.now())
      const state = direction === 'in' ? 'received' : 'sending'
      setRead(
        (before) =>
          before && {
            ...before,
            deliveries: before.deliveries.map((delivery) =>
              delivery.id === id ? { ...delivery, state, reason: null } : delivery,
            ),
          },
      )
    },
  }
}
