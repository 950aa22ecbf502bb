import { parse } from '@aws-lambda-powertools/parser'
import { EventBridgeEnvelope } from '@aws-lambda-powertools/parser/envelopes/eventbridge'
import { DynamoDBStreamRecord } from '@aws-lambda-powertools/parser/schemas/dynamodb'
import type { Basics } from '../../app/ports/basics.ts'
import type { Area } from './area.ts'
import type { AnyJob, ScheduledEvent, TableChanges } from './job.ts'
import { makeLogger, redactedStack } from './log-redaction.ts'

type JobEvent = { source: string; 'detail-type': string } | ScheduledEvent | { Records: readonly unknown[] }

/** A thrown failure is delivered again. Separate from `httpHandler()`, because the parser imports all of zod. */
export function jobHandler({ name, jobs }: Area, deps: Basics): (event: JobEvent) => Promise<void> {
  const logger = makeLogger(name, deps.settings)

  async function run(job: AnyJob, read: () => unknown): Promise<void> {
    try {
      await job.run({ input: read(), deps, now: deps.clock.now() })
      logger.info('job', { job: job.id })
      if ('everyMinutes' in job.on) deps.alarms.measure('JobDone', 1, { job: job.id })
    } catch (error) {
      logger.error('job failed', { job: job.id, stack: redactedStack(error) })
      throw error
    }
  }

  /** Changes of one key run in sequence; across keys, a stream's order is unknown. */
  async function runChanges(records: readonly unknown[]): Promise<void> {
    const byKey = new Map<string, Change[]>()
    for (const record of records) {
      const change = toChange(record)
      byKey.set(change.partition, [...(byKey.get(change.partition) ?? []), change])
    }
    const inOrder = async (changes: readonly Change[]) => {
      for (const change of changes)
        for (const job of jobs.filter(({ on }) => 'table' in on && isChangeOf(on, change)))
          await run(job, () => job.input.parse({ before: change.before, after: change.after }))
    }
    await Promise.all([...byKey.values()].map(inOrder))
  }

  return async (event) => {
    if ('Records' in event) return runChanges(event.Records)
    for (const job of jobs.filter((candidate) => isStartedBy(candidate, event)))
      await run(job, () => ('job' in event ? job.input.parse({}) : parse(event, EventBridgeEnvelope, job.input)))
  }
}

function isStartedBy({ on, id }: AnyJob, event: ScheduledEvent | { source: string; 'detail-type': string }): boolean {
  if ('job' in event) return event.job === id
  return 'source' in on && event.source === on.source && event['detail-type'] === on.detailType
}

interface Change {
  change: 'INSERT' | 'MODIFY' | 'REMOVE'
  keys: Readonly<Record<string, unknown>>
  /** The order of records within a partition. */
  partition: string
  before: Readonly<Record<string, unknown>> | undefined
  after: Readonly<Record<string, unknown>> | undefined
}

function toChange(record: unknown): Change {
  const { eventName, dynamodb } = DynamoDBStreamRecord.parse(record)
  const { Keys: keys, OldImage: before, NewImage: after } = dynamodb
  return { change: eventName, keys, partition: String(keys.userId ?? keys.id), before, after }
}

/** Must match the stream's filter, which starts the function. */
function isChangeOf(
  { key, prefixes, changes, having, gaining }: TableChanges,
  { change, keys, before, after }: Change,
): boolean {
  const value = String(keys[key])
  if (!changes.includes(change) || !prefixes.some((prefix) => value.startsWith(prefix))) return false
  if (change !== 'MODIFY') return true
  const has = having === undefined || after?.[having] !== undefined
  return has && (!gaining || gaining.some((name) => before?.[name] === undefined && after?.[name] !== undefined))
}
