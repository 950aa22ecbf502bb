import { iso } from '../../../domain/time.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { inputInQuery, pathParameters } from '../../../lambdas/kit/parameters.ts'
import type { Tenant } from '../../world.ts'
import { changing, trailOf } from './audited.ts'
import { type CostWorld, listed, openCostWorld } from './cost-world.ts'
import { keepPoint } from './kept-point.ts'

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
})
afterAll(() => world.close())

const at = () => iso(Date.now())
const next = (prefix: Parameters<CostWorld['ports']['ids']['next']>[0]) => world.ports.ids.next(prefix)

/** Makes a record of each kind for its owner and answers its id. */
const records = {
  async token({ userId }: Tenant) {
    return (await world.bearer(['mcp:*'], userId)).record.id
  },
  async session({ userId }: Tenant) {
    return (await world.session(userId)).record.id
  },
  async passkey({ userId }: Tenant) {
    const credential = { credentialId: userId, publicKey: 'AA', counter: 0, transports: [], synced: false }
    const made = { ...credential, userId, name: 'theirs', createdAt: at(), lastUsedAt: null }
    return (await world.ports.passkeys.add(made))?.id ?? ''
  },
  async transaction({ userId }: Tenant) {
    return (await world.ports.wallets.creditOnce(userId, 'once', 1, 'adjustment', 'test', at()))?.id ?? ''
  },
  async schedule({ userId }: Tenant) {
    const one = { id: next('sch'), cron: '0 8 * * *', timeZone: 'UTC', text: 'x', createdAt: at(), lastRun: null }
    await world.ports.schedules.add(userId, one, 5)
    return one.id
  },
  async point(tenant: Tenant) {
    const id = next('rsp')
    await keepPoint(world, tenant, id)
    return id
  },
  async task({ userId }: Tenant) {
    const id = next('tsk')
    await world.ports.tasks.add(userId, id, { kind: 'export' }, Date.now())
    await world.ports.conversations.next(userId, 1, Date.now(), { prompts: false, tasks: true })
    return id
  },
  async prompt({ userId }: Tenant) {
    const told = { id: next('msg'), role: 'user', text: 'x', channel: 'web', at: at() } as const
    const id = next('prm')
    const source = {
      kind: 'message',
      messageId: told.id,
      conversation: 'web',
      channel: 'web',
      trigger: 'chat',
    } as const
    await world.ports.conversations.receive(userId, told, { id, ...source, text: 'x', at: at() })
    await world.ports.conversations.next(userId, 1, Date.now(), { prompts: true, tasks: false })
    return id
  },
  async persona({ userId }: Tenant) {
    const id = `own-${userId.slice(-8).toLowerCase()}`
    const version = { id, name: 'Mine', description: '', version: 1, savedAt: at(), files: [] }
    await world.ports.catalogue.savePersona(userId, version)
    return id
  },
  instance: async ({ instance }: Tenant) => instance.id,
}

/** Each place of an operation for an id of the caller's own record: its kind, and what else the operation wants. */
const places: Record<string, [kind: keyof typeof records, also?: object]> = {
  'endSession.id': ['session'],
  'removePasskey.id': ['passkey'],
  'revokeToken.id': ['token'],
  'renameToken.id': ['token', { name: 'mine' }],
  'rerollToken.id': ['token', {}],
  'getTransaction.id': ['transaction'],
  'deleteInstance.confirm': ['instance'],
  'deleteSchedule.id': ['schedule'],
  'getFile.point': ['point', { path: 'notes/tide.txt' }],
  'getRestorePoint.id': ['point'],
  'listRestorePointFiles.id': ['point'],
  'restoreFiles.id': ['point', {}],
  'getFilesTask.id': ['task'],
  'getPersona.id': ['persona'],
  'savePersona.id': ['persona', { name: 'Mine', description: 'x', files: [{ path: 'SOUL.md', text: 'be kind' }] }],
  'deletePersona.id': ['persona'],
  'activatePersona.id': ['persona', {}],
  'deactivatePersona.id': ['persona', {}],
  'listPersonaVersions.id': ['persona'],
  'getPersonaVersion.id': ['persona', { version: '1' }],
  'restorePersonaVersion.id': ['persona', { version: '1' }],
  'getAgentContext.prompt': ['prompt'],
  'observeAgent.promptId': ['prompt', { kind: 'reply', text: 'hello' }],
  'observeAgent.taskId': ['task', { kind: 'task' }],
  'giveAgentFeedback.promptId': ['prompt', { outcome: 'completed' }],
  'signAgentFiles.taskId': ['task', { put: [], get: [] }],
}

/** Ids of what ships with the service are the same for all. */
const everybodys = ['getSkill.id', 'enableSkill.id', 'disableSkill.id']

/** What a place answers that has a reason not to answer 404. */
const others: Record<string, number> = {
  // Names of one's own personas are one's own to choose.
  'savePersona.id': 200,
  // Nothing is looked up by it: it repeats the id of the caller's own.
  'deleteInstance.confirm': 400,
}

const namesRecord = (field: string) => /^(id|confirm|point|prompt)$|Id$/.test(field)

/** The request with these fields where the operation reads them. */
function given(one: AnyOperation, fields: Record<string, unknown>) {
  const inPath = (name: string) => pathParameters(one.http.path).includes(name)
  const parameters = Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (inPath(name) ? [[name, String(value)]] : [])),
  )
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath(name)))
  return inputInQuery(one) ? { parameters, query: rest } : { parameters, body: rest }
}

describe('another user’s id', () => {
  test('every place for one is known', () => {
    const found = listed.flatMap(([id, , one]) =>
      Object.keys(one.input.shape)
        .filter(namesRecord)
        .map((field) => `${id}.${field}`),
    )
    expect([...Object.keys(places), ...everybodys].sort()).toEqual(found.sort())
  })

  test.each(Object.entries(places))(
    '%s answers as for one that never was, by the same store calls',
    async (place, [kind, also]) => {
      const [id = '', field = ''] = place.split('.')
      const [, areaName = '', one] = listed.find(([name]) => name === id) ?? []
      if (!one) throw new Error(`no operation ${id}`)
      const owner = await world.tenant()
      const theirs = await records[kind](owner)
      const never = `${theirs.slice(0, -4)}${theirs.slice(-4).replace(/\w/g, (one) => (one === '0' ? '1' : '0'))}`
      const ask = async (asked: string, me: Tenant) => {
        const sent = given(one, { ...also, [field]: asked })
        const headers = await world.admission(one, me)
        const { status, text, calls, units } = await world.measure(areaName, one, { ...sent, headers })
        // What is asked for side by side comes in any order.
        return { status, calls: calls.sort(), units, text: text.replaceAll(asked, 'the id') }
      }
      const other = await ask(theirs, await world.tenant())
      expect(other).toEqual(await ask(never, await world.tenant()))
      expect(other.status).toBe(others[place] ?? 404)
      const { status } = await ask(theirs, owner)
      expect(Math.floor(status / 100)).toBe(2)
      if (changing.some(([name]) => name === id)) expect(await trailOf(world, owner.userId)).toEqual([id])
    },
  )
})
