import { planById } from '../../domain/billing/plans.ts'
import { maxWindowMinutes } from '../../domain/instance/schedules.ts'
import { table } from './cost-report.ts'
import { load } from './counts.ts'
import { simulateMorning } from './morning.ts'
import { breaksAt, type Quota, quotas, type TemplateFacts } from './quotas.ts'
import { reserveOf, reserves } from './reserves.ts'

const populations = [100, 1_000, 10_000]

const plan = planById('starter')

const percent = (share: number): string => `${Math.round(share * 100)} %`
const shown = (count: number): string =>
  (count >= 10 ? Math.ceil(count) : Number(count.toPrecision(2))).toLocaleString('en')

/** Quotas, the first that growth reaches first. */
const inOrder = (facts: TemplateFacts): [Quota, number][] =>
  quotas.map((quota): [Quota, number] => [quota, breaksAt(quota, plan, facts)]).sort(([, a], [, b]) => a - b)

const lambdaLimit = 1_000

/** Before: no window and no reserve, with 580 executions reserved for other functions. */
function mornings({ reservedExecutions }: TemplateFacts): string[][] {
  const [runners, starters] = [reserveOf('schedule-runner'), reserveOf('reconciler')]
  const unlimited = Number.POSITIVE_INFINITY
  const designs = [
    ['exact minute, no reserves', { windowMinutes: 0, runners: unlimited, starters: unlimited }, 420],
    ['exact minute, reserves', { windowMinutes: 0, runners, starters }, lambdaLimit - reservedExecutions],
    [
      `within ${maxWindowMinutes} minutes, reserves (this service)`,
      { windowMinutes: maxWindowMinutes, runners, starters },
      lambdaLimit - reservedExecutions,
    ],
  ] as const
  return [10_000, 100_000].flatMap((schedules) =>
    designs.map(([name, design, free]) => {
      const { taken, minutes } = simulateMorning(schedules, design, free)
      return [schedules.toLocaleString('en'), name, String(taken), String(minutes)]
    }),
  )
}

/** The text of docs/capacity.md. */
export function capacityReport(facts: TemplateFacts, users: readonly number[] = populations): string {
  const ordered = inOrder(facts)
  const first = users.map((count) => {
    const broken = ordered.filter(([, at]) => at <= count).map(([{ name }, at]) => `${name} (from ${shown(at)})`)
    return `- **${count.toLocaleString('en')} users**: ${broken.length === 0 ? 'nothing' : broken.join(', ')}`
  })
  return `# What breaks first

This page is for operators who expect more users. It lists the AWS quotas of one account and Region in the order in which growth exceeds
them, so they can be raised in time. A new account may start below a default quota.

\`\`\`sh
npm run capacity                # writes this page again
npm run capacity -- 500 20000   # prints it for other numbers of users
\`\`\`

The numbers follow from the synthesised template, the counts in \`lib/reports/counts.ts\` and the default quotas in
\`lib/reports/quotas.ts\`. \`test/lib/reports/costs.test.ts\` fails when this page is out of date. Users are on the starter plan. The page assumes a
busiest moment in which ${percent(load.awake)} of them are awake, ${percent(load.calling)} of those wait for a model, and ${percent(load.scheduledTogether)} of all have a schedule due in the same minute.

These default quotas are too small:

${first.join('\n')}

${table(
  [
    'quota',
    'default',
    'breaks at',
    ...users.map((count) => `needed by ${count.toLocaleString('en')}`),
    'what is counted',
  ],
  ordered.map(([quota, at]) => [
    quota.name,
    quota.limit.toLocaleString('en'),
    at >= 1e9 ? 'never' : shown(at),
    ...users.map((count) => shown(quota.need(count, plan, facts))),
    quota.counts,
  ]),
)}

## Reserved executions

The template reserves these of an account’s ${lambdaLimit.toLocaleString('en')} executions. A reserve is also a limit: it keeps a function alive, and keeps it from taking what others
need. ${(lambdaLimit - facts.reservedExecutions).toLocaleString('en')} executions are left for all other functions; a function that is throttled sends its caller a 500.

${table(
  ['function', 'executions', 'used up by', 'then'],
  reserves().map(({ area, executions, exhaustedBy, effect }) => [area, String(executions), exhaustedBy, effect]),
)}

## Many schedules in one minute

All schedules of these users are due at 08:00. \`npm run capacity\` simulates the minutes after it (\`lib/reports/morning.ts\`): Fargate accepts
20 starts a second, a start takes three seconds of its function, and a refused start waits as the life cycle says. Calls that the SDK repeats are not
simulated.

${table(
  ['schedules', 'design', 'executions taken from the API', 'minutes until the last machine starts'],
  mornings(facts),
)}

## Sources

${table(
  ['quota', 'raised on request', 'source', 'seen'],
  ordered.map(([{ name, raisable, source, seen }]) => [name, raisable ? 'yes' : 'no', source, seen]),
)}
`
}
