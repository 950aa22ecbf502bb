import type { Access } from '../../domain/ports.ts'

export const access = {
  audit: 'write',
  checkouts: 'write',
  cursors: 'read',
  payments: 'write',
  sessions: 'write',
  tokens: 'write',
  users: 'write',
  wallets: 'write',
} as const satisfies Access
