import { formatMicros } from '../../domain/dollars.ts'
import type { Group, NotificationKind, Way } from '../../domain/notifications/kinds.ts'
import type { Facts } from '../../domain/notifications/notification.ts'
import { showBalance } from '../format.ts'

/** The uses that have a daily limit of their own. */
const limitsFor: Record<string, string> = {
  chat: ' for messages',
  schedule: ' for schedules',
  heartbeat: ' for heartbeats',
  tool: ' for tools',
  api: ' for your own clients',
}

const periods: Record<string, { of: string; until: string }> = {
  total: { of: 'in all', until: 'until you raise it' },
  day: { of: 'in a day', until: 'until 00:00 UTC, or until you raise it' },
  month: { of: 'in a month', until: 'until the month ends (UTC), or until you raise it' },
}

export const notificationTexts = {
  title: 'Notifications',
  tabs: { list: 'What happened', settings: 'Settings' },
  tabsLabel: 'Parts of this page',
  list: 'Notifications',
  none: 'Nothing has happened yet that you should know of.',
  noneHint: 'When a question waits, money runs low or a machine fails, it is said here.',
  unread: 'Not read yet.',
  allRead: 'Mark all as read',
  kept: 'Kept for 90 days.',
  notices: 'Notices from Berth',
  kinds: {
    'wallet-low': ({ micros }) =>
      micros === undefined ? 'Your wallet is low.' : `Your wallet is low: ${showBalance(micros)} is left.`,
    'wallet-empty': () => 'Your wallet is empty. Your agent stops answering until you top it up.',
    'limit-reached': ({ because = '', micros = 0 }) =>
      `Today’s spending limit${limitsFor[because] ?? ''} of ${formatMicros(micros)} left too little for a call. Such calls are refused until 00:00 UTC, or until you raise it.`,
    'token-limit-reached': ({ name = '', because = '', micros = 0 }) =>
      `The token “${name}” is at its limit of ${formatMicros(micros)} ${periods[because]?.of ?? ''}. Its calls are refused ${periods[because]?.until ?? ''}.`,
    'auto-topup-failed': ({ micros = 0 }) => `An automatic top-up of ${showBalance(micros)} did not go through.`,
    'payment-failed': ({ micros = 0 }) => `Your subscription’s ${showBalance(micros)} could not be paid.`,
    'machine-failed': () => 'Your agent’s machine could not start.',
    'volume-full': () =>
      'Your agent’s files exceed your plan. If they still do in three days, the agent will be paused.',
    'volume-stopped': () => 'Your agent is paused, because its files do not fit your plan.',
    'runaway-stopped': () => 'Your agent repeated the same call again and again, and was stopped.',
    'restore-ended': () => 'Your files have been restored.',
    'restore-failed': () => 'Your files could not be restored.',
    'question-asked': () => 'Your agent asks you something, and waits for the answer.',
    'reply-ended': () => 'A long reply has ended.',
    'reply-failed': () => 'Your agent could not answer.',
    'schedule-failed': ({ because }): string =>
      because === 'wallet-empty'
        ? 'A schedule did not run, because the wallet was empty.'
        : 'A schedule did not run, because there was no machine to ask.',
    'signed-in': ({ name = '' }) => `New sign-in: ${name}.`,
    'passkey-added': ({ name = '' }) => `The passkey “${name}” was added.`,
    'token-created': ({ name = '' }) => `The token “${name}” was made.`,
    'token-leaked': ({ name = '' }) => `The token “${name}” was found in public, and is revoked.`,
    'chat-linked': ({ name = '' }) => `A chat was linked to your account: ${name}.`,
    'endpoint-disabled': ({ name = '' }) => `The webhook endpoint “${name}” was disabled.`,
    notice: () => 'A notice from Berth:',
  } satisfies Record<NotificationKind, (facts: Facts) => string>,
  groups: {
    money: ['Money', 'Low or empty wallet, limits reached, payments that failed'],
    machine: ['Machine', 'Could not start, was stopped, files restored'],
    chat: ['Chats', 'Questions that wait, long replies that ended'],
    schedules: ['Schedules', 'Times at which nothing was asked'],
    product: ['The service', 'Notices to you'],
    security: ['Security', 'New sign-ins, passkeys, tokens and chats: always told'],
  } satisfies Record<Group | 'security', [string, string]>,
  ways: { mail: 'By e-mail', push: 'By push' } satisfies Record<Way, string>,
  about: 'About',
  always: 'always',
  saved: 'Saved.',
  wayOf: (group: string, way: string) => `${group}: ${way.toLowerCase()}`,
  push: {
    title: 'Push to browsers',
    hint: 'A browser shows events while no page of Berth is open. The push contains only the kind of the event.',
    turnOn: 'Notify me in this browser',
    turnOff: 'Stop notifying this browser',
    here: 'this browser',
    since: (added: string) => `Since ${added}`,
    failing: (since: string) => `Not reached since ${since}`,
    remove: 'Remove',
    cannot: 'This browser shows no notifications, or only once Berth is installed as an app.',
    denied:
      'This browser does not allow notifications from here. Allow them in its settings for this site, then try again.',
    unreachable: 'This browser could not reach its push service. Try again later.',
    none: 'No browser is notified yet.',
  },
  unsubscribe: {
    title: 'E-mails from Berth',
    ask: (group: string) => `Stop e-mails about “${group}”?`,
    off: 'Switch them off',
    done: (group: string) => `You no longer get e-mails about “${group}”.`,
    settings: 'Change this on the notifications page.',
    wrong: 'This link is incomplete. Open it straight from the e-mail.',
  },
}
