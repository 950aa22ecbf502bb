import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { Leases } from '../../../app/ports/rates.ts'
import { hourMs, secondMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { backOff, change, changed, get } from '../calls.ts'
import { clause, itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'

/** Tries of one lease among parallel takers. */
const tries = 8

const stored = z.object({ open: z.record(z.string(), z.int()) })

/** The id begins with the time of taking. Both times are ms since 1970. */
interface Slot {
  id: string
  sinceMs: number
  untilMs: number
}

const newId = (nowMs: number, client: string, holder: string): string =>
  `${nowMs}-${randomBytes(9).toString('base64url')}-${client}-${holder}`

const clientOf = ({ id }: Slot): string => id.split('-').at(-2) ?? ''

const slotsOf = (item: Item): Slot[] =>
  Object.entries(parse(stored, item).open)
    .map(([id, untilMs]) => ({ id, sinceMs: Number(id.split('-')[0]), untilMs }))
    .sort((a, b) => a.sinceMs - b.sinceMs)

/** One item per subject. Taking a slot is usually one write. */
export function leases(env: Env): Leases {
  const table = () => env.table('rates')
  return {
    async acquire(subject, slots, nowMs) {
      const { max, ttlMs, evictAfterMs = Number.POSITIVE_INFINITY, client = '', holder = '' } = slots
      const [id, untilMs] = [newId(nowMs, client, holder), nowMs + ttlMs]
      let replaced: Slot[] = []
      for (let tried = 1; tried <= tries; tried++) {
        const written = await add(table(), subject, id, untilMs, nowMs, max, replaced)
        if (written.done) return { acquired: true, id }
        if (!written.old?.open) {
          if ((await begin(table(), subject, id, untilMs, nowMs)).done) return { acquired: true, id }
          continue
        }
        const taken = slotsOf(written.old)
        // A retry after a lost answer finds its own slot.
        if (taken.some((slot) => slot.id === id)) return { acquired: true, id }
        const held = taken.filter((slot) => slot.untilMs > nowMs)
        replaced = taken.filter((slot) => slot.untilMs <= nowMs)
        const own = held.filter((slot) => holder !== '' && slot.id.endsWith(`-${holder}`))
        replaced.push(...own)
        const others = held.filter((slot) => !own.includes(slot))
        const ofClient = others.find((slot) => client !== '' && clientOf(slot) === client)
        const oldest = ofClient ?? others[0]
        if (oldest && others.length >= max) {
          const freeMs = Math.min(oldest.sinceMs + evictAfterMs, ...held.map((slot) => slot.untilMs)) - nowMs
          if (freeMs > 0 && !ofClient) return { acquired: false, retryAfterSeconds: Math.ceil(freeMs / secondMs) }
          replaced.push(oldest)
        }
        if (tried > 1) await backOff(Math.min(tried, 3))
      }
      return { acquired: false, retryAfterSeconds: 1 }
    },

    renew: (subject, id, { ttlMs }, nowMs) =>
      changed({
        ...slotsAt(table(), subject),
        update: 'SET #open.#id = :until, #ttl = :ttl',
        condition: 'attribute_exists(#open.#id)',
        values: { ':until': nowMs + ttlMs, ':ttl': ttl(nowMs) },
        names: { '#id': id },
      }),

    release: (subject, id) =>
      changed({
        ...slotsAt(table(), subject),
        update: 'REMOVE #open.#id',
        condition: 'attribute_exists(#open.#id)',
        names: { '#id': id },
      }),

    async isHeld(subject, nowMs) {
      const found = await get(table(), slotsAt(table(), subject).key)
      return found !== null && slotsOf(found).some(({ untilMs }) => untilMs > nowMs)
    },
  }
}

const slotsAt = (table: string, subject: string) => itemAt<'open'>(table, { subject: `open#${subject}` })

const ttl = (nowMs: number) => Math.ceil((nowMs + hourMs) / secondMs)

const begin = (table: string, subject: string, id: string, untilMs: number, nowMs: number) =>
  change({
    ...slotsAt(table, subject),
    update: 'SET #open = :open, #ttl = :ttl',
    condition: 'attribute_not_exists(#open)',
    values: { ':open': { [id]: untilMs }, ':ttl': ttl(nowMs) },
  })

/** Takes a free slot or replaces expired ones, on the condition that they are unchanged. */
function add(
  table: string,
  subject: string,
  id: string,
  untilMs: number,
  nowMs: number,
  max: number,
  replaced: Slot[],
) {
  const names: Record<`#g${number}`, string> = Object.fromEntries(replaced.map((slot, i) => [`#g${i}`, slot.id]))
  const old = replaced.map((_, i) => `#open.#g${i}` as const)
  return change({
    ...slotsAt(table, subject),
    update: `SET #open.#id = :until, #ttl = :ttl${clause('REMOVE', old)}`,
    condition: `size(#open) < :room${old.map((slot, i) => ` AND ${slot} = :g${i}`).join('')}`,
    values: {
      ':until': untilMs,
      ':ttl': ttl(nowMs),
      ':room': max + replaced.length,
      ...Object.fromEntries(replaced.map((slot, i) => [`:g${i}`, slot.untilMs])),
    },
    names: { '#id': id, ...names },
  })
}
