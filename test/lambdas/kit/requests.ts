import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import type { Tenant } from '../../world.ts'

const none = { parameters: { id: 'nothing' } }
/** A user's request, and the required state of the instance. */
export interface Given {
  body?: object
  query?: object
  parameters?: Record<string, string>
  headers?: Record<string, string>
  /** Paused, with a restore point to read from; otherwise the instance runs. */
  paused?: true
}
/** An operator's request about this user. */
export const aboutUser = (operation: AnyOperation, { userId }: Tenant, given: Given): Given =>
  operation.auth === 'operator' && 'user' in operation.input.shape && !given.query
    ? { ...given, parameters: { ...given.parameters, user: userId } }
    : given

/** A restore point that a test stores. */
export const point = 'rsp_01KAHB2N3P4Q5R6S7T8V9WXYZ0'
const pointed = { parameters: { id: point } }
/** An operator's reason. */
const reason = 'Ticket 4711'
const rpc = { jsonrpc: '2.0', id: 1 }

const authorization = { client_id: 'cli_nothing', redirect_uri: 'http://127.0.0.1/callback', response_type: 'code' }

/** Telegram's update about a message. */
const update = {
  update_id: 1,
  message: {
    message_id: 1,
    date: 1_790_000_000,
    chat: { id: 42, type: 'private', first_name: 'Ada' },
    from: { id: 42, is_bot: false, first_name: 'Ada' },
    text: 'hello',
  },
}

const file = { name: 'tides.png', type: 'image/png', bytes: 4, sha256: '0'.repeat(64) }

/** A browser's key from an example in RFC 8291. */
export const subscription = {
  endpoint: 'https://push.example.com/send/abc',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

/** A request of each operation that needs more than its path; the ids are unknown. */
export const requests: Record<string, Given> = {
  login: { body: { email: 'new@example.com' } },
  verify: { body: { email: 'new@example.com', code: '123456' } },
  endSession: { parameters: { id: 'ses_nothing' } },
  removePasskey: { parameters: { id: 'pky_nothing' } },
  addPasskey: { body: { name: 'a', response: {} } },
  updateAccount: { body: { email: 'other@example.com' } },
  readNotifications: { body: { upTo: 'ntf_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
  setNotificationSettings: { body: { muted: ['mail.chat'] } },
  addPushDevice: { body: subscription },
  removePushDevice: none,
  unsubscribe: { parameters: { token: 'nothing' } },
  mintToken: { body: { name: 'a' } },
  revokeToken: { query: { id: `tok_${'a'.repeat(22)}` } },
  changeToken: { parameters: { id: `tok_${'a'.repeat(22)}` }, body: { name: 'b' } },
  rerollToken: { parameters: { id: `tok_${'a'.repeat(22)}` }, body: {} },
  reportLeakedToken: { body: { token: 'oss_nonsense' } },
  checkAuthorizationRequest: { body: authorization },
  answerAuthorizationRequest: { body: { ...authorization, allow: true, scopes: ['mcp:wallet.read'] } },
  getTransaction: { parameters: { id: 'txn_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
  createWalletTopup: { body: { amountCents: 1000 } },
  setWalletLimits: { body: { dailyCapCents: 300 } },
  setAutoTopup: { body: { enabled: false, thresholdCents: 500, amountCents: 1000, monthlyCapCents: 5000 } },
  createSubscriptionCheckout: { body: { plan: 'starter' } },
  changePlan: { body: { plan: 'pro' } },
  setInstanceModel: { body: { model: 'default' } },
  setInstanceRuntime: { body: { runtime: 'pi' } },
  setInstanceEnv: { body: { variables: { A_NAME: 'value' } } },
  setInstanceSecrets: { body: { secrets: { github: { value: 'ghp_example', hosts: ['api.github.com'] } } } },
  createSchedule: { body: { cron: '0 8 * * *', timeZone: 'UTC', text: 'hello' } },
  deleteSchedule: none,
  updateSchedule: { ...none, body: { paused: true } },
  runSchedule: none,
  createHook: { body: { name: 'Builds', text: 'hello' } },
  deleteHook: none,
  rerollHook: none,
  receiveDelivery: none,
  updateChannel: { parameters: { id: 'lnk_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }, body: { home: true } },
  deleteChannel: { parameters: { id: 'lnk_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
  replayChannelDelivery: { parameters: { id: 'out.bm90aGluZw' } },
  finishSlackInstall: { body: { code: 'x', state: '1.x' } },
  receiveTelegram: { headers: { 'X-Telegram-Bot-Api-Secret-Token': 'tests' }, body: update },
  receiveSlack: {},
  receiveDiscord: {},
  createWebhookEndpoint: { body: { name: 'My log', url: 'https://example.com/berth', events: ['*'] } },
  updateWebhookEndpoint: { ...none, body: { name: 'mine' } },
  deleteWebhookEndpoint: none,
  rotateWebhookSecret: none,
  testWebhookEndpoint: none,
  listWebhookDeliveries: none,
  replayWebhookDelivery: { parameters: { id: 'nothing', delivery: 'nothing' } },
  sendMessage: { body: { text: 'hi' } },
  createAttachment: { body: file },
  createAgentAttachment: { body: file },
  getAttachment: { parameters: { id: 'att_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
  listActivities: { parameters: { id: 'msg_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
  getMessageCost: { parameters: { id: 'msg_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
  searchMessages: { query: { text: 'tide' } },
  createConversation: { body: { title: 'Tides' } },
  updateMainConversation: { body: { unread: false } },
  updateConversation: { parameters: { id: 'cnv_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }, body: { title: 'Tides' } },
  deleteConversation: { parameters: { id: 'cnv_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
  stopReply: { parameters: { id: 'msg_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
  answerQuestion: { parameters: { id: 'qst_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }, body: { answer: { approved: true } } },
  getAgentQuestion: { query: { id: 'qst_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
  deleteInstance: { query: { confirm: 'ins_nothing' } },
  getAgentPrompt: { query: { wait: '0' } },
  getAgentContext: { query: { prompt: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
  observeAgent: { body: { kind: 'heartbeat', busy: false } },
  createAgentSchedule: { body: { key: 'a', cron: '0 8 * * *', text: 'hello' } },
  deleteAgentSchedule: none,
  giveAgentFeedback: { body: { promptId: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0', outcome: 'completed' } },
  getSkill: { parameters: { id: 'daily-brief' } },
  enableSkill: { parameters: { id: 'daily-brief' } },
  disableSkill: { parameters: { id: 'daily-brief' } },
  getPersona: { parameters: { id: 'default' } },
  savePersona: {
    parameters: { id: 'mine' },
    body: { name: 'Mine', description: 'x', files: [{ path: 'SOUL.md', text: 'be kind' }], basedOn: 0 },
  },
  deletePersona: none,
  activatePersona: { parameters: { id: 'friendly-coach' } },
  deactivatePersona: { parameters: { id: 'friendly-coach' } },
  listPersonaVersions: none,
  getPersonaVersion: { parameters: { id: 'nothing', version: '1' } },
  restorePersonaVersion: { parameters: { id: 'nothing', version: '1' } },
  listFiles: { paused: true },
  getFile: { parameters: { path: 'notes/tide.txt' }, paused: true },
  getRestorePoint: pointed,
  listRestorePointFiles: pointed,
  restoreFiles: pointed,
  getFilesTask: none,
  writeFile: { parameters: { path: 'notes/tide.txt' }, body: { text: 'high' }, paused: true },
  createFolder: { body: { path: 'notes' }, paused: true },
  moveFile: { body: { from: 'a', to: 'b' }, paused: true },
  deleteFile: { parameters: { path: 'notes/tide.txt' }, paused: true },
  searchFiles: { query: { text: 'tide' }, paused: true },
  compareRestorePoint: none,
  getReplyChanges: { parameters: { id: 'msg_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
  undoReply: { parameters: { id: 'msg_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
  findUser: { query: { query: 'somebody@example.com' } },
  creditUser: { body: { amountCents: 500, reason }, headers: { 'Idempotency-Key': 'one' } },
  refundUser: { body: { payment: 'gift', amountCents: 100, reason }, headers: { 'Idempotency-Key': 'one' } },
  suspendUser: { body: { reason } },
  unsuspendUser: { body: { reason } },
  viewUser: { body: { reason } },
  viewUserMessages: { body: { reason } },
  endView: { body: { reason } },
  readAsUser: { parameters: { path: 'wallet' } },
  changeUserMachine: { body: { action: 'stop', reason } },
  checkBooks: { body: { reason } },
  changeRollout: { body: { action: 'pause', reason } },
  changeTrials: { body: { action: 'stop', reason } },
  listDeadLetters: { query: { user: 'usr_nobody' } },
  replayDeadLetter: { body: { kind: 'follow-up', letter: 'int_nothing', reason } },
  broadcastNotice: { body: { text: 'New machines start slowly today.', reason } },
  withdrawNotice: { parameters: { notice: 'ntc_nothing' }, body: { reason } },
  mcpRpc: {
    body: { ...rpc, method: 'tools/call', params: { name: 'wallet.balance', arguments: {} } },
    headers: { Accept: 'application/json, text/event-stream' },
  },
  getMachineModel: { parameters: { id: 'local%2Fecho' } },
  countTokens: { body: { model: 'local/echo', messages: [{ role: 'user', content: 'Hi' }] } },
  signCallBody: { body: { size: 5_000_000, sha256: '0'.repeat(64) } },
  // Without an uploaded body.
  proxyLargeModelCall: { body: {} },
  createLargeEmbeddings: { body: {} },
  countLargeTokens: { body: {} },
  createEmbeddings: { body: { model: 'local/echo-embedding', input: 'Hi' } },
  createApiEmbeddings: { body: { model: 'local/echo-embedding', input: 'Hi' } },
  getApiModel: { parameters: { id: 'local%2Fecho' } },
  countApiTokens: { body: { model: 'local/echo', messages: [{ role: 'user', content: 'Hi' }] } },
  callModel: { body: { model: 'local/echo', stream: true, messages: [{ role: 'user', content: 'Hi' }] } },
  proxyModelCall: { body: { model: 'local/echo', stream: true, messages: [{ role: 'user', content: 'Hi' }] } },
}
