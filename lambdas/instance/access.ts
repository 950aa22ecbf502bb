import type { Access } from '../../domain/ports.ts'

export const access = {
  bus: 'write',
  events: 'write',
  instances: 'write',
  models: 'read',
  sessions: 'write',
  tokens: 'write',
  users: 'read',
  wallets: 'read',
} as const satisfies Access
