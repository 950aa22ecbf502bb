import type { Access } from '../../domain/ports.ts'

export const access = {
  audit: 'write',
  bus: 'write',
  cursors: 'read',
  events: 'write',
  instances: 'write',
  logs: 'read',
  metrics: 'read',
  models: 'read',
  schedules: 'write',
  sessions: 'write',
  timers: 'write',
  tokens: 'write',
  users: 'read',
  variables: 'write',
  wallets: 'read',
} as const satisfies Access
