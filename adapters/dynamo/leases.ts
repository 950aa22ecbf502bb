import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { hourMs, secondMs } from '../../domain/time.ts'
import type { Leases } from '../../domain/tokens/ports.ts'
import type { Env } from '../env.ts'
import { backOff, change } from './calls.ts'
import { type Item, parse } from './item.ts'

/** Takers of one subject that may be in each other's way before the last of them is told to come back. */
const tries = 8

const stored = z.object({ open: z.record(z.string(), z.int()) })

/** A place: its id, which begins with when it was taken, and until when it is held; both ms since 1970. */
interface Place {
  id: string
  sinceMs: number
  untilMs: number
}

const newId = (nowMs: number, holder: string): string => `${nowMs}-${randomBytes(9).toString('base64url')}-${holder}`

const placesOf = (item: Item): Place[] =>
  Object.entries(parse(stored, item).open)
    .map(([id, untilMs]) => ({ id, sinceMs: Number(id.split('-')[0]), untilMs }))
    .sort((a, b) => a.sinceMs - b.sinceMs)

/** One item a subject: its places and until when each is held. Taking one is usually one write. */
export function leases(env: Env): Leases {
  const item = (subject: string) => ({ table: env.table('rates'), key: { subject: `open#${subject}` } })
  const ttl = (nowMs: number) => Math.ceil((nowMs + hourMs) / secondMs)

  const begin = (subject: string, id: string, untilMs: number, nowMs: number) =>
    change({
      ...item(subject),
      update: 'SET #open = :open, #ttl = :ttl',
      condition: 'attribute_not_exists(#open)',
      values: { ':open': { [id]: untilMs }, ':ttl': ttl(nowMs) },
    })

  /** Takes a free place, or that of others, who must still be as they were seen. */
  const add = (subject: string, id: string, untilMs: number, nowMs: number, most: number, gone: Place[]) => {
    const remove = gone.map((_, i) => `#open.#g${i}`).join(', ')
    return change({
      ...item(subject),
      update: `SET #open.#id = :until, #ttl = :ttl${remove && ` REMOVE ${remove}`}`,
      condition: ['size(#open) < :room', ...gone.map((_, i) => `#open.#g${i} = :g${i}`)].join(' AND '),
      values: {
        ':until': untilMs,
        ':ttl': ttl(nowMs),
        ':room': most + gone.length,
        ...Object.fromEntries(gone.map((place, i) => [`:g${i}`, place.untilMs])),
      },
      names: { '#id': id, ...Object.fromEntries(gone.map((place, i) => [`#g${i}`, place.id])) },
    })
  }

  return {
    async take(subject, { most, lifeMs, yieldAfterMs = Number.POSITIVE_INFINITY, holder = '' }, nowMs) {
      const [id, untilMs] = [newId(nowMs, holder), nowMs + lifeMs]
      let gone: Place[] = []
      for (let tried = 1; tried <= tries; tried++) {
        const written = await add(subject, id, untilMs, nowMs, most, gone)
        if (written.done) return { taken: true, id }
        if (!written.old?.open) {
          if ((await begin(subject, id, untilMs, nowMs)).done) return { taken: true, id }
          continue
        }
        const places = placesOf(written.old)
        // The place is there already when the answer to the attempt that took it was lost.
        if (places.some((place) => place.id === id)) return { taken: true, id }
        const held = places.filter((place) => place.untilMs > nowMs)
        const [oldest] = held
        gone = places.filter((place) => place.untilMs <= nowMs)
        const own = held.filter((place) => holder !== '' && place.id.endsWith(`-${holder}`))
        gone.push(...own)
        if (oldest && held.length - own.length >= most) {
          const freeMs = Math.min(oldest.sinceMs + yieldAfterMs, ...held.map((place) => place.untilMs)) - nowMs
          if (freeMs > 0) return { taken: false, retryAfterSeconds: Math.ceil(freeMs / secondMs) }
          gone.push(oldest)
        }
        if (tried > 1) await backOff(Math.min(tried, 3))
      }
      return { taken: false, retryAfterSeconds: 1 }
    },

    async keep(subject, id, { lifeMs }, nowMs) {
      const kept = await change({
        ...item(subject),
        update: 'SET #open.#id = :until, #ttl = :ttl',
        condition: 'attribute_exists(#open.#id)',
        values: { ':until': nowMs + lifeMs, ':ttl': ttl(nowMs) },
        names: { '#id': id },
      })
      return kept.done
    },

    async give(subject, id) {
      await change({
        ...item(subject),
        update: 'REMOVE #open.#id',
        condition: 'attribute_exists(#open.#id)',
        values: {},
        names: { '#id': id },
      })
    },
  }
}
