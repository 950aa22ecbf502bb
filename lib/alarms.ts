import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway'
import { Alarm, type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Duration, Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { alarmNamespace, alarms } from '../domain/alarms.ts'
import type { Functions } from './functions.ts'
import type { Stage } from './stage.ts'

const period = Duration.minutes(5)

/** What an operator is mailed about: failing or throttled functions, dead letters, 5xx answers, and what the code raises. */
export class Alarms extends Construct {
  readonly #topic: Topic | undefined

  constructor(
    scope: Construct,
    id: string,
    props: { stage: Stage; functions: Functions; deadLetters: Queue; api: SpecRestApi },
  ) {
    super(scope, id)
    if (props.stage.alarmMail) {
      this.#topic = new Topic(this, 'Topic', { enforceSSL: true })
      // The policy that enforces TLS takes the place of the one that lets this account's alarms publish.
      this.#topic.grantPublish(
        new ServicePrincipal('cloudwatch.amazonaws.com', {
          conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
        }),
      )
      this.#topic.addSubscription(new EmailSubscription(props.stage.alarmMail))
    }
    for (const [area, fn] of props.functions.byArea) {
      this.#add(`${area}-errors`, fn.metricErrors({ period }), 3, `The function of ${area} threw or ran out of time.`)
    }
    this.#add(
      'throttles',
      LambdaFunction.metricAllThrottles({ period }),
      1,
      'Lambda refused calls: raise its concurrency.',
    )
    const waiting = props.deadLetters.metricApproximateNumberOfMessagesVisible({ period })
    this.#add('undelivered', waiting, 1, 'Events were given up after all retries: read the queue.')
    for (const [metricName, description] of Object.entries(alarms)) {
      const dimensionsMap = { stage: props.stage.name }
      const metric = new Metric({ namespace: alarmNamespace, metricName, dimensionsMap, statistic: 'Sum', period })
      this.#add(metricName, metric, 1, description)
    }
    this.#add('api-5xx', props.api.metricServerError({ period }), 5, 'The API answers 5xx.')
  }

  #add(id: string, metric: IMetric, threshold: number, alarmDescription: string): void {
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      alarmDescription,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    if (this.#topic) alarm.addAlarmAction(new SnsAction(this.#topic))
  }
}
