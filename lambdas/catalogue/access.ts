import type { Access } from '../../domain/ports.ts'

export const access = {
  catalogue: 'write',
  cursors: 'read',
  events: 'write',
  instances: 'write',
  sessions: 'write',
  tokens: 'write',
} as const satisfies Access
