import type { Access } from '../../domain/ports.ts'

export const access = {
  audit: 'write',
  edge: 'read',
  events: 'write',
  mail: 'write',
  rates: 'write',
  sessions: 'write',
  tokens: 'write',
  users: 'read',
} as const satisfies Access
