/** The metrics that CloudWatch reads from a function's log, and the state of an alarm, as its documentation says. */
import * as z from 'zod'

/** A line is a metric only when the whole line is an object of this shape. */
const embedded = z.looseObject({
  _aws: z.object({
    Timestamp: z.int(),
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string().min(1),
        Dimensions: z.array(z.array(z.string()).max(30)),
        Metrics: z.array(z.object({ Name: z.string(), Unit: z.string() })).max(100),
      }),
    ),
  }),
})

export interface DataPoint {
  namespace: string
  name: string
  dimensions: Readonly<Record<string, string>>
  atMs: number
  value: number
}

/** The metrics in the lines of a log; any other line, or an object within a line, gives none. */
export const metricsIn = (lines: readonly string[]): DataPoint[] => lines.flatMap(metricsOf)

function metricsOf(line: string): DataPoint[] {
  const { success, data } = embedded.safeParse(parsed(line))
  if (!success) return []
  const { Timestamp: atMs, CloudWatchMetrics } = data._aws
  return CloudWatchMetrics.flatMap(({ Namespace: namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) => {
      const dimensions = Object.fromEntries(names.map((name) => [name, data[name]]))
      if (!Object.values(dimensions).every((value) => typeof value === 'string')) return []
      return Metrics.flatMap(({ Name: name }) =>
        z
          .union([z.number().transform((value) => [value]), z.array(z.number())])
          .catch([])
          .parse(data[name])
          .map((value) => ({ namespace, name, dimensions: dimensions as Record<string, string>, atMs, value })),
      )
    }),
  )
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

/** An alarm on a single metric, in the template's shape. */
export const singleMetricAlarm = z.looseObject({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.string() })).default([]),
  Statistic: z.enum(['Sum', 'Maximum', 'Minimum']).optional(),
  ExtendedStatistic: z
    .string()
    .regex(/^p\d+$/)
    .optional(),
  Period: z.int(),
  EvaluationPeriods: z.int(),
  Threshold: z.number(),
  ComparisonOperator: z.enum(['GreaterThanOrEqualToThreshold', 'LessThanThreshold']),
  TreatMissingData: z.enum(['breaching', 'notBreaching']),
})
export type SingleMetricAlarm = z.infer<typeof singleMetricAlarm>

/** The alarm's state at the end of the period of `nowMs`: every evaluated period must breach. */
export function stateOf(alarm: SingleMetricAlarm, points: readonly DataPoint[], nowMs: number): 'ALARM' | 'OK' {
  const own = points.filter((point) => isOf(alarm, point))
  const periodMs = alarm.Period * 1000
  const last = Math.floor(nowMs / periodMs)
  const breaches = Array.from({ length: alarm.EvaluationPeriods }, (_, back) => {
    const values = own.filter(({ atMs }) => Math.floor(atMs / periodMs) === last - back).map(({ value }) => value)
    if (values.length === 0) return alarm.TreatMissingData === 'breaching'
    const value = statistic(alarm, values)
    return alarm.ComparisonOperator === 'LessThanThreshold' ? value < alarm.Threshold : value >= alarm.Threshold
  })
  return breaches.every(Boolean) ? 'ALARM' : 'OK'
}

/** A metric is identified by its name, its namespace and all of its dimensions. */
const isOf = ({ Namespace, MetricName, Dimensions }: SingleMetricAlarm, point: DataPoint): boolean =>
  point.namespace === Namespace &&
  point.name === MetricName &&
  Object.keys(point.dimensions).length === Dimensions.length &&
  Dimensions.every(({ Name, Value }) => point.dimensions[Name] === Value)

function statistic({ Statistic, ExtendedStatistic }: SingleMetricAlarm, values: number[]): number {
  if (Statistic === 'Sum') return values.reduce((sum, value) => sum + value, 0)
  if (Statistic === 'Maximum') return Math.max(...values)
  if (Statistic === 'Minimum') return Math.min(...values)
  const share = Number(ExtendedStatistic?.slice(1)) / 100
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? Number.NaN
}
