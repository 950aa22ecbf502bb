import type { Access } from '../../domain/ports.ts'

export const access = {
  instances: 'write',
  machineTokens: 'read',
  conversations: 'write',
  events: 'write',
  metrics: 'write',
  restorePoints: 'write',
  storage: 'write',
  tasks: 'write',
  catalogue: 'read',
} as const satisfies Access
