import type { EventType, NounOf } from '../../domain/chat/event.ts'
import { cache, type ReadName, refresh } from './cache.ts'

/** The reads that an event makes stale, by the first word of its type, so that types of later versions count too. */
const staleAfter: Record<NounOf<EventType>, readonly ReadName[]> = {
  instance: ['getInstanceStatus', 'getInstanceHistory', 'getInstanceMetrics', 'getInstanceLogs', 'listSchedules'],
  wallet: [
    'getInstanceStatus',
    'getWallet',
    'getWalletUsage',
    'getWalletForecast',
    'listTransactions',
    'listInvoices',
    'listTokens',
  ],
  subscription: ['getInstanceStatus', 'listInvoices', 'listPlans'],
  // `followConversations` applies these events.
  conversation: [],
  message: ['listChannelDeliveries'],
  prompt: ['getInstanceStatus', 'listTransactions', 'listChannelDeliveries', 'listSchedules'],
  question: ['listQuestions'],
  token: ['listTokens'],
  persona: ['listPersonas', 'getPersona', 'listPersonaVersions'],
  skill: ['listSkills', 'getSkill'],
  files: ['listRestorePoints', 'listFiles', 'searchFiles', 'compareRestorePoint', 'getFilesTask'],
  channel: ['listChannels', 'listChannelDeliveries'],
  schedule: ['listSchedules'],
  account: ['listSessions', 'listPasskeys', 'listWebhookEndpoints'],
  notice: ['listNotices'],
  notification: ['getSession', 'listNotifications'],
}

/** Events come in bursts (charged, sent, low): one read serves them all. */
const settleMs = 150

const waiting = new Set<ReadName>()
let timer: ReturnType<typeof setTimeout> | undefined

export function refreshAfter(eventType: string): void {
  const noun = eventType.split('.')[0]
  for (const [prefix, names] of Object.entries(staleAfter))
    if (prefix === noun) for (const name of names) waiting.add(name)
  if (waiting.size === 0) return
  clearTimeout(timer)
  timer = setTimeout(() => {
    refresh(...waiting)
    waiting.clear()
  }, settleMs)
}

/** For missed events: shown answers are read again now, others when they are shown. */
export const refreshAll = (): void => void cache.invalidateQueries()
