import {
  CloudWatchLogsClient,
  GetLogEventsCommand,
  type OutputLogEvent,
  ResourceNotFoundException,
} from '@aws-sdk/client-cloudwatch-logs'
import * as z from 'zod'
import type { Logs } from '../../app/ports/instance.ts'
import { invalid } from '../../domain/errors.ts'
import { type LogLine, maxLineCharacters } from '../../domain/instance/logs.ts'
import { containerNames } from '../../domain/instance/machine.ts'
import { cut } from '../../domain/text.ts'
import { iso } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'
import { tolerate } from './tolerate.ts'

/** Maximum number of pages per stream: a page has at most 1 MB, and may be empty although its stream has more lines. */
const mostPages = 5

/** CloudWatch's limit of lines in one page. */
const mostLines = 10_000

/** The time of the last line shown, and the number of lines shown with this time. */
const place = z.strictObject({ at: z.int().min(0), shown: z.int().min(1).max(mostLines) })
type Place = z.infer<typeof place>

/**
 * The containers of a machine write one log stream each, `<instance>/<container>/<task>`. A read by name costs the same
 * however many machines share the group, and the quota of such reads is the larger one.
 */
export const logs = (env: Env): Logs => {
  const client = once(() => new CloudWatchLogsClient({ maxAttempts: 5 }))

  /** A stream that its container has not begun yet is empty. */
  async function linesOf(stream: string, startTime: number, wanted: number): Promise<StreamLines> {
    const events: OutputLogEvent[] = []
    let nextToken: string | undefined
    let isWhole = false
    for (let page = 0; page < mostPages && events.length < wanted; page++) {
      const found = await tolerate(
        ResourceNotFoundException,
        client().send(
          new GetLogEventsCommand({
            logGroupName: env.variable('AGENT_LOG_GROUP'),
            logStreamName: stream,
            startTime,
            startFromHead: true,
            limit: Math.min(wanted, mostLines),
            nextToken,
          }),
        ),
      )
      events.push(...(found?.events ?? []))
      // At the end of a stream, the answer has the request's own token.
      isWhole = !found?.nextForwardToken || found.nextForwardToken === nextToken
      if (isWhole) break
      nextToken = found?.nextForwardToken
    }
    const machine = stream.split('/').at(-1)?.slice(0, 8) ?? ''
    const lines = events.map(({ timestamp = 0, message = '' }) => ({
      at: iso(timestamp),
      message: cut(message.trimEnd(), maxLineCharacters),
      machine,
    }))
    return { lines, isWhole }
  }

  return {
    async read({ id }, tasks, { sinceMs, limit, cursor }) {
      const from = cursor === null ? { at: sinceMs, shown: 0 } : decode(cursor)
      const streams = tasks.flatMap((task) => Object.values(containerNames).map((name) => `${id}/${name}/${task}`))
      // One more than the page, to know whether another page follows.
      const found = await Promise.all(streams.map((stream) => linesOf(stream, from.at, from.shown + limit + 1)))
      const readTo = Math.min(...found.map(lastRead))
      const all = found
        .flatMap(({ lines }) => lines)
        .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
        .slice(from.shown)
      const lines = all.filter(({ at }) => Date.parse(at) <= readTo).slice(0, limit)
      const hasMore = lines.length < all.length || Number.isFinite(readTo)
      return { lines, next: hasMore && lines.length > 0 ? encode(placeAfter(from, lines)) : null }
    },
  }
}

interface StreamLines {
  lines: LogLine[]
  /** False if the stream may have later lines. */
  isWhole: boolean
}

/** The time, ms, up to which all lines of a stream were read. */
const lastRead = ({ lines, isWhole }: StreamLines): number =>
  isWhole ? Number.POSITIVE_INFINITY : Date.parse(lines.at(-1)?.at ?? iso(0))

function placeAfter(from: Place, lines: readonly LogLine[]): Place {
  const at = Date.parse(lines.at(-1)?.at ?? iso(from.at))
  const shown = lines.filter((line) => Date.parse(line.at) === at).length
  return { at, shown: at === from.at ? from.shown + shown : shown }
}

const encode = (after: Place): string => Buffer.from(JSON.stringify(after)).toString('base64url')

/** @throws validation */
function decode(cursor: string): Place {
  try {
    return place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')))
  } catch {
    throw invalid('cursor', 'use a nextCursor of an earlier answer as it came, with the same since.')
  }
}
