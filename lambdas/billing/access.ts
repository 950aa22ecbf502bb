import type { Access } from '../../domain/ports.ts'

export const access = {
  audit: 'write',
  bus: 'write',
  checkouts: 'write',
  cursors: 'read',
  edge: 'read',
  events: 'write',
  graces: 'write',
  instances: 'write',
  mail: 'write',
  payments: 'write',
  rates: 'write',
  sessions: 'write',
  tokens: 'write',
  users: 'write',
  wallets: 'write',
} as const satisfies Access
