import type { Access } from '../../domain/ports.ts'

export const access = {
  checkouts: 'write',
  payments: 'write',
  sessions: 'write',
  tokens: 'write',
  users: 'write',
  wallets: 'read',
} as const satisfies Access
