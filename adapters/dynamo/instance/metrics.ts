import type { Metrics } from '../../../app/ports/instance.ts'
import { sample, samplesKeptMs } from '../../../domain/instance/metrics.ts'
import { iso, minuteMs, secondMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { putMany, query } from '../calls.ts'
import { parse, toItem } from '../item.ts'

const minuteOf = (ms: number): string => iso(ms - (ms % minuteMs)).slice(0, 16)

export const metrics = (env: Env): Metrics => ({
  async record(userId, samples) {
    const items = new Map(samples.map((sample) => [minuteOf(Date.parse(sample.at)), sample]))
    await putMany(
      env.table('samples'),
      [...items].map(([minute, sample]) =>
        toItem({ userId, minute, sample, ttl: Math.floor((Date.parse(sample.at) + samplesKeptMs) / secondMs) }),
      ),
    )
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
