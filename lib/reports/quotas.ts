import type { PlanLimits } from '../../domain/billing/plans.ts'
import { idleConnections, idleHour, invocationMs, load, modelCallSeconds, modelCallStore } from './counts.ts'
import { functionMiB } from './unit-costs.ts'

/** The template's fixed quotas. */
export interface TemplateFacts {
  /** By area, MiB. */
  functionMiB: Record<string, number>
  /** Reserved for single functions. */
  reservedExecutions: number
  roles: number
  tables: number
  secrets: number
  keys: number
  /** Metrics of all alarms, counted for each alarm: the unit that alarms are billed by. */
  alarmMetrics: number
  /** Metrics that the code writes and an alarm watches. */
  ownMetrics: number
  dashboards: number
  firewalls: number
  firewallRules: number
  /** Invocations by the clock in a month, by area. */
  clockInvocations: Record<string, number>
}

/** A default quota of an account, and the need of a number of users. */
export interface Quota {
  name: string
  limit: number
  raisable: boolean
  source: string
  seen: string
  counts: string
  need: (users: number, plan: PlanLimits, facts: TemplateFacts) => number
}

const ecs = { source: 'https://docs.aws.amazon.com/general/latest/gr/ecs-service.html', seen: '2026-10-01' }
const throttling = {
  source: 'https://docs.aws.amazon.com/AmazonECS/latest/APIReference/request-throttling.html',
  seen: '2026',
}
const gateway = { source: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html', seen: '2026' }

const awake = (users: number): number => users * load.awake

/** A rollout to everybody's machine must end within these seconds. */
const rolloutSeconds = 24 * 3_600

export const quotas: readonly Quota[] = [
  {
    name: 'Fargate Spot vCPUs',
    limit: 6,
    raisable: true,
    ...ecs,
    counts: 'vCPUs of awake machines',
    need: (users, { machine }) => (awake(users) * machine.cpu) / 1024,
  },
  {
    name: 'Lambda concurrent executions',
    limit: 1_000,
    raisable: true,
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html',
    seen: '2026',
    counts: 'those reserved by the template, model calls under way, functions of waiting machines',
    need: (users, _, { reservedExecutions }) =>
      reservedExecutions +
      awake(users) * load.calling +
      (awake(users) * idleHour.invocations * (invocationMs / 1_000)) / 3_600,
  },
  {
    name: 'IAM roles',
    limit: 1_000,
    raisable: true,
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html',
    seen: '2021',
    counts: 'one a user, and the template’s',
    need: (users, _, { roles }) => users + roles,
  },
  {
    name: 'IAM roles, raised as far as they go',
    limit: 5_000,
    raisable: false,
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html',
    seen: '2021',
    counts: 'the same; then another account',
    need: (users, _, { roles }) => users + roles,
  },
  {
    name: 'EFS access points of a file system',
    limit: 10_000,
    raisable: true,
    source: 'https://docs.aws.amazon.com/efs/latest/ug/limits.html',
    seen: '2026-09-11',
    counts: 'one a user',
    need: (users) => users,
  },
  {
    name: 'Network interfaces of a Region',
    limit: 5_000,
    raisable: true,
    source: 'https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html',
    seen: '2026',
    counts: 'one of each awake machine',
    need: awake,
  },
  {
    name: 'Starts of machines a minute',
    limit: 20 * 60,
    raisable: true,
    source: 'https://docs.aws.amazon.com/AmazonECS/latest/userguide/throttling.html',
    seen: '2026',
    counts: 'schedules that come in the same minute; later ones wait',
    need: (users) => users * load.scheduledTogether,
  },
  {
    name: 'Reads of task definitions a minute',
    limit: 20 * 60,
    raisable: true,
    ...throttling,
    counts: 'one a start',
    need: (users) => users * load.scheduledTogether,
  },
  {
    name: 'Registrations of task definitions a day',
    limit: rolloutSeconds,
    raisable: true,
    ...throttling,
    counts: 'one a user and new image, at one a second',
    need: (users) => users,
  },
  {
    name: 'Looks at tasks a second',
    limit: 20,
    raisable: true,
    ...throttling,
    counts: 'every awake machine in 15 minutes, a hundred by one call',
    need: (users) => awake(users) / 100 / 900,
  },
  {
    name: 'API requests a second',
    limit: 10_000,
    raisable: true,
    ...gateway,
    counts: 'of waiting machines and dashboards, and model calls',
    need: (users) => (awake(users) * idleHour.invocations) / 3_600 + (awake(users) * load.calling) / modelCallSeconds,
  },
  {
    name: 'New WebSocket connections in ten seconds',
    limit: 500 * 10,
    raisable: true,
    source:
      'https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html',
    seen: '2026',
    counts: 'all connections at once, as after a deployment that cuts them',
    need: (users) => awake(users) * idleConnections,
  },
  {
    name: 'Writes of one table a second',
    limit: 40_000,
    raisable: true,
    source: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html',
    seen: '2026',
    counts: 'as if all store requests went to one table',
    need: (users) =>
      (awake(users) * idleHour.storeRequests) / 3_600 +
      (awake(users) * load.calling * modelCallStore.units) / modelCallSeconds,
  },
]

/** The fewest users whose need exceeds the quota; needs grow with users. */
export function breaksAt(quota: Quota, plan: PlanLimits, facts: TemplateFacts): number {
  let [fits, breaks] = [0, 1]
  while (quota.need(breaks, plan, facts) <= quota.limit && breaks < 1e9) [fits, breaks] = [breaks, breaks * 2]
  while (breaks - fits > 1) {
    const middle = Math.floor((fits + breaks) / 2)
    if (quota.need(middle, plan, facts) <= quota.limit) fits = middle
    else breaks = middle
  }
  return breaks
}

export const memoryOf = (facts: TemplateFacts, area: string): number => facts.functionMiB[area] ?? functionMiB
