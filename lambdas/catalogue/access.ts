import type { Access } from '../../domain/ports.ts'

export const access = {
  catalogue: 'read',
  events: 'write',
  instances: 'write',
  sessions: 'write',
  tokens: 'write',
} as const satisfies Access
