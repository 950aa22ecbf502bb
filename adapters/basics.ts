import { randomFillSync, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Basics } from '../app/ports/basics.ts'
import { risingUlids } from '../domain/ids.ts'
import { alarms } from './aws/alarms.ts'
import type { Env } from './env.ts'

const drawn = Buffer.alloc(4_096)
let used = drawn.length

/** Sixteen unused random bytes. Drawing a whole page takes no longer. */
function sixteen(): Uint8Array {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  used += 16
  return drawn.subarray(used - 16, used)
}

const nextUlid = risingUlids(sixteen)

export const basics = (env: Env): Basics => ({
  clock: { now: () => Date.now(), sleep: (ms) => sleep(ms) },
  ids: {
    next: (prefix) => `${prefix}_${nextUlid(Date.now())}`,
    random: (alphabet, length) => Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join(''),
  },
  settings: env.settings(),
  alarms: alarms(env.settings().stage),
})
