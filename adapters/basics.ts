import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ulid } from '../domain/ids.ts'
import type { Basics } from '../domain/ports.ts'
import type { Env } from './env.ts'

/** The clock, randomness and the stage's facts: what every operation gets. */
export const basics = (env: Env): Basics => ({
  clock: { now: () => Date.now(), sleep: (ms) => sleep(ms) },
  ids: {
    next: (prefix) => `${prefix}_${ulid(Date.now(), randomBytes(16))}`,
    digits: (length) => String(randomInt(10 ** length)).padStart(length, '0'),
  },
  settings: env.settings(),
})
