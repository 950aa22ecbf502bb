import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway'
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Duration } from 'aws-cdk-lib/core'
import { type AlarmName, alarmNamespace, alarms, type MeasureName } from '../../domain/alarms.ts'
import type { Area } from '../../lambdas/kit/area.ts'
import type { Functions } from '../functions/functions.ts'
import type { Stage } from '../stage.ts'

/** An alarm, and a graph on the metrics dashboard. */
export interface Watched {
  id: string
  section: string
  says: string
  metric: IMetric
  threshold: number
  /** Consecutive periods that must breach. */
  periods?: number
  /** Breaches below the threshold, and when data is missing. */
  mustBeSeen?: true
  /** Stops a deployment: it rings within minutes of a bad release, and no single user can cause it. */
  stopsRelease?: boolean
}

interface WatchedResources {
  stage: Stage
  areas: readonly Area[]
  functions: Functions
  deadLetters: Record<string, IQueue>
  api: SpecRestApi
}

const minutes = Duration.minutes
const period = minutes(5)

/** CloudWatch's limit of metrics in one alarm expression. */
const mostInExpression = 10

/** Alarms of problems that users notice or will notice soon, and of errors that the code raises. */
export const watched = (of: WatchedResources): Watched[] => [
  ...ofApi(of),
  ...raised(of),
  ...clock(of),
  ...failingFunctions(of),
  ...lost(of),
  ...throttled(),
  ...mails(),
  ...quotas(),
]

const own = (
  { name }: Stage,
  metricName: AlarmName | MeasureName,
  rest: { statistic?: string; job?: string; every?: Duration },
) =>
  new Metric({
    namespace: alarmNamespace,
    metricName,
    dimensionsMap: { stage: name, ...(rest.job && { job: rest.job }) },
    statistic: rest.statistic ?? 'Sum',
    period: rest.every ?? period,
  })

const ofApi = ({ api, stage }: WatchedResources): Watched[] => [
  {
    id: 'api-5xx',
    section: 'api-5xx',
    says: 'More than one request in a hundred is answered 5xx.',
    // With few requests, a few errors would be a large share.
    metric: new MathExpression({
      expression: 'IF(errors >= 5, 100 * errors / requests, 0)',
      usingMetrics: { errors: api.metricServerError({ period }), requests: api.metricCount({ period }) },
      label: '5xx, % of requests',
      period,
    }),
    threshold: 1,
    stopsRelease: true,
  },
  {
    id: 'api-p99',
    section: 'api-p99',
    says: 'One request in a hundred takes ten seconds in its function.',
    metric: own(stage, 'RequestMs', { statistic: 'p99' }),
    threshold: 10_000,
    periods: 3,
  },
]

/** Thresholds and periods that differ from one in five minutes. */
const otherwise: Partial<Record<AlarmName, { threshold?: number; every: Duration }>> = {
  // The wallets are checked every 15 minutes.
  BooksOutOfBalance: { every: minutes(15) },
  // A single dead endpoint is its owner's problem.
  EndpointFailing: { threshold: 5, every: minutes(15) },
  // A few mistyped addresses are normal.
  MailsReturned: { threshold: 5, every: minutes(60) },
}

/** Lost or late money and messages. The alarm of the books reacts too slowly to stop a deployment. */
const stoppingReleases: readonly AlarmName[] = ['SettlementFailed', 'CostAboveHoldMicros', 'WebhookFailed']

const raised = ({ stage }: WatchedResources): Watched[] =>
  (Object.keys(alarms) as AlarmName[]) // safe because it has no other keys
    .map((name) => {
      const { threshold = 1, every } = otherwise[name] ?? {}
      const metric = own(stage, name, { every })
      const stopsRelease = stoppingReleases.includes(name)
      return { id: name, section: name, says: alarms[name], metric, threshold, stopsRelease }
    })

/** Three intervals of the job's schedule, at least 15 minutes. */
const clock = ({ stage, areas }: WatchedResources): Watched[] =>
  areas
    .flatMap(({ jobs }) => jobs)
    .flatMap(({ id, on }) => ('everyMinutes' in on ? [{ id, every: minutes(Math.max(5, on.everyMinutes)) }] : []))
    .map(({ id: job, every }) => ({
      id: `late-${job}`,
      section: 'job-late',
      says: `The job ${job} of the clock has not done its work for ${3 * every.toMinutes()} minutes.`,
      metric: own(stage, 'JobDone', { job, every }),
      threshold: 1,
      periods: 3,
      mustBeSeen: true,
    }))

function failingFunctions({ areas, functions }: WatchedResources): Watched[] {
  const groups = Array.from({ length: Math.ceil(areas.length / mostInExpression) }, (_, group) =>
    areas.slice(group * mostInExpression, (group + 1) * mostInExpression),
  )
  return groups.map((group, i) => {
    const errors = group.map((area) => [
      `f${areas.indexOf(area)}`,
      functions.of(area).lambda.metricErrors({ period, label: area.name }),
    ])
    return {
      id: `function-errors-${i + 1}`,
      section: 'function-errors',
      says: `One of these functions threw or ran out of time three times in five minutes: ${group.map(({ name }) => name).join(', ')}.`,
      metric: new MathExpression({
        // METRICS() would include all metrics of the graph.
        expression: `MAX([${errors.map(([name]) => name).join(', ')}])`,
        usingMetrics: Object.fromEntries(errors),
        label: `most errors of one of ${group[0]?.name} to ${group.at(-1)?.name}`,
        period,
      }),
      threshold: 3,
      stopsRelease: true,
    }
  })
}

const lost = ({ deadLetters }: WatchedResources): Watched[] =>
  Object.entries(deadLetters).map(([name, queue]) => ({
    id: `dead-letters-${name}`,
    section: 'dead-letters',
    says: `Of ${name}: what was given up after all retries waits to be put back.`,
    metric: queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
    threshold: 1,
  }))

/** A metric of the whole account: the limit applies to all stages together. */
const throttled = (): Watched[] => [
  {
    id: 'function-throttles',
    section: 'function-throttles',
    says: 'Lambda refuses calls: the account, or what a function reserves, is used up.',
    metric: LambdaFunction.metricAllThrottles({ period }),
    threshold: 1,
  },
  ...['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => ({
    id: `store-throttles-${name === 'ReadThrottleEvents' ? 'read' : 'write'}`,
    section: 'store-throttles',
    says: 'DynamoDB refuses calls to a table.',
    metric: new MathExpression({
      expression: `SELECT SUM(${name}) FROM SCHEMA("AWS/DynamoDB", TableName)`,
      label: name,
      period,
    }),
    threshold: 10,
  })),
]

/** Account-wide. SES reviews at 5 % bounces and 0.1 % complaints, and stops at 10 % and 0.5 %. */
const mails = (): Watched[] =>
  [
    { id: 'mail-bounces', metricName: 'Reputation.BounceRate', threshold: 0.03, says: 'Mails come back: 3 % of them.' },
    {
      id: 'mail-complaints',
      metricName: 'Reputation.ComplaintRate',
      threshold: 0.0008,
      says: 'People call our mails spam: 0.08 % of them.',
    },
  ].map(({ metricName, ...watched }) => ({
    ...watched,
    section: 'mail-reputation',
    metric: new Metric({ namespace: 'AWS/SES', metricName, statistic: 'Maximum', period: minutes(60) }),
  }))

const quotas = (): Watched[] =>
  [
    {
      id: 'lambda',
      what: 'concurrent executions of functions',
      Service: 'Lambda',
      Resource: 'ConcurrentExecutions',
      Class: 'None',
    },
    { id: 'fargate', what: 'vCPUs of machines', Service: 'Fargate', Resource: 'vCPU', Class: 'Standard/OnDemand' },
    {
      id: 'spot',
      what: 'vCPUs of machines on spare capacity',
      Service: 'Fargate',
      Resource: 'vCPU',
      Class: 'Standard/Spot',
    },
  ].map(({ id, what, ...dimensions }) => ({
    id: `quota-${id}`,
    section: 'quota',
    says: `Four fifths of the account’s quota are used: ${what}.`,
    metric: new MathExpression({
      expression: `100 * ${id} / SERVICE_QUOTA(${id})`,
      usingMetrics: {
        [id]: new Metric({
          namespace: 'AWS/Usage',
          metricName: 'ResourceCount',
          dimensionsMap: { ...dimensions, Type: 'Resource' },
          statistic: 'Maximum',
          period,
        }),
      },
      label: `${what}, % of the quota`,
      period,
    }),
    threshold: 80,
  }))
