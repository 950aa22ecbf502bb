import type { PagePath } from '../dashboard-pages.ts'

/** Groups have settings for e-mail and push; `security` cannot be turned off. */
export const groups = ['money', 'machine', 'chat', 'schedules', 'product'] as const
export type Group = (typeof groups)[number]

/** Ways besides the dashboard's list. */
export const ways = ['mail', 'push'] as const
export type Way = (typeof ways)[number]

interface Kind {
  group: Group | 'security'
  page: PagePath
  /** `elsewhere`: another part of the service sends the e-mail. */
  mail: 'elsewhere' | 'here' | 'never'
  /** `away`: when no page of its user is open. */
  push: 'always' | 'away' | 'never'
}

export const kinds = {
  'wallet-low': { group: 'money', page: '/wallet', mail: 'elsewhere', push: 'always' },
  'wallet-empty': { group: 'money', page: '/wallet', mail: 'elsewhere', push: 'always' },
  'limit-reached': { group: 'money', page: '/wallet', mail: 'here', push: 'always' },
  'token-limit-reached': { group: 'money', page: '/tokens', mail: 'here', push: 'always' },
  'auto-topup-failed': { group: 'money', page: '/wallet', mail: 'elsewhere', push: 'always' },
  'payment-failed': { group: 'money', page: '/billing', mail: 'elsewhere', push: 'always' },
  'machine-failed': { group: 'machine', page: '/instance', mail: 'here', push: 'always' },
  'volume-full': { group: 'machine', page: '/files', mail: 'elsewhere', push: 'always' },
  'volume-stopped': { group: 'machine', page: '/files', mail: 'here', push: 'always' },
  'runaway-stopped': { group: 'machine', page: '/instance', mail: 'here', push: 'always' },
  'restore-ended': { group: 'machine', page: '/files', mail: 'never', push: 'away' },
  'restore-failed': { group: 'machine', page: '/files', mail: 'never', push: 'away' },
  'question-asked': { group: 'chat', page: '/', mail: 'never', push: 'always' },
  'reply-ended': { group: 'chat', page: '/', mail: 'never', push: 'away' },
  'reply-failed': { group: 'chat', page: '/', mail: 'never', push: 'away' },
  'schedule-failed': { group: 'schedules', page: '/instance', mail: 'here', push: 'always' },
  'signed-in': { group: 'security', page: '/account', mail: 'here', push: 'always' },
  'passkey-added': { group: 'security', page: '/account', mail: 'elsewhere', push: 'always' },
  'token-created': { group: 'security', page: '/tokens', mail: 'never', push: 'always' },
  'token-leaked': { group: 'security', page: '/tokens', mail: 'elsewhere', push: 'always' },
  'chat-linked': { group: 'security', page: '/connect', mail: 'here', push: 'always' },
  'endpoint-disabled': { group: 'security', page: '/connect', mail: 'elsewhere', push: 'always' },
  notice: { group: 'product', page: '/notifications', mail: 'here', push: 'never' },
} as const satisfies Record<string, Kind>

export type NotificationKind = keyof typeof kinds

// safe because they are its own keys
export const kindNames = Object.keys(kinds) as [NotificationKind, ...NotificationKind[]]
