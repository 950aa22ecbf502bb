import { type EventBus, Rule, type RuleProps, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Duration } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { AnyReaction, Area } from '../lambdas/kit/operation.ts'
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
      for (const [name, rule] of rulesOf(area, props.bus)) {
        new Rule(this, name, rule).addTarget(
          new LambdaTarget(props.functions.of(area), {
            deadLetterQueue: props.undelivered,
            retryAttempts: 8,
            maxEventAge: Duration.hours(1),
          }),
        )
      }
    }
  }
}

/** One rule for each thing to react to; reactions to the same thing share it, for a function runs all that match. */
function rulesOf(area: Area, bus: EventBus): Map<string, RuleProps> {
  const rules = new Map<string, RuleProps>()
  for (const { on, id } of area.reactions)
    rules.set(`${area.name}-${nameOf(on)}`, { description: id, ...ruleOf(on, bus) })
  return rules
}

function ruleOf(on: AnyReaction['on'], bus: EventBus): RuleProps {
  if ('everyMinutes' in on) return { schedule: Schedule.rate(Duration.minutes(on.everyMinutes)) }
  return {
    ...(on.bus === 'berth' && { eventBus: bus }),
    eventPattern: { source: [on.source], detailType: [on.detailType], ...(on.detail && { detail: on.detail }) },
  }
}

const nameOf = (on: AnyReaction['on']): string =>
  'everyMinutes' in on
    ? `every-${on.everyMinutes}-minutes`
    : [on.source, on.detailType, on.detail ? JSON.stringify(on.detail) : ''].join('-').replace(/[^\w]+/g, '-')
