import { jest } from '@jest/globals'
import { alarms as metrics } from '../../../adapters/aws/alarms.ts'
import { sweepShard } from '../../../app/instance/sweep-instances.ts'
import { outboxOf } from '../../../app/outbox/outbox.ts'
import { type AlarmName, alarmNamespace, alarms } from '../../../domain/alarms.ts'
import { DomainError } from '../../../domain/errors.ts'
import { MachineError } from '../../../domain/instance/machine.ts'
import { haltRollout, resumeRollout } from '../../../domain/instance/rollout.ts'
import { hourMs, minuteMs } from '../../../domain/time.ts'
import { accountJobsArea } from '../../../lambdas/account-jobs/index.ts'
import { areas } from '../../../lambdas/areas.ts'
import { jobHandler } from '../../../lambdas/kit/job-handler.ts'
import { reconcilerArea } from '../../../lambdas/reconciler/index.ts'
import { stripeWebhook } from '../../../lambdas/stripe-webhook/stripe-webhook.ts'
import { sweeperArea } from '../../../lambdas/sweeper/index.ts'
import { getWallet } from '../../../lambdas/wallet/get-wallet.ts'
import { walletJobsArea } from '../../../lambdas/wallet-jobs/index.ts'
import { watchedFromOutside } from '../../../lib/alarms/watched.ts'
import { type DataPoint, metricsIn, type SingleMetricAlarm, singleMetricAlarm, stateOf } from '../../cloudwatch.ts'
import { bounced } from '../../lambdas/account-jobs/mail-events.ts'
import { startProxyServer } from '../../lambdas/llm/proxy-server.ts'
import { answering, startUpstream, usage } from '../../lambdas/llm/upstream.ts'
import { corruptWallet } from '../../lambdas/operator/corrupt.ts'
import { openWebhooksWorld, silence } from '../../lambdas/webhooks/webhooks-world.ts'
import { openWorld, type World } from '../../world.ts'
import { deployments } from '../synthesis.ts'

/** The stage whose template is tested. */
const toStdout = metrics('production')

let world: World
/** Metrics that no function of the service writes. */
const outside = new Set<string>(Object.values(watchedFromOutside))
/** Every alarm on a single metric of the code's own. */
let watching: Map<string, SingleMetricAlarm>
let written: string[] = []
/** The clock's lead over real time, ms. */
let aheadMs = 0
const realNow = Date.now

beforeAll(async () => {
  world = await openWorld({ areas, ports: ['rollouts', 'booksCheck'], clock: 'running' })
  Object.assign(world.ports, { alarms: toStdout })
  const { production } = await deployments()
  const own = production
    .ofType('AWS::CloudWatch::Alarm')
    .filter(
      ([, { Properties }]) => Properties.Namespace === alarmNamespace && !outside.has(String(Properties.MetricName)),
    )
  watching = new Map(
    own.map(([, { Properties }]) => {
      const alarm = singleMetricAlarm.parse(Properties)
      return [[alarm.MetricName, ...jobOf(alarm)].join(' '), alarm]
    }),
  )
})
const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of [...closing, world.close]) await close()
})

beforeEach(() => {
  written = []
  aheadMs = 0
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => written.push(String(line)) > 0)
  jest.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs)
})
afterEach(() => jest.restoreAllMocks())

const jobOf = ({ Dimensions }: SingleMetricAlarm) =>
  Dimensions.filter(({ Name }) => Name === 'job').map(({ Value }) => Value)

const seen = (): DataPoint[] => metricsIn(written.flatMap((text) => text.split('\n')))

/** The alarms that ring on a value, each of which is silent before. */
const firing = (points: readonly DataPoint[] = seen()) =>
  [...watching]
    .filter(([name, alarm]) => !name.startsWith('JobDone') && stateOf(alarm, points, Date.now()) === 'ALARM')
    .map(([name]) => name)

async function sweepMachines(change: object = {}): Promise<void> {
  const due: number[] = []
  const sweeps = { start: async (shard: number) => void due.push(shard) }
  const run = jobHandler(sweeperArea, { ...world.ports, sweeps, ...change } as World['ports']) // safe because a change replaces ports
  await run({ job: 'sweep' })
  for (const shard of due)
    await sweepShard({ ...world.ports, ...change } as World['ports'], shard, world.ports.clock.now()) // safe because a change replaces ports
}

/** Leaves nothing of it to the next sweep. */
async function settleDown(userId: string): Promise<void> {
  const record = await world.ports.instances.find(userId)
  if (!record) throw new Error(`there is no instance of ${userId}`)
  await world.ports.instances.save(
    { ...record, state: 'paused', deadlineMs: null, version: record.version + 1 },
    record,
  )
}

/** A model call whose provider reports this many tokens of input. */
async function modelCall(inputTokens: number, failures = 0, more: object = {}): Promise<void> {
  const upstream = await startUpstream()
  const answer = { choices: [{ message: { content: 'Hi' } }], usage: usage(inputTokens, 10), ...more }
  upstream.use(answering(200, answer))
  const proxy = await startProxyServer(upstream.url, 100_000_000, { alarms: toStdout })
  proxy.books.failures = failures
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })
  await (await fetch(proxy.url, { method: 'POST', body })).text().catch(() => {})
  await proxy.under.finished
  await Promise.all([proxy.close(), upstream.close()])
}

/** The cause of each alarm, in the deployed code. */
const happens: Record<AlarmName, () => Promise<unknown>> = {
  async MailsReturned() {
    const jobs = jobHandler(accountJobsArea, world.ports)
    for (let mails = 0; mails < 5; mails++) {
      expect(firing()).toEqual([])
      await jobs(bounced(`nobody${mails}@example.com`))
      // A repeated request for an address to which SES sends nothing does not count again.
      for (let again = 0; again < 5; again++)
        await jobs(bounced(`nobody${mails}@example.com`, 'OnAccountSuppressionList'))
    }
  },
  async BooksOutOfBalance() {
    const { userId } = await world.tenant()
    await corruptWallet(world, userId, 999)
    const check = jobHandler(walletJobsArea, world.ports)
    for (let step = 0; step < 20 && firing().length === 0; step++) await check({ job: 'checkWallets' })
    await corruptWallet(world, userId, 0)
  },
  CostAboveHoldMicros: () => modelCall(1_000_000),
  FailedCallMicros: () => modelCall(10, 0, { error: { message: 'overloaded' } }),
  SettlementFailed: () => modelCall(10, Number.POSITIVE_INFINITY),
  async ImageRolloutHalted() {
    const version = world.ports.settings.imageVersion
    const { rollouts } = world.ports
    const before = await rollouts.find(version)
    await rollouts.save(haltRollout(before), before)
    await sweepMachines()
    const halted = await rollouts.find(version)
    await rollouts.save(resumeRollout(halted), halted)
  },
  async InstancesStuck() {
    const overdue = { state: 'pausing' as const, deadlineMs: Date.now() - 10 * minuteMs }
    const { userId } = await world.tenant(overdue)
    const down = { ...world.ports.machines, observeAll: () => Promise.reject(new Error('down')) }
    await sweepMachines({ machines: down }).catch(() => {})
    await settleDown(userId)
  },
  async MachineStartFailed() {
    const refused = () => Promise.reject(new MachineError('no vCPU is left', false, 'quota'))
    for (let starts = 0; starts < 10; starts++) {
      expect(firing()).toEqual([])
      const { userId } = await world.tenant({ state: 'provisioning', deadlineMs: Date.now() - 1 })
      await sweepMachines({ machines: { ...world.ports.machines, run: refused } })
      await settleDown(userId)
    }
  },
  async FollowUpsWithoutWrite() {
    const { userId } = await world.tenant()
    await outboxOf(world.ports, userId, [{ intent: { kind: 'wanted' } }]).flush()
  },
  async WebhookFailed() {
    const payments = { ...world.ports.payments, readEvent: () => Promise.reject(new Error('no secret')) }
    const answer = await world.client([stripeWebhook], { payments })({ operation: stripeWebhook, body: '{}' })
    expect(answer.status).toBe(500)
  },
  /** The last: it points the SDK at a world of its own. */
  async EndpointFailing() {
    const webhooks = await openWebhooksWorld()
    closing.push(webhooks.close)
    Object.assign(webhooks.ports, { alarms: toStdout })
    for (let owners = 0; owners < 5; owners++) {
      expect(firing()).toEqual([])
      const owner = await webhooks.owner()
      webhooks.answers.set(owner.url, () => silence)
      await webhooks.tell(owner.userId)
      await webhooks.send()
      await webhooks.pass(hourMs)
    }
  },
}

describe('a scheduled job', () => {
  const jobs = areas.flatMap((area) =>
    area.jobs.flatMap(({ id, on }) =>
      'everyMinutes' in on ? [{ area, id, everyMs: on.everyMinutes * minuteMs }] : [],
    ),
  )

  test.each(jobs.map((job) => [job.id, job] as const))(
    '%s raises an alarm when it did not run',
    async (id, { area, everyMs }) => {
      const alarm = watching.get(`JobDone ${id}`) as SingleMetricAlarm // safe because a test above proves that it exists
      const run = jobHandler(area, world.ports)
      expect(stateOf(alarm, seen(), Date.now())).toBe('ALARM')
      await run({ job: id })
      expect(stateOf(alarm, seen(), Date.now())).toBe('OK')
      aheadMs += everyMs
      expect(stateOf(alarm, seen(), Date.now())).toBe('OK')
      aheadMs += 3 * Math.max(everyMs, 5 * minuteMs)
      expect(stateOf(alarm, seen(), Date.now())).toBe('ALARM')
    },
  )

  test('that fails does not count as run', async () => {
    const broken = {
      ...world.ports,
      instances: { ...world.ports.instances, overdue: () => Promise.reject(new Error('down')) },
    }
    await expect(jobHandler(sweeperArea, broken)({ job: 'sweep' })).rejects.toThrow()
    expect(seen().filter(({ name }) => name === 'JobDone')).toEqual([])
  })
})

describe('slow requests', () => {
  async function askFor(times: number, takesMs: number): Promise<void> {
    const { headers } = await world.session()
    const wallets = {
      ...world.ports.wallets,
      read: async (userId: string) => {
        world.clock.nowMs += takesMs
        return world.ports.wallets.read(userId)
      },
    }
    const ask = world.client([getWallet], { wallets })
    for (let i = 0; i < times; i++) expect((await ask({ operation: getWallet, headers })).status).toBeLessThan(500)
  }

  test('raise the alarm after a quarter of an hour, and not after a moment', async () => {
    await askFor(3, 11_000)
    expect(firing()).toEqual([])
    for (let period = 0; period < 2; period++) {
      aheadMs += 5 * minuteMs
      await askFor(3, 11_000)
    }
    expect(firing()).toEqual(['RequestMs'])
    await askFor(1, 1)
    expect(seen().filter(({ name }) => name === 'RequestMs')).toHaveLength(10)
  })
})

describe('a failure that is not ours', () => {
  const named = (name: string) => seen().filter((point) => point.name === name)

  test('of a provider is counted, so that the alarm of the API can leave it out', async () => {
    const { headers } = await world.session()
    const fail = (error: Error) => {
      const wallets = { ...world.ports.wallets, read: () => Promise.reject(error) }
      return world.client([getWallet], { wallets })({ operation: getWallet, headers })
    }
    expect((await fail(new Error('ours'))).status).toBe(500)
    expect(named('ProviderErrorAnswered')).toEqual([])
    expect((await fail(new DomainError('provider-error', 'theirs'))).status).toBe(502)
    expect(named('ProviderErrorAnswered')).toMatchObject([{ value: 1, dimensions: { stage: 'production' } }])
  })

  test('is the end of a machine on spare capacity, if AWS took that back', async () => {
    const stopped = (stopCode: string) => {
      const event = {
        ...{ version: '0', id: 'e', account: '1', time: '2026-11-26T12:00:00Z', region: 'eu-central-1', resources: [] },
        source: 'aws.ecs',
        'detail-type': 'ECS Task State Change',
        detail: {
          ...{ taskArn: 'arn:aws:ecs:x', lastStatus: 'STOPPED', desiredStatus: 'STOPPED', stopCode },
          startedBy: 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0/1',
        },
      }
      return jobHandler(reconcilerArea, world.ports)(event)
    }
    await stopped('UserInitiated')
    expect(named('SpotInterrupted')).toEqual([])
    await stopped('SpotInterruption')
    expect(named('SpotInterrupted')).toMatchObject([{ value: 1 }])
  })
})

describe('an alarm on one of the code’s own metrics', () => {
  test('exists for each name, and for every scheduled job', () => {
    const jobs = areas.flatMap((area) => area.jobs.filter(({ on }) => 'everyMinutes' in on))
    const wanted = [
      ...Object.keys(alarms),
      'FirstWordMs',
      'RequestMs',
      'SpotInterrupted',
      ...jobs.map(({ id }) => `JobDone ${id}`),
    ]
    expect([...watching.keys()].sort()).toEqual(wanted.sort())
  })

  test('on a webhook is silent for a wrong signature', async () => {
    await world.cloud.cloud.putSecret(
      'stripe',
      JSON.stringify({ secretKey: 'sk_1', apiBase: 'http://127.0.0.1:9', webhookSecrets: ['whsec_1'] }),
    )
    const headers = { 'stripe-signature': 't=1,v1=0' }
    const answer = await world.client([stripeWebhook])({ operation: stripeWebhook, headers, body: '{}' })
    expect(answer.status).toBe(400)
    expect(firing()).toEqual([])
  })

  test.each(Object.keys(happens) as AlarmName[])('%s rings for its cause, and no other does', async (name) => {
    expect(firing()).toEqual([])
    await happens[name]()
    expect(firing()).toEqual([name])
    aheadMs += hourMs
    expect(firing()).toEqual([])
  })
})
