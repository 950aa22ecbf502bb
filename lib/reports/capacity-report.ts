import { planById } from '../../domain/billing/plans.ts'
import { table } from './cost-report.ts'
import { load } from './counts.ts'
import { breaksAt, type Quota, quotas, type TemplateFacts } from './quotas.ts'

const populations = [100, 1_000, 10_000]

const plan = planById('starter')

const percent = (share: number): string => `${Math.round(share * 100)} %`
const shown = (count: number): string =>
  (count >= 10 ? Math.ceil(count) : Number(count.toPrecision(2))).toLocaleString('en')

/** Quotas, the first that growth reaches first. */
const inOrder = (facts: TemplateFacts): [Quota, number][] =>
  quotas.map((quota): [Quota, number] => [quota, breaksAt(quota, plan, facts)]).sort(([, a], [, b]) => a - b)

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

Sources:

${table(
  ['quota', 'raised on request', 'source', 'seen'],
  ordered.map(([{ name, raisable, source, seen }]) => [name, raisable ? 'yes' : 'no', source, seen]),
)}
`
}
