import type { Access } from '../../domain/ports.ts'

export const access = {
  audit: 'write',
  catalogue: 'write',
  cursors: 'read',
  events: 'write',
  instances: 'write',
  restorePoints: 'write',
  sessions: 'write',
  tasks: 'write',
  tokens: 'write',
} as const satisfies Access
