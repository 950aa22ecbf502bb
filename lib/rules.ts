import { type EventBus, Rule, type RuleProps, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Duration } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { AnyReaction, Area, Tick } from '../lambdas/kit/operation.ts'
import type { Functions } from './functions.ts'

/** Brings what happens outside to the area that reacts to it. What cannot be delivered is kept in `undelivered`. */
export class Rules extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: { areas: readonly Area[]; functions: Functions; bus: EventBus; undelivered: Queue },
  ) {
    super(scope, id)
    for (const area of props.areas) {
      for (const [name, { tick, ...rule }] of rulesOf(area, props.bus)) {
        new Rule(this, name, rule).addTarget(
          new LambdaTarget(props.functions.of(area), {
            ...(tick && { event: RuleTargetInput.fromObject(tick) }),
            deadLetterQueue: props.undelivered,
            retryAttempts: 8,
            maxEventAge: Duration.hours(1),
          }),
        )
      }
    }
  }
}

interface OneRule extends RuleProps {
  /** What a schedule says instead of an event of EventBridge's. */
  tick?: Tick
}

/** One rule for each event to react to, shared by the reactions to it, and one for each schedule, which names its reaction. */
function rulesOf(area: Area, bus: EventBus): Map<string, OneRule> {
  return new Map(area.reactions.map(({ on, id }) => [`${area.name}-${nameOf(on, id)}`, ruleOf(on, id, bus)]))
}

function ruleOf(on: AnyReaction['on'], id: string, bus: EventBus): OneRule {
  if ('everyMinutes' in on) {
    return { description: id, schedule: Schedule.rate(Duration.minutes(on.everyMinutes)), tick: { reaction: id } }
  }
  return {
    description: id,
    ...(on.bus === 'berth' && { eventBus: bus }),
    eventPattern: { source: [on.source], detailType: [on.detailType], ...(on.detail && { detail: on.detail }) },
  }
}

const nameOf = (on: AnyReaction['on'], id: string): string =>
  'everyMinutes' in on
    ? id
    : [on.source, on.detailType, on.detail ? JSON.stringify(on.detail) : ''].join('-').replace(/[^\w]+/g, '-')
