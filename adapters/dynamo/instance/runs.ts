import { QueryCommand } from '@aws-sdk/client-dynamodb'
import type { Runs } from '../../../app/ports/instance.ts'
import { runId, runKeptMs, type StoredRun, storedRun } from '../../../domain/instance/run.ts'
import { secondMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { call } from '../calls.ts'
import { parse, toItem } from '../item.ts'

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
  async ended(userId, { after, limit }, nowMs) {
    const input = {
      TableName: env.table('runs'),
      KeyConditionExpression: after === null ? 'userId = :user' : 'userId = :user AND id < :after',
      ExpressionAttributeValues: toItem({ ':user': userId, ':after': after }),
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: limit + 1,
    }
    const { Items = [] } = await call((db) => db.send(new QueryCommand(input)))
    const kept = Items.map((item) => parse(stored, item)).filter(
      ({ endedAt }) => Date.parse(endedAt ?? '') > nowMs - runKeptMs,
    )
    const items = kept.slice(0, limit)
    const last = items.at(-1)
    return { items, next: kept.length > limit && last ? runId(last) : null }
  },
})
