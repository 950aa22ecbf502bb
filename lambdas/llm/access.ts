import type { Access } from '../../domain/ports.ts'

export const access = {
  models: 'write',
  wallets: 'write',
  instances: 'write',
  machineTokens: 'read',
  events: 'write',
} as const satisfies Access
