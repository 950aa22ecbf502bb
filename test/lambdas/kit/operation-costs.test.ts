import { tablesOf } from '../../../adapters/registry.ts'
import { operatorsTrail } from '../../../domain/operator/trail.ts'
import { iso } from '../../../domain/time.ts'
import { portsOf } from '../../../lambdas/kit/access.ts'
import { authenticationUses } from '../../../lambdas/kit/authenticate.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { modelCallStore } from '../../../lib/reports/counts.ts'
import { changing, silent, trailOf } from './audited.ts'
import { type CostWorld, listed, openCostWorld } from './cost-world.ts'
import { keepPoint } from './kept-point.ts'
import { aboutUser, type Given, point, requests } from './requests.ts'

/**
 * Status, store requests and capacity units (read and write) of each operation for a user with an empty wallet and a
 * running instance: the admission's and its own. A number that rises needs a reason; one that falls is welcome.
 */
const costs: Record<string, [status: number, calls: number, units: number]> = {
  getHealth: [200, 0, 0],
  getSecurityTxt: [200, 0, 0],
  getOpenapi: [200, 0, 0],
  // Once in five seconds.
  listPlans: [200, 1, 2],
  login: [202, 4, 9],
  verify: [401, 1, 1],
  logout: [200, 3, 7],
  getSession: [200, 4, 4],
  listSessions: [200, 4, 3.5],
  endSession: [404, 3, 2],
  passkeyOptions: [200, 2, 2],
  verifyPasskey: [400, 1, 1],
  registerPasskeyOptions: [200, 5, 4.5],
  addPasskey: [400, 2, 2],
  listPasskeys: [200, 3, 2.5],
  removePasskey: [404, 5, 4.5],
  startTrial: [201, 8, 36],
  getAccount: [200, 3, 3],
  updateAccount: [202, 12, 26],
  exportAccount: [200, 30, 28],
  deleteAccount: [202, 16, 31],
  listAudit: [200, 3, 3],
  listNotices: [200, 3, 2.5],
  listNotifications: [200, 4, 4],
  readNotifications: [200, 3, 3],
  getNotificationSettings: [200, 4, 4],
  setNotificationSettings: [200, 4, 7],
  addPushDevice: [201, 3, 8],
  removePushDevice: [404, 3, 3],
  unsubscribe: [404, 1, 1],
  listTokens: [200, 3, 2.5],
  // The first token of an account; a later one needs no recount of live tokens, three requests fewer.
  mintToken: [201, 10, 18.5],
  revokeToken: [404, 3, 3],
  changeToken: [404, 3, 3],
  rerollToken: [404, 3, 3],
  reportLeakedToken: [202, 1, 1],
  getProtectedResource: [200, 0, 0],
  getTokenResource: [200, 0, 0],
  getAuthorizationServer: [200, 0, 0],
  registerClient: [400, 1, 1],
  refuseRegistration: [400, 1, 1],
  checkAuthorizationRequest: [400, 3, 3],
  answerAuthorizationRequest: [400, 3, 3],
  issueTokens: [400, 1, 1],
  revokeGrant: [400, 1, 1],
  getWallet: [200, 4, 4],
  listTransactions: [200, 3, 3],
  getTransaction: [404, 3, 3],
  getWalletUsage: [200, 4, 3.5],
  getWalletForecast: [200, 6, 5.5],
  getWalletStatement: [200, 3, 3],
  createWalletTopup: [502, 3, 3],
  setWalletLimits: [200, 7, 11],
  setAutoTopup: [200, 5, 10],
  createSubscriptionCheckout: [502, 3, 3],
  changePlan: [409, 4, 4],
  openBillingPortal: [502, 3, 3],
  listInvoices: [200, 3, 3],
  stripeWebhook: [502, 1, 1],
  getInstanceStatus: [200, 5, 5],
  getInstanceHistory: [200, 4, 4],
  pauseInstance: [202, 6, 11],
  resumeInstance: [409, 5, 5],
  // Four of these request a restore point first, as do four of activatePersona's.
  refreshInstance: [202, 10, 20],
  listRuntimes: [200, 3, 3],
  setInstanceRuntime: [202, 11, 21],
  setInstanceModel: [200, 5, 10],
  deleteInstance: [400, 3, 3],
  getInstanceEnv: [200, 3, 3],
  setInstanceEnv: [200, 5, 8],
  getInstanceSecrets: [200, 3, 3],
  setInstanceSecrets: [200, 5, 8],
  listSchedules: [200, 4, 4],
  deleteSchedule: [404, 2, 2],
  updateSchedule: [404, 3, 3],
  runSchedule: [404, 4, 4],
  getInstanceLogs: [200, 3, 3],
  getInstanceMetrics: [200, 4, 3.5],
  listHooks: [200, 4, 3.5],
  createHook: [201, 6, 16],
  deleteHook: [404, 3, 3],
  rerollHook: [404, 3, 3],
  listWebhookEndpoints: [200, 4, 4],
  createWebhookEndpoint: [201, 6, 15],
  updateWebhookEndpoint: [404, 2, 2],
  deleteWebhookEndpoint: [404, 2, 2],
  rotateWebhookSecret: [404, 2, 2],
  testWebhookEndpoint: [404, 3, 3],
  listWebhookDeliveries: [404, 3, 3],
  replayWebhookDelivery: [404, 4, 4],
  // Without proof; test/lambdas/hooks counts the rest.
  receiveDelivery: [401, 1, 1],
  listChannels: [200, 3, 3],
  createLinkCode: [201, 3, 6],
  updateChannel: [404, 3, 3],
  deleteChannel: [404, 3, 3],
  listChannelDeliveries: [200, 4, 3.5],
  replayChannelDelivery: [404, 3, 3],
  // Without a Slack app; test/lambdas/channels counts the rest.
  startSlackInstall: [409, 2, 2],
  finishSlackInstall: [409, 2, 2],
  receiveTelegram: [200, 2, 3],
  receiveSlack: [401, 0, 0],
  receiveDiscord: [401, 0, 0],
  sendMessage: [202, 9, 13],
  createAttachment: [201, 4, 7],
  getAttachment: [404, 3, 3],
  stopReply: [404, 4, 4],
  getMessageCost: [200, 3, 3],
  // For an old message; one of today takes a request less.
  listActivities: [200, 4, 4],
  // The first page; the others take two requests less.
  listConversations: [200, 5, 4.5],
  createConversation: [201, 4, 4],
  updateConversation: [404, 3, 2],
  deleteConversation: [404, 4, 4],
  updateMainConversation: [200, 3, 3],
  listQuestions: [200, 3, 3],
  answerQuestion: [404, 3, 3],
  listMessages: [200, 4, 4],
  searchMessages: [200, 3, 2.5],
  listSkills: [200, 5, 5],
  getSkill: [200, 5, 5],
  enableSkill: [200, 8, 11],
  disableSkill: [200, 8, 11],
  listPersonas: [200, 6, 6],
  getPersona: [200, 6, 6],
  savePersona: [200, 8, 15],
  // Nothing to delete; a persona with three versions takes a transaction with four items more.
  deletePersona: [404, 6, 6],
  activatePersona: [200, 12, 20],
  deactivatePersona: [200, 7, 7],
  listPersonaVersions: [404, 3, 3],
  getPersonaVersion: [404, 3, 3],
  restorePersonaVersion: [404, 3, 3],
  getAgentFiles: [200, 6, 6],
  getAgentSecrets: [200, 2, 2],
  signAgentFiles: [400, 1, 1],
  // One of them reads the list of blocks, once in ten seconds.
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
  createSchedule: [201, 8, 17],
  listFiles: [200, 4, 4],
  // A download takes and frees a slot.
  getFile: [200, 6, 5],
  listRestorePoints: [200, 3, 3],
  createRestorePoint: [202, 6, 13],
  getRestorePoint: [200, 3, 3],
  listRestorePointFiles: [200, 3, 3],
  restoreFiles: [202, 7, 18],
  createExport: [202, 4, 9],
  getFilesTask: [404, 3, 3],
  writeFile: [202, 5, 14],
  createFolder: [202, 5, 14],
  moveFile: [202, 5, 14],
  deleteFile: [202, 7, 16],
  searchFiles: [200, 4, 4],
  compareRestorePoint: [404, 3, 3],
  getReplyChanges: [404, 3, 3],
  undoReply: [404, 3, 3],
  getOperator: [200, 4, 4],
  // Maximum: a page of 25 users with their wallets and instances, however many users there are.
  listUsers: [200, 11, 81],
  // Maximum, like getFleet.
  getTotals: [200, 38, 2_000],
  findUser: [200, 5, 5],
  getUser: [200, 12, 11],
  creditUser: [201, 10, 23],
  refundUser: [404, 6, 5],
  suspendUser: [200, 7, 15],
  unsuspendUser: [200, 5, 14],
  changeUserMachine: [202, 7, 14],
  viewUser: [201, 5, 10],
  // One at a time.
  viewUserMessages: [409, 5, 4],
  endView: [404, 4, 4],
  getView: [200, 4, 4],
  // Refused; test/lambdas/operator/view.test.ts counts its reads.
  readAsUser: [403, 4, 4],
  // Maximum: it reads sixteen shards, and a hundred awake machines at a time.
  getFleet: [200, 37, 2_000],
  getBooks: [200, 4, 4],
  // Maximum: three requests for each of 25 wallets, however many there are.
  checkBooks: [200, 96, 150],
  getRollout: [200, 4, 4],
  changeRollout: [200, 5, 8],
  getTrials: [200, 4, 5],
  changeTrials: [200, 5, 9],
  listDeadLetters: [200, 5, 4.5],
  replayDeadLetter: [404, 4, 3],
  listOperatorNotices: [200, 4, 3.5],
  broadcastNotice: [201, 5, 7.5],
  withdrawNotice: [404, 4, 3],
  listOperatorsTrail: [200, 4, 4],
  // A stream up to its first event, with the socket function's work for its connection. Every 12 s it renews its slot
  // and checks its caller's credential.
  streamEvents: [200, 13, 15],
  mcpRpc: [200, 4, 4],
  mcpEventStream: [200, 13, 15],
  mcpClose: [204, 2, 2],
  // Hold and settle; the event about it and the note that the instance is in use are written once in fifteen seconds.
  // One of them reads the list of blocks, once in ten seconds.
  proxyModelCall: [200, modelCallStore.requests, modelCallStore.units],
  // The machine is admitted, its wallet checked for money, and a place taken: the first creates it.
  signCallBody: [200, 4, 3],
  // Without an uploaded body these refuse; test/lambdas/llm/call-bodies.test.ts counts the others.
  proxyLargeModelCall: [400, 1, 1],
  createLargeEmbeddings: [400, 1, 1],
  countLargeTokens: [400, 1, 1],
  createEmbeddings: [200, 5, 13],
  listMachineModels: [200, 1, 1],
  getMachineModel: [200, 1, 1],
  countTokens: [200, 1, 1],
  // A token is read at admission and checked again with the hold, whose transaction moves its count.
  callModel: [200, 9, 24],
  createApiEmbeddings: [200, 9, 24],
  listApiModels: [200, 2, 2],
  getApiModel: [200, 2, 2],
  countApiTokens: [200, 2, 2],
}

/** Operations whose cost grows with the amount of data, up to a limit. */
const atMost = new Set(['listUsers', 'getFleet', 'getTotals', 'checkBooks'])

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
})
afterAll(() => world.close())

/** The tables that an operation declares to write, and those whose items count its callers. */
function writable(operation: AnyOperation): string[] {
  const stated = portsOf(operation.uses).filter(([, level]) => level === 'write')
  const admitting = portsOf(authenticationUses(operation)).filter(([port]) => port !== 'edge')
  // A stream starts from a connection, which another function records.
  const noting = 'socketClient' in operation.uses ? (['connections'] as const) : []
  const names = [...noting, ...[...stated, ...admitting].flatMap(([port]) => tablesOf(port))]
  return names.map((name) => world.env.table(name))
}

/** An operator's change that concerns no user is only in the operators' audit trail. */
const trailFor = (operation: AnyOperation, userId: string): string =>
  operation.auth === 'operator' && !('user' in operation.input.shape) ? operatorsTrail : userId

async function measure(areaName: string, operation: AnyOperation, given: Given) {
  const tenant = await world.tenant({ state: given.paused ? 'paused' : 'running', deadlineMs: world.clock.nowMs })
  const { userId } = tenant
  if (areaName === 'files' || areaName === 'file-downloads') await keepPoint(world, tenant, point)
  await world.ports.events.record(userId, 'wallet.credited', { amountMicros: 1 })
  if (operation.auth === 'llm' || operation.auth === 'pat')
    await world.ports.wallets.creditOnce(userId, 'once', 1_000_000, 'adjustment', 'test', iso(Date.now()))
  if (operation.id === 'unsuspendUser') await world.ports.wallets.freeze(userId, 'a test', Date.now())
  const about = aboutUser(operation, tenant, given)
  const headers = { ...(await world.admission(operation, tenant)), ...about.headers }
  const { status, calls, units, written } = await world.measure(areaName, operation, { ...about, headers })
  if (areaName !== 'mcp') expect(writable(operation)).toEqual(expect.arrayContaining([...new Set(written)]))
  // A move to another address writes its audit entry once the codes are entered.
  if (status < 300 && operation.id !== 'updateAccount' && changing.some(([id]) => id === operation.id))
    expect((await trailOf(world, trailFor(operation, userId))).slice(0, 1)).toEqual(
      operation.id in silent ? [] : [operation.id],
    )
  return [status, calls.length, units]
}

describe('the cost of an operation in the store', () => {
  test('is in the table for every operation', () => {
    const all = listed.map(([id]) => id)
    expect(Object.keys(costs).sort()).toEqual([...all].sort())
  })

  test('includes an audit entry for every change, or has a reason not to', () => {
    const quiet = changing.filter(([, , operation]) => !operation.audit && !operation.commits).map(([id]) => id)
    expect(quiet.sort()).toEqual(Object.keys(silent).sort())
  })

  test.each(Object.keys(costs))('is as listed for %s', async (id) => {
    const [, areaName, operation] = listed.find(([name]) => name === id) ?? []
    if (!operation || !areaName) throw new Error(`no operation ${id}`)
    const [status, ...measured] = await measure(areaName, operation, requests[id] ?? {})
    const [wanted, ...most] = costs[id] ?? []
    expect(status).toBe(wanted)
    if (!atMost.has(id)) return expect(measured).toEqual(most)
    for (const [i, count] of measured.entries()) expect(count).toBeLessThanOrEqual(most[i] ?? 0)
  })
})
