import {
  CloudWatchLogsClient,
  FilterLogEventsCommand,
  InvalidParameterException,
} from '@aws-sdk/client-cloudwatch-logs'
import type { Logs } from '../../app/ports/instance.ts'
import { invalid } from '../../domain/errors.ts'
import { type LogLine, maxLineCharacters } from '../../domain/instance/logs.ts'
import { cut } from '../../domain/text.ts'
import { iso } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'

/** Maximum number of empty pages per request: a filtered search may return many. */
const emptyPages = 5

/** Each machine of an instance writes a log stream below the instance's id. */
export const logs = (env: Env): Logs => {
  const client = once(() => new CloudWatchLogsClient({ maxAttempts: 5 }))
  return {
    async read({ id }, { sinceMs, limit, cursor }) {
      let next = cursor === null ? undefined : decode(cursor)
      const lines: LogLine[] = []
      for (let page = 0; page < emptyPages && lines.length === 0; page++) {
        const found = await client()
          .send(
            new FilterLogEventsCommand({
              logGroupName: env.variable('AGENT_LOG_GROUP'),
              logStreamNamePrefix: `${id}/`,
              startTime: sinceMs,
              limit,
              nextToken: next,
            }),
          )
          .catch(asBadCursor)
        for (const { timestamp = 0, message = '', logStreamName = '' } of found.events ?? [])
          lines.push({
            at: iso(timestamp),
            message: cut(message.trimEnd(), maxLineCharacters),
            machine: logStreamName.split('/').at(-1)?.slice(0, 8) ?? '',
          })
        next = found.nextToken
        if (!next) break
      }
      return { lines, next: next ? Buffer.from(next).toString('base64url') : null }
    },
  }
}

const decode = (cursor: string): string => Buffer.from(cursor, 'base64url').toString('utf8')

function asBadCursor(error: unknown): never {
  if (error instanceof InvalidParameterException)
    throw invalid('cursor', 'use a nextCursor of an earlier answer as it came, with the same since.')
  throw error
}
