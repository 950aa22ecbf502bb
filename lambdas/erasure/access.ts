import type { Access } from '../../domain/ports.ts'

export const access = {
  audit: 'write',
  bus: 'write',
  erasure: 'write',
  events: 'write',
  instances: 'write',
  schedules: 'read',
  sessions: 'write',
  timers: 'write',
  tokens: 'write',
  users: 'write',
} as const satisfies Access
