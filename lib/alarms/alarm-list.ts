import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import { type AlarmName, alarms } from '../../domain/alarms.ts'
import { lackingCapacity } from './capacity-alarms.ts'
import { outside } from './outside-alarms.ts'
import { inGroups, minutes, mostInExpression, own, period, type Watched, type WatchedResources } from './watched.ts'

/** Alarms of problems that users notice or will notice soon, and of errors that the code raises. */
export const watched = (of: WatchedResources): Watched[] => [
  ...ofApi(of),
  ...ofProviders(of),
  ...raised(of),
  ...clock(of),
  ...failingFunctions(of),
  ...lost(of),
  ...lackingCapacity(of),
  ...outside(of),
]

function ofApi({ api, stage }: WatchedResources): Watched[] {
  // A provider's outage has its own alarm. Both metrics count the same answers, but at slightly different times.
  const ours = '(errors - 1.1 * FILL(provider, 0))'
  const failing = (most: number) =>
    new MathExpression({
      // With few requests, a few errors would be a large share.
      expression: `IF(${ours} >= ${most}, 100 * ${ours} / requests, 0)`,
      usingMetrics: {
        errors: api.metricServerError({ period }),
        requests: api.metricCount({ period }),
        provider: own(stage, 'ProviderErrorAnswered'),
      },
      label: '5xx without providers’, % of requests',
      period,
    })
  return [
    {
      id: 'api-5xx',
      section: 'api-5xx',
      says: 'More than one request in a hundred is answered 5xx.',
      metric: failing(5),
      threshold: 1,
      stopsRelease: true,
    },
    {
      id: 'api-5xx-many',
      section: 'api-5xx',
      says: 'For ten minutes, more than one request in twenty is answered 5xx.',
      metric: failing(20),
      threshold: 5,
      periods: 2,
      pages: true,
    },
    {
      id: 'api-p99',
      section: 'api-p99',
      says: 'One request in a hundred takes ten seconds in its function.',
      metric: own(stage, 'RequestMs', { statistic: 'p99' }),
      threshold: 10_000,
      periods: 3,
    },
    {
      id: 'first-word',
      section: 'first-word',
      says: 'For a quarter of an hour, one reply in ten begins more than 90 seconds after its message.',
      metric: own(stage, 'FirstWordMs', { statistic: 'p90' }),
      threshold: 90_000,
      periods: 3,
      pages: true,
    },
  ]
}

const ofProviders = ({ stage }: WatchedResources): Watched[] => [
  {
    id: 'provider-outage',
    section: 'provider-outage',
    says: 'For ten minutes, providers fail more than one model call in five.',
    metric: new MathExpression({
      expression: 'IF(calls >= 20, 100 * failed / calls, 0)',
      usingMetrics: {
        failed: own(stage, 'ModelCallFailed'),
        calls: own(stage, 'ModelCallFailed', { statistic: 'SampleCount' }),
      },
      label: 'model calls that providers failed, %',
      period,
    }),
    threshold: 20,
    periods: 2,
    pages: true,
  },
]

/** Thresholds and periods that differ from one in five minutes. */
const otherwise: Partial<Record<AlarmName, Pick<Watched, 'pages'> & { threshold?: number; everyMinutes?: number }>> = {
  // The wallets are checked every 15 minutes.
  BooksOutOfBalance: { everyMinutes: 15, pages: true },
  CostAboveHoldMicros: { pages: true },
  // A single dead endpoint is its owner's problem.
  EndpointFailing: { threshold: 5, everyMinutes: 15 },
  InstancesStuck: { pages: true },
  // The program of one user may crash again and again.
  MachineStartFailed: { threshold: 10, everyMinutes: 15 },
  // A few mistyped addresses are normal.
  MailsReturned: { threshold: 5, everyMinutes: 60 },
  SettlementFailed: { pages: true },
}

/** Lost or late money and messages. The alarm of the books reacts too slowly to stop a deployment. */
const stoppingReleases: readonly AlarmName[] = ['SettlementFailed', 'CostAboveHoldMicros', 'WebhookFailed']

const raised = ({ stage }: WatchedResources): Watched[] =>
  (Object.keys(alarms) as AlarmName[]) // safe because it has no other keys
    .map((name) => {
      const { threshold = 1, everyMinutes, pages } = otherwise[name] ?? {}
      const metric = own(stage, name, everyMinutes === undefined ? {} : { every: minutes(everyMinutes) })
      const stopsRelease = stoppingReleases.includes(name)
      return { id: name, section: name, says: alarms[name], metric, threshold, stopsRelease, ...(pages && { pages }) }
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
      pages: true,
    }))

const failingFunctions = ({ areas, functions }: WatchedResources): Watched[] =>
  inGroups(areas, mostInExpression).map((group, i) => {
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

const lost = ({ deadLetters }: WatchedResources): Watched[] =>
  Object.entries(deadLetters).map(([name, queue]) => ({
    id: `dead-letters-${name}`,
    section: 'dead-letters',
    says: `Of ${name}: what was given up after all retries waits to be put back.`,
    metric: queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
    threshold: 1,
  }))
