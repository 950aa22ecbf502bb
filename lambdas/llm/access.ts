import type { Access } from '../../domain/ports.ts'

export const access = {
  models: 'read',
  wallets: 'write',
  instances: 'write',
  machineTokens: 'read',
  events: 'write',
} as const satisfies Access
