import { parse } from '@aws-lambda-powertools/parser'
import { EventBridgeEnvelope } from '@aws-lambda-powertools/parser/envelopes/eventbridge'
import type { Basics } from '../../app/ports.ts'
import type { Area } from './area.ts'
import type { AnyJob, ScheduledEvent } from './job.ts'
import { makeLogger, redactedStack } from './log-redaction.ts'

type JobEvent = { source: string; 'detail-type': string } | ScheduledEvent

/**
 * The Lambda handler of an area whose jobs EventBridge starts. A failure is thrown, so that the event is delivered
 * again. Kept apart from `httpHandler()` because the parser brings all of zod along.
 */
export function jobHandler({ name, jobs }: Area, deps: Basics): (event: JobEvent) => Promise<void> {
  const logger = makeLogger(name)
  return async (event) => {
    for (const job of jobs.filter((candidate) => isStartedBy(candidate, event))) {
      try {
        const input = 'job' in event ? job.input.parse({}) : parse(event, EventBridgeEnvelope, job.input)
        await job.run({ input, deps, now: deps.clock.now() })
        logger.info('job', { job: job.id })
      } catch (error) {
        logger.error('job failed', { job: job.id, stack: redactedStack(error) })
        throw error
      }
    }
  }
}

function isStartedBy({ on, id }: AnyJob, event: JobEvent): boolean {
  if ('job' in event) return event.job === id
  return 'source' in on && event.source === on.source && event['detail-type'] === on.detailType
}
