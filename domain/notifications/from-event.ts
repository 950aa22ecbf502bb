import type { Event, EventType } from '../chat/event.ts'
import { mainConversation } from '../chat/names.ts'
import { timeOfId } from '../ids.ts'
import { centsToMicros } from '../money.ts'
import { minuteMs } from '../time.ts'
import { kinds, type NotificationKind } from './kinds.ts'
import type { Facts } from './notification.ts'

/** A slower reply is reported, ms from its message. */
const longReplyMs = minuteMs

const maxText = 200

interface NotificationContent {
  kind: NotificationKind
  facts: Facts
  page: string
  /** A key for facts that happen once but may be recorded repeatedly; null if the event itself is unique. */
  once: string | null
}

interface Outline {
  kind: NotificationKind
  facts?: Facts
  at?: Record<string, string>
  once?: string
}

const text = (value: unknown): string => {
  const whole = typeof value === 'string' ? value : ''
  const letters = [...whole]
  return letters.length > maxText ? `${letters.slice(0, maxText).join('')}…` : whole
}
const number = (value: unknown): number => (typeof value === 'number' ? value : 0)
const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {} // safe because it is an object

const rules: Record<EventType, null | ((event: Event) => Outline | null)> = {
  'wallet.low': ({ data }) => ({ kind: 'wallet-low', facts: { micros: number(data.balanceMicros) } }),
  'wallet.empty': () => ({ kind: 'wallet-empty' }),
  'wallet.limit_reached': ({ data: { of, capMicros, tokenId, name } }) => {
    const reached = { because: text(of), micros: number(capMicros) }
    return tokenId === undefined
      ? { kind: 'limit-reached', facts: reached }
      : { kind: 'token-limit-reached', facts: { ...reached, name: text(name) } }
  },
  'wallet.auto_topup_failed': ({ data }) => ({
    kind: 'auto-topup-failed',
    facts: { micros: centsToMicros(number(data.amountCents)) },
    once: `top-up ${text(data.checkoutId)}`,
  }),
  'subscription.payment_failed': ({ data }) => ({
    kind: 'payment-failed',
    facts: { micros: centsToMicros(number(data.amountCents)) },
    once: `payment ${text(data.paymentEventId)}`,
  }),
  'instance.state_changed': ({ data: { state, reason, generation } }) => {
    const once = `${state} ${reason} ${generation}`
    if (state === 'failed') return { kind: 'machine-failed', once }
    return state === 'paused' && reason === 'volume' ? { kind: 'volume-stopped', once } : null
  },
  'instance.volume_full': () => ({ kind: 'volume-full' }),
  'instance.runaway': () => ({ kind: 'runaway-stopped' }),
  'files.task_ended': ({ data: { kind, ok, taskId } }) =>
    kind === 'restore'
      ? { kind: ok === true ? 'restore-ended' : 'restore-failed', once: `restore ${text(taskId)}` }
      : null,
  'question.asked': ({ data }) => ({
    kind: 'question-asked',
    facts: { text: text(data.text) },
    once: `question ${text(data.questionId)}`,
  }),
  'message.sent': (event) => {
    const { conversation, text: sentText, outcome, refusal } = record(event.data.message)
    const { promptId } = event.data
    if (typeof promptId !== 'string') return null
    const reply = { facts: { text: text(sentText) }, at: inConversation(conversation) }
    // The wallet’s own events notify of other refusals for lack of money.
    if (outcome === 'failed' || refusal === 'wallet-suspended')
      return { kind: 'reply-failed', ...reply, once: `failed ${promptId}` }
    if (outcome !== undefined || Date.parse(event.at) - timeOfId(promptId) <= longReplyMs) return null
    return {
      kind: 'reply-ended',
      ...reply,
      once: `reply ${promptId}`,
    }
  },
  'prompt.closed': ({ data: { outcome, promptId, note } }) =>
    outcome === 'failed'
      ? { kind: 'reply-failed', facts: { text: text(note) }, once: `failed ${text(promptId)}` }
      : null,
  'schedule.failed': ({ data: { scheduleId, at, outcome } }) => ({
    kind: 'schedule-failed',
    facts: { because: text(outcome) },
    at: { tab: 'schedules' },
    once: `schedule ${text(scheduleId)} ${text(at)}`,
  }),
  'account.signed_in': ({ data }) => ({ kind: 'signed-in', facts: { name: text(data.device) } }),
  'account.passkey_added': ({ data: { id, name } }) => ({
    kind: 'passkey-added',
    facts: { name: text(name) },
    once: `passkey ${text(id)}`,
  }),
  'account.endpoint_disabled': ({ data: { name, because } }) => ({
    kind: 'endpoint-disabled',
    facts: { name: text(name), because: text(because) },
    at: { tab: 'webhooks' },
  }),
  // Only a new link names a person; other changes of a link bring no notification.
  'channel.changed': ({ data: { linkId, platform, person } }) =>
    person === undefined
      ? null
      : {
          kind: 'chat-linked',
          facts: { name: `${text(person)}, ${text(platform)}` },
          at: { tab: 'channels' },
          once: `link ${text(linkId)}`,
        },
  'token.created': ({ data: { id, name } }) => ({
    kind: 'token-created',
    facts: { name: text(name) },
    once: `token ${text(id)}`,
  }),
  'token.leaked': ({ data: { id, name } }) => ({
    kind: 'token-leaked',
    facts: { name: text(name) },
    once: `leaked ${text(id)}`,
  }),
  'notice.published': ({ data: { id, text: noticeText } }) => ({
    kind: 'notice',
    // Uncut: an operator may write long notices.
    facts: { text: typeof noticeText === 'string' ? noticeText : '' },
    once: `notice ${text(id)}`,
  }),
  'instance.changed': null,
  'instance.image_changed': null,
  'instance.image_reverted': null,
  'wallet.changed': null,
  'wallet.credited': null,
  'wallet.charged': null,
  'subscription.changed': null,
  'conversation.changed': null,
  'conversation.deleted': null,
  'message.received': null,
  'message.progress': null,
  'message.activity': null,
  'question.answered': null,
  'token.revoked': null,
  'persona.changed': null,
  'skill.changed': null,
  'notification.added': null,
}

const inConversation = (conversation: unknown): Record<string, string> =>
  typeof conversation === 'string' && conversation !== mainConversation ? { conversation } : {}

export function notificationFor(event: Event): NotificationContent | null {
  const outline = rules[event.type]?.(event)
  if (!outline) return null
  const { kind, facts = {}, at = {}, once = null } = outline
  const query = new URLSearchParams(at).toString()
  return { kind, facts, page: query ? `${kinds[kind].page}?${query}` : kinds[kind].page, once }
}
