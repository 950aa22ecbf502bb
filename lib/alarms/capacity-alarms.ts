import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { isCalled } from '../../lambdas/kit/area.ts'
import { inGroups, minutes, mostInExpression, own, period, type Watched, type WatchedResources } from './watched.ts'

/** Alarms of refused calls, and of quotas that are nearly used up. */
export const lackingCapacity = (of: WatchedResources): Watched[] => [
  ...throttledFunctions(of),
  ...throttledTables(of),
  ...quotas(of),
  {
    id: 'spot-interruptions',
    section: 'spot-interruptions',
    says: 'AWS took back the spare capacity of ten machines within an hour.',
    metric: own(of.stage, 'SpotInterrupted', { every: minutes(60) }),
    threshold: 10,
  },
]

/** Functions that only events start are left out: Lambda and SQS queue for them, so a throttled call is not lost. */
const throttledFunctions = ({ areas, functions }: WatchedResources): Watched[] =>
  inGroups(areas.filter(isCalled), mostInExpression).map((group, i) => {
    const refused = group.map((area) => [
      `f${areas.indexOf(area)}`,
      functions.of(area).lambda.metricThrottles({ period, label: area.name }),
    ])
    return {
      id: `function-throttles-${i + 1}`,
      section: 'function-throttles',
      says: `Lambda refuses calls of one of these functions: ${group.map(({ name }) => name).join(', ')}.`,
      metric: new MathExpression({
        expression: `MAX([${refused.map(([name]) => name).join(', ')}])`,
        usingMetrics: Object.fromEntries(refused),
        label: `most refused calls of one of ${group[0]?.name} to ${group.at(-1)?.name}`,
        period,
      }),
      threshold: 10,
      periods: 2,
    }
  })

const throttles = { r: 'ReadThrottleEvents', w: 'WriteThrottleEvents' } as const
const tablesInExpression = mostInExpression / Object.keys(throttles).length

/** Each table by its name: a query over all tables would be charged for those of other stages and drills too. */
const throttledTables = ({ tables }: WatchedResources): Watched[] =>
  inGroups(Object.entries(tables), tablesInExpression).map((group, i) => {
    const refused = group.flatMap(([name, { tableName }], at) =>
      Object.entries(throttles).map(([letter, metricName]) => [
        // One graph has all of these metrics.
        `${letter}${i * tablesInExpression + at}`,
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName,
          dimensionsMap: { TableName: tableName },
          statistic: 'Sum',
          label: `${name}: ${metricName}`,
          period,
        }),
      ]),
    )
    return {
      id: `store-throttles-${i + 1}`,
      section: 'store-throttles',
      says: `DynamoDB refuses calls to one of these tables: ${group.map(([name]) => name).join(', ')}.`,
      metric: new MathExpression({
        expression: `MAX([${refused.map(([id]) => id).join(', ')}])`,
        usingMetrics: Object.fromEntries(refused),
        label: `most refused calls of one of ${group[0]?.[0]} to ${group.at(-1)?.[0]}`,
        period,
      }),
      threshold: 10,
    }
  })

const usage = (dimensions: Record<string, string>): Metric =>
  new Metric({
    namespace: 'AWS/Usage',
    metricName: 'ResourceCount',
    dimensionsMap: { ...dimensions, Type: 'Resource' },
    statistic: 'Maximum',
    period,
  })

const vcpus = { Service: 'Fargate', Resource: 'vCPU' }

const quotas = (of: WatchedResources): Watched[] => [
  ...[
    { id: 'fargate', what: 'vCPUs of machines', Class: 'Standard/OnDemand' },
    { id: 'spot', what: 'vCPUs of machines on spare capacity', Class: 'Standard/Spot' },
  ].map(({ id, what, Class }) => ({
    id: `quota-${id}`,
    section: 'quota',
    says: `Four fifths of the account’s quota are used: ${what}.`,
    metric: new MathExpression({
      expression: `100 * ${id} / SERVICE_QUOTA(${id})`,
      usingMetrics: { [id]: usage({ ...vcpus, Class }) },
      label: `${what}, % of the quota`,
      period,
    }),
    threshold: 80,
  })),
  executions(of),
]

/**
 * Reserved executions count as claimed although nobody may use them, so the alarm compares what is left besides them.
 * `SERVICE_QUOTA` accepts only metrics of AWS/Usage.
 */
function executions({ stage, areas }: WatchedResources): Watched {
  const reserved = stage.reserves ? areas.reduce((sum, { reservedConcurrency = 0 }) => sum + reservedConcurrency, 0) : 0
  return {
    id: 'quota-lambda',
    section: 'quota',
    says: 'Four fifths of the executions that functions share are used.',
    metric: new MathExpression({
      expression: `100 * (claimed - ${reserved}) / (SERVICE_QUOTA(lambda) - ${reserved})`,
      usingMetrics: {
        claimed: new Metric({
          namespace: 'AWS/Lambda',
          metricName: 'ClaimedAccountConcurrency',
          statistic: 'Maximum',
          period,
        }),
        lambda: usage({ Service: 'Lambda', Resource: 'ConcurrentExecutions', Class: 'None' }),
      },
      label: 'shared executions of functions, % of the quota',
      period,
    }),
    threshold: 80,
  }
}
