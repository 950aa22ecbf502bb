import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { Stage } from '../stage.ts'
import type { Watched } from './alarm-list.ts'

const runbook = (section: string): string => `docs/runbook.md#${section.toLowerCase()}`

/** All alarms; they notify the stage's address. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[]
  readonly ofReleases: readonly Alarm[]

  constructor(scope: Construct, id: string, props: { stage: Stage; watched: readonly Watched[]; deadLetters: Queue }) {
    super(scope, id)
    const { alarmMail } = props.stage
    const topic = alarmMail ? this.#topic(alarmMail, props.deadLetters) : undefined
    this.all = props.watched.map((watched) => {
      const alarm = new Alarm(this, watched.id, {
        metric: watched.metric,
        threshold: watched.threshold,
        alarmDescription: `${watched.says} ${runbook(watched.section)}`,
        evaluationPeriods: watched.periods ?? 1,
        comparisonOperator: watched.mustBeSeen
          ? ComparisonOperator.LESS_THAN_THRESHOLD
          : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: watched.mustBeSeen ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      })
      if (topic) alarm.addAlarmAction(new SnsAction(topic))
      return alarm
    })
    this.ofReleases = this.all.filter((_, i) => props.watched[i]?.stopsRelease)
  }

  #topic(alarmMail: string, deadLetterQueue: Queue): Topic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true })
    // The TLS policy replaces the default policy, which lets this account's alarms publish.
    topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    )
    topic.addSubscription(new EmailSubscription(alarmMail, { deadLetterQueue }))
    return topic
  }
}
