import type { Rates } from '../../../app/ports/rates.ts'
import { ownerKey } from '../../../domain/rates/window-owner.ts'
import { minuteMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { itemAt } from '../expressions.ts'
import { admit } from './window.ts'

/** Longer than the last bucket. */
const keptMs = 10 * minuteMs

export const rates = (env: Env): Rates => ({
  admit: (owner, limit, nowMs) =>
    admit(
      {
        ...itemAt(env.table('rates'), { subject: ownerKey(owner) }),
        ttl: Math.ceil((nowMs + keptMs) / 1000),
        isAlive: () => true,
        read: () => null,
      },
      limit,
      nowMs,
    ),
})
