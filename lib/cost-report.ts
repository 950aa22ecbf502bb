import { plans } from '../domain/billing/plans.ts'
import { awsPrices, pricedRegion } from '../domain/costs/aws-prices.ts'
import {
  idleHour,
  invocationMs,
  modelCallSeconds,
  modelCallStore,
  notificationStore,
  unwantedEvent,
  wake,
} from '../domain/costs/counts.ts'
import {
  type Capacity,
  functionMiB,
  invocationsMicros,
  machineHourMicros,
  requestsMicros,
  scheduledAwakeMs,
  scheduleMicros,
  scheduleMonth,
  waitingHourMicros,
  wakeMicros,
} from '../domain/costs/machine.ts'
import { memoryOf, type TemplateFacts } from '../domain/costs/quotas.ts'
import {
  hookDeliveryMicros,
  ordinaryHours,
  sumMicros,
  webhookDeliveryMicros,
  worstMonth,
} from '../domain/costs/worst-month.ts'
import { maxDeliveryTextBytes } from '../domain/hooks/hook.ts'
import { shards } from '../domain/ids.ts'
import { markupBasisPoints } from '../domain/models/prices.ts'
import { centsToMicros } from '../domain/money.ts'
import { minuteMs } from '../domain/time.ts'

type Row = (string | number)[]

export const table = (head: string[], rows: Row[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

const dollars = (micros: number, digits = 2): string => `$${(micros / 1e6).toFixed(digits)}`

/** µUSD a month of the service without a user: what stands there, and what the clock starts. */
export function atRestMicros(facts: TemplateFacts): Record<string, number> {
  const invocations = Object.entries(facts.clockInvocations)
  return {
    'secrets, keys': facts.secrets * awsPrices.secretMonth.micros + facts.keys * awsPrices.keyMonth.micros,
    'alarms, metrics, dashboard':
      facts.alarmMetrics * awsPrices.alarmMetricMonth.micros +
      facts.ownMetrics * awsPrices.metricMonth.micros +
      facts.dashboards * awsPrices.dashboardMonth.micros,
    firewall:
      facts.firewalls * awsPrices.firewallMonth.micros + facts.firewallRules * awsPrices.firewallRuleMonth.micros,
    'sweeps: functions': invocations.reduce((sum, [area, n]) => sum + invocationsMicros(n, memoryOf(facts, area)), 0),
    'sweeps: traces': invocations.reduce((sum, [, n]) => sum + n, 0) * awsPrices.trace.micros,
    'sweeps: store': invocations.reduce((sum, [, n]) => sum + n * shards * awsPrices.storeReadUnit.micros, 0),
  }
}

/** µUSD of a machine's model call beside what the provider takes. */
export const modelCallMicros = (facts: TemplateFacts): number =>
  requestsMicros(1) +
  invocationsMicros(1, memoryOf(facts, 'llm'), modelCallSeconds * 1000) +
  modelCallStore.units * awsPrices.storeWriteUnit.micros

/** µUSD of an event for the function that looks whether a webhook endpoint wants it. */
const unwantedEventMicros = invocationsMicros(1, functionMiB) + unwantedEvent.units * awsPrices.storeWriteUnit.micros

/** µUSD of a notification, in the invocation that looks for endpoints too. */
const notificationMicros = notificationStore.units * awsPrices.storeWriteUnit.micros

const pausedGibMicros = awsPrices.efsGibMonth.micros + awsPrices.backupGibMonth.micros + 2 * awsPrices.s3GibMonth.micros

const perPlan = (show: (plan: (typeof plans)[number]) => string): string[] => plans.map(show)
const bothCapacities = ['spare', 'ordinary'] as const satisfies Capacity[]

const intervals = [5, 15, 60, 24 * 60]

/** The text of docs/cost.md. */
export function costReport(facts: TemplateFacts): string {
  const rest = atRestMicros(facts)
  const names = plans.map(({ name }) => name)
  const parts = Object.keys(worstMonth(plans[0], 'spare'))
  const month = (minutes: number) => scheduleMonth((31 * 24 * 60) / minutes)
  return `# What it costs to run

Written by \`npm run costs\` from the synthesised template, the counts in \`domain/costs/counts.ts\` and the prices in
\`domain/costs/aws-prices.ts\`; \`test/lib/costs.test.ts\` fails when it is not what they make. ${pricedRegion}, a month of 31 days, on
demand, no free tier. Nothing here was read off a bill.

${table(
  ['what', ...names],
  [
    ['at rest: the service without a user, a month', ...perPlan(() => dollars(sumMicros(rest)))],
    [
      'paused: a full volume, its backups and restore points, a month',
      ...perPlan(({ machine }) => dollars(machine.storageGiB * pausedGibMicros)),
    ],
    [
      'awake and waiting, an hour: the machine and its address',
      ...perPlan((plan) => dollars(machineHourMicros(plan, 'spare'), 5)),
    ],
    ['awake and waiting, an hour: functions, store, connections', ...perPlan(() => dollars(waitingHourMicros(), 5))],
    ['a model call, beside its provider', ...perPlan(() => dollars(modelCallMicros(facts), 6))],
    ['a wake by a schedule, beside the machine', ...perPlan(() => dollars(wakeMicros(), 6))],
    [
      'a delivery of the longest text to a hook, beside a wake and model calls',
      ...perPlan(() => dollars(hookDeliveryMicros(maxDeliveryTextBytes), 6)),
    ],
    ['an event that no webhook endpoint wants', ...perPlan(() => dollars(unwantedEventMicros, 6))],
    ['a delivery to a webhook endpoint that takes it at once', ...perPlan(() => dollars(webhookDeliveryMicros(), 6))],
    [
      'a notification, beside mail and pushes; a push is as a delivery',
      ...perPlan(() => dollars(notificationMicros, 6)),
    ],
    [
      'never sleeping, a month: machine and waiting',
      ...perPlan((plan) => dollars(31 * 24 * (machineHourMicros(plan, 'spare') + waitingHourMicros()))),
    ],
  ],
)}

A model call holds its function for ${modelCallSeconds} s (assumed), another invocation for ${invocationMs} ms (assumed). Awake and waiting is at most
${idleHour.invocations} invocations and ${idleHour.storeRequests} store requests an hour; a model call is ${modelCallStore.requests} store requests of ${modelCallStore.units} units; a wake is at most ${wake.invocations} invocations and
${wake.storeRequests} store requests.

X-Ray records the first request of each second and each twentieth of the others, so traces cost at most ${dollars(31 * 24 * 3600 * awsPrices.trace.micros)} a month and
${dollars(50_000 * awsPrices.trace.micros)} a million requests; that is not in the lines above but for what the clock starts.

## The worst month of a plan

A machine that never sleeps, as often woken besides as the plan's schedules allow, a full volume, all of the included credit spent.
\`test/domain/costs/worst-month.test.ts\` fails when it costs more than the plan on spare capacity (Fargate Spot), which every first start takes.

${table(
  ['part', ...names.flatMap((name) => bothCapacities.map((capacity) => `${name}, ${capacity}`))],
  [
    ...parts.map((part) => [
      part,
      ...plans.flatMap((plan) => bothCapacities.map((capacity) => dollars(worstMonth(plan, capacity)[part] ?? 0))),
    ]),
    [
      '**together**',
      ...plans.flatMap((plan) =>
        bothCapacities.map((capacity) => `**${dollars(sumMicros(worstMonth(plan, capacity)))}**`),
      ),
    ],
    ['price', ...plans.flatMap((plan) => bothCapacities.map(() => dollars(centsToMicros(plan.priceCents))))],
    ['hours of such a month that may be on ordinary capacity', ...plans.flatMap((plan) => [ordinaryHours(plan), ''])],
  ],
)}

Messages, deliveries and pushes are as many and as long as the plan's limits of a UTC day allow (\`domain/billing/plans.ts\`,
\`domain/notifications/device.ts\`), and each prompt ends without a model call.

Not in it, because no plan bounds it:
- what a machine writes to its log and sends to the internet, the flow and name logs of that (by the gigabyte:
  https://aws.amazon.com/cloudwatch/pricing, “vended logs”), and what it reads and writes on its volume;
- attachments that people fetch, and messages of earlier months (${dollars(awsPrices.storeGibMonth.micros)} a GiB and month);
- further tries of a delivery to a webhook endpoint: nine at most, and none while its endpoint rests;
- requests that rate limits alone bound, such as reads, tasks on files and new tokens, and the e-mails that follow from them;
- the functions of model calls, which the markup of ${markupBasisPoints / 100} % covers from ${(modelCallMicros(facts) / markupBasisPoints).toFixed(2)} cents a call on.

## What a schedule costs

${scheduledAwakeMs / minuteMs} minutes awake each time: start, a turn of a minute, two minutes of waiting, the question whether it may sleep, the stop. A
month of one schedule on a machine that sleeps otherwise; it is part of the plan's price and not charged.

${table(
  ['every', ...plans.map(({ name }) => `${name}: hours awake`), ...names],
  intervals.map((minutes) => [
    minutes === 24 * 60 ? 'day' : `${minutes} minutes`,
    ...perPlan((plan) => (minutes < plan.schedules.leastMinutes ? '–' : (month(minutes).awakeMinutes / 60).toFixed(1))),
    ...perPlan((plan) =>
      minutes < plan.schedules.leastMinutes ? 'not on this plan' : dollars(scheduleMicros(month(minutes), plan.id)),
    ),
  ]),
)}

## Prices

The day is that of the newest dated copy or quotation of the page that was found; read the page before you rely on one.

${table(
  ['µUSD', 'per', 'source', 'seen'],
  Object.values(awsPrices).map(({ micros, per, source, seen }) => [micros, per, source, seen]),
)}
`
}
