import type { Logger } from '@aws-lambda-powertools/logger'
import { parse } from '@aws-lambda-powertools/parser'
import { EventBridgeEnvelope } from '@aws-lambda-powertools/parser/envelopes/eventbridge'
import type { Basics } from '../../domain/ports.ts'
import type { AnyReaction, Area } from './operation.ts'

interface BusEvent {
  source: string
  'detail-type': string
}

/** True for an event of EventBridge (a bus or a schedule) rather than of API Gateway. */
export const isReactionEvent = (event: unknown): event is BusEvent =>
  typeof event === 'object' && event !== null && 'detail-type' in event && 'source' in event

/** Runs the reactions an event is for, one after another; a failure is thrown so that EventBridge delivers it again. */
export async function react(area: Area, event: BusEvent, deps: Basics, logger: Logger): Promise<void> {
  for (const one of area.reactions.filter((candidate) => answers(candidate, event))) {
    const input = parse(event, EventBridgeEnvelope, one.input)
    try {
      await one.run({ input, deps, now: deps.clock.now() })
      logger.info('reaction', { reaction: one.id })
    } catch (error) {
      logger.error('reaction failed', {
        reaction: one.id,
        error: error instanceof Error ? (error.stack ?? '') : String(error),
      })
      throw error
    }
  }
}

function answers({ on }: AnyReaction, event: BusEvent): boolean {
  if ('everyMinutes' in on) return event['detail-type'] === 'Scheduled Event'
  return event.source === on.source && event['detail-type'] === on.detailType
}
