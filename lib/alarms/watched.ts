import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway'
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Duration } from 'aws-cdk-lib/core'
import { type AlarmName, alarmNamespace, type MeasureName } from '../../domain/alarms.ts'
import type { Area } from '../../lambdas/kit/area.ts'
import type { SocketApi } from '../api/socket-api.ts'
import type { Functions } from '../functions/functions.ts'
import type { Stage } from '../stage.ts'

/** An alarm, and a graph on the metrics dashboard. */
export interface Watched {
  id: string
  section: string
  says: string
  metric: IMetric
  threshold: number
  /** Wakes somebody at night; the other alarms are tickets, which wait for the morning. */
  pages?: true
  /** Consecutive periods that must breach. */
  periods?: number
  /** Breaches below the threshold, and when data is missing. */
  mustBeSeen?: true
  /** Stops a deployment: it rings within minutes of a bad release, and no single user can cause it. */
  stopsRelease?: boolean
}

export interface WatchedResources {
  stage: Stage
  areas: readonly Area[]
  functions: Functions
  tables: Readonly<Record<string, Pick<ITable, 'tableName'>>>
  deadLetters: Readonly<Record<string, IQueue>>
  api: SpecRestApi
  socket: SocketApi
}

export const minutes = Duration.minutes
export const period = minutes(5)

/** CloudWatch's limit of metrics in one alarm expression. */
export const mostInExpression = 10

/** Lists of at most this length, in order. */
export const inGroups = <T>(all: readonly T[], most: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, group) => all.slice(group * most, (group + 1) * most))

/** Metrics that AWS's own services write for us, because no function of the service can. */
export const watchedFromOutside = {
  /** Percentage of requests that CloudFront answered without a 5xx. */
  edge: 'EdgeSucceededPercent',
  /** Confirmed addresses of a topic of alarms. */
  addresses: 'AlarmAddressesConfirmed',
} as const

export const own = (
  { name }: Pick<Stage, 'name'>,
  metricName: AlarmName | MeasureName | (typeof watchedFromOutside)[keyof typeof watchedFromOutside],
  rest: { statistic?: string; job?: string; every?: Duration } = {},
) =>
  new Metric({
    namespace: alarmNamespace,
    metricName,
    dimensionsMap: { stage: name, ...(rest.job && { job: rest.job }) },
    statistic: rest.statistic ?? 'Sum',
    period: rest.every ?? period,
  })
