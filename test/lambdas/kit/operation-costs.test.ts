import { tablesOf } from '../../../adapters/registry.ts'
import { portsOf } from '../../../app/ports.ts'
import { modelCallStore } from '../../../domain/costs/counts.ts'
import { operatorsTrail } from '../../../domain/operator/trail.ts'
import { iso } from '../../../domain/time.ts'
import { authenticationUses } from '../../../lambdas/kit/authenticate.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { changing, silent, trailOf } from './audited.ts'
import { type CostWorld, listed, openCostWorld } from './cost-world.ts'
import { keepPoint } from './kept-point.ts'
import { aboutUser, type Given, point, requests } from './requests.ts'

/**
 * Status, store calls and capacity units (read and write) of each operation for a user with an empty wallet and a
 * running instance: the call that admits, and its own. A number that rises wants a reason; one that falls is welcome.
 */
const costs: Record<string, [status: number, calls: number, units: number]> = {
  getHealth: [200, 0, 0],
  getSecurityTxt: [200, 0, 0],
  getOpenapi: [200, 0, 0],
  // Once in five seconds.
  listPlans: [200, 1, 2],
  login: [202, 4, 9],
  verify: [401, 1, 1],
  logout: [200, 2, 6],
  getSession: [200, 3, 3],
  listSessions: [200, 3, 2.5],
  endSession: [404, 2, 1],
  passkeyOptions: [200, 2, 2],
  verifyPasskey: [400, 1, 1],
  registerPasskeyOptions: [200, 4, 3.5],
  addPasskey: [400, 1, 1],
  listPasskeys: [200, 2, 1.5],
  removePasskey: [404, 4, 3.5],
  startTrial: [201, 7, 33],
  getAccount: [200, 2, 2],
  updateAccount: [202, 11, 25],
  exportAccount: [200, 28, 26],
  deleteAccount: [202, 16, 31],
  listAudit: [200, 2, 2],
  listNotices: [200, 2, 1.5],
  listNotifications: [200, 3, 3],
  readNotifications: [200, 2, 2],
  getNotificationSettings: [200, 3, 3],
  setNotificationSettings: [200, 4, 7],
  addPushDevice: [201, 2, 7],
  removePushDevice: [404, 2, 2],
  unsubscribe: [404, 1, 1],
  listTokens: [200, 2, 1.5],
  // The first token of an account; a later one takes no recount of live tokens, three calls less.
  mintToken: [201, 9, 17.5],
  revokeToken: [404, 2, 2],
  changeToken: [404, 2, 2],
  rerollToken: [404, 2, 2],
  reportLeakedToken: [202, 1, 1],
  getProtectedResource: [200, 0, 0],
  getTokenResource: [200, 0, 0],
  getAuthorizationServer: [200, 0, 0],
  registerClient: [400, 1, 1],
  refuseRegistration: [400, 1, 1],
  checkAuthorizationRequest: [400, 2, 2],
  answerAuthorizationRequest: [400, 2, 2],
  issueTokens: [400, 1, 1],
  revokeGrant: [400, 1, 1],
  getWallet: [200, 3, 3],
  listTransactions: [200, 2, 2],
  getTransaction: [404, 2, 2],
  getWalletUsage: [200, 3, 2.5],
  getWalletForecast: [200, 5, 4.5],
  getWalletStatement: [200, 2, 2],
  createWalletTopup: [502, 2, 2],
  setWalletLimits: [200, 6, 10],
  setAutoTopup: [200, 4, 9],
  createSubscriptionCheckout: [502, 2, 2],
  changePlan: [409, 3, 3],
  openBillingPortal: [502, 2, 2],
  listInvoices: [200, 2, 2],
  stripeWebhook: [502, 1, 1],
  getInstanceStatus: [200, 4, 4],
  pauseInstance: [202, 5, 10],
  resumeInstance: [409, 4, 4],
  // Four of these ask for a restore point first; so do four of activatePersona's.
  refreshInstance: [202, 9, 19],
  listRuntimes: [200, 2, 2],
  setInstanceRuntime: [202, 10, 20],
  setInstanceModel: [200, 4, 9],
  deleteInstance: [400, 2, 2],
  getInstanceEnv: [200, 2, 2],
  setInstanceEnv: [200, 5, 8],
  getInstanceSecrets: [200, 2, 2],
  setInstanceSecrets: [200, 5, 8],
  listSchedules: [200, 3, 3],
  deleteSchedule: [404, 1, 1],
  updateSchedule: [404, 2, 2],
  runSchedule: [404, 3, 3],
  getInstanceLogs: [200, 2, 2],
  getInstanceMetrics: [200, 3, 2.5],
  listHooks: [200, 3, 2.5],
  createHook: [201, 5, 15],
  deleteHook: [404, 2, 2],
  rerollHook: [404, 2, 2],
  listWebhookEndpoints: [200, 3, 3],
  createWebhookEndpoint: [201, 5, 14],
  updateWebhookEndpoint: [404, 1, 1],
  deleteWebhookEndpoint: [404, 1, 1],
  rotateWebhookSecret: [404, 1, 1],
  testWebhookEndpoint: [404, 2, 2],
  listWebhookDeliveries: [404, 2, 2],
  replayWebhookDelivery: [404, 3, 3],
  // Without proof; test/lambdas/hooks counts the rest.
  receiveDelivery: [401, 1, 1],
  listChannels: [200, 2, 2],
  createLinkCode: [201, 2, 5],
  updateChannel: [404, 2, 2],
  deleteChannel: [404, 2, 2],
  listChannelDeliveries: [200, 3, 2.5],
  replayChannelDelivery: [404, 2, 2],
  // Without an app at Slack; test/lambdas/channels counts the rest.
  startSlackInstall: [409, 1, 1],
  finishSlackInstall: [409, 1, 1],
  receiveTelegram: [200, 2, 3],
  receiveSlack: [401, 0, 0],
  receiveDiscord: [401, 0, 0],
  sendMessage: [202, 8, 12],
  createAttachment: [201, 3, 6],
  getAttachment: [404, 2, 2],
  stopReply: [404, 3, 3],
  getMessageCost: [200, 2, 2],
  // Of a message of long ago; of one of today a call less.
  listActivities: [200, 3, 3],
  listConversations: [200, 2, 2],
  createConversation: [201, 3, 3],
  updateConversation: [404, 2, 1],
  listQuestions: [200, 2, 2],
  answerQuestion: [404, 2, 2],
  listMessages: [200, 3, 3],
  searchMessages: [200, 2, 1.5],
  listSkills: [200, 4, 4],
  getSkill: [200, 4, 4],
  enableSkill: [200, 7, 10],
  disableSkill: [200, 7, 10],
  listPersonas: [200, 5, 5],
  getPersona: [200, 5, 5],
  savePersona: [200, 7, 14],
  // Nothing to delete; a persona of three versions takes a transaction of four items more.
  deletePersona: [404, 5, 5],
  activatePersona: [200, 11, 19],
  deactivatePersona: [200, 6, 6],
  listPersonaVersions: [404, 2, 2],
  getPersonaVersion: [404, 2, 2],
  restorePersonaVersion: [404, 2, 2],
  getAgentFiles: [200, 6, 6],
  getAgentSecrets: [200, 2, 2],
  signAgentFiles: [400, 1, 1],
  // One of them is the list of what is stopped, read once in ten seconds.
  getAgentPrompt: [200, 3, 3],
  getAgentContext: [404, 2, 2],
  getAgentQuestion: [404, 2, 2],
  createAgentAttachment: [200, 3, 6],
  observeAgent: [200, 1, 1],
  giveAgentFeedback: [404, 3, 3],
  listAgentSchedules: [200, 3, 3],
  createAgentSchedule: [200, 8, 23],
  deleteAgentSchedule: [404, 2, 2],
  listModels: [200, 0, 0],
  getTurnCost: [200, 4, 3.5],
  createSchedule: [201, 7, 16],
  listFiles: [200, 3, 3],
  getFile: [200, 3, 3],
  listRestorePoints: [200, 2, 2],
  createRestorePoint: [202, 5, 12],
  getRestorePoint: [200, 2, 2],
  listRestorePointFiles: [200, 2, 2],
  restoreFiles: [202, 6, 17],
  createExport: [202, 3, 8],
  getFilesTask: [404, 2, 2],
  writeFile: [202, 4, 13],
  createFolder: [202, 4, 13],
  moveFile: [202, 4, 13],
  deleteFile: [202, 6, 15],
  searchFiles: [200, 3, 3],
  compareRestorePoint: [404, 2, 2],
  getReplyChanges: [404, 2, 2],
  undoReply: [404, 2, 2],
  getOperator: [200, 3, 3],
  findUser: [200, 4, 4],
  getUser: [200, 11, 10],
  creditUser: [201, 9, 22],
  refundUser: [404, 5, 4],
  suspendUser: [200, 6, 12],
  unsuspendUser: [200, 4, 11],
  changeUserMachine: [202, 6, 13],
  viewUser: [201, 5, 10],
  // One at a time.
  viewUserMessages: [409, 4, 3],
  endView: [404, 3, 3],
  getView: [200, 3, 3],
  // Refused; what it reads is counted in test/lambdas/operator/view.test.ts.
  readAsUser: [403, 3, 3],
  // At most: it reads sixteen shards, and a hundred machines at a time of those that are awake.
  getFleet: [200, 37, 2_000],
  getBooks: [200, 3, 3],
  // At most: three calls for each of 25 wallets, whatever there are.
  checkBooks: [200, 96, 150],
  getRollout: [200, 3, 3],
  changeRollout: [200, 5, 8],
  getTrials: [200, 3, 4],
  changeTrials: [200, 4, 8],
  listDeadLetters: [200, 4, 3.5],
  replayDeadLetter: [404, 3, 2],
  listOperatorNotices: [200, 3, 2.5],
  broadcastNotice: [201, 4, 6.5],
  withdrawNotice: [404, 3, 2],
  listOperatorsTrail: [200, 3, 3],
  // A stream up to its first event, with what the socket's function does for its connection. Every 12 s it keeps its
  // place and looks whether its caller may go on listening.
  streamEvents: [200, 10, 12],
  mcpRpc: [200, 3, 3],
  mcpEventStream: [200, 10, 12],
  mcpClose: [204, 1, 1],
  // Hold and settle; the event that tells of it and the note that the instance is in use come once in fifteen seconds.
  // one of them is the list of what is closed and stopped, read once in ten seconds
  proxyModelCall: [200, modelCallStore.requests, modelCallStore.units],
  // The machine is let in, its wallet asked whether it could pay, and a place taken: the first is made.
  signCallBody: [200, 4, 3],
  createEmbeddings: [200, 5, 13],
  listMachineModels: [200, 1, 1],
  getMachineModel: [200, 1, 1],
  countTokens: [200, 1, 1],
  // A token is let in, read and checked again with the hold, whose transaction moves its count.
  callModel: [200, 8, 23],
  createApiEmbeddings: [200, 8, 23],
  listApiModels: [200, 1, 1],
  getApiModel: [200, 1, 1],
  countApiTokens: [200, 1, 1],
}

/** Whose cost goes with how much there is, up to a bound. */
const atMost = new Set(['getFleet', 'checkBooks'])

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
})
afterAll(() => world.close())

/** The tables an operation says it writes to, and those in whose items its callers are counted. */
function writable(operation: AnyOperation): string[] {
  const stated = portsOf(operation.uses).filter(([, level]) => level === 'write')
  const admitting = portsOf(authenticationUses(operation)).filter(([port]) => port !== 'edge')
  // What a stream is written from is a connection, which another function notes.
  const noting = 'socketClient' in operation.uses ? (['connections'] as const) : []
  const names = [...noting, ...[...stated, ...admitting].flatMap(([port]) => tablesOf(port))]
  return names.map((name) => world.env.table(name))
}

/** What an operator does to nobody in particular stands in the operators' trail alone. */
const trailFor = (operation: AnyOperation, userId: string): string =>
  operation.auth === 'operator' && !('user' in operation.input.shape) ? operatorsTrail : userId

async function measure(areaName: string, operation: AnyOperation, given: Given) {
  const tenant = await world.tenant({ state: given.paused ? 'paused' : 'running', deadlineMs: world.clock.nowMs })
  const { userId } = tenant
  if (areaName === 'files') await keepPoint(world, tenant, point)
  await world.ports.events.record(userId, 'wallet.credited', { amountMicros: 1 })
  if (operation.auth === 'llm' || operation.auth === 'pat')
    await world.ports.wallets.creditOnce(userId, 'once', 1_000_000, 'adjustment', 'test', iso(Date.now()))
  if (operation.id === 'unsuspendUser') await world.ports.wallets.freeze(userId, 'a test', Date.now())
  const about = aboutUser(operation, tenant, given)
  const headers = { ...(await world.admission(operation, tenant)), ...about.headers }
  const { status, calls, units, written } = await world.measure(areaName, operation, { ...about, headers })
  if (areaName !== 'mcp') expect(writable(operation)).toEqual(expect.arrayContaining([...new Set(written)]))
  // A move to another address leaves its line when the codes have come.
  if (status < 300 && operation.id !== 'updateAccount' && changing.some(([id]) => id === operation.id))
    expect((await trailOf(world, trailFor(operation, userId))).slice(0, 1)).toEqual(
      operation.id in silent ? [] : [operation.id],
    )
  return [status, calls.length, units]
}

describe('what an operation costs the store', () => {
  test('every operation is in the table', () => {
    const all = listed.map(([id]) => id)
    expect(Object.keys(costs).sort()).toEqual([...all].sort())
  })

  test('what changes something says so in the audit trail, or has a reason not to', () => {
    const quiet = changing.filter(([, , operation]) => !operation.audit && !operation.commits).map(([id]) => id)
    expect(quiet.sort()).toEqual(Object.keys(silent).sort())
  })

  test.each(Object.keys(costs))('%s', async (id) => {
    const [, areaName, operation] = listed.find(([name]) => name === id) ?? []
    if (!operation || !areaName) throw new Error(`no operation ${id}`)
    const [status, ...measured] = await measure(areaName, operation, requests[id] ?? {})
    const [wanted, ...most] = costs[id] ?? []
    expect(status).toBe(wanted)
    if (!atMost.has(id)) return expect(measured).toEqual(most)
    for (const [i, count] of measured.entries()) expect(count).toBeLessThanOrEqual(most[i] ?? 0)
  })
})
