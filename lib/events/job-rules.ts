import type { ICluster } from 'aws-cdk-lib/aws-ecs'
import { type IEventBus, Rule, type RuleProps, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { Duration, Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { Area } from '../../lambdas/kit/area.ts'
import type { AnyJob, ScheduledEvent, TableChanges } from '../../lambdas/kit/job.ts'
import type { Functions } from '../functions/functions.ts'
import { configurationSetName } from '../mail-identity.ts'
import type { Stage } from '../stage.ts'

/** The EventBridge rules that start jobs. Events that cannot be delivered go to the dead-letter queue. */
export class JobRules extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: {
      stage: Stage
      areas: readonly Area[]
      functions: Functions
      bus: IEventBus
      cluster: ICluster
      deadLetters: Queue
    },
  ) {
    super(scope, id)
    this.#admitRules(props.deadLetters, props.stage, props.bus)
    // By its ARN, because the CDK adds a statement for each rule to a queue of its own. SQS allows 20.
    const deadLetterQueue = Queue.fromQueueArn(this, 'Undelivered', props.deadLetters.queueArn)
    for (const area of props.areas) {
      for (const [name, { scheduled, ...rule }] of rulesOf(area, props)) {
        new Rule(this, name, rule).addTarget(
          new LambdaTarget(props.functions.of(area), {
            ...(scheduled && { event: RuleTargetInput.fromObject(scheduled) }),
            deadLetterQueue,
            retryAttempts: 8,
            maxEventAge: Duration.hours(1),
          }),
        )
      }
    }
  }

  /** One statement for all rules of the stage. Their names are generated and begin with the name of the stack. */
  #admitRules(deadLetters: Queue, stage: Stage, bus: IEventBus): void {
    const names = `berth-${stage.name}-*`
    const rulesNamed = (resourceName: string) =>
      Stack.of(this).formatArn({ service: 'events', resource: 'rule', resourceName })
    deadLetters.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [deadLetters.queueArn],
        // The ARN of a rule on the default bus names no bus.
        conditions: { ArnLike: { 'aws:SourceArn': [names, `${bus.eventBusName}/${names}`].map(rulesNamed) } },
      }),
    )
  }
}

interface JobRule extends RuleProps {
  /** The input of a schedule's target, in the form of an EventBridge event. */
  scheduled?: ScheduledEvent
}

/** One rule for each event, shared by its jobs, and one rule for each schedule. */
const rulesOf = (area: Area, of: Ruled): Map<string, JobRule> =>
  new Map(
    area.jobs.flatMap(({ on, id }) => ('table' in on ? [] : [[`${area.name}-${nameOf(on, id)}`, ruleOf(on, id, of)]])),
  )

type Ruled = { bus: IEventBus; cluster: ICluster; stage: Stage }

type ByEventBridge = Exclude<AnyJob['on'], TableChanges>

function ruleOf(on: ByEventBridge, id: string, { bus, cluster, stage }: Ruled): JobRule {
  if ('everyMinutes' in on)
    return { description: id, schedule: Schedule.rate(Duration.minutes(on.everyMinutes)), scheduled: { job: id } }
  return {
    description: id,
    ...(on.bus === 'berth' && { eventBus: bus }),
    eventPattern: {
      source: [on.source],
      detailType: [on.detailType],
      ...((on.detail || on.cluster) && {
        detail: { ...on.detail, ...(on.cluster && { clusterArn: [cluster.clusterArn] }) },
      }),
      ...(on.sender && { detail: { mail: { tags: { 'ses:configuration-set': [configurationSetName(stage.name)] } } } }),
    },
  }
}

const nameOf = (on: ByEventBridge, id: string): string =>
  'everyMinutes' in on
    ? id
    : [on.source, on.detailType, on.detail ? JSON.stringify(on.detail) : ''].join('-').replace(/[^\w]+/g, '-')
