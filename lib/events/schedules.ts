import type { EventBus } from 'aws-cdk-lib/aws-events'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Aws, Fn, Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { Stage } from '../stage.ts'
import { removalPolicyOf } from '../storage/removal-policy.ts'
import { deadLetterQueue } from './dead-letter-queue.ts'

/** The EventBridge Scheduler group of users' schedules, and the role that puts their events on the bus. */
export class Schedules extends Construct {
  readonly group: ScheduleGroup
  readonly role: Role
  readonly deadLetters: Queue

  constructor(scope: Construct, id: string, stage: Stage, bus: EventBus) {
    super(scope, id)
    this.group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: `berth-${stage.name}-${stackSuffix()}`,
      removalPolicy: removalPolicyOf(stage),
    })
    this.role = new Role(this, 'Role', {
      description: 'Puts what schedules are due on the bus',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': Stack.of(this).account, 'aws:SourceArn': this.group.scheduleGroupArn },
        },
      }),
    })
    this.deadLetters = deadLetterQueue(this, 'Undelivered')
    this.role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.deadLetters.queueArn] }))
    this.role.addToPolicy(new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] }))
  }
}

/**
 * The start of the stack's own id. A group that outlives its stack then does not collide with the next stack's group.
 * The CDK would give a fixed name.
 */
const stackSuffix = (): string => Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID))))
