import type { Access } from '../../domain/ports.ts'

export const access = {
  audit: 'write',
  bus: 'write',
  catalogue: 'read',
  conversations: 'read',
  cursors: 'read',
  events: 'write',
  instances: 'write',
  logins: 'write',
  mail: 'write',
  passkeys: 'read',
  restorePoints: 'read',
  schedules: 'read',
  sessions: 'write',
  tokens: 'write',
  users: 'write',
  wallets: 'read',
} as const satisfies Access
