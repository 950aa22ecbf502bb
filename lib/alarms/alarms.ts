import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { Stage } from '../stage.ts'
import { EdgeMetric } from './edge-metric.ts'
import { Reminders } from './reminders.ts'
import type { Watched } from './watched.ts'

const runbook = (section: string): string => `docs/runbook.md#${section.toLowerCase()}`

/** Hours between two reminders of an alarm that stays on. */
const reminderHours = { page: 4, ticket: 24 } as const

/** All alarms. A page notifies `alarmMail`, a ticket `ticketMail`. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[]
  readonly ofReleases: readonly Alarm[]

  constructor(
    scope: Construct,
    id: string,
    props: { stage: Stage; watched: readonly Watched[]; deadLetters: Queue; distributionId: string },
  ) {
    super(scope, id)
    const { stage } = props
    const { alarmMail, ticketMail } = stage
    const topics = alarmMail && {
      page: this.#topic('Page', alarmMail, props.deadLetters),
      ticket: this.#topic('Ticket', ticketMail ?? alarmMail, props.deadLetters),
    }
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
      if (topics) {
        const action = new SnsAction(watched.pages ? topics.page : topics.ticket)
        alarm.addAlarmAction(action)
        alarm.addOkAction(action)
      }
      return alarm
    })
    this.ofReleases = this.all.filter((_, i) => props.watched[i]?.stopsRelease)
    if (topics) {
      const kinds = Object.entries(topics) as ['page' | 'ticket', Topic][] // safe because it has these two keys
      const reminded = kinds.map(([kind, topic]) => ({ topic, everyHours: reminderHours[kind] }))
      new Reminders(this, 'Reminders', { stage, topics: reminded })
      new EdgeMetric(this, 'EdgeMetric', { stage, distributionId: props.distributionId })
    }
  }

  #topic(id: 'Page' | 'Ticket', address: string, deadLetterQueue: Queue): Topic {
    const topic = new Topic(this, id, { enforceSSL: true })
    // The TLS policy replaces the default policy, which lets this account's alarms publish.
    topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    )
    topic.addSubscription(new EmailSubscription(address, { deadLetterQueue }))
    return topic
  }
}
