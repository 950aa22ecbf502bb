import type { Access } from '../../domain/ports.ts'

/** The only area that may run machines. */
export const access = {
  bus: 'write',
  conversations: 'write',
  events: 'write',
  instances: 'write',
  machineTokens: 'write',
  machines: 'write',
  remains: 'write',
  restorePoints: 'write',
  rollouts: 'write',
  schedules: 'write',
  tasks: 'write',
  wallets: 'read',
} as const satisfies Access
