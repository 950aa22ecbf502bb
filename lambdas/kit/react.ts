import { parse } from '@aws-lambda-powertools/parser'
import { EventBridgeEnvelope } from '@aws-lambda-powertools/parser/envelopes/eventbridge'
import type { Basics } from '../../domain/ports.ts'
import { makeLogger, redact } from './log.ts'
import type { AnyReaction, Area, Tick } from './operation.ts'

type BusEvent = { source: string; 'detail-type': string } | Tick

/**
 * The Lambda handler of an area that answers EventBridge: a bus or a schedule. A failure is thrown, so that the event
 * is delivered again. Kept apart from `serve()` because the parser brings all of zod along.
 */
export function react(area: Area, deps: Basics): (event: BusEvent) => Promise<void> {
  const logger = makeLogger(area.name)
  return async (event) => {
    for (const one of area.reactions.filter((candidate) => answers(candidate, event))) {
      try {
        const input = 'reaction' in event ? one.input.parse({}) : parse(event, EventBridgeEnvelope, one.input)
        await one.run({ input, deps, now: deps.clock.now() })
        logger.info('reaction', { reaction: one.id })
      } catch (error) {
        const stack = redact(error instanceof Error ? (error.stack ?? error.message) : String(error))
        logger.error('reaction failed', { reaction: one.id, stack })
        throw error
      }
    }
  }
}

function answers({ on, id }: AnyReaction, event: BusEvent): boolean {
  if ('reaction' in event) return event.reaction === id
  return 'source' in on && event.source === on.source && event['detail-type'] === on.detailType
}
