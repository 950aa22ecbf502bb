import type { Runs } from '../../../app/ports/instance.ts'
import { runId, runKeptMs, type StoredRun, storedRun } from '../../../domain/instance/run.ts'
import { secondMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { parse, toItem } from '../item.ts'
import { newest } from '../newest.ts'

const { endedAt, endReason, failureCode, readyAt } = storedRun.shape

/** Items omit null. */
const stored = storedRun.extend({
  readyAt: readyAt.default(null),
  endedAt: endedAt.default(null),
  endReason: endReason.default(null),
  failureCode: failureCode.default(null),
})

/** The transaction that ends a run adds it, so a repeated put has the same values. */
export const runPut = (env: Env, userId: string, run: StoredRun) => ({
  TableName: env.table('runs'),
  Item: toItem({
    userId,
    id: runId(run),
    ...run,
    ttl: Math.ceil((Date.parse(run.endedAt ?? run.requestedAt) + runKeptMs) / secondMs),
  }),
})

export const runs = (env: Env): Runs => ({
  async ended(userId, page, nowMs) {
    const { items, more } = await newest(env.table('runs'), userId, page)
    const kept = items
      .map((item) => parse(stored, item))
      .filter(({ endedAt }) => Date.parse(endedAt ?? '') > nowMs - runKeptMs)
    const last = kept.at(-1)
    return { items: kept, next: more && last && kept.length === items.length ? runId(last) : null }
  },
})
