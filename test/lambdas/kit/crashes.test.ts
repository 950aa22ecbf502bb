import { graceDays, newGracePeriod, warnOnDays } from '../../../domain/billing/grace-period.ts'
import { newNotice } from '../../../domain/operator/notice.ts'
import { newView } from '../../../domain/operator/view.ts'
import type { Intent } from '../../../domain/outbox.ts'
import { dayMs, iso, minuteMs } from '../../../domain/time.ts'
import { newAutoTopup } from '../../../domain/wallet/auto-topup.ts'
import { areas } from '../../../lambdas/areas.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { full } from '../../counts.ts'
import type { Tenant, TestRequest } from '../../world.ts'
import { bounced, complained } from '../account-jobs/mail-events.ts'
import { listed } from './cost-world.ts'
import { type CrashWorld, dying, openCrashWorld } from './crash-world.ts'
import { keepPoint } from './kept-point.ts'
import { given, places, recordsIn } from './records.ts'
import { aboutUser, requests } from './requests.ts'

/** Operations whose crashes other tests cover. */
const elsewhere: Record<string, string> = {
  streamEvents: 'reads for as long as it is read',
  mcpEventStream: 'reads for as long as it is read',
  mcpRpc: 'the operation behind the tool is tried by itself',
  proxyModelCall: 'test/adapters/dynamo/wallet-interleavings.test.ts and test/app/models',
  createEmbeddings: 'as proxyModelCall',
  proxyLargeModelCall: 'as proxyModelCall',
  createLargeEmbeddings: 'as proxyModelCall',
  countLargeTokens: 'as signCallBody',
  signCallBody: 'takes a place that lapses',
  stripeWebhook: 'test/lambdas/billing/webhook-algebra.test.ts',
  changePlan: 'changes nothing but at the provider, which tells of it',
  openBillingPortal: 'changes nothing',
  listFiles: 'asks the machine, which does what is left of it when it runs',
  getFile: 'asks the machine, which does what is left of it when it runs',
  searchFiles: 'as listFiles',
  compareRestorePoint: 'as listFiles',
  getReplyChanges: 'as listFiles',
  writeFile:
    'writes as createExport does, and then waits for the machine; that one is test/agent/volume/edit-killed.test.ts',
  createFolder: 'as writeFile',
  moveFile: 'as writeFile',
  deleteFile: 'as writeFile',
  undoReply: 'as writeFile',
}

/**
 * Number of writes after which a function dies: all in the full tier, otherwise only the first, whose follow-ups then
 * wait.
 */
const deaths = full ? Number.POSITIVE_INFINITY : 1

/**
 * All operations in the full tier, and those about an instance also with a sleeping one; otherwise every third that
 * commits.
 */
const tried = listed
  .filter(([id, , operation]) => !(id in elsewhere) && (full || operation.commits))
  .filter((_, index) => full || index % 3 === 0)
  .flatMap(([id, area, operation]) => {
    const states =
      full && ['chat', 'files', 'instance'].includes(area) ? (['running', 'paused'] as const) : (['running'] as const)
    return states.map((state) => [id, area, operation, state] as const)
  })

/** Jobs whose crashes other tests cover. */
const jobsElsewhere: Record<string, string> = {
  onShardDue: 'test/lambdas/sweeper/sweeper.test.ts',
  onInstanceWanted: 'test/domain/instance/simulation.test.ts',
  onTaskStateChange: 'test/domain/instance/simulation.test.ts',
  sweep: 'test/domain/instance/simulation.test.ts',
  notifyUser: 'test/lambdas/notifications/crashes.test.ts',
  queueDeliveries: 'test/lambdas/webhooks/crashes.test.ts',
  sweepDeliveries: 'test/lambdas/webhooks/crashes.test.ts',
  // One write, which only a function that makes the same step can make.
  checkWallets: 'test/lambdas/wallet-jobs/check-wallets.test.ts',
  sendDeliveries: 'test/lambdas/webhooks/crashes.test.ts',
  // This job waits, then passes the album to the job that reads chats.
  onAlbumArriving: 'test/lambdas/channels/albums.test.ts',
  // The pushing jobs write nothing except to delete ended connections.
  onEventRecorded: 'test/lambdas/socket/socket.test.ts',
  onSessionEnded: 'test/lambdas/socket/socket.test.ts',
  onTokenEnded: 'test/lambdas/socket/socket.test.ts',
  onWorkAdded: 'test/lambdas/socket/socket.test.ts',
  onPromptStopped: 'test/lambdas/socket/socket.test.ts',
  onQuestionAnswered: 'test/lambdas/socket/socket.test.ts',
  onChatHappened: 'test/app/channels/simulation',
  onMessageReady: 'test/app/channels/simulation',
  onPromptEnded: 'test/app/channels/simulation',
  onQuestionSettled: 'test/app/channels/simulation',
  onReplyGrew: 'test/app/channels/simulation',
  sweepChannels: 'test/app/channels/simulation',
}

async function returnedMail(event: typeof bounced | typeof complained, userId: string): Promise<object> {
  const user = await world.ports.users.find(userId)
  return event(user?.email ?? '').detail
}

/** A user's data for each job, and the job's event. */
const jobScenes: [job: string, what: string, prepare: (tenant: Tenant) => Promise<object | undefined>][] = [
  [
    'eraseAccounts',
    'an account whose time has come',
    async ({ userId }) => {
      await world.bearer(['mcp:*'], userId)
      await world.ports.users.scheduleErasure(userId, ago(minuteMs), Date.now() - minuteMs)
      return {}
    },
  ],
  [
    'eraseAccounts',
    'an account whose instance is gone',
    async ({ userId, instance }) => {
      await world.bearer(['mcp:*'], userId)
      await world.ports.instances.save({ ...instance, state: 'deleted', deadlineMs: null, version: 2 }, instance)
      await world.ports.users.scheduleErasure(userId, ago(minuteMs), Date.now() - minuteMs)
      return {}
    },
  ],
  ['onMailBounced', 'a mail to who has an account', ({ userId }) => returnedMail(bounced, userId)],
  ['onMailComplained', 'a mail to who has an account', ({ userId }) => returnedMail(complained, userId)],
  ['sweepEndedSubscriptions', 'files to be warned of', (tenant) => ended(tenant, 0)],
  ['sweepEndedSubscriptions', 'files to be deleted', (tenant) => ended(tenant, warnOnDays.length)],
  [
    'onWalletLow',
    'a wallet to be topped up',
    async ({ userId }) => {
      const settings = { enabled: true, thresholdCents: 500, amountCents: 1_000, monthlyCapCents: 5_000 }
      await world.ports.wallets.saveAutoTopup(userId, newAutoTopup(settings))
      return { userId }
    },
  ],
  [
    'sweepWallets',
    'a hold that nobody settled, and little money',
    async ({ userId }) => {
      const { wallets } = world.ports
      await wallets.creditOnce(userId, 'gift', 500_000, 'adjustment', 'A gift', ago(dayMs))
      const request = { boundMicros: 1_000, minimumMicros: 1_000, generation: 1 }
      await wallets.hold(userId, world.nextId('call'), request, Date.now() - dayMs)
      return {}
    },
  ],
  [
    'onScheduleDue',
    'a schedule whose time has come',
    async ({ userId }) => {
      const { wallets, schedules, ids } = world.ports
      await wallets.creditOnce(userId, 'gift', 5_000_000, 'adjustment', 'A gift', ago(dayMs))
      const made = {
        cron: '0 8 * * *',
        timeZone: 'UTC',
        at: null,
        by: 'user' as const,
        text: 'x',
        createdAt: ago(dayMs),
        exact: false,
        paused: false,
        runs: [],
      }
      const scheduleId = ids.next('sch')
      await schedules.add(userId, { id: scheduleId, ...made }, 5)
      return { userId, scheduleId, dueAt: ago(minuteMs) }
    },
  ],
  [
    'onScheduleDue',
    'a task for later of the agent’s whose time has come',
    async ({ userId }) => {
      const { wallets, agentSchedules, ids } = world.ports
      await wallets.creditOnce(userId, 'gift', 5_000_000, 'adjustment', 'A gift', ago(dayMs))
      const made = {
        cron: '0 8 * * *',
        timeZone: 'UTC',
        at: ago(minuteMs),
        by: 'agent' as const,
        text: 'x',
        createdAt: ago(dayMs),
        exact: false,
        paused: false,
        runs: [],
      }
      const scheduleId = ids.next('sch')
      await agentSchedules.add(userId, scheduleId, { id: scheduleId, ...made }, { most: 5, byAgent: 2 }, Date.now())
      return { userId, scheduleId, dueAt: ago(minuteMs) }
    },
  ],
  [
    'sweepOutbox',
    'what was not done in time',
    async ({ userId }) => {
      const { outbox, schedules, ids } = world.ports
      const { record } = await world.bearer(['mcp:*'], userId)
      const letter = { to: `${userId.toLowerCase()}@example.com`, subject: 'A letter', text: 'x' }
      const all: Intent[] = [
        { kind: 'mail', ...letter },
        { kind: 'timer', scheduleId: ids.next('sch') },
        { kind: 'revoke', tokenId: record.id },
        { kind: 'wake', reason: 'message' },
        { kind: 'wanted' },
        { kind: 'close-billing' },
        { kind: 'reopen' },
        { kind: 'endpoint-disabled', name: 'My log', because: 'gone' },
      ]
      const createdMs = Date.now() - 2 * minuteMs
      const intents = all.map((intent) => ({ userId, id: ids.next('int'), createdMs, intent }))
      const made = {
        cron: '0 8 * * *',
        timeZone: 'UTC',
        at: null,
        by: 'user' as const,
        text: 'x',
        createdAt: ago(dayMs),
        exact: false,
        paused: false,
        runs: [],
      }
      await schedules.add(userId, { id: ids.next('sch'), ...made }, 5)
      await outbox.add(intents)
      return {}
    },
  ],
]

const ago = (ms: number) => iso(Date.now() - ms)

async function ended({ userId }: Tenant, warned: number): Promise<object> {
  const grace = newGracePeriod(userId, 'sub_1', Date.now() - graceDays * dayMs)
  await world.ports.gracePeriods.start({ ...grace, warned })
  return {}
}

/** Kills a job after its first write, its second, and so on, and starts it once more after each. */
async function tryJob(id: string, scene: (tenant: Tenant) => Promise<object | undefined>): Promise<Tenant[]> {
  const job = areas.flatMap(({ jobs }) => jobs).find((each) => each.id === id)
  if (!job) throw new Error(`no job ${id}`)
  const tenants: Tenant[] = []
  for (let writes = 1, died = true; died; writes++) {
    const tenant = await world.tenant({ deadlineMs: null })
    await world.ports.users.setCustomer(tenant.userId, 'cus_1')
    const input = await scene(tenant)
    const run = async () => job.run({ input, deps: world.ports, now: Date.now() })
    died = await dying(writes <= deaths ? writes : Number.POSITIVE_INFINITY, run)
    if (died) await run()
    tenants.push(tenant)
  }
  return tenants
}

/** The scheduled jobs, except the sweeper's, whose own test starts machines. */
const sweeps = areas
  .filter(({ name }) => name !== 'sweeper')
  .flatMap(({ jobs }) => jobs.filter(({ on }) => 'everyMinutes' in on))

const isSame = (a: string[], b: string[]) => JSON.stringify(a) === JSON.stringify(b)

let world: CrashWorld
/** By operation: a user without a request, users with a killed function, and the user with a completed one. */
const tries = new Map<string, Tenant[]>()
let kept: (tenant: Tenant) => Promise<string[]>

/** Operations that first request a restore point unless a recent one exists. */
const freshPoint = new Set([
  'refreshInstance',
  'activatePersona',
  'deactivatePersona',
  'deletePersona',
  'setInstanceRuntime',
])

let signIns = 0
const addressOf = (userId: string) => `${userId.toLowerCase()}@example.com`
/** The last e-mailed code. */
const codeTo = (email: string) => /\b\d{6}\b/.exec(world.cloud.cloud.mails(email)[0]?.text ?? '')?.[0] ?? 'none'

/** An operator's request about this user. */
function byOperator(id: string, tenant: Tenant, more: object = {}): TestRequest {
  const [, , operation] = listed.find(([name]) => name === id) ?? []
  const { body, ...sent } = requests[id] ?? {}
  if (!operation) throw new Error(`no operation ${id}`)
  return aboutUser(operation, tenant, { ...sent, body: { ...body, ...more } })
}

/** These tests have one operator, who views one user at a time. */
async function endStandingView(): Promise<void> {
  const found = await world.ports.views.of((await world.operator()).userId)
  if (found) await world.ports.views.end(found)
}

/** Requests that need more than a record of their own user. */
const scenes: Record<string, (tenant: Tenant) => Promise<TestRequest>> = {
  async revokeToken({ userId }) {
    const parent = await world.bearer(['api:tokens.write', 'mcp:*'], userId)
    const sent = { method: 'POST', path: '/tokens', headers: parent.headers, body: { name: 'child' } }
    for (let made = 0; made < 3; made++) expect((await world.request(sent)).status).toBe(201)
    return { query: { id: parent.record.id } }
  },
  async updateAccount({ userId }) {
    const email = `moved-${userId.toLowerCase()}@example.com`
    const { headers } = await world.session(userId)
    const asked = await world.request({ method: 'PATCH', path: '/account', headers, body: { email } })
    expect(asked.status).toBe(202)
    return { body: { email, currentCode: codeTo(addressOf(userId)), newCode: codeTo(email) } }
  },
  async verify({ userId }) {
    const [email, ip] = [addressOf(userId), `2001:db8::${++signIns}`]
    const { status, cookies } = await world.request({ method: 'POST', path: '/auth/login', body: { email }, ip })
    expect(status).toBe(202)
    const Cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ')
    return { body: { email, code: codeTo(email) }, headers: { Cookie }, ip }
  },
  async receiveDelivery({ userId }) {
    const { wallets, hookSecrets } = world.ports
    await wallets.creditOnce(userId, 'gift', 5_000_000, 'adjustment', 'A gift', ago(dayMs))
    const id = await recordsIn(world).hook({ userId } as Tenant) // safe because the record needs no more fields
    const secret = await hookSecrets.secretOf({ id, secretVersion: 1 })
    return {
      parameters: { id },
      headers: { Authorization: `Bearer ${secret}`, 'Idempotency-Key': 'one' },
      body: 'sent',
    }
  },
  async addPasskey({ userId }) {
    const challenge = userId.slice(-20)
    await world.ports.passkeys.saveChallenge(challenge, userId, Date.now())
    return { body: { name: 'Laptop', response: { id: userId, type: 'public-key', response: { challenge } } } }
  },
  async verifyPasskey({ userId }) {
    const challenge = userId.slice(-20)
    await recordsIn(world).passkey({ userId } as Tenant) // safe because the record needs no more fields
    await world.ports.passkeys.saveChallenge(challenge, null, Date.now())
    const response = { id: userId, type: 'public-key', response: { challenge } }
    return { body: { response }, headers: { Cookie: undefined }, ip: `2001:db8::${++signIns}` }
  },
  async refundUser(tenant) {
    const { wallets } = world.ports
    await wallets.creditOnce(tenant.userId, 'gift', 5_000_000, 'adjustment', 'A gift', ago(dayMs))
    return byOperator('refundUser', tenant)
  },
  async unsuspendUser(tenant) {
    await world.ports.wallets.freeze(tenant.userId, 'a test', Date.now())
    return byOperator('unsuspendUser', tenant)
  },
  async viewUser(tenant) {
    await endStandingView()
    return byOperator('viewUser', tenant)
  },
  async viewUserMessages(tenant) {
    await endStandingView()
    return byOperator('viewUserMessages', tenant)
  },
  async endView(tenant) {
    await endStandingView()
    const { userId: operator, record } = await world.operator()
    const asked = { id: world.nextId('viw'), user: tenant.userId, messages: false, reason: 'A test', operator }
    await world.ports.views.begin(newView({ ...asked, session: record.id }, Date.now()), Date.now())
    return byOperator('endView', tenant)
  },
  async replayDeadLetter(tenant) {
    const letter = await recordsIn(world).delivery(tenant)
    return byOperator('replayDeadLetter', tenant, { kind: 'chat', letter })
  },
  async broadcastNotice(tenant) {
    return byOperator('broadcastNotice', tenant, { users: [tenant.userId] })
  },
  async withdrawNotice({ userId }) {
    const notice = newNotice(world.nextId('ntc'), { text: 'x', users: [userId], days: 1 }, userId, Date.now())
    await world.ports.notices.add(notice)
    return { ...requests.withdrawNotice, parameters: { notice: notice.id } }
  },
  async reportLeakedToken({ userId }) {
    return { body: { token: (await world.bearer(['mcp:*'], userId)).plaintext } }
  },
}

/** A user with the data that the operation needs, and the request. */
async function prepare(
  operation: AnyOperation,
  state: 'running' | 'paused',
): Promise<{ tenant: Tenant; sent: TestRequest }> {
  const tenant = await world.tenant({
    state,
    desiredState: state,
    ...(state === 'paused' && { reason: 'user' }),
    deadlineMs: null,
  })
  await world.ports.users.setCustomer(tenant.userId, 'cus_1')
  // Otherwise the change could request a restore point before it is cut off, which is harmless.
  if (freshPoint.has(operation.id)) await keepPoint(world, tenant, world.nextId('rsp'))
  const { headers, ...sent } = await requestFor(operation, tenant)
  return { tenant, sent: { ...sent, headers: { ...(await admission(operation, tenant)), ...headers } } }
}

async function requestFor(operation: AnyOperation, tenant: Tenant): Promise<TestRequest> {
  const scene = scenes[operation.id]
  if (scene) return scene(tenant)
  const place = Object.entries(places).find(([name]) => name.startsWith(`${operation.id}.`))
  if (!place) return aboutUser(operation, tenant, requests[operation.id] ?? {})
  const [name, [kind, also]] = place
  return given(operation, { ...also, [name.split('.')[1] ?? '']: await recordsIn(world)[kind](tenant) })
}

const admission = async (operation: AnyOperation, tenant: Tenant) =>
  operation.auth === 'llm' || operation.auth === 'files' || operation.auth === 'agent'
    ? world.machine(tenant, operation.auth)
    : operation.auth === 'operator'
      ? (await world.operator()).headers
      : (await world.session(tenant.userId)).headers

/** Kills the function after its first write, its second, and so on, until it completes. */
async function tryAll(areaName: string, operation: AnyOperation, state: 'running' | 'paused'): Promise<Tenant[]> {
  const area = areas.find(({ name }) => name === areaName)
  if (!area) throw new Error(`no area ${areaName}`)
  const handler = world.areaHandler(area)
  const tenants = [(await prepare(operation, state)).tenant]
  for (let writes = 1, died = true; died; writes++) {
    const { tenant, sent } = await prepare(operation, state)
    died = await dying(
      writes <= deaths ? writes : Number.POSITIVE_INFINITY,
      async () => (await handler({ operation, ...sent })).done,
    )
    tenants.push(tenant)
  }
  return tenants
}

beforeAll(async () => {
  world = await openCrashWorld()
  for (const [id, areaName, operation, state] of tried)
    tries.set(`${id}, ${state}`, await tryAll(areaName, operation, state))
  for (const job of sweeps) await job.run({ input: {}, deps: world.ports, now: Date.now() + 2 * minuteMs })
  for (const [id, what, scene] of jobScenes) tries.set(`${id}, ${what}`, await tryJob(id, scene))
  for (const job of sweeps) await job.run({ input: {}, deps: world.ports, now: Date.now() + 6 * minuteMs })
  kept = await world.snapshot()
}, 600_000)
afterAll(() => world.close())

/** Rows that an operation changes before its own change, because a crash in between then leaves the safer state. */
const mayGoFirst: Readonly<Record<string, string>> = {
  // The other devices are signed out before the account moves, and again after it.
  updateAccount: 'sessions ',
}

describe('a function that dies after any of its writes', () => {
  test('is tested for every operation and job, here or elsewhere', () => {
    const jobs = areas.flatMap((area) => area.jobs.map(({ id }) => id))
    expect([...new Set([...jobScenes.map(([id]) => id), ...Object.keys(jobsElsewhere)])].sort()).toEqual(jobs.sort())
    expect(Object.keys(elsewhere).filter((id) => !listed.some(([known]) => known === id))).toEqual([])
  })

  test.each(tried.map(([id, , , state]) => `${id}, ${state}`))(
    '%s: leaves the state of a complete call or of no call',
    async (id) => {
      const isCompared = (row: string) => !row.startsWith(mayGoFirst[id.split(',')[0] ?? ''] ?? '-')
      const all = await Promise.all((tries.get(id) ?? []).map(kept))
      const [before = [], ...outcomes] = all.map((rows) => rows.filter(isCompared))
      const whole = outcomes.at(-1)
      for (const found of outcomes) if (!isSame(found, before)) expect(found).toEqual(whole)
    },
  )

  test.each(jobScenes)('%s, %s: has the result of a complete run after a second start', async (id, what) => {
    const outcomes = await Promise.all((tries.get(`${id}, ${what}`) ?? []).map(kept))
    for (const found of outcomes) expect(found).toEqual(outcomes.at(-1))
  })
})
