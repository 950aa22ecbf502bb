import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events'
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets'
import type { Topic } from 'aws-cdk-lib/aws-sns'
import {
  Choice,
  Condition,
  DefinitionBody,
  QueryLanguage,
  StateMachine,
  StateMachineType,
  Succeed,
} from 'aws-cdk-lib/aws-stepfunctions'
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks'
import { Duration } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { alarmNamespace } from '../../domain/alarms.ts'
import type { Stage } from '../stage.ts'
import { watchedFromOutside } from './watched.ts'

interface ReminderTopic {
  topic: Topic
  /** Hours between two reminders of an alarm that stays on. */
  everyHours: number
}

/** Whole hours since an alarm began to ring; it is due whenever they are a multiple of the topic's interval. */
const hours = '$floor(($millis() - $toMillis(StateTransitionedTimestamp)) / 3600000)'
const dueAlarms = `$states.result.MetricAlarms[${hours} > 0 and ${hours} % $states.input.everyHours = 0]`
const reminderText = `$join($states.input.due.(AlarmName & '\\n' & AlarmDescription & '\\nsince ' & StateTransitionedTimestamp), '\\n\\n')`
const confirmedCount = `$count($states.result.Subscriptions[SubscriptionArn != 'PendingConfirmation'])`

/**
 * Each hour, for each topic: repeats alarms that stay on, because CloudWatch notifies only when a state changes, and
 * counts the confirmed addresses, because nothing else notices that nobody receives alarms.
 */
export class Reminders extends Construct {
  constructor(scope: Construct, id: string, { stage, topics }: { stage: Stage; topics: readonly ReminderTopic[] }) {
    super(scope, id)
    const machine = new StateMachine(this, 'Hourly', {
      stateMachineType: StateMachineType.EXPRESS,
      queryLanguage: QueryLanguage.JSONATA,
      definitionBody: DefinitionBody.fromChainable(this.#definition(stage, topics)),
      timeout: Duration.minutes(4),
    })
    const rule = new Rule(this, 'Rule', { schedule: Schedule.rate(Duration.hours(1)) })
    for (const { topic, everyHours } of topics) {
      const input = RuleTargetInput.fromObject({ topic: topic.topicArn, everyHours })
      rule.addTarget(new SfnStateMachine(machine, { input }))
    }
  }

  #definition({ name }: Stage, topics: readonly ReminderTopic[]) {
    const topicArns = topics.map(({ topic }) => topic.topicArn)
    const subscriptions = CallAwsService.jsonata(this, 'Subscriptions', {
      service: 'sns',
      action: 'listSubscriptionsByTopic',
      parameters: { TopicArn: '{% $states.input.topic %}' },
      iamResources: topicArns,
      outputs: `{% $merge([$states.input, { 'confirmed': ${confirmedCount} }]) %}`,
    })
    const count = CallAwsService.jsonata(this, 'Count', {
      service: 'cloudwatch',
      action: 'putMetricData',
      parameters: {
        Namespace: alarmNamespace,
        MetricData: [
          {
            MetricName: watchedFromOutside.addresses,
            Dimensions: [{ Name: 'stage', Value: name }],
            Value: '{% $states.input.confirmed %}',
          },
        ],
      },
      // The action knows no resources.
      iamResources: ['*'],
      outputs: '{% $states.input %}',
    })
    const ringing = CallAwsService.jsonata(this, 'Ringing', {
      service: 'cloudwatch',
      action: 'describeAlarms',
      parameters: { StateValue: 'ALARM', ActionPrefix: '{% $states.input.topic %}', MaxRecords: 100 },
      iamResources: ['*'],
      outputs: `{% $merge([$states.input, { 'due': [${dueAlarms}] }]) %}`,
    })
    const publish = CallAwsService.jsonata(this, 'Publish', {
      service: 'sns',
      action: 'publish',
      parameters: {
        TopicArn: '{% $states.input.topic %}',
        Subject: `{% 'Still on at berth-${name}: ' & $count($states.input.due) & ' alarms' %}`,
        Message: `{% ${reminderText} %}`,
      },
      iamResources: topicArns,
    })
    const isDue = Choice.jsonata(this, 'Due')
      .when(Condition.jsonata('{% $count($states.input.due) > 0 %}'), publish)
      .otherwise(Succeed.jsonata(this, 'Nothing'))
    return subscriptions.next(count).next(ringing).next(isDue)
  }
}
