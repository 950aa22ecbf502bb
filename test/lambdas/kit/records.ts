import { newConversation } from '../../../domain/chat/conversation.ts'
import { promptIdOf } from '../../../domain/chat/names.ts'
import { iso } from '../../../domain/time.ts'
import { newDelivery } from '../../../domain/webhooks/delivery.ts'
import { newEndpoint } from '../../../domain/webhooks/endpoint.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { inputInQuery, pathParameters } from '../../../lambdas/kit/parameters.ts'
import type { Tenant, World } from '../../world.ts'
import { keepPoint } from './kept-point.ts'
import { subscription } from './requests.ts'

const at = () => iso(Date.now())
const mine = (id: string) => newConversation({ id, title: 'Mine', startedBy: 'user', createdAt: at() })

const sentEvent = 'evt_01KAHB2N3P4Q5R6S7T8V9WXYZ0'

/** Creates a record of each kind for its owner and returns its id. */
export function recordsIn(world: World) {
  const next = world.ports.ids.next
  return {
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
    /** The owner's wallet can pay for the request. */
    async paidSchedule(tenant: Tenant): Promise<string> {
      await this.transaction(tenant)
      return this.schedule(tenant)
    },
    async schedule({ userId }: Tenant) {
      const schedule = {
        id: next('sch'),
        cron: '0 8 * * *',
        timeZone: 'UTC',
        at: null,
        by: 'user' as const,
        text: 'x',
        createdAt: at(),
        exact: false,
        paused: false,
        runs: [],
      }
      await world.ports.schedules.add(userId, schedule, 5)
      return schedule.id
    },
    async agentSchedule({ userId }: Tenant) {
      const asked = {
        cron: '0 8 * * *',
        timeZone: 'UTC',
        at: null,
        text: 'x',
        createdAt: at(),
        exact: false,
        paused: false,
        runs: [],
      }
      const schedule = { id: next('sch'), by: 'agent' as const, ...asked }
      await world.ports.agentSchedules.add(userId, schedule.id, schedule, { most: 5, byAgent: 2 }, Date.now())
      return schedule.id
    },
    async hook({ userId }: Tenant) {
      const id = next('hok')
      const hook = { id, userId, name: 'x', text: 'x', secretVersion: 1, createdAt: at(), lastDelivery: null }
      await world.ports.hooks.add(hook, 5)
      return id
    },
    async channel({ userId }: Tenant) {
      const id = next('lnk')
      const chat = { platform: 'telegram', id, kind: 'direct' } as const
      const linked = { platform: 'telegram', kind: 'direct', person: 'Ada', conversation: 'main', home: false } as const
      const link = { ...linked, id, userId, chat, personId: id, state: 'linked' as const, createdAt: at() }
      await world.ports.channelLinks.add(link, null, null)
      return id
    },
    async delivery({ userId }: Tenant) {
      const key = next('msg')
      const chat = { platform: 'telegram', id: key, kind: 'direct' } as const
      const failed = {
        userId,
        key,
        chat,
        context: {},
        state: 'failed',
        revision: 0,
        failures: 1,
        reason: 'no',
      } as const
      const asked = { ...failed, final: { text: 'x' }, createdAt: at() }
      const started = mine(next('cnv'))
      await world.ports.conversations.start(userId, started, world.ports.outgoingMessages.entry(asked))
      return `out.${Buffer.from(key).toString('base64url')}`
    },
    async endpoint({ userId }: Tenant) {
      const id = next('whe')
      const told = { name: 'x', url: 'https://example.com/berth', events: ['*' as const] }
      await world.ports.webhooks.addEndpoint(userId, newEndpoint(id, told, at()), 5)
      return id
    },
    /** The record has a delivery with the id `sentEvent`. */
    async toldEndpoint(tenant: Tenant): Promise<string> {
      const id = await this.endpoint(tenant)
      const limits = { deliveriesAnHour: 5, aDay: 5, bytesADay: 10_000 }
      const event = { id: sentEvent, type: 'wallet.low' as const, at: at(), data: {} }
      await world.ports.webhooks.queue(tenant.userId, newDelivery(id, event, Date.now()), limits, Date.now())
      return id
    },
    async pushDevice({ userId }: Tenant) {
      const endpoint = `https://push.example.com/${userId}`
      const id = world.ports.pushDevices.idOf(endpoint)
      const quiet = { failingSince: null, failures: 0, restsUntilMs: 0 }
      const device = { ...subscription, ...quiet, id, endpoint, name: 'x', createdAt: at(), sessionId: 'ses_nothing' }
      await world.ports.pushDevices.save(userId, device, 5)
      return id
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
      const told = { id: next('msg'), role: 'user', text: 'x', conversation: 'main', channel: 'web', at: at() } as const
      await world.ports.conversations.receive(userId, told, 'chat')
      await world.ports.conversations.next(userId, 1, Date.now(), { prompts: true, tasks: false })
      return promptIdOf(told.id)
    },
    async message({ userId }: Tenant) {
      const told = { id: next('msg'), role: 'user', text: 'x', conversation: 'main', channel: 'web', at: at() } as const
      await world.ports.conversations.receive(userId, told, 'chat')
      return told.id
    },
    async answered({ userId }: Tenant) {
      const told = { id: next('msg'), role: 'user', text: 'x', conversation: 'main', channel: 'web', at: at() } as const
      await world.ports.conversations.receive(userId, told, 'chat')
      await world.ports.conversations.close(userId, promptIdOf(told.id), 'completed')
      return told.id
    },
    async attachment({ userId, instance }: Tenant) {
      const file = { name: 'tides.png', type: 'image/png', bytes: 4, sha256: '0'.repeat(64), createdAt: at() }
      const id = next('att')
      const attachment = { ...file, id, instanceId: instance.id, role: 'user' as const }
      await world.ports.attachments.add(userId, attachment, { files: 9, bytes: 99 }, world.clock.now())
      return id
    },
    async conversation({ userId }: Tenant) {
      const id = next('cnv')
      await world.ports.conversations.start(userId, mine(id))
      return id
    },
    async question({ userId }: Tenant) {
      const id = next('qst')
      const asked = { id, text: 'May I?', answer: 'approve', promptId: null, argumentsSha256: null } as const
      const open = { state: 'open', given: null, answeredAt: null } as const
      const expiresAt = iso(world.clock.now() + 3_600_000)
      await world.ports.questions.ask(userId, id, { ...asked, ...open, askedAt: at(), expiresAt }, Date.now())
      return id
    },
    async persona({ userId }: Tenant) {
      const id = `own-${userId.slice(-8).toLowerCase()}`
      const version = { id, name: 'Mine', description: '', version: 1, savedAt: at(), files: [], copiedFrom: null }
      await world.ports.catalogue.savePersona(userId, version)
      return id
    },
    instance: async ({ instance }: Tenant) => instance.id,
  }
}

/**
 * Each place of an operation for an id of the caller's own record, with its kind and the operation's other
 * requirements.
 */
export const places: Record<string, [kind: keyof ReturnType<typeof recordsIn>, also?: object]> = {
  'endSession.id': ['session'],
  'removePasskey.id': ['passkey'],
  'removePushDevice.id': ['pushDevice'],
  'revokeToken.id': ['token'],
  'changeToken.id': ['token', { name: 'mine' }],
  'rerollToken.id': ['token', {}],
  'getTransaction.id': ['transaction'],
  'deleteInstance.confirm': ['instance'],
  'deleteSchedule.id': ['schedule'],
  'updateSchedule.id': ['schedule', { paused: true }],
  'runSchedule.id': ['paidSchedule', {}],
  'deleteAgentSchedule.id': ['agentSchedule'],
  'deleteHook.id': ['hook'],
  'rerollHook.id': ['hook', {}],
  'updateChannel.id': ['channel', { home: true }],
  'deleteChannel.id': ['channel'],
  'replayChannelDelivery.id': ['delivery'],
  'updateWebhookEndpoint.id': ['endpoint', { name: 'mine' }],
  'deleteWebhookEndpoint.id': ['endpoint'],
  'rotateWebhookSecret.id': ['endpoint', {}],
  'testWebhookEndpoint.id': ['endpoint', {}],
  'listWebhookDeliveries.id': ['endpoint'],
  'replayWebhookDelivery.id': ['toldEndpoint', { delivery: sentEvent }],
  'getFile.point': ['point', { path: 'notes/tide.txt' }],
  'getRestorePoint.id': ['point'],
  'listRestorePointFiles.id': ['point'],
  'restoreFiles.id': ['point', {}],
  'getFilesTask.id': ['task'],
  'compareRestorePoint.id': ['point'],
  'getReplyChanges.id': ['answered'],
  'undoReply.id': ['answered', {}],
  'getPersona.id': ['persona'],
  'savePersona.id': [
    'persona',
    { name: 'Mine', description: 'x', files: [{ path: 'SOUL.md', text: 'be kind' }], basedOn: 1 },
  ],
  'deletePersona.id': ['persona'],
  'activatePersona.id': ['persona', {}],
  'deactivatePersona.id': ['persona', {}],
  'listPersonaVersions.id': ['persona'],
  'getPersonaVersion.id': ['persona', { version: '1' }],
  'restorePersonaVersion.id': ['persona', { version: '1' }],
  'getAttachment.id': ['attachment'],
  'stopReply.id': ['message'],
  'getMessageCost.id': ['message'],
  'listActivities.id': ['message'],
  'sendMessage.conversation': ['conversation', { text: 'hello' }],
  'listMessages.conversation': ['conversation'],
  'getWalletUsage.conversation': ['conversation'],
  'searchMessages.conversation': ['conversation', { text: 'tide' }],
  'updateConversation.id': ['conversation', { title: 'Yours' }],
  'deleteConversation.id': ['conversation'],
  'observeAgent.conversation': ['conversation', { kind: 'message', key: 'k', text: 'hello' }],
  'answerQuestion.id': ['question', { answer: { approved: true } }],
  'getAgentQuestion.id': ['question'],
  'getAgentContext.prompt': ['prompt'],
  'observeAgent.promptId': ['prompt', { kind: 'reply', text: 'hello' }],
  'observeAgent.taskId': ['task', { kind: 'task' }],
  'giveAgentFeedback.promptId': ['prompt', { outcome: 'completed' }],
  'signAgentFiles.taskId': ['task', { put: [], get: [] }],
}

/** The request with these fields in the operation's places. */
export function given(operation: AnyOperation, fields: Record<string, unknown>) {
  const inPath = (name: string) => pathParameters(operation.http.path).includes(name)
  const parameters = Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (inPath(name) ? [[name, String(value)]] : [])),
  )
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath(name)))
  return inputInQuery(operation) ? { parameters, query: rest } : { parameters, body: rest }
}
