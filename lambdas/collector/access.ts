import type { Access } from '../../domain/ports.ts'

export const access = {
  bus: 'write',
  checkouts: 'write',
  events: 'write',
  graces: 'write',
  instances: 'write',
  mail: 'write',
  payments: 'write',
  users: 'write',
  wallets: 'write',
} as const satisfies Access
