import { changeOf, instanceUri, skillUri, walletUri } from '../../../domain/mcp/resources.ts'
import { areas } from '../../../lambdas/areas.ts'
import { catalogueArea } from '../../../lambdas/catalogue/index.ts'
import { instanceArea } from '../../../lambdas/instance/index.ts'
import { operatorArea } from '../../../lambdas/operator/index.ts'
import { walletArea } from '../../../lambdas/wallet/index.ts'
import { openWorld, type TestRequest, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({
    areas: [walletArea, instanceArea, catalogueArea, operatorArea],
    ports: ['events', 'tasks', 'restorePoints'],
    clock: 'running',
  })
  const providers = { local: { kind: 'openai', baseUrl: 'http://127.0.0.1:1', apiKey: 'k' } }
  await world.cloud.cloud.putSecret('providers', JSON.stringify(providers))
})
afterAll(() => world.close())

interface Change extends Pick<TestRequest, 'query' | 'body'> {
  uri: string
  /** A sleeping instance instead of a running one. */
  asleep?: true
  /** The requests that create the record for this change. */
  after?: readonly (readonly [id: string, change: Pick<Change, 'parameters' | 'body'>])[]
  parameters?: Record<string, string>
}

const reason = 'Ticket 4711: charged twice'
const mine = { parameters: { id: 'mine' } }
const persona = { name: 'Mine', description: 'x', files: [{ path: 'SOUL.md', text: 'be kind' }] }
const naming = { ...persona, files: [{ path: 'SOUL.md', text: 'use daily-brief' }] }
const savedNaming = ['savePersona', { ...mine, body: { ...naming, basedOn: 0 } }] as const
const savedAgain = ['savePersona', { ...mine, body: { ...persona, basedOn: 1 } }] as const
const saved = ['savePersona', { ...mine, body: { ...persona, basedOn: 0 } }] as const
const activated = ['activatePersona', mine] as const
const money = { amountCents: 500, reason }

/** Operations that change a resource's content, some of them in two ways. */
const changes: readonly (readonly [id: string, change: Change])[] = [
  ['setInstanceModel', { uri: instanceUri, body: { model: 'local/echo' } }],
  ['setInstanceRuntime', { uri: instanceUri, body: { runtime: 'pi' } }],
  ['setInstanceRuntime', { uri: instanceUri, body: { runtime: 'pi' }, asleep: true }],
  ['pauseInstance', { uri: instanceUri }],
  ['refreshInstance', { uri: instanceUri }],
  ['deleteInstance', { uri: instanceUri }],
  ['activatePersona', { uri: instanceUri, parameters: { id: 'friendly-coach' } }],
  ['deactivatePersona', { uri: instanceUri, after: [saved, activated], ...mine }],
  ['deletePersona', { uri: instanceUri, after: [saved, activated], ...mine }],
  ['changeUserMachine', { uri: instanceUri, body: { action: 'stop', reason } }],
  ['setWalletLimits', { uri: walletUri, body: { dailyCapCents: 300 } }],
  [
    'setAutoTopup',
    { uri: walletUri, body: { enabled: false, thresholdCents: 500, amountCents: 1000, monthlyCapCents: 5000 } },
  ],
  ['creditUser', { uri: walletUri, body: money }],
  ['suspendUser', { uri: walletUri, body: { reason } }],
  ['unsuspendUser', { uri: walletUri, body: { reason }, after: [['suspendUser', { body: { reason } }]] }],
  ['enableSkill', { uri: skillUri('daily-brief'), parameters: { id: 'daily-brief' } }],
  ['disableSkill', { uri: skillUri('daily-brief'), parameters: { id: 'daily-brief' } }],
  ['savePersona', { uri: skillUri('daily-brief'), ...savedNaming[1] }],
  ['savePersona', { uri: skillUri('daily-brief'), after: [savedNaming], ...savedAgain[1] }],
  [
    'restorePersonaVersion',
    { uri: skillUri('daily-brief'), after: [savedNaming, savedAgain], parameters: { id: 'mine', version: '1' } },
  ],
  ['deletePersona', { uri: skillUri('daily-brief'), after: [savedNaming], ...mine }],
  ['setInstanceEnv', { uri: skillUri('github-digest'), body: { variables: { GITHUB_TOKEN: 'ghp_1' } } }],
]

/**
 * Operations that may write to a resource's tables but notify listeners otherwise, or never need to, each with its
 * reason.
 */
const others: Record<string, string> = {
  resumeInstance: 'changeInstance tells, as for pauseInstance; this user has no plan',
  refundUser: 'recordLine tells, as for creditUser; this user has paid nothing',
  runSchedule: 'it wakes the instance, and the reconciler tells',
  sendMessage: 'it wakes the instance, and the reconciler tells',
  receiveDelivery: 'it wakes the instance, and the reconciler tells',
  setInstanceSecrets: 'secrets are in no resource',
  verify: 'a new sign-in reopens an account, whose tokens are gone',
  verifyPasskey: 'a new sign-in reopens an account, whose tokens are gone',
  deleteAccount: 'it ends every token and session of the account first',
  startTrial: 'it gives an instance as a subscription does',
  stripeWebhook: 'test/lambdas/billing looks at its events',
}

const all = areas.flatMap(({ operations }) => operations)
const operationOf = (id: string) => {
  const operation = all.find((one) => one.id === id)
  if (!operation) throw new Error(`There is no operation ${id}`)
  return operation
}

/** Tables whose items a resource shows. */
const shown = ['instances', 'wallets', 'catalogue', 'variables'] as const
const machines = ['llm', 'agent', 'files', 'pat']

async function change(userId: string, id: string, { query, parameters, body }: Omit<Change, 'uri'>) {
  const operation = operationOf(id)
  const { headers } = operation.auth === 'operator' ? await world.operator() : await world.session(userId)
  const path = operation.http.path
    .replace('{user}', userId)
    .replace('{id}', parameters?.id ?? '')
    .replace('{version}', parameters?.version ?? '')
  const sent = { method: operation.http.method, path, ...(query && { query }), ...(body && { body }) }
  const answer = await world.request({ ...sent, headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() } })
  if (answer.status >= 300) throw new Error(`${id}: ${answer.status} ${answer.text}`)
}

describe('listeners of a resource', () => {
  test.each(changes)('are notified of %s after a change', async (id, { uri, asleep, after = [], ...asked }) => {
    const { userId, instance } = await world.tenant(asleep && { state: 'paused', desiredState: 'paused' })
    for (const [before, given] of after) await change(userId, before, given)
    const seen = (await world.ports.events.after(userId, 'evt_0', 100)).length
    await change(userId, id, { ...asked, ...(id === 'deleteInstance' && { query: { confirm: instance.id } }) })
    const happened = (await world.ports.events.after(userId, 'evt_0', 100)).slice(seen)
    expect(happened.map((event) => changeOf(event)?.uri)).toContain(uri)
  })

  test('are notified by each operation that may change the content of a resource', () => {
    const writes = all.filter(
      ({ auth, http, uses }) =>
        http.method !== 'GET' && !machines.includes(auth) && shown.some((table) => uses?.[table] === 'write'),
    )
    const known = [...changes.map(([id]) => id), ...Object.keys(others)]
    expect(writes.map(({ id }) => id).filter((id) => !known.includes(id))).toEqual([])
  })
})
