import type { Access } from '../../domain/ports.ts'

export const access = {
  audit: 'write',
  bus: 'write',
  instances: 'read',
  restorePoints: 'write',
  sessions: 'write',
  storage: 'read',
  tasks: 'write',
  tokens: 'write',
} as const satisfies Access
