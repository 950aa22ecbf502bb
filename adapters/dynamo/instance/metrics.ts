import type { Metrics } from '../../../app/instance/ports.ts'
import { sample, samplesKeptMs } from '../../../domain/instance/metrics.ts'
import { iso, minuteMs, secondMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { change, query, setting } from '../calls.ts'
import { parse, toItem } from '../item.ts'

/** The minute as a sort key. */
const minuteOf = (ms: number): string => iso(ms - (ms % minuteMs)).slice(0, 16)

export const metrics = (env: Env): Metrics => ({
  async record(userId, measured, nowMs) {
    await change({
      table: env.table('samples'),
      key: { userId, minute: minuteOf(nowMs) },
      ...setting({ sample: { ...measured, at: iso(nowMs) }, ttl: Math.floor((nowMs + samplesKeptMs) / secondMs) }),
    })
  },

  async since(userId, sinceMs) {
    const found = {
      TableName: env.table('samples'),
      KeyConditionExpression: 'userId = :user AND #minute >= :since',
      ExpressionAttributeNames: { '#minute': 'minute' },
      ExpressionAttributeValues: toItem({ ':user': userId, ':since': minuteOf(sinceMs) }),
    }
    const samples = []
    for await (const item of query(found)) if (item.sample?.M) samples.push(parse(sample, item.sample.M))
    return samples
  },
})
