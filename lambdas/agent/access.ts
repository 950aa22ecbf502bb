import type { Access } from '../../domain/ports.ts'

export const access = {
  bus: 'write',
  catalogue: 'read',
  conversations: 'write',
  events: 'write',
  instances: 'write',
  leases: 'write',
  machineTokens: 'read',
  mail: 'write',
  metrics: 'write',
  restorePoints: 'write',
  storage: 'write',
  tasks: 'write',
  users: 'read',
  variables: 'read',
} as const satisfies Access
