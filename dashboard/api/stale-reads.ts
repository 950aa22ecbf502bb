import type { EventType, NounOf } from '../../domain/chat/event.ts'
import { cache, type ReadName, refresh } from './cache.ts'

/**
 * Maps an event to the reads it makes stale, by the first word of its type, so that types of later versions count too.
 */
const staleAfter: Record<NounOf<EventType>, readonly ReadName[]> = {
  instance: ['getInstanceStatus', 'getInstanceMetrics', 'getInstanceLogs', 'listSchedules'],
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
  conversation: ['listConversations'],
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

/** Events come in bursts (charged, sent, low): one read answers them all. */
const settleMs = 150

const waiting = new Set<ReadName>()
let timer: ReturnType<typeof setTimeout> | undefined

/** Has all that an event makes untrue read again. */
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

/** Events may have been missed: what is shown is read again, the rest when it is. */
export const refreshAll = (): void => void cache.invalidateQueries()
