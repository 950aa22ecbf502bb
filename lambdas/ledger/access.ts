import type { Access } from '../../domain/ports.ts'

export const access = {
  bus: 'write',
  events: 'write',
  mail: 'write',
  users: 'read',
  wallets: 'write',
} as const satisfies Access
