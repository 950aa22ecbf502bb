import * as z from 'zod'
import type { IdempotencyKeys } from '../../../app/ports/rates.ts'
import { conflict } from '../../../domain/errors.ts'
import { idempotencyTtlMs } from '../../../domain/lifetimes.ts'
import type { Env } from '../../env.ts'
import { get, put, putOverExpired } from '../calls.ts'
import { parse, toItem } from '../item.ts'
import { partOf } from '../part.ts'

const stored = z.object({ request: z.string(), answer: z.string().nullable().default(null), ttl: z.int() })

/** One item per key, kept for a day. */
export function idempotencyKeys(env: Env): IdempotencyKeys {
  const table = () => env.table('rates')
  const key = (id: string) => ({ subject: `key#${id}` })
  const item = (id: string, rest: object, nowMs: number) => ({
    ...key(id),
    ...rest,
    ttl: Math.ceil((nowMs + idempotencyTtlMs) / 1000),
  })
  return {
    async find(id, nowMs) {
      const found = await get(table(), key(id))
      const { ttl, ...rest } = found ? parse(stored, found) : { ttl: 0, request: '', answer: null }
      return ttl * 1000 > nowMs ? rest : null
    },

    claim({ id, request }, nowMs) {
      const claimed = putOverExpired(table(), 'subject', item(id, { request }, nowMs), nowMs)
      return partOf([{ Put: claimed }], () =>
        conflict('A request with this Idempotency-Key is being handled. Send it again in a moment for its answer.'),
      )
    },

    async keep({ id, request }, answer, nowMs) {
      await put(table(), toItem(item(id, { request, answer }, nowMs)))
    },
  }
}
