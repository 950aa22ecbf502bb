import { plans } from '../../domain/billing/plans.ts'
import { maxDeliveryTextBytes } from '../../domain/hooks/hook.ts'
import { shards } from '../../domain/ids.ts'
import { monthHours, scheduledAwakeMs, scheduleMonth } from '../../domain/instance/awake-time.ts'
import { markupBasisPoints } from '../../domain/models/prices.ts'
import { centsToMicros } from '../../domain/money.ts'
import { minuteMs } from '../../domain/time.ts'
import { awsPrices, pricedRegion } from './aws-prices.ts'
import {
  idleHour,
  invocationLogBytes,
  invocationMs,
  modelCallSeconds,
  modelCallStore,
  notificationStore,
  stageMonth,
  unwantedEvent,
  userMonth,
  wake,
} from './counts.ts'
import { memoryOf, type TemplateFacts } from './quotas.ts'
import {
  type Capacity,
  functionMiB,
  invocationsMicros,
  machineHourMicros,
  scheduleMicros,
  waitingHourMicros,
  wakeMicros,
} from './unit-costs.ts'
import { acceptedFlowsMicros, modelCallMicros, nameQueriesMicros, userMonthMicros } from './user-month.ts'
import { hookDeliveryMicros, ordinaryHours, sumMicros, webhookDeliveryMicros, worstMonth } from './worst-month.ts'

type Row = (string | number)[]

export const table = (head: string[], rows: Row[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

const dollars = (micros: number, digits = 2): string => `$${(micros / 1e6).toFixed(digits)}`

/** µUSD a month without users: fixed resources and scheduled jobs. */
function atRestMicros(facts: TemplateFacts): Record<string, number> {
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
    'sweeps: logs': invocations.reduce(
      (sum, [, n]) => sum + ((n * invocationLogBytes) / 2 ** 30) * awsPrices.logGib.micros,
      0,
    ),
    'reminders of alarms, and CloudFront’s error rate':
      monthHours * 2 * awsPrices.workflow.micros +
      copies * (invocationsMicros(1, 128, 1_000) + 2 * awsPrices.metricRead.micros),
    'images: storage and builds':
      stageMonth.imagesGib * awsPrices.imageGibMonth.micros +
      stageMonth.builds * stageMonth.buildMinutes * awsPrices.buildMinute.micros,
  }
}

/** Runs of the function that copies CloudFront's error rate, each five minutes. */
const copies = monthHours * 12

/** µUSD a month of the listener for Discord: a quarter of a vCPU and half a GiB on ordinary capacity, and its address. */
const listenerMicros =
  monthHours *
  (0.25 * awsPrices.fargateVcpuHour.micros + 0.5 * awsPrices.fargateGibHour.micros + awsPrices.publicIpv4Hour.micros)

/** µUSD of the function that finds no webhook endpoint for an event. */
const unwantedEventMicros = invocationsMicros(1, functionMiB) + unwantedEvent.units * awsPrices.storeWriteUnit.micros

/** µUSD of a notification, sent by the same invocation. */
const notificationMicros = notificationStore.units * awsPrices.storeWriteUnit.micros

const pausedGibMicros = awsPrices.efsGibMonth.micros + awsPrices.backupGibMonth.micros + 2 * awsPrices.s3GibMonth.micros

type Plan = (typeof plans)[number]
const names = plans.map(({ name }) => name)
const bothCapacities = ['spare', 'ordinary'] as const satisfies Capacity[]
const dayMinutes = 24 * 60

export const costReport = (facts: TemplateFacts): string =>
  [
    introduction,
    thingCosts(facts),
    atRest(facts),
    monthOfUsers(facts),
    worstMonths(facts),
    scheduleCosts(),
    prices,
  ].join('\n\n')

const introduction = `# What it costs to run

This page is for operators who set a price or plan a budget. It estimates AWS's charges in ${pricedRegion} for a month of 31 days, on demand and
without the free tier. No number comes from a bill.

\`\`\`sh
npm run costs   # writes this page again, after a change of the template, a count or a price
\`\`\`

The numbers follow from the synthesised template, the counts in \`lib/reports/counts.ts\` and the prices in \`lib/reports/aws-prices.ts\`.
\`test/lib/reports/costs.test.ts\` fails when this page is out of date.`

function thingCosts(facts: TemplateFacts): string {
  const costs: [string, (plan: Plan) => string][] = [
    ['at rest: the service without a user, a month', () => dollars(sumMicros(atRestMicros(facts)))],
    [
      'paused: a full volume, its backups and restore points, a month',
      ({ machine }) => dollars(machine.storageGiB * pausedGibMicros),
    ],
    ['awake and waiting, an hour: the machine and its address', (plan) => dollars(machineHourMicros(plan, 'spare'), 5)],
    ['awake and waiting, an hour: functions, store, connections', () => dollars(waitingHourMicros(), 5)],
    ['a model call, without the provider', () => dollars(modelCallMicros(facts), 6)],
    ['a wake by a schedule, without the machine', () => dollars(wakeMicros(), 6)],
    [
      'a delivery of the longest text to a hook, without a wake and model calls',
      () => dollars(hookDeliveryMicros(maxDeliveryTextBytes), 6),
    ],
    ['an event that no webhook endpoint subscribes to', () => dollars(unwantedEventMicros, 6)],
    ['a delivery to a webhook endpoint that accepts the first try', () => dollars(webhookDeliveryMicros(), 6)],
    [
      'a notification, without e-mail and pushes (a push costs as much as a delivery)',
      () => dollars(notificationMicros, 6),
    ],
    [
      'never sleeping, a month: machine and waiting',
      (plan) => dollars(31 * 24 * (machineHourMicros(plan, 'spare') + waitingHourMicros())),
    ],
  ]
  const rows = costs.map(([what, cost]) => [what, ...plans.map(cost)])
  return `## What each thing costs

${table(['what', ...names], rows)}

- A model call is assumed to keep its function busy for ${modelCallSeconds} s, any other invocation for ${invocationMs} ms.
- An hour awake and waiting is at most ${idleHour.invocations} invocations and ${idleHour.storeRequests} store requests.
- A model call makes ${modelCallStore.requests} store requests of ${modelCallStore.units} units together.
- A wake is at most ${wake.invocations} invocations and ${wake.storeRequests} store requests.

X-Ray records the first request of each second and one in twenty of the others. Traces cost at most ${dollars(31 * 24 * 3600 * awsPrices.trace.micros)} a month, plus
${dollars(50_000 * awsPrices.trace.micros)} per million requests. The table counts only the traces of scheduled jobs.`
}

function atRest(facts: TemplateFacts): string {
  const parts = atRestMicros(facts)
  return `## At rest

A stage without users costs this in a month. A stage with \`discordGateway\` also pays ${dollars(listenerMicros)} for the listener.

${table(['part', 'a month'], [...Object.entries(parts).map(([part, micros]) => [part, dollars(micros)]), ['**together**', `**${dollars(sumMicros(parts))}**`]])}

- Kept images have ${stageMonth.imagesGib} GiB, and ${stageMonth.builds} builds a month take ${stageMonth.buildMinutes} minutes each; assumed.
- An invocation writes ${invocationLogBytes.toLocaleString('en')} bytes to the logs; assumed.
- Pipelines, certificates, rules, roles, networks and CloudFormation are free, as are tables' keys unless \`tableKeys\` is \`aws-managed\`.`
}

const populations = [10, 1_000, 100_000]

function monthOfUsers(facts: TemplateFacts): string {
  const parts = userMonthMicros(facts)
  const rest = sumMicros(atRestMicros(facts))
  const whole = (micros: number) => `$${Math.round(micros / 1e6).toLocaleString('en')}`
  const each = Object.entries(parts).map(
    ([part, micros]): Row => [part, dollars(micros, 3), ...populations.map((users) => whole(users * micros))],
  )
  const month = userMonth
  return `## A month of users

All users are on the Starter plan. Providers and cards are not included.

${table(
  ['part', 'a user', ...populations.map((users) => `${users.toLocaleString('en')} users`)],
  [
    ...each,
    ['at rest', '', ...populations.map(() => whole(rest))],
    [
      '**together**',
      `**${dollars(sumMicros(parts))}**`,
      ...populations.map((users) => `**${whole(users * sumMicros(parts) + rest)}**`),
    ],
  ],
)}

A machine pays for its public IPv4 address while it is awake, because its subnet has no other way to the internet. The address is
${Math.round((100 * awsPrices.publicIpv4Hour.micros) / machineHourMicros(plans[0], 'spare'))} % of an hour of a Starter machine on spare capacity.

These assumptions are the data \`userMonth\` in \`lib/reports/counts.ts\`. In a month, a user has:

- ${month.awakeHours} hours with an awake machine, ${month.ordinaryShare * 100} % of them on ordinary capacity; ${month.wakes} wakes; ${month.modelCalls} model calls;
- a volume of ${month.volumeGib} GiB, of which ${month.rareShare * 100} % is rarely read, with ${month.readGib} GiB of reads and ${month.writtenGib} GiB of writes; ${month.storeGib * 1_000} MB in tables;
- ${month.outGib} GiB to the internet, ${month.edgeGib} GiB and ${month.edgeRequests.toLocaleString('en')} requests through CloudFront, ${month.socketMessages.toLocaleString('en')} messages over WebSockets, and ${month.mails} e-mails;
- ${month.machineLogMib} MiB in the machine's log and ${month.nameLogMib} MiB of names; rejected flows of ${month.rejectedLogMib} MiB for each month of a public address.

With \`flowLogs: 'all'\`, flow logs of 1,000 users cost ${dollars(1_000 * acceptedFlowsMicros())} more, for ${month.acceptedFlows} flows an hour of ${month.flowBytes} bytes each. With
\`blockedDomains\` or \`dnsBlockLists\`, their ${month.nameQueries.toLocaleString('en')} name queries each cost ${dollars(1_000 * nameQueriesMicros)} more.`
}

function worstMonths(facts: TemplateFacts): string {
  const parts = Object.keys(worstMonth(plans[0], 'spare'))
  const perCapacity = <T>(show: (plan: Plan, capacity: Capacity) => T): T[] =>
    plans.flatMap((plan) => bothCapacities.map((capacity) => show(plan, capacity)))
  const rows = [
    ...parts.map((part) => [part, ...perCapacity((plan, capacity) => dollars(worstMonth(plan, capacity)[part] ?? 0))]),
    ['**together**', ...perCapacity((plan, capacity) => `**${dollars(sumMicros(worstMonth(plan, capacity)))}**`)],
    ['price', ...perCapacity(({ priceCents }) => dollars(centsToMicros(priceCents)))],
    ['hours on ordinary capacity that the price still covers', ...plans.flatMap((plan) => [ordinaryHours(plan), ''])],
  ]
  return `## The worst month of a plan

The machine never sleeps, every schedule of the plan also wakes it, the volume is full, and the included credit is spent. The first start of a
machine always takes spare capacity (Fargate Spot). \`test/lib/reports/worst-month.test.ts\` fails when such a month on spare capacity costs
more than the plan.

${table(['part', ...perCapacity(({ name }, capacity) => `${name}, ${capacity}`)], rows)}

Messages, deliveries and pushes have the number and the length that the plan's daily limits allow (\`domain/billing/plans.ts\`,
\`domain/notifications/device.ts\`). Each prompt ends without a model call.

The table leaves out costs that no plan limits:

- the machine's log, its traffic to the internet, the flow and name logs of that traffic, and reads and writes on its volume
  ([a month of users](#a-month-of-users) has ordinary amounts);
- attachments that people download, and messages of earlier months (${dollars(awsPrices.storeGibMonth.micros)} per GiB and month);
- retries of a delivery to a webhook endpoint: at most nine, and none while the endpoint pauses;
- requests that only rate limits bound, such as reads, tasks on files and new tokens, and the e-mails that follow from them;
- the functions of model calls: the markup of ${markupBasisPoints / 100} % covers them for each call of ${(modelCallMicros(facts) / markupBasisPoints).toFixed(2)} cents or more.`
}

function scheduleCosts(): string {
  const rows = [5, 15, 60, dayMinutes].map((minutes) => {
    const month = scheduleMonth((31 * dayMinutes) / minutes)
    const perPlan = (otherwise: string, show: (plan: Plan) => string) =>
      plans.map((plan) => (minutes < plan.schedules.leastMinutes ? otherwise : show(plan)))
    return [
      minutes === dayMinutes ? 'day' : `${minutes} minutes`,
      ...perPlan('–', () => (month.awakeMinutes / 60).toFixed(1)),
      ...perPlan('not on this plan', ({ id }) => dollars(scheduleMicros(month, id))),
    ]
  })
  return `## What a schedule costs

Each time keeps the machine awake for ${scheduledAwakeMs / minuteMs} minutes: the start, a turn of a minute, two minutes of waiting, the check whether the machine may
sleep, and the stop. The table has the cost of one schedule for a month, on a machine that sleeps the rest of the time. The plan's price
includes it.

${table(['every', ...names.map((name) => `${name}: hours awake`), ...names], rows)}`
}

const prices = `## Prices

“Seen” is the date of the newest dated copy or quotation of the price page. Check the page itself before you rely on a price.

${table(
  ['µUSD', 'per', 'source', 'seen'],
  Object.values(awsPrices).map(({ micros, per, source, seen }) => [micros, per, source, seen]),
)}
`
