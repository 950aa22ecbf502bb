import type { Access } from '../../domain/ports.ts'

export const access = {
  bus: 'write',
  catalogue: 'read',
  checkouts: 'write',
  events: 'write',
  instances: 'write',
  mcp: 'read',
  models: 'read',
  payments: 'write',
  sessions: 'write',
  tokens: 'write',
  users: 'write',
  wallets: 'read',
} as const satisfies Access
