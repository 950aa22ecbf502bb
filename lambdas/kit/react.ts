import { parse } from '@aws-lambda-powertools/parser'
import { EventBridgeEnvelope } from '@aws-lambda-powertools/parser/envelopes/eventbridge'
import type { Basics } from '../../domain/ports.ts'
import { makeLogger, redact } from './log.ts'
import type { AnyReaction, Area } from './operation.ts'

interface BusEvent {
  source: string
  'detail-type': string
}

/**
 * The Lambda handler of an area that answers EventBridge: a bus or a schedule. A failure is thrown, so that the event
 * is delivered again. Kept apart from `serve()` because the parser brings all of zod along.
 */
export function react(area: Area, deps: Basics): (event: BusEvent) => Promise<void> {
  const logger = makeLogger(area.name)
  return async (event) => {
    for (const one of area.reactions.filter((candidate) => answers(candidate, event))) {
      try {
        await one.run({ input: parse(event, EventBridgeEnvelope, one.input), deps, now: deps.clock.now() })
        logger.info('reaction', { reaction: one.id })
      } catch (error) {
        const stack = redact(error instanceof Error ? (error.stack ?? error.message) : String(error))
        logger.error('reaction failed', { reaction: one.id, stack })
        throw error
      }
    }
  }
}

function answers({ on }: AnyReaction, event: BusEvent): boolean {
  if ('everyMinutes' in on) return event['detail-type'] === 'Scheduled Event'
  return event.source === on.source && event['detail-type'] === on.detailType
}
